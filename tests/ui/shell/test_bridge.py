"""Answers of workers come home in order, and never so many at once that the window stands still."""

import pytest
from PySide6.QtWidgets import QApplication

from forensicviewer.ui.shell import bridge as bridge_module
from forensicviewer.ui.shell.bridge import MainThreadBridge

pytestmark = pytest.mark.ui


def test_answers_that_take_long_have_a_turn_each(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_module, "_TURN_S", 1e-9)
    done: list[int] = []
    bridge = MainThreadBridge()
    for number in range(3):
        bridge.post(lambda number=number: done.append(number))  # type: ignore[misc]

    seen = []
    while len(done) < 3:
        qapp.processEvents()
        seen.append(len(done))

    assert done == [0, 1, 2]
    assert {1, 2} <= set(seen)


def test_a_dialog_opened_by_an_answer_does_not_hold_up_the_others(qapp: QApplication) -> None:
    done: list[str] = []
    bridge = MainThreadBridge()

    def open_dialog() -> None:
        bridge.post(lambda: done.append("meanwhile"))
        while "meanwhile" not in done:
            qapp.processEvents()
        done.append("dialog closed")

    bridge.post(open_dialog)
    while len(done) < 2:
        qapp.processEvents()
    bridge.post(lambda: done.append("later"))
    while len(done) < 3:
        qapp.processEvents()

    assert done == ["meanwhile", "dialog closed", "later"]
