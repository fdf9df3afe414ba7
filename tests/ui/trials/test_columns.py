"""Columns of the trial list: chosen, moved, made wider, and found again as they were left."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.trials.browser import TrialBrowser
from forensicviewer.ui.trials.columns import ColumnChooser
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def browser_for(settings: Settings, built: Built, qtbot: QtBot) -> TrialBrowser:
    desk = Desk(inline_jobs(), settings)
    shown = TrialBrowser(desk)
    qtbot.addWidget(shown)
    shown.resize(460, 400)
    with qtbot.waitExposed(shown):
        shown.show()
    desk.open(OpenRequest(built.root, (built.submission,)))
    return shown


def test_columns_are_found_again_as_they_were_left(
    built: Built, tmp_path: Path, qtbot: QtBot
) -> None:
    settings = Settings(tmp_path / "settings.json")
    first = browser_for(settings, built, qtbot)
    first.columns.toggle("NMM", shown=False)
    first.columns.toggle("ProbeFileName", shown=True)
    header = first.table.horizontalHeader()
    header.moveSection(header.visualIndex(first.model.names.index("ProbeFileName")), 1)
    left = first.columns.shown
    first.let_go()
    first._desk.arrangements.writer.finish()

    second = browser_for(Settings(tmp_path / "settings.json"), built, qtbot)

    assert left[:3] == ("Trial", "ProbeFileName", "Target")
    assert "NMM" not in left
    assert second.columns.shown == left
    second.let_go()


def test_a_column_is_as_wide_as_it_was_dragged(built: Built, qtbot: QtBot) -> None:
    browser = browser_for(Settings(), built, qtbot)
    header = browser.table.horizontalHeader()
    edge = QPoint(header.sectionViewportPosition(0) + header.sectionSize(0) - 1, 5)
    QTest.mouseMove(header.viewport(), edge)
    QTest.mousePress(header.viewport(), LEFT, pos=edge)
    QTest.mouseMove(header.viewport(), edge + QPoint(40, 0))
    QTest.mouseRelease(header.viewport(), LEFT, pos=edge + QPoint(40, 0))
    wide = header.sectionSize(0)

    browser.columns.show()
    assert header.sectionSize(0) == wide
    browser.columns.reset()
    assert header.sectionSize(0) == wide - 40
    browser.let_go()


def test_columns_of_answers_come_with_a_submission_also_for_who_has_chosen_others(
    built: Built, qtbot: QtBot
) -> None:
    desk = Desk(inline_jobs(), Settings())
    browser = TrialBrowser(desk)
    qtbot.addWidget(browser)
    desk.open(OpenRequest(built.root))
    browser.columns.toggle("ProbeFileName", shown=True)
    assert "MCC" not in browser.columns.shown

    desk.open(OpenRequest(built.root, (built.submission,)))

    assert {"MCC", "ProbeFileName"} <= set(browser.columns.shown)
    browser.let_go()


def test_columns_are_ticked_by_a_few_letters_and_enter(opened: MainWindow) -> None:
    browser = opened.docks.browser

    opened.commands.run("edit.columns")
    chooser = browser.findChild(ColumnChooser)
    assert chooser is not None
    QTest.keyClicks(chooser.box, "filename")
    QTest.keyClick(chooser.box, Qt.Key.Key_Return)
    assert "ProbeFileName" in browser.columns.shown

    QTest.mouseClick(chooser.usual, LEFT)
    assert "ProbeFileName" not in browser.columns.shown
    chooser.close()


def test_verdicts_stand_in_sight_also_after_columns_were_reset(opened: MainWindow) -> None:
    columns = opened.docks.browser.columns
    opened.commands.run("verdict.sound")
    assert columns.shown[:3] == ("Trial", "MCC", "Verdict")

    columns.toggle("NMM", shown=False)
    columns.reset()

    assert columns.shown[:3] == ("Trial", "MCC", "Verdict")


def menu_at(opened: MainWindow, place: QPoint, reason: QContextMenuEvent.Reason) -> QMenu:
    viewport = opened.docks.browser.table.viewport()
    event = QContextMenuEvent(reason, place, viewport.mapToGlobal(place))
    QApplication.sendEvent(viewport, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def test_a_right_click_on_a_cell_lists_only_trials_like_it(opened: MainWindow) -> None:
    browser = opened.docks.browser
    column = browser.model.names.index("Status")
    browser.table.scrollTo(browser.model.index(0, column))
    place = browser.table.visualRect(browser.model.index(0, column)).center()

    menu = menu_at(opened, place, QContextMenuEvent.Reason.Mouse)
    titles = [action.text() for action in menu.actions()]
    menu.actions()[0].trigger()
    menu.close()

    assert titles[0] == "Only Status: answered"
    assert "Copy trial rows" in titles
    assert opened.desk.trials.filter.chosen == {"Status": frozenset({"answered"})}


def test_the_menu_key_is_about_the_current_trial(opened: MainWindow) -> None:
    browser = opened.docks.browser
    browser.focus_table()
    below = QPoint(20, browser.table.viewport().height() - 2)

    menu = menu_at(opened, below, QContextMenuEvent.Reason.Keyboard)

    assert "Copy trial rows" in [action.text() for action in menu.actions()]
    menu.close()


def test_several_rows_are_copied_with_the_columns_in_sight(opened: MainWindow) -> None:
    browser = opened.docks.browser
    browser.focus_table()
    QTest.keyClick(browser.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    browser.columns.toggle("NMM", shown=False)

    QTest.keyClick(opened, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    titles, *rows = QGuiApplication.clipboard().text().splitlines()
    assert titles == "Trial\tTarget\tMCC\tConfidence\tThreshold\tStatus\tVerdict"
    assert [row.split("\t")[0] for row in rows] == ["p1", "p2"]
