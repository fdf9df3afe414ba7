"""The results grid in the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QTableWidgetItem
from pytestqt.qtbot import QtBot

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.ui.grid.dialog import GridDialog
from tests.app.grid.test_grid import a_run


@pytest.fixture
def dialog(bench: Workbench, qtbot: QtBot) -> GridDialog:
    dialog = GridDialog(bench, lambda _: None)
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    return dialog


def cell(dialog: GridDialog, column: int) -> QTableWidgetItem:
    item = dialog.table.item(0, column)
    assert item is not None
    return item


def test_own_runs_stand_before_published_ones(dialog: GridDialog, tmp_path: Path) -> None:
    assert dialog.table.rowCount() == 16

    dialog.add_run(a_run(tmp_path / "mine", {"model": "Mine"}, Columbia="0.99", CASIAv1="0.1"))

    assert dialog.grid is not None
    columns = dialog.grid.columns
    assert cell(dialog, columns.index("Model")).text() == "Mine"
    best = cell(dialog, columns.index("Columbia"))
    assert (best.text(), best.font().bold()) == ("0.9900", True)
    assert cell(dialog, columns.index("NIST16")).toolTip() == "not scored on this dataset"


def test_without_published_figures_only_own_runs_are_left(
    dialog: GridDialog, tmp_path: Path
) -> None:
    dialog.add_run(a_run(tmp_path / "mine", CASIA="0.1"))

    dialog.published.click()

    assert dialog.table.rowCount() == 1
    dialog.export_to(tmp_path / "grid.tex")
    assert r"\begin{tabular}" in (tmp_path / "grid.tex").read_text()


def test_a_folder_without_a_run_is_told(dialog: GridDialog, tmp_path: Path) -> None:
    dialog.add_run(tmp_path)

    assert "The run has no results" in dialog.about.text()
