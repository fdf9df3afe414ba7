"""The operations panel: pictures a trial was made from, and journals that cannot be selected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QWidget

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Layer, Pane
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.model import Side
from forensicviewer.ui.score.operations import OperationsPanel
from tests.build import a_dataset, blurred, box
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui
LEFT = Qt.MouseButton.LeftButton
Show = Callable[..., QWidget]


def panel_of(bench: Workbench, show: Show) -> OperationsPanel:
    panel = show(OperationsPanel(bench), 420, 300)
    assert isinstance(panel, OperationsPanel)
    return panel


def test_the_base_picture_comes_and_goes_with_its_button(
    bench: Workbench, show: Show, tmp_path: Path
) -> None:
    made = a_dataset(tmp_path).with_trial(
        "p1", manipulated=box(4, 4, 30, 30), facts={"BaseFileName": "probe/p1.png"}
    )
    open_trial(bench, made.with_answer("p1", blurred()).write())
    panel = panel_of(bench, show)

    QTest.mouseClick(panel.base, LEFT)
    assert bench.state.arrangement.panes[-1] == Pane(Layer.BASE)
    assert bench.state.loaded is not None
    assert bench.state.loaded.probe.base is not None
    QTest.mouseClick(panel.base, LEFT)

    assert Pane(Layer.BASE) not in bench.state.arrangement.panes
    assert not panel.base.isChecked()
    assert not panel.donor.isVisible()


def test_a_splice_shows_its_journal_and_its_donor(
    bench: Workbench, show: Show, tmp_path: Path
) -> None:
    made = a_dataset(tmp_path).nist("NC2017")
    made = made.with_trial("p1", manipulated=box(4, 4, 30, 30), donor="d1")
    open_trial(bench, made.with_answer("p1+d1", blurred()).write())
    panel = panel_of(bench, show)

    (row,) = panel.tree.rows()
    assert row.data(0, Qt.ItemDataRole.CheckStateRole) is None
    assert "as a whole" in panel._hint.text()
    assert not panel.query.isVisible(), "nothing can be selected, so no query selects it"
    assert panel.donor.isChecked()
    assert not panel.base.isVisible()
    QTest.mouseClick(panel.donor, LEFT)

    assert Pane(Layer.PICTURE, Side.DONOR) not in bench.state.arrangement.panes


def test_among_six_panes_the_base_picture_takes_the_place_of_the_last(
    bench: Workbench, show: Show, tmp_path: Path
) -> None:
    made = a_dataset(tmp_path).with_trial("p1", facts={"BaseFileName": "probe/p1.png"})
    open_trial(bench, made.with_answer("p1", blurred()).write())
    bench.set_panes([Pane(Layer.SYSTEM)] * 6)
    panel = panel_of(bench, show)

    QTest.mouseClick(panel.base, LEFT)

    assert bench.state.arrangement.panes == (*[Pane(Layer.SYSTEM)] * 5, Pane(Layer.BASE))


def test_an_operation_that_is_in_no_mask_has_no_colour(
    bench: Workbench, show: Show, tmp_path: Path
) -> None:
    shapes = {"PasteSplice": box(4, 4, 30, 30), "OutputJpg": box(40, 4, 60, 30)}
    built = a_dataset(tmp_path).with_trial("p1", manipulated=shapes).with_answer("p1", blurred())
    written = built.write()
    journal = written.table("-journalmask.csv")
    text = journal.read_text(encoding="utf-8")
    journal.write_text(text.replace("|0 247 250|", "||"), encoding="utf-8")
    open_trial(bench, written)
    panel = panel_of(bench, show)

    swatches = [row.icon(0).pixmap(14).toImage().pixelColor(7, 7) for row in panel.tree.rows()]

    assert [color.name() for color in swatches if color.alpha()] == ["#ff0000"]


def test_an_operations_own_score_tells_every_digit_or_nothing(
    bench: Workbench, show: Show, tmp_path: Path
) -> None:
    made = a_dataset(tmp_path).with_trial("p1", manipulated=box(4, 4, 34, 40))
    open_trial(bench, made.with_answer("p1", blurred()).write())
    panel = panel_of(bench, show)
    (row,) = panel.tree.rows()
    told = row.toolTip(4)
    assert row.text(4) == f"{float(told.removeprefix('MCC = ')):.3f}"

    bench.set_kernels(Kernels(erode_px=99, dilate_px=99))

    assert (row.text(4), row.toolTip(4)) == ("", "")


def test_the_menu_of_an_operation_selects_its_name_or_its_purpose(
    bench: Workbench, show: Show, tmp_path: Path
) -> None:
    shapes = {"Blur": box(4, 4, 20, 20), "Heal": box(30, 4, 50, 20), "Crop": box(4, 30, 20, 44)}
    written = a_dataset(tmp_path).with_trial("p1", manipulated=shapes).write()
    journal = written.table("-journalmask.csv")
    text = journal.read_text(encoding="utf-8").replace("|Heal|", "|Blur|")
    journal.write_text(text.replace("Crop|0 48 255|add", "Crop|0 48 255|"), encoding="utf-8")
    open_trial(bench, written)
    panel = panel_of(bench, show)

    texts = choose(panel, 0, "Score only Blur")
    assert texts == [
        "Score all",
        "Score only this",
        "Score only Blur",
        "Score only the purpose “add”",
    ]
    assert bench.state.scoring.selected == frozenset([0, 1])
    assert panel.query.text() == "Operation==['Blur']"
    assert choose(panel, 2, "Score all") == ["Score all", "Score only this"]

    assert bench.state.scoring.selected is None


def test_where_nothing_can_be_selected_there_is_no_menu(
    bench: Workbench, show: Show, tmp_path: Path
) -> None:
    made = a_dataset(tmp_path).with_trial("p1", manipulated=box(4, 4, 30, 30), donor="d1")
    open_trial(bench, made.with_answer("p1+d1", blurred()).write())
    panel = panel_of(bench, show)

    panel.tree.customContextMenuRequested.emit(
        panel.tree.visualItemRect(panel.tree.rows()[0]).center()
    )

    assert panel.tree.findChild(QMenu) is None


def choose(panel: OperationsPanel, row: int, text: str) -> list[str]:
    """Open the menu of a row and choose from it; answers with all there is to choose."""
    place = panel.tree.visualItemRect(panel.tree.rows()[row]).center()
    panel.tree.customContextMenuRequested.emit(place)
    menu = panel.tree.findChild(QMenu)
    assert isinstance(menu, QMenu)
    texts = [action.text() for action in menu.actions()]
    menu.actions()[texts.index(text)].trigger()
    menu.close()
    QCoreApplication.sendPostedEvents(menu, QEvent.Type.DeferredDelete.value)
    return texts


def test_the_chosen_operation_says_how_it_was_done(
    bench: Workbench, show: Show, tmp_path: Path
) -> None:
    shapes = {"Blur": box(4, 4, 20, 20), "Clone": box(30, 4, 50, 20)}
    made = a_dataset(tmp_path).nist("MFC2019").with_trial("p1", manipulated=shapes)
    built = made.with_answer("p1", blurred()).write()
    table = built.table("journalmask.csv")
    header, first, *others = table.read_text("utf-8").splitlines()
    told = {
        "OperationArgument": "radius=3 <b>px</b>",
        "SubCategory": "smooth",
        "AutoDesignName": "design 7",
        "PlugInName": "GaussianBlur",
        "PlugInArguments": "{'kernel': 5}",
    }
    lines = ["|".join([header, *told]), "|".join([first, *told.values()])]
    lines += [line + "|" * len(told) for line in others]
    table.write_text("\n".join(lines) + "\n", "utf-8")
    open_trial(bench, built)
    panel = panel_of(bench, show)
    blur, clone = panel.tree.rows()

    panel.tree.setCurrentItem(blur)

    assert panel.details.text().splitlines() == [f"{name}: {told[name]}" for name in told]
    assert panel.details.isVisible()
    assert "GaussianBlur" in blur.toolTip(0)
    panel.tree.setCurrentItem(clone)
    assert not panel.details.isVisible()
