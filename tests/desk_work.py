"""What stories of a whole day's work have in common: a window, and keys where the focus is."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.settings import Settings
from forensicviewer.ui.shell.window import MainWindow

CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)


def start_program(qtbot: QtBot) -> MainWindow:
    """A window on the screen; what it remembers it remembers from the run before."""
    window = MainWindow(Desk(inline_jobs(), Settings()))
    qtbot.addWidget(window)
    window.setWindowState(Qt.WindowState.WindowNoState)
    window.resize(1400, 900)
    with qtbot.waitActive(window):
        window.show()
    return window


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(_focused(), key, modifiers)


def write(text: str) -> None:
    QTest.keyClicks(_focused(), text)


def _focused() -> QWidget:
    focused = QApplication.focusWidget() or QApplication.activeWindow()
    assert focused is not None
    return focused


def trial(window: MainWindow) -> str:
    return str(window.desk.workbench.state.trial_id)


def answer_dialog(monkeypatch: pytest.MonkeyPatch, method: str, path: Path) -> Path:
    """Let the system's file dialog name a path at once; it is not ours to test."""
    monkeypatch.setattr(QFileDialog, method, lambda *_a, **_k: (str(path), ""))
    return path
