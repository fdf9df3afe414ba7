"""Areas and times are said in the unit the user likes."""

import pytest

from forensicviewer.app.language.units import AreaUnit, TimeUnit, Units, format_area, format_moment
from forensicviewer.app.language.words import whole
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.settings import AREAS, TIMES, Settings


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        (AreaUnit.BOTH, f"{whole(15_000)} px · 1.5 %"),
        (AreaUnit.PIXELS, f"{whole(15_000)} px"),
        (AreaUnit.PERCENT, "1.5 %"),
        (AreaUnit.MEGAPIXELS, "0.015 MP"),
    ],
)
def test_an_area_in_every_unit(unit: AreaUnit, said: str) -> None:
    assert format_area(15_000, 1_000_000, unit) == said


def test_a_small_area_is_never_said_to_be_nothing() -> None:
    assert format_area(1, 50_000_000, AreaUnit.PERCENT) == "< 0.1 %"
    assert format_area(1, 50_000_000, AreaUnit.MEGAPIXELS) == "< 0.001 MP"
    assert format_area(0, 50_000_000, AreaUnit.MEGAPIXELS) == "0.000 MP"


def test_a_share_of_something_else_is_said_beside_pixels_only() -> None:
    assert format_area(10, 1000, AreaUnit.BOTH, share=0.5) == "10 px · 50.0 %"
    assert format_area(10, 1000, AreaUnit.PERCENT, share=0.5) == "1.0 %"


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        (TimeUnit.CLOCK, "1:04.500"),
        (TimeUnit.SECONDS, "64.500 s"),
        (TimeUnit.FRAMES, "1613"),
        (TimeUnit.TIMECODE, "00:01:04:12"),
    ],
)
def test_a_moment_in_every_unit(unit: TimeUnit, said: str) -> None:
    def at_25_a_second(seconds: float) -> float:
        return 1 + 25 * seconds

    assert format_moment(64.5, unit, at_25_a_second) == said


def test_a_timecode_begins_with_no_frames() -> None:
    assert format_moment(0, TimeUnit.TIMECODE, lambda s: 1 + 30 * s) == "00:00:00:00"
    assert format_moment(3600, TimeUnit.TIMECODE, lambda s: 1 + 30 * s) == "01:00:00:00"


def test_the_settings_are_followed_at_once_and_are_nothing_to_undo() -> None:
    desk = Desk(inline_jobs(), Settings())
    desk.settings.change(AREAS, AreaUnit.MEGAPIXELS.name)
    desk.settings.change(TIMES, TimeUnit.TIMECODE.name)

    assert desk.workbench.state.units == Units(AreaUnit.MEGAPIXELS, TimeUnit.TIMECODE)
    assert desk.workbench.undo_label is None
    desk.close()
