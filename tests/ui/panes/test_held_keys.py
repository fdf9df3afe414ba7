"""Keys that act while they are held, keys typed into fields, and panes as partners."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QLineEdit, QPlainTextEdit, QWidget

from forensicviewer.app.commands.command import Command
from forensicviewer.app.commands.table import COMMANDS
from forensicviewer.app.workbench.state import CompareMode, Layer, Pane
from forensicviewer.ui.dialogs import actions
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui
HELD, TAPPED = 0.0, 3_600.0


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def press_and_release(window: MainWindow, key: Qt.Key) -> tuple[bool, bool]:
    """Whether overlays were shown while the key was down, and afterwards."""
    QTest.keyPress(window, key)
    during = window.desk.workbench.state.look.has_overlays
    QTest.keyRelease(window, key)
    return during, window.desk.workbench.state.look.has_overlays


def test_holding_h_hides_overlays_only_so_long(
    opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "_HELD_S", HELD)

    assert press_and_release(opened, Qt.Key.Key_H) == (False, True)
    assert press_and_release(opened, Qt.Key.Key_H) == (False, True)


def test_tapping_h_hides_overlays_until_the_next_tap(
    opened: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "_HELD_S", TAPPED)

    assert press_and_release(opened, Qt.Key.Key_H) == (False, False)
    assert press_and_release(opened, Qt.Key.Key_H) == (True, True)


def test_holding_b_blinks_only_so_long(opened: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "_HELD_S", HELD)
    modes: list[CompareMode] = []
    opened.desk.workbench.subscribe(lambda state, _change: modes.append(state.compare.mode))

    QTest.keyPress(opened, Qt.Key.Key_B)
    QTest.keyRelease(opened, Qt.Key.Key_N)
    assert set(modes) == {CompareMode.BLINK}
    QTest.keyRelease(opened, Qt.Key.Key_B)

    assert modes[-1] is CompareMode.OFF


def test_another_pane_becomes_the_partner_of_the_active_one(opened: MainWindow) -> None:
    QTest.keyClick(opened, Qt.Key.Key_3, Qt.KeyboardModifier.ShiftModifier)

    compare = opened.desk.workbench.state.compare
    assert (compare.first, compare.second) == (Pane(Layer.PICTURE), Pane(Layer.SYSTEM))
    assert compare.mode is CompareMode.SWIPE


def bare(command: Command) -> list[str]:
    return [key for key in command.keys if len(key) == 1]


def fields_of(window: MainWindow) -> list[QWidget]:
    kinds = (QLineEdit, QPlainTextEdit, QAbstractSpinBox)
    return [
        field
        for kind in kinds
        for field in window.findChildren(kind)
        if field.isVisible() and field.isEnabled() and field.focusPolicy()
    ]


def test_no_bare_key_acts_while_a_field_is_typed_into(opened: MainWindow) -> None:
    opened.show_panel("adjudicator")
    opened.refresh()
    ran: list[str] = []
    for command in COMMANDS:
        if bare(command):
            action = opened.commands[command.id]
            action.triggered.connect(lambda _on=False, name=command.id: ran.append(name))
    fields = fields_of(opened)
    assert len(fields) >= 3

    for field in fields:
        field.setFocus()
        if isinstance(field, QLineEdit) and field.isReadOnly():
            continue
        for command in COMMANDS:
            for key in bare(command):
                QTest.keyClicks(field, key)

    assert ran == []
