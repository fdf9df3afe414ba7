"""Facets: a click anywhere on a value or a column does what its row says."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset, box, two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def test_a_click_on_the_name_of_a_value_ticks_it(opened: MainWindow, qtbot: QtBot) -> None:
    browser = opened.docks.browser
    QTest.mouseClick(browser._facet_button, Qt.MouseButton.LeftButton)
    tree = browser.facets.tree
    qtbot.waitUntil(tree.isVisible)
    top = next(top for top in browser.facets._tops() if top.isExpanded())
    value = top.child(0)
    assert value is not None
    qtbot.waitUntil(lambda: tree.viewport().height() > tree.visualItemRect(value).bottom())
    name = tree.visualItemRect(value)

    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=name.center())

    qtbot.waitUntil(lambda: bool(opened.desk.trials.filter.chosen))
    top = next(found for found in browser.facets._tops() if found.isExpanded())
    place = tree.visualItemRect(top).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert not top.isExpanded()


def test_the_trial_looked_at_stays_in_sight_when_facets_come(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    made = a_dataset(tmp_path).nist("NC2017")
    for number in range(30):
        made = made.with_trial(
            f"p{number:02d}", manipulated=box(4, 4, 9, 9) if number % 2 else None
        )
    window.desk.open(OpenRequest(made.write().root))
    browser = window.docks.browser
    last = browser.model.index(len(window.desk.trials) - 1, 0)
    window.desk.trials.select_place(last.row())

    def is_in_sight() -> bool:
        place = browser.table.visualRect(last)
        return browser.table.viewport().rect().intersects(place)

    qtbot.waitUntil(is_in_sight)
    rows_before = browser.table.viewport().height()

    QTest.mouseClick(browser._facet_button, Qt.MouseButton.LeftButton)

    qtbot.waitUntil(lambda: browser.table.viewport().height() < rows_before)
    qtbot.waitUntil(is_in_sight)


def test_chosen_facets_are_told_and_taken_back_while_their_panel_is_closed(
    opened: MainWindow,
) -> None:
    browser, trials = opened.docks.browser, opened.desk.trials
    assert not browser.chosen.isVisible()

    trials.set_filter(trials.filter.toggled("Status", "answered").toggled("Target", "N"))
    assert browser.chosen.label.text() == "Status: answered · Target: N"
    QTest.mouseClick(browser.chosen.clear, Qt.MouseButton.LeftButton)

    assert trials.filter.is_empty
    assert not browser.chosen.isVisible()
