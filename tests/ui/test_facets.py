"""Facets: a click anywhere on a value or a column does what its row says."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.ui.window import MainWindow
from tests.build import Built, two_answered_trials

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
