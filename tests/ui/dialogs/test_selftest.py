"""The dialog of the self-test: whole lines, how it ended, and an end at any time."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QProcess
from pytestqt.qtbot import QtBot

from forensicviewer.ui.dialogs import selftest
from forensicviewer.ui.dialogs.selftest import SelftestDialog
from forensicviewer.ui.shell.window import MainWindow

pytestmark = pytest.mark.ui
# Python writes a line and its end one after the other; a slow machine shows them apart.
IN_PIECES = """
import sys, time
pieces = ("ok    first", "\\n", "ok    sec", "ond: Grö", "ße\\nFAILED third\\n")
for piece in (*pieces, "1 of 3 checks failed"):
    sys.stdout.write(piece)
    sys.stdout.flush()
    time.sleep(0.05)
sys.exit({code})
"""


@pytest.mark.parametrize(("code", "state"), [(0, "every check passed"), (3, "incomplete")])
def test_lines_are_shown_whole_however_they_come(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, code: int, state: str
) -> None:
    program = [sys.executable, "-c", IN_PIECES.format(code=code)]
    monkeypatch.setattr(selftest, "command_line", lambda: program)

    window.commands.run("help.selftest")
    (dialog,) = window.findChildren(SelftestDialog)
    qtbot.waitUntil(lambda: dialog._process.state() is QProcess.ProcessState.NotRunning)

    assert dialog.results.toPlainText().splitlines() == [
        *("ok    first", "ok    second: Größe", "FAILED third", "1 of 3 checks failed")
    ]
    assert state in dialog.state.text()
    dialog.close()


def test_closing_the_dialog_ends_the_self_test(window: MainWindow, qtbot: QtBot) -> None:
    window.commands.run("help.selftest")
    (dialog,) = window.findChildren(SelftestDialog)
    qtbot.waitUntil(lambda: "ok" in dialog.results.toPlainText(), timeout=60_000)
    ended: list[bool] = []
    dialog._process.finished.connect(lambda *_: ended.append(True))

    dialog.close()

    assert ended == [True]
