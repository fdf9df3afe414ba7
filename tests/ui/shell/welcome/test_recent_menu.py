"""Places opened lately, in the File menu."""

from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.recent import PlaceKind
from forensicviewer.ui.shell.welcome.recent_menu import RecentMenu
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def recent_menu(window: MainWindow) -> RecentMenu:
    menu = window.commands.menus["File/Recent"]
    assert isinstance(menu, RecentMenu)
    menu.aboutToShow.emit()
    return menu


def named(menu: RecentMenu, name: str, *, among_pins: bool = False) -> QAction:
    actions = menu.pins.actions() if among_pins else menu.actions()
    return next(action for action in actions if action.text().startswith(name))


def test_a_place_that_is_gone_is_greyed_and_says_so(opened: MainWindow, tmp_path: Path) -> None:
    opened.desk.recent.add(tmp_path / "gone", PlaceKind.DATASET)

    action = named(recent_menu(opened), "gone")

    assert not action.isEnabled()
    assert action.toolTip().startswith("No longer exists: ")


def test_a_pinned_place_comes_first_and_outlives_clearing(
    opened: MainWindow, built: Built, tmp_path: Path
) -> None:
    opened.desk.recent.add(tmp_path / "newer", PlaceKind.DATASET)

    named(recent_menu(opened), built.root.name, among_pins=True).trigger()
    action = recent_menu(opened).actions()[0]
    first, has_sign = action.text(), not action.icon().isNull()
    named(recent_menu(opened), "Clear").trigger()

    assert first.startswith(built.root.name)
    assert has_sign
    left = recent_menu(opened)
    assert named(left, built.root.name, among_pins=True).isChecked()
    assert not named(left, "Clear").isEnabled()
    assert [p.path for p in opened.desk.recent.places] == [str(built.root)]


def test_a_place_is_opened_from_the_menu(opened: MainWindow, built: Built) -> None:
    opened.commands.run("file.close_dataset")

    named(recent_menu(opened), built.root.name).trigger()

    assert opened.desk.workbench.state.dataset is not None


def test_an_empty_list_says_so(window: MainWindow) -> None:
    window.desk.recent.clear()

    menu = recent_menu(window)

    assert menu.actions()[0].text() == "Nothing opened yet"
    assert not menu.pins.menuAction().isEnabled()


def test_the_start_page_follows_what_the_menu_does(
    opened: MainWindow, built: Built, qtbot: QtBot
) -> None:
    opened.commands.run("file.close_dataset")
    page = opened.start_page
    qtbot.waitUntil(page.isVisible)
    assert page.list.count() == 2

    named(recent_menu(opened), built.root.name, among_pins=True).trigger()
    first = page.list.item(0).text()
    named(recent_menu(opened), "Clear").trigger()

    assert first.startswith(built.root.name)
    assert page.list.count() == 1
