"""Exporting a graph from the window: asked for, written whole, told; nothing of the user's lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from forensicviewer.ui.shell.window import MainWindow
from tests.provenance_build import a_provenance_dataset
from tests.provenance_window import open_window, page_of

pytestmark = pytest.mark.ui

LINKS = [("base", "middle", "PasteSplice"), ("middle", "probe", "OutputJpg")]


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=LINKS)
    built.with_answer("probe", nodes=["base", "probe"], links=[("base", "probe")])
    return open_window(qtbot, *built.write())


def test_a_name_without_an_ending_gets_the_chosen_one(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "forensicviewer.ui.widgets.save_dialog.QFileDialog.getSaveFileName",
        lambda *_arguments: (str(tmp_path / "mine"), "Image (*.png)"),
    )

    window.commands.run("graph.export")

    assert QImage(str(tmp_path / "mine.png")).width() > 300
    assert window.notice.text == f"Wrote {tmp_path / 'mine.png'}"


def test_a_file_that_cannot_be_written_is_a_problem_with_its_place(
    window: MainWindow, tmp_path: Path
) -> None:
    page_of(window).export_to(tmp_path / "nowhere" / "graph.pdf")

    told = [each for each in window.desk.workbench.state.problems if each.rule == "export"]
    assert [each.where for each in told] == [str(tmp_path / "nowhere" / "graph.pdf")]
    assert told[0].hint == "choose another folder or name"


def test_a_table_of_the_dataset_is_never_replaced(window: MainWindow) -> None:
    dataset = window.desk.workbench.state.dataset
    assert dataset is not None
    table = next(Path(dataset.root).rglob("*.csv"))
    before = table.read_bytes()

    page_of(window).export_to(table)

    assert table.read_bytes() == before
    assert any("is not replaced" in each.message for each in window.desk.workbench.state.problems)
