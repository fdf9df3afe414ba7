"""The menu of a right click: what it offers is about the pixel it was opened at."""

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.ui.panes.page import StillsPage
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.elided import ElidedLabel
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def open_menu_over_a_pixel(window: MainWindow) -> tuple[int, int]:
    page = window.page
    assert isinstance(page, StillsPage)
    canvas = page.panes.canvases[0]
    found = (7, 5)
    window.desk.workbench.set_cursor(found)
    menu = window.commands.context_menu(window)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(canvas.mapToGlobal(canvas.rect().center()))
    # The mouse is over the menu now, no longer over the picture.
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))
    return found


def test_coordinates_are_those_the_menu_was_opened_at(opened: MainWindow) -> None:
    x, y = open_menu_over_a_pixel(opened)

    opened.commands.run("edit.copy_position")
    menu = QApplication.activePopupWidget()
    assert menu is not None
    menu.close()

    assert QGuiApplication.clipboard().text() == f"{x}, {y}"


def test_a_note_begins_with_the_place_the_menu_was_opened_at(opened: MainWindow) -> None:
    x, y = open_menu_over_a_pixel(opened)

    opened.commands.run("verdict.note_pixel")
    menu = QApplication.activePopupWidget()
    assert menu is not None
    menu.close()

    assert opened.docks.adjudicator.note.toPlainText() == f"x {x}, y {y}: "


def test_a_panel_that_was_closed_comes_up_among_tabs(opened: MainWindow) -> None:
    places = len([d for d in opened.docks.docks.values() if not d.visibleRegion().isEmpty()])

    opened.show_panel("adjudicator")

    assert opened.tabifiedDockWidgets(opened.docks.docks["adjudicator"])
    shown = [d for d in opened.docks.docks.values() if not d.visibleRegion().isEmpty()]
    assert len(shown) <= places


def test_a_text_without_room_is_shortened_and_whole_in_its_tooltip(qtbot: QtBot) -> None:
    label = ElidedLabel("Boundary no-score zone: too close to the boundary of a selected region")
    qtbot.addWidget(label)
    label.resize(120, 20)

    label.grab()
    shortened = label.toolTip()
    label.resize(900, 20)
    label.grab()

    assert (shortened, label.toolTip()) == (label.text(), "")
    assert label.minimumSizeHint().width() < 120
