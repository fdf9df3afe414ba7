"""The bar of a lens and the panes that show one, through the page of the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.lens_work import drawn_lens
from forensicviewer.app.workbench.state import CompareMode, Layer, Pane
from forensicviewer.ui.panes.page import StillsPage
from tests.build import a_dataset, box, exact
from tests.ui.conftest import open_trial

Show = Callable[..., QWidget]


@pytest.fixture
def page(bench: Workbench, show: Show, tmp_path: Path) -> StillsPage:
    built = (
        a_dataset(tmp_path)
        .nist("NC2017")
        .with_trial("p1", manipulated=box(10, 10, 30, 30))
        .with_answer("p1", exact())
        .write()
    )
    open_trial(bench, built)
    page = StillsPage(bench)
    show(page, 1100, 800)
    return page


def test_the_command_adds_a_lens_and_takes_it_away(page: StillsPage, bench: Workbench) -> None:
    command = page.handlers()["view.lens"]
    assert not page.lens_bar.isVisible()

    command.run()

    assert bench.state.arrangement.panes[-1] == Pane(Layer.LENS, lens="ela")
    assert page.lens_bar.isVisible()
    assert page.lens_bar.chooser.currentText() == "Error level (ELA)"
    command.run()
    assert len(bench.state.arrangement.panes) == 4
    assert not page.lens_bar.isVisible()


def test_the_boxes_change_what_the_pane_shows(page: StillsPage, bench: Workbench) -> None:
    pane = Pane(Layer.LENS, lens="ela")
    bench.set_panes([Pane(Layer.PICTURE), pane])
    before = drawn_lens(bench.state, pane)

    page.lens_bar.boxes["quality"].setValue(35)

    after = drawn_lens(bench.state, pane)
    assert before is not None
    assert after is not None
    assert dict(after.view.values)["quality"] == 35
    assert after.pixels is not before.pixels
    facts = page.panes.findChildren(QWidget)
    assert any("Quality 35" in one.toolTip() for one in facts)
    assert any("computed from full-size pixels" in one.toolTip() for one in facts)


def test_another_lens_is_chosen_where_the_first_is_shown(
    page: StillsPage, bench: Workbench
) -> None:
    bench.set_panes([Pane(Layer.PICTURE), Pane(Layer.LENS, lens="ela")])
    names = [page.lens_bar.chooser.itemText(i) for i in range(page.lens_bar.chooser.count())]

    page.lens_bar.chooser.activated.emit(names.index("SRM residual"))

    assert bench.state.arrangement.panes[1].lens == "srm"
    assert set(page.lens_bar.boxes) == {"filter", "gain"}


@pytest.mark.parametrize("mode", [CompareMode.BLINK, CompareMode.SWIPE, CompareMode.LENS])
def test_a_lens_is_compared_with_a_mask_in_one_pane(
    page: StillsPage, bench: Workbench, mode: CompareMode
) -> None:
    bench.set_panes([Pane(Layer.PICTURE)])
    pane = Pane(Layer.LENS, lens="sobel")

    bench.set_compare(mode=mode, first=Pane(Layer.REFERENCE), second=pane)
    if mode is CompareMode.BLINK:
        bench.blink()

    drawn = drawn_lens(bench.state, pane)
    assert drawn is not None
    assert drawn.pixels is not None
    canvas = page.panes.active_canvas
    x, y = 34, 24
    point = canvas.widget_point(x + 0.5, y + 0.5).toPoint()
    shown = canvas.grab().toImage().pixelColor(point)
    grey = int(drawn.pixels.levels[0][y, x])
    assert abs(shown.red() - grey) <= 1
    assert page.lens_bar.isVisible()


def test_a_lens_that_is_not_installed_says_so(page: StillsPage, bench: Workbench) -> None:
    bench.set_panes([Pane(Layer.LENS, lens="of-another-machine")])

    assert "of-another-machine" in page.panes.active_canvas.accessibleDescription()
