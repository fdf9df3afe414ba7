"""The settings of units change what legend, operations, facts and video page say, at once."""

from pathlib import Path

import pytest

from forensicviewer.app.language.units import AreaUnit, TimeUnit
from forensicviewer.app.settings import AREAS, TIMES
from forensicviewer.app.video.contact_sheet import frame_heading, sheet_pictures
from forensicviewer.core.palette import Outcome
from forensicviewer.core.temporal import Interval
from forensicviewer.ui.panes.inspector import FactsPanel
from forensicviewer.ui.score.legend import LegendPanel
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.video.page import VideoPage
from tests.build import Built, two_answered_trials
from tests.video_build import a_video_dataset

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def test_areas_are_said_as_the_settings_want_them(opened: MainWindow) -> None:
    legend, facts = opened.docks.panel("legend"), opened.docks.panel("picture")
    assert isinstance(legend, LegendPanel)
    assert isinstance(facts, FactsPanel)
    tree = opened.docks.operations.tree

    def said() -> tuple[str, str, str]:
        for name in ("legend", "picture", "operations"):
            opened.docks.panel(name)
        cells = [facts.table.item(row, 1) for row in range(facts.table.rowCount())]
        sizes = [cell.text() for cell in cells if cell is not None and "×" in cell.text()]  # noqa: RUF001
        area = next(item.text(3) for item in tree.rows() if item.text(3))
        return legend.lines[Outcome.HIT].count.text(), area, sizes[-1]

    found = {}
    for unit in AreaUnit:
        opened.desk.settings.change(AREAS, unit.name)
        found[unit] = said()

    assert all("px ·" in text for text in found[AreaUnit.BOTH][:1])
    assert [text[-1] for text in found[AreaUnit.PERCENT][:2]] == ["%", "%"]
    assert [text[-2:] for text in found[AreaUnit.PIXELS]] == ["px", "px", "px"]
    assert [text[-2:] for text in found[AreaUnit.MEGAPIXELS]] == ["MP", "MP", "MP"]


@pytest.fixture
def page(window: MainWindow, tmp_path: Path) -> VideoPage:
    video = a_video_dataset(tmp_path)
    window.desk.open_paths([video.root, video.submission])
    found = window.page
    assert isinstance(found, VideoPage)
    found.player.seek(31)
    return found


def test_times_are_said_as_the_settings_want_them(window: MainWindow, page: VideoPage) -> None:
    said, axis = {}, {}
    for unit in TimeUnit:
        window.desk.settings.change(TIMES, unit.name)
        said[unit] = page.transport.time.text()
        axis[unit] = page.timeline._times([1.0, 31.0], 1.0, 1.0)

    rate = page.player.state.playback.clock.rate
    assert said[TimeUnit.SECONDS] == f"{30 / rate:.3f} s"
    assert said[TimeUnit.FRAMES] == "31"
    assert said[TimeUnit.TIMECODE].startswith("00:00:0")
    assert axis[TimeUnit.FRAMES] == ["1", "31"]
    assert axis[TimeUnit.CLOCK][0] == "0:00"


def test_intervals_say_when_they_are_in_the_unit_of_the_settings(
    window: MainWindow, page: VideoPage
) -> None:
    table = page.panel.intervals
    lane = next(lane for lane in page.timeline.item.contents.lanes if lane.title == "Reference")
    span, rate = lane.spans[0], page.player.state.playback.clock.rate
    last = table.columnCount() - 1

    shown, tips = {}, {}
    for unit in TimeUnit:
        window.desk.settings.change(TIMES, unit.name)
        cell = table.item(0, last)
        shown[unit] = "" if cell is None or table.isColumnHidden(last) else cell.text()
        tips[unit] = page.timeline._describe(span)

    first = f"{(span.start - 1) / rate:.3f}"
    assert shown[TimeUnit.SECONDS].startswith(f"{first} s–")  # noqa: RUF001 - from to
    assert tips[TimeUnit.SECONDS].splitlines()[1].startswith(f"{first} s–")  # noqa: RUF001
    assert shown[TimeUnit.CLOCK].startswith("0:0")
    reference = table.item(0, 1)
    assert reference is not None
    assert reference.toolTip().startswith("00:00:0")  # a timecode, the last unit
    assert shown[TimeUnit.FRAMES] == ""
    assert tips[TimeUnit.FRAMES] == span.tip
    assert "frames" in span.tip
    assert "s" not in table.as_text().splitlines()[1].split("\t")[1]


def test_sheets_and_frames_as_files_say_times_in_the_unit_of_the_settings(page: VideoPage) -> None:
    state = page.player.state
    assert page.player.media is not None
    assert state.review is not None
    picture = sheet_pictures(
        page.player.media, state.review, Interval(31, 31), count=1, width_px=64
    )[0]
    second = f"{30 / state.playback.clock.rate:.3f} s"

    assert f"31 · {second}" in picture.caption(state, TimeUnit.SECONDS)
    assert second not in picture.caption(state, TimeUnit.FRAMES)
    assert second in frame_heading(state, TimeUnit.SECONDS)
    assert "0:0" in frame_heading(state, TimeUnit.CLOCK)
