"""The results grid in the window."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QTableWidgetItem
from pytestqt.qtbot import QtBot

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.ui.grid.card_dialog import CardDialog
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


def typed(dialog: GridDialog, **texts: str) -> None:
    """Open the card of the first run, type into it and save."""
    dialog.table.setCurrentCell(0, 0)
    dialog.buttons["card"].click()
    card = dialog.findChild(CardDialog)
    assert card is not None
    for name, text in texts.items():
        card.lines[name].setText(text)
    card.accept()


def test_a_card_typed_in_names_the_run_and_warns_of_leakage(
    dialog: GridDialog, tmp_path: Path
) -> None:
    run = a_run(tmp_path / "mine", {"model": "Old", "licence": "kept"}, CASIAv2="0.9")
    dialog.add_run(run)

    typed(dialog, model="Mine", training_sets="CASIA v2, IMD2020 ", flops="236G")

    assert cell(dialog, 1).text() == "Mine"
    assert "236G" in cell(dialog, 1).toolTip()
    assert "Mine was trained on CASIAv2, on which it is tested" in dialog.about.text()
    kept = json.loads((run / "model.json").read_text())
    assert kept["training_sets"] == ["CASIA v2", "IMD2020"]
    assert kept["licence"] == "kept"


def test_a_file_that_is_no_card_is_not_replaced(dialog: GridDialog, tmp_path: Path) -> None:
    run = a_run(tmp_path / "mine", CASIA="0.9")
    (run / "model.json").write_text("{broken")
    dialog.add_run(run)

    typed(dialog, model="Mine")

    assert (run / "model.json").read_text() == "{broken"
    assert "not replaced" in dialog.about.text()


def test_published_figures_have_no_card_to_edit(dialog: GridDialog) -> None:
    dialog.table.setCurrentCell(3, 0)

    assert not dialog.buttons["card"].isEnabled()
