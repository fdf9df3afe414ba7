"""Closing while something runs asks first; otherwise the window is gone at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QCheckBox, QMessageBox
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import Jobs, Lane
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.settings import ASK_BEFORE_CLOSING, Settings
from forensicviewer.ui.shell import closing
from forensicviewer.ui.shell.bridge import MainThreadBridge
from forensicviewer.ui.shell.window import MainWindow

pytestmark = pytest.mark.ui


def fail(error: BaseException) -> None:
    raise error


@pytest.fixture
def busy(
    qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[MainWindow, threading.Event]]:
    """A window with a job that ends when its event is set."""
    monkeypatch.setattr(closing, "_LASTING_S", -1.0)
    bridge = MainThreadBridge(qapp)
    window = MainWindow(Desk(Jobs(ThreadPoolExecutor(2), bridge.post, fail), Settings()))
    qtbot.addWidget(window)
    window.show()
    may_end = threading.Event()
    window.desk.jobs.submit(Lane("work"), may_end.wait, lambda _: None, title="Weighing clouds")
    yield window, may_end
    may_end.set()
    if window.isVisible():
        window._close_anyway()
    bridge.deleteLater()


def question(window: MainWindow, qtbot: QtBot) -> QMessageBox:
    box = window.findChild(QMessageBox)
    assert box is not None
    qtbot.waitUntil(box.isVisible)
    return box


def button(box: QMessageBox, text: str) -> QAbstractButton:
    return next(found for found in box.buttons() if found.text() == text)


def test_closing_asks_while_something_runs(
    busy: tuple[MainWindow, threading.Event], qtbot: QtBot
) -> None:
    window, may_end = busy

    window.close()
    box = question(window, qtbot)
    assert "Weighing clouds" in box.text()
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert window.isVisible()

    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is None)
    window.close()
    may_end.set()
    QTest.mouseClick(button(question(window, qtbot), "Close"), Qt.MouseButton.LeftButton)

    assert not window.isVisible()


def test_the_question_can_be_turned_off(
    busy: tuple[MainWindow, threading.Event], qtbot: QtBot
) -> None:
    window, may_end = busy

    window.close()
    box = question(window, qtbot)
    again = box.findChild(QCheckBox)
    assert again is not None
    QTest.mouseClick(again, Qt.MouseButton.LeftButton)
    QTest.mouseClick(button(box, "Keep working"), Qt.MouseButton.LeftButton)
    assert not window.desk.settings.of(ASK_BEFORE_CLOSING)
    may_end.set()
    window.close()

    assert not window.isVisible()


def test_closing_an_idle_window_asks_nothing(window: MainWindow) -> None:
    window.close()

    assert window.findChild(QMessageBox) is None
    assert not window.isVisible()
