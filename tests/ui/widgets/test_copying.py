"""Everything that can be taken along: tables by Ctrl+C, the pixel, its place, a note about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView

from forensicviewer.app.workbench.state import Viewpoint
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.ui.panes import export
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset, blurred, box

pytestmark = pytest.mark.ui
TWO = {"PasteSplice": box(4, 4, 34, 34), "Heal": box(44, 10, 60, 40)}


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path).nist("NC2017").with_trial("p1", manipulated=TWO)
    return made.with_answer("p1", blurred()).write()


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


@pytest.mark.parametrize(
    ("panel", "name", "title", "cell"),
    [
        ("metrics", "Metrics", "Metric\tAt threshold", "MCC\t"),
        ("operations", "Operations", "Operation\tArea", "Heal\t"),
        ("picture", "Image facts", "", "Size\t64"),
        ("problems", "Problems", "Problem\tWhere", "odd\tx.csv"),
    ],
)
def test_ctrl_c_in_a_table_copies_its_rows(
    opened: MainWindow, panel: str, name: str, title: str, cell: str
) -> None:
    opened.desk.workbench.report([Problem(Severity.NOTE, "odd", "x.csv")])
    opened.show_panel(panel)
    found = opened.docks.panel(panel).findChildren(QAbstractItemView)
    view = next(view for view in found if view.accessibleName() == name)
    QGuiApplication.clipboard().clear()
    view.setFocus()

    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    assert clipboard().startswith(title)
    assert cell in clipboard()


def test_the_place_of_a_pixel_is_copied_and_noted(opened: MainWindow) -> None:
    opened.desk.workbench.set_cursor((12, 20))

    opened.commands.run("edit.copy_position")
    assert clipboard() == "12, 20"
    opened.commands.run("edit.copy_pixel")
    assert clipboard().startswith("x 12, y 20; RGB")
    opened.commands.run("verdict.note_pixel")
    QTest.keyClicks(opened.docks.adjudicator.note, "shifted")

    assert opened.docks.adjudicator.note.toPlainText() == "x 12, y 20: shifted"


def test_an_unscored_pixel_says_why(opened: MainWindow) -> None:
    opened.desk.workbench.set_cursor((3, 4))

    opened.commands.run("edit.copy_pixel")

    assert "too close to the boundary" in clipboard()


def test_a_right_click_offers_what_can_be_done_with_the_place(opened: MainWindow) -> None:
    offered = {action.text() for action in opened.commands.context_menu(opened).actions()}

    assert offered >= {
        "Copy pixel",
        "Copy coordinates",
        "Write note about this place",
        "Show in file manager",
        "Export view…",
        "Copy view",
    }


def test_a_pane_is_exported_pixel_by_pixel_with_its_legend(
    opened: MainWindow, tmp_path: Path
) -> None:
    bench, out = opened.desk.workbench, tmp_path / "full.png"
    bench.set_viewpoint(1, Viewpoint(3, 3, 8.0))
    bench.activate_pane(1)

    opened.window_commands.files.export_full(out)

    drawn = QImage(str(out))
    # A small picture lies in the middle of a sheet that is wide enough for the caption.
    left = (drawn.width() - 64) // 2
    assert drawn.width() == 740
    rows = [
        [drawn.pixelColor(left + x, y).name() for x in range(40)] for y in range(60, drawn.height())
    ]
    # The first operation is 30 columns wide from column 4 on, and 30 rows high.
    inside = [row for row in rows if row[3] != row[4] == row[33] != row[34]]
    assert len(inside) == 30
    assert "p1" in drawn.text("Description")
    assert bench.state.viewpoint(1) == Viewpoint(3, 3, 8.0)


def test_a_picture_too_large_for_a_file_says_what_to_do(
    opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_MOST_PIXELS", 100)

    opened.window_commands.files.export_full(tmp_path / "full.png")

    assert "exceed the limit of one file" in opened.notice.text
    assert not (tmp_path / "full.png").exists()


def test_the_path_of_the_probe_is_copied(opened: MainWindow) -> None:
    opened.commands.run("edit.copy_path")

    assert clipboard().endswith("p1.png")
