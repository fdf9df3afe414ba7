"""A researcher pairs a dataset, compares two models, finds the worst image, and exports numbers."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.workbench.explanation import explain_pane
from forensicviewer.app.workbench.state import Layer, Pane
from forensicviewer.cli import main
from forensicviewer.core.model import Side, TrialId
from forensicviewer.core.overlay import color_of
from forensicviewer.core.palette import Outcome
from forensicviewer.sources.sample.locations import imdl_dataset
from forensicviewer.ui.grid.dialog import GridDialog
from forensicviewer.ui.imdl.pairing_dialog import PairingDialog
from forensicviewer.ui.imdl.panel import DefinitionsPanel
from forensicviewer.ui.panes.layers import reference_table, system_table
from forensicviewer.ui.score.legend import LegendPanel
from forensicviewer.ui.score.reference_key import key_lines
from forensicviewer.ui.score.threshold import ThresholdPanel
from forensicviewer.ui.shell.docks import DetectionStack
from forensicviewer.ui.shell.window import MainWindow
from tests.desk_work import CTRL, SHIFT, answer_dialog, press, start_program, trial, write

Key, LEFT = Qt.Key, Qt.MouseButton.LeftButton


def _renamed(sample: Path, root: Path) -> Path:
    """The sample with masks that are called after nothing, as many are downloaded."""
    shutil.copytree(imdl_dataset(sample) / "Tp", root / "Tp")
    (root / "Gt").mkdir()
    for number, mask in enumerate(sorted((imdl_dataset(sample) / "Gt").iterdir())):
        shutil.copy(mask, root / "Gt" / f"mask_{number:03d}.png")
    return root


def _confirm_by_position(window: MainWindow, qtbot: QtBot) -> None:
    """The preview opens by itself; the thumbnails tell that masks belong by position."""
    qtbot.waitUntil(lambda: isinstance(window.pairing.dialog, PairingDialog))
    dialog = window.pairing.dialog
    assert isinstance(dialog, PairingDialog)
    assert all(dialog.model.is_differing(row) for row in range(dialog.model.rowCount()))
    dialog.pairing.setFocus()
    QTest.keyClick(dialog.pairing, Key.Key_Down)
    assert dialog.row_said.text().startswith("The mask marks ")
    QTest.keyClick(dialog.confirm, Key.Key_Space)
    qtbot.waitUntil(lambda: window.pairing.dialog is None)


def _column(window: MainWindow, name: str) -> list[str]:
    model = window.docks.browser.model
    section = model.names.index(name)
    return [str(model.data(model.index(row, section))) for row in range(model.rowCount())]


def _click_heading(window: MainWindow, name: str) -> None:
    header = window.docks.browser.table.horizontalHeader()
    section = window.docks.browser.model.names.index(name)
    at = QPoint(header.sectionViewportPosition(section) + 12, header.height() // 2)
    QTest.mouseClick(header.viewport(), LEFT, pos=at)


def _f1_of_run(window: MainWindow) -> float:
    stack = window.docks.panel("detection")
    assert isinstance(stack, DetectionStack)
    table = stack.definitions.table
    rows = [[table.item(row, column) for column in (0, 3)] for row in range(table.rowCount())]
    return next(
        float(mean.text()) for name, mean in rows if name and mean and name.text() == "Pixel F1"
    )


def _scored(data: Path, maps: Path, out: Path, *options: str) -> dict[str, float]:
    """F1 by image as the command line writes it."""
    asked = ["score", "imdl", str(data), str(maps), "--out", str(out), "--pairing", "position"]
    assert main([*asked, "--workers", "1", "--quiet", *options]) in (0, 1)
    with (out / "imdl_perimage.csv").open(encoding="utf-8") as stream:
        return {row["Image"]: float(row["F1"]) for row in csv.DictReader(stream, delimiter="|")}


def _drag_threshold(window: MainWindow, level: int) -> None:
    panel = window.docks.panel("score")
    assert isinstance(panel, ThresholdPanel)
    curves = panel.plot.curves
    QTest.mousePress(curves, LEFT, pos=curves.point_of(128, 0.1).toPoint())
    QTest.mouseMove(curves, curves.point_of(level, 0.1).toPoint())
    QTest.mouseRelease(curves, LEFT, pos=curves.point_of(level, 0.1).toPoint())


def test_from_uncertain_masks_to_the_worst_image_and_its_numbers(
    sample_folder: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = _renamed(sample_folder, tmp_path / "CASIA-like")
    models = [sample_folder / "submissions" / f"IMDL_{name}" for name in ("good", "noisy")]
    window = start_program(qtbot)
    window.desk.open_dataset(data)
    _confirm_by_position(window, qtbot)
    window.desk.open_submissions(models)

    # Every image is scored without being asked for; the heading sorts the worst first.
    qtbot.waitUntil(lambda: "" not in _column(window, "F1"))
    _click_heading(window, "F1")
    shown = [float(cell) for cell in _column(window, "F1")]
    assert shown == sorted(shown)
    # The submission opened last is the one looked at.
    expected = _scored(data, models[-1], tmp_path / "noisy")
    worst = min(expected, key=expected.__getitem__)
    press(Key.Key_W)
    assert trial(window) == worst
    assert window.desk.trials.id_at(0) == worst
    assert shown[0] == pytest.approx(expected[worst], abs=5e-4)
    assert _f1_of_run(window) == pytest.approx(sum(expected.values()) / len(expected), abs=1e-4)

    # Another threshold, and what it does to this image.
    state = window.desk.workbench.state
    assert state.thresholds.main == 128
    _drag_threshold(window, 60)
    level = window.desk.workbench.state.thresholds.main
    assert level != 128
    assert window.desk.workbench.state.rival is not None

    # The listed images with all their columns, as the command line computes them.
    table = answer_dialog(monkeypatch, "getSaveFileName", tmp_path / "worst-first.csv")
    press(Key.Key_E, CTRL | SHIFT)
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert rows[0]["Trial"] == worst
    assert {row["Trial"]: float(row["F1"]) for row in rows} == pytest.approx(expected, abs=1e-6)


def _definitions(window: MainWindow) -> DefinitionsPanel:
    stack = window.docks.panel("detection")
    assert isinstance(stack, DetectionStack)
    return stack.definitions


def _read(panel: DefinitionsPanel, column: int) -> dict[str, float]:
    """The numbers of a column of the table of definitions, by the name beside them."""
    found = {}
    for row in range(panel.table.rowCount()):
        name, cell = panel.table.item(row, 0), panel.table.item(row, column)
        assert name is not None
        assert cell is not None
        found[name.text().removesuffix(" ↑")] = cell.text()
    return {name: float(text) for name, text in found.items() if text[:1].isdigit()}


def _model_in(dialog: GridDialog, row: int) -> tuple[str, str]:
    """The name of a model in the grid, and what resting on it says."""
    name = dialog.table.item(row, 1)
    return ("", "") if name is None else (name.text(), name.toolTip())


def test_two_models_one_inverted_under_three_definitions_into_a_latex_grid(
    sample_folder: Path, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = imdl_dataset(sample_folder)
    models = [sample_folder / "submissions" / f"IMDL_{name}" for name in ("good", "inverted")]
    window = start_program(qtbot)
    window.desk.open_dataset(data)
    window.desk.open_submissions(models)
    qtbot.waitUntil(lambda: "" not in _column(window, "F1"))

    # The one opened last is looked at, and a problem says that it looks inverted, with evidence.
    panel = _definitions(window)
    told = [
        one.message for one in window.desk.workbench.state.problems if "inverted" in one.message
    ]
    assert any("maps score authentic pixels above manipulated ones" in each for each in told)
    upside_down = _read(panel, 3)
    assert upside_down["Pixel AUC"] < 0.4
    QTest.mouseClick(panel.inverted, LEFT, pos=QPoint(8, panel.inverted.height() // 2))
    qtbot.waitUntil(lambda: "" not in _column(window, "F1"))
    turned = _read(panel, 3)
    assert turned["Pixel AUC"] == pytest.approx(1 - upside_down["Pixel AUC"], abs=2e-4)

    # The worst image reads differently under three definitions, and a number finds its own.
    press(Key.Key_W)
    numbers = _read(panel, 2)
    binary, micro, permute = (
        numbers[name] for name in ("Pixel F1", "F1, micro", "F1, better polarity")
    )
    assert binary <= permute < micro
    panel.number.setFocus()
    write(f"{micro:.4f}")
    assert "F1, micro" in panel.said.text()

    # The grid has both models without a file having been written, and becomes LaTeX.
    window.commands.run("trial.grid")
    dialog = window.findChild(GridDialog)
    assert dialog is not None
    qtbot.waitUntil(lambda: dialog.grid is not None and len(dialog.grid.runs) > 2)
    QTest.mouseClick(dialog.published, LEFT, pos=QPoint(8, dialog.published.height() // 2))
    qtbot.waitUntil(lambda: dialog.table.rowCount() == 2)
    (models[1] / "model.json").write_text('{"model": "My net", "backbone": "ViT-B"}')
    dialog.fill()
    qtbot.waitUntil(lambda: _model_in(dialog, 1)[0] == "My net")
    assert "ViT-B" in _model_in(dialog, 1)[1]
    (models[1] / "model.json").unlink()
    dialog.fill()
    qtbot.waitUntil(lambda: _model_in(dialog, 1)[0] == "IMDL_inverted")
    table = answer_dialog(monkeypatch, "getSaveFileName", tmp_path / "grid.tex")
    QTest.mouseClick(dialog.buttons["export"], LEFT)
    qtbot.waitUntil(table.is_file)
    text = table.read_text(encoding="utf-8")
    assert f"{turned['Pixel F1']:.4f}" in text
    for name in ("good", "inverted"):
        assert rf"IMDL\_{name}" in text
    assert r"\textbf" in text
    dialog.close()


def test_references_are_white_where_manipulated_as_predictions_are(
    sample_folder: Path, qtbot: QtBot
) -> None:
    window = start_program(qtbot)
    window.desk.open_dataset(imdl_dataset(sample_folder))
    window.desk.open_submissions([sample_folder / "submissions" / "IMDL_good"])
    window.desk.trials.select_place(0)

    state = window.desk.workbench.state
    assert state.loaded is not None
    side = state.loaded.on(Side.PROBE)
    table = reference_table(state, side)
    assert [color_of(table, number) for number in (0, 1)] == [(0, 0, 0), (255, 255, 255)]
    system = system_table(state, Pane(Layer.SYSTEM))
    assert [color_of(system, score) for score in (0, 255)] == [(0, 0, 0), (255, 255, 255)]
    assert "white is manipulated" in explain_pane(state, Pane(Layer.REFERENCE))
    named = {line.name: line.colors for line in key_lines(side, is_white_on_black=True)}
    assert named == {"Manipulated": ((255, 255, 255),), "Unchanged": ((0, 0, 0),)}


def test_only_a_cropped_prediction_has_a_margin_in_the_legend(
    sample_folder: Path, qtbot: QtBot
) -> None:
    window = start_program(qtbot)
    window.desk.open_dataset(imdl_dataset(sample_folder))
    window.desk.open_submissions([sample_folder / "submissions" / "IMDL_partial"])
    legend = window.docks.panel("legend")
    assert isinstance(legend, LegendPanel)
    margin = legend.lines[Outcome.OPT_OUT]

    window.desk.workbench.select_trial(TrialId("no-tree.jpg"))
    window.desk.workbench.select_trial(TrialId("empty-dunes.jpg"))
    whole = margin.isHidden()
    window.desk.workbench.select_trial(TrialId("harbour.jpg"))

    assert whole
    assert not margin.isHidden()
    assert "Unscored margin" in margin.button.text()
