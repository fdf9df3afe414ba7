"""The line below the panes tells what the colours mean until a pixel is pointed at."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Layer, Pane
from forensicviewer.core.palette import Outcome, palette
from forensicviewer.ui.panes.inspector import InspectorStrip
from tests.build import Built, two_answered_trials
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui
SCORED = (Outcome.HIT, Outcome.MISS, Outcome.FALSE_ALARM)
Show = Callable[..., QWidget]


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


@pytest.fixture
def strip(bench: Workbench, built: Built, show: Show) -> InspectorStrip:
    open_trial(bench, built)
    made = show(InspectorStrip(bench), 800, 40)
    assert isinstance(made, InspectorStrip)
    return made


def test_colours_are_named_until_a_pixel_is_pointed_at(
    bench: Workbench, strip: InspectorStrip
) -> None:
    assert list(strip.key.outcomes) == [*SCORED, Outcome.BOUNDARY]
    assert strip.key.accessibleName().startswith("Hit, Miss, False alarm")
    picture = strip.key.grab().toImage()
    colors = {picture.pixel(x, picture.height() // 2) & 0xFFFFFF for x in range(picture.width())}
    red, green, blue = palette(bench.state.look.palette)[Outcome.HIT]
    assert red << 16 | green << 8 | blue in colors

    bench.set_cursor((3, 3))
    assert not strip.key.outcomes
    assert strip.outcome.isVisible()
    bench.set_cursor(None)

    assert len(strip.key.outcomes) == 4


def test_only_colours_on_the_screen_are_named(bench: Workbench, strip: InspectorStrip) -> None:
    bench.toggle_outcome(Outcome.MISS)
    assert Outcome.MISS not in strip.key.outcomes

    bench.set_panes([Pane(Layer.PICTURE)])

    assert not strip.key.outcomes
