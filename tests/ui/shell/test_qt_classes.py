"""Qt's classes before threads: made in turns of the event loop, then work goes on."""

from __future__ import annotations

from PySide6 import QtWidgets
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.ui.shell.qt_classes import make_classes


def test_classes_are_made_in_turns_before_anything_goes_on(qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    gone_on: list[set[str]] = []

    make_classes(widget, lambda: gone_on.append(set(vars(QtWidgets))))
    assert gone_on == []
    qtbot.waitUntil(lambda: bool(gone_on))

    # A class that was only promised is not among a module's variables.
    assert {"QWizard", "QDial", "QMdiArea"} <= gone_on[0]
    assert not any(timer.isActive() for timer in widget.findChildren(QTimer))
