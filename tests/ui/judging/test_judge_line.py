"""Who judges is said before the first verdict, and can be changed there."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog, QLineEdit
from pytestqt.qtbot import QtBot

from forensicviewer.app.settings import JUDGE
from forensicviewer.core.verdict import Ruling
from forensicviewer.ui.judging.adjudicator import AdjudicatorPanel
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


@pytest.fixture
def panel(opened: MainWindow) -> AdjudicatorPanel:
    opened.show_panel("adjudicator")
    return opened.docks.adjudicator


def answer(panel: AdjudicatorPanel, qtbot: QtBot, name: str) -> None:
    """Press the button, type a name and press Enter."""
    QTest.mouseClick(panel.judge.change, LEFT)
    dialog = panel.judge.findChild(QInputDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    line = dialog.findChild(QLineEdit)
    assert line is not None
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    QTest.keyClicks(line, name)
    QTest.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: panel.judge.findChild(QInputDialog) is None)


def test_the_name_is_said_before_the_first_verdict(
    opened: MainWindow, panel: AdjudicatorPanel
) -> None:
    assert opened.desk.judging.standing is None
    assert panel.judge.name.text() == f"You judge as {opened.desk.judge}"
    assert panel.judge.isVisible()


def test_another_name_counts_for_the_next_verdict(
    opened: MainWindow, panel: AdjudicatorPanel, qtbot: QtBot
) -> None:
    first = opened.desk.judge
    QTest.mouseClick(panel.buttons[Ruling.SOUND], LEFT)

    answer(panel, qtbot, " Ada ")

    assert panel.judge.name.text() == "You judge as Ada"
    assert opened.desk.settings.of(JUDGE) == "Ada"
    # What somebody else said is not yours to take back.
    assert opened.desk.judging.own is None
    QTest.mouseClick(panel.buttons[Ruling.UNCLEAR], LEFT)
    judges = [verdict.judge for verdict, _ in opened.desk.judging.history()]
    assert judges == [first, "Ada"]


def test_no_name_is_that_of_the_account(
    opened: MainWindow, panel: AdjudicatorPanel, qtbot: QtBot
) -> None:
    account = opened.desk.judge
    opened.desk.settings.change(JUDGE, "Ada")
    assert panel.judge.name.text() == "You judge as Ada"

    answer(panel, qtbot, "")

    assert panel.judge.name.text() == f"You judge as {account}"
