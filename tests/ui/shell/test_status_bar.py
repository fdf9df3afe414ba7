"""What the status bar says about work and memory."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import Lane, Ticket
from forensicviewer.app.runtime.memory import resident_bytes
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.core.model import TrialId
from forensicviewer.ui.dialogs.command_palette import ChoicePalette
from forensicviewer.ui.shell.start import make_desk
from forensicviewer.ui.shell.window import MainWindow
from tests.build import a_dataset, blurred, box, two_answered_trials

pytestmark = pytest.mark.ui


def test_memory_is_told_in_megabytes(window: MainWindow) -> None:
    held = resident_bytes()

    if held is None:
        assert window.status.memory.text() == ""
    else:
        number, unit = window.status.memory.text().rsplit(" ", 1)
        assert unit == "MB"
        assert int(number.replace("\u202f", "")) == pytest.approx(held / 1e6, rel=0.5)


def test_a_trial_without_a_score_has_no_optimum_to_name(window: MainWindow, tmp_path: Path) -> None:
    built = (
        a_dataset(tmp_path)
        .nist("NC2017")
        .with_trial("p1", manipulated=box(10, 10, 40, 40))
        .with_trial("p2")
        .with_answer("p1", blurred())
        .with_answer("p2", blurred())
        .write()
    )
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    assert window.status.threshold.text().endswith("(optimum)")

    window.desk.workbench.select_trial(TrialId("p2"))

    assert "optimum" not in window.status.threshold.text()
    window.desk.workbench.select_trial(TrialId("p1"))
    assert window.status.threshold.text().endswith("(optimum)")


def test_whoever_lets_go_beside_what_is_told_meant_no_click(
    window: MainWindow, tmp_path: Path
) -> None:
    built = two_answered_trials(tmp_path)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()
    zoom, left = window.status.zoom, Qt.MouseButton.LeftButton

    QTest.mousePress(zoom, left)
    QTest.mouseRelease(zoom, left, pos=QPoint(-30, -30))

    assert zoom.text() == "Fit"


def test_a_click_on_what_is_told_leads_to_where_it_is_changed(
    window: MainWindow, tmp_path: Path
) -> None:
    built = two_answered_trials(tmp_path)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()
    status, left = window.status, Qt.MouseButton.LeftButton
    window.docks.docks["score"].hide()

    QTest.mouseClick(status.zoom, left)
    zoomed = status.zoom.text()
    QTest.mouseClick(status.zoom, left)
    QTest.mouseClick(status.threshold, left)
    QTest.mouseClick(status.place, left)

    assert (zoomed, status.zoom.text()) == ("100 %", "Fit")
    assert window.docks.docks["score"].isVisible()
    (palette,) = window.findChildren(ChoicePalette)
    palette.close()


def test_long_work_is_cancelled_where_it_is_told(qtbot: QtBot) -> None:
    window = MainWindow(make_desk(Settings()))
    qtbot.addWidget(window)
    window.resize(1200, 800)
    with qtbot.waitExposed(window):
        window.show()
    ended = threading.Event()

    def work(ticket: Ticket) -> None:
        try:
            while not ended.wait(0.01):
                ticket.check()
        finally:
            ended.set()

    window.desk.jobs.submit_long(Lane("test"), work, lambda _answer: None, title="Counting")
    qtbot.waitUntil(window.status.cancel.isVisible)
    assert "Counting" in window.status.cancel.toolTip()

    QTest.mouseClick(window.status.cancel, Qt.MouseButton.LeftButton)

    qtbot.waitUntil(ended.is_set)
    qtbot.waitUntil(lambda: not window.status.cancel.isVisible())
    window.close()
    window.desk.jobs.close()
