"""A researcher finds out why a system fails, compares it with another, and takes figures along."""

import csv
import shlex
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.workbench.state import TWO_SYSTEM_PANES
from forensicviewer.cli import main
from forensicviewer.ui.score.threshold import ThresholdPanel
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, Painter, a_dataset, blurred, box, inverted
from tests.desk_work import CTRL, SHIFT, answer_dialog, press, start_program, trial, write

pytestmark = pytest.mark.ui
Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton
BOTH = {"PasteSplice": box(4, 4, 34, 34), "Heal": box(44, 10, 60, 40)}


def answered(folder: Path, painters: dict[str, Painter], confidences: list[str]) -> Built:
    made = a_dataset(folder).nist("NC2017").with_trial("p0")
    for name, painter, confidence in zip(painters, painters.values(), confidences, strict=True):
        operations = BOTH if name != "p3" else {"Heal": box(8, 8, 30, 30)}
        made = made.with_trial(name, manipulated=operations)
        made = made.with_answer(name, painter, confidence=confidence)
    return made.write()


@pytest.fixture
def built(tmp_path: Path) -> Built:
    painters = {"p1": blurred(2), "p2": inverted(), "p3": blurred(9)}
    return answered(tmp_path / "ours", painters, ["0.9", "0.8", "0.1"])


@pytest.fixture
def other(tmp_path: Path) -> Built:
    painters = {"p1": blurred(9), "p2": blurred(2), "p3": blurred(2)}
    return answered(tmp_path / "theirs", painters, ["0.2", "0.3", "0.9"])


def shown(window: MainWindow) -> list[str]:
    trials = window.desk.trials
    return [str(trials.id_at(place)) for place in range(len(trials))]


def find_failures(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    press(Key.Key_F, CTRL)
    write("IsTarget=='Y' and MCC<0.3")
    press(Key.Key_Return)
    assert shown(window) == ["p2"]
    press(Key.Key_W)
    assert trial(window) == "p2"
    monkeypatch.setattr(QInputDialog, "getText", lambda *_a, **_k: ("failures", True))
    window.commands.run("edit.save_filter")
    assert "failures" in window.desk.settings.filters
    press(Key.Key_F, CTRL)
    press(Key.Key_A, CTRL)
    write("nowhere to be found")
    press(Key.Key_Return)
    assert shown(window) == []
    assert "No trial matches the filter" in window.docks.browser.table.says_if_empty
    press(Key.Key_F, CTRL | SHIFT)
    splices = window.desk.trials.filter.toggled("Operation", "PasteSplice")
    window.desk.trials.set_filter(splices)
    assert shown(window) == ["p1", "p2"]


def look_into_one(window: MainWindow) -> None:
    """The trial the systems disagree about most, at another threshold, without an operation."""
    press(Key.Key_D)
    assert trial(window) == "p1"
    panel, operations = window.docks.panel("score"), window.docks.operations
    assert isinstance(panel, ThresholdPanel)
    curves = panel.plot.curves
    QTest.mousePress(curves, LEFT, pos=curves.point_of(40, 0).toPoint())
    QTest.mouseMove(curves, curves.point_of(90, 0).toPoint())
    QTest.mouseRelease(curves, LEFT, pos=curves.point_of(90, 0).toPoint())
    window.docks.show("operations")
    area = operations.tree.visualItemRect(operations.tree.rows()[0])
    at = QPoint(area.left() + 14, area.center().y())
    QTest.mouseClick(operations.tree.viewport(), LEFT, pos=at)
    assert "Operation" in operations.query.text()


def take_along(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures for a paper, the filtered table, and the session."""
    figure = answer_dialog(monkeypatch, "getSaveFileName", folder / "figure.svg")
    press(Key.Key_E, CTRL)
    assert "MCC" in figure.read_text(encoding="utf-8")
    picture = answer_dialog(monkeypatch, "getSaveFileName", folder / "figure.png")
    press(Key.Key_E, CTRL)
    assert not QImage(str(picture)).isNull()
    table = answer_dialog(monkeypatch, "getSaveFileName", folder / "trials.csv")
    press(Key.Key_E, CTRL | SHIFT)
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert [found["Trial"] for found in rows] == ["p1", "p2"]
    session = answer_dialog(monkeypatch, "getSaveFileName", folder / "mine.fvsession")
    press(Key.Key_S, CTRL)
    assert session.is_file()


def mcc_of(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> float:
    """What the copied command computes for the trial."""
    monkeypatch.chdir(folder)
    assert main([*shlex.split(command)[1:], "--quiet"]) in (0, 1)
    (scored,) = (folder / "scores").rglob("*perimage.csv")
    lines = csv.DictReader(scored.read_text(encoding="utf-8").splitlines(), delimiter="|")
    return next(float(line["ActualMCC"]) for line in lines if line["ProbeFileID"] == "p1")


def test_from_the_worst_trial_to_a_figure_and_the_same_number(
    qtbot: QtBot, built: Built, other: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root, (built.submission, other.submission)))
    window.refresh()
    assert window.desk.workbench.state.arrangement.panes == TWO_SYSTEM_PANES

    find_failures(window, monkeypatch)
    look_into_one(window)
    take_along(tmp_path, monkeypatch)
    window.commands.run("edit.copy_command")
    command = QGuiApplication.clipboard().text()

    assert float(window.docks.metrics.value("MCC")) == pytest.approx(
        mcc_of(command, tmp_path, monkeypatch), rel=1e-12
    )
    window.close()
