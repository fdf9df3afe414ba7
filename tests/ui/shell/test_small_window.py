"""Small screens, other layouts and back, and menus by keyboard."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt
from pytestqt.qtbot import QtBot

from forensicviewer.app.commands.table import MENUS
from forensicviewer.app.commands.view_table import PANELS
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.ui.dialogs.actions import with_mnemonics
from forensicviewer.ui.shell.docks import LAYOUTS
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.shell.window_frame import fills, first_size
from forensicviewer.ui.widgets.elided import WrappedLabel
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def shown_panels(window: MainWindow) -> set[str]:
    return {name for name, dock in window.docks.docks.items() if not dock.isHidden()}


def test_a_layout_left_and_chosen_again_shows_its_own_panels_only(opened: MainWindow) -> None:
    before = shown_panels(opened)

    for name in ("annotate", "adjudicate", "inspect"):
        opened.choose_layout(name)

    assert shown_panels(opened) == before


def test_another_layout_leaves_the_keyboard_where_it_was_or_gives_it_to_the_trials(
    opened: MainWindow, qtbot: QtBot
) -> None:
    opened.choose_layout("adjudicate")
    filter_box = opened.docks.browser.filter_box
    filter_box.setFocus()
    opened.choose_layout("inspect")
    kept = opened.focusWidget()
    opened.show_panel("metrics")
    opened.docks.metrics.table.setFocus()
    opened.choose_layout("annotate")

    assert kept is filter_box
    qtbot.waitUntil(lambda: opened.focusWidget() is opened.docks.browser.table)


def test_every_panel_is_part_of_what_is_kept_of_an_arrangement(opened: MainWindow) -> None:
    opened.choose_layout("inspect")

    kept = bytes(opened.saveState().data())

    assert [n for n in opened.docks.docks if n.encode("utf-16-be") not in kept] == []


def test_panels_give_way_when_the_window_becomes_narrow(opened: MainWindow, qtbot: QtBot) -> None:
    opened.resize(1500, 900)
    opened.reset_layout()

    opened.resize(1024, 740)

    qtbot.waitUntil(lambda: opened.stack.width() >= 0.3 * opened.width())
    assert opened.docks.docks["trials"].width() < LAYOUTS["inspect"].left_px


@pytest.mark.parametrize("name", ["inspect", "annotate", "adjudicate"])
def test_panels_need_no_sideways_scrolling_on_a_small_screen(
    opened: MainWindow, qtbot: QtBot, name: str
) -> None:
    opened.resize(1024, 740)
    opened.choose_layout(name)
    opened.reset_layout()
    places = LAYOUTS[name].right
    needed = [
        opened.docks.panel(one).minimumSizeHint().width() for place in places for one in place
    ]

    def have_room() -> bool:
        return min(opened.docks.docks[place[0]].width() for place in places) >= max(needed)

    qtbot.waitUntil(have_room)
    assert opened.stack.width() >= 0.3 * opened.width()


def test_no_panel_is_wider_than_a_small_screen_has_room_for(opened: MainWindow) -> None:
    widths = {name: opened.docks.panel(name).minimumSizeHint().width() for name in PANELS}

    assert {name: width for name, width in widths.items() if width > 360} == {}


def test_a_small_screen_shows_the_first_metrics_of_two_systems_under_short_titles(
    window: MainWindow, built: Built, tmp_path: Path, qtbot: QtBot
) -> None:
    window.resize(1024, 768)
    second = built.copied_submission(tmp_path / "second")
    window.desk.open(OpenRequest(built.root, (built.submission, second)))
    table = window.docks.metrics.table

    def titles() -> list[str]:
        across = Qt.Orientation.Horizontal
        return [table.model().headerData(column, across) for column in range(4)]

    qtbot.waitUntil(lambda: titles() == ["Metric", "Now", "Optimum", "Second"])
    assert table.rowAt(table.viewport().height() - 1) >= 4
    window.desk.close_submission()
    qtbot.waitUntil(lambda: titles() == ["Metric", "At threshold", "At optimum", "Second"])


def test_every_menu_opens_with_alt_and_a_letter_of_its_own() -> None:
    letters = [title[title.index("&") + 1].casefold() for title in with_mnemonics(MENUS)]

    assert len(set(letters)) == len(MENUS)


def test_a_title_whose_letters_are_all_taken_has_none_marked() -> None:
    assert with_mnemonics(["a", "b", "ab"]) == ["&a", "&b", "ab"]


def test_a_panel_is_closed_and_brought_up_by_command(opened: MainWindow) -> None:
    opened.commands.run("panel.legend")
    closed = shown_panels(opened)
    opened.commands.run("panel.legend")
    opened.refresh()

    assert "legend" not in closed
    assert "legend" in shown_panels(opened)
    assert opened.commands["panel.legend"].isChecked()


@pytest.mark.parametrize("size", [(1024, 740), (1440, 900)])
def test_a_low_window_has_no_panels_below_the_page(
    opened: MainWindow, size: tuple[int, int]
) -> None:
    opened.resize(*size)
    opened.choose_layout("adjudicate")
    opened.reset_layout()
    low = shown_panels(opened)
    opened.resize(1400, 1000)
    opened.reset_layout()

    assert "problems" not in low
    assert "problems" in shown_panels(opened)


def test_names_of_operations_get_the_room_in_a_narrow_panel(opened: MainWindow) -> None:
    tree = opened.docks.operations.tree

    tree.resize(300, 200)
    narrow = tree.isColumnHidden(1)
    tree.resize(500, 200)

    assert narrow
    assert not tree.isColumnHidden(1)


def test_layouts_do_not_change_how_small_the_window_can_be(opened: MainWindow) -> None:
    least = set()
    needed = []
    for name in ("inspect", "annotate", "adjudicate"):
        opened.choose_layout(name)
        least.add(opened.minimumSize().toTuple())
        needed.append(opened.minimumSizeHint())

    assert len(least) == 1
    assert max(hint.width() for hint in needed) <= opened.minimumWidth()
    assert max(hint.height() for hint in needed) <= opened.minimumHeight() <= 1080 / 2 - 40


@pytest.mark.parametrize(
    ("screen", "first"),
    [
        ((1366, 768), (1440, 900)),  # more than there is: the window fills the screen
        ((1600, 1000), (1440, 900)),
        ((1920, 1200), (1728, 1080)),
        ((3840, 1600), (2400, 1440)),
    ],
)
def test_the_first_window_takes_most_of_the_screen(
    screen: tuple[int, int], first: tuple[int, int]
) -> None:
    assert first_size(QSize(*screen)).toTuple() == first


@pytest.mark.parametrize(
    ("screen", "is_filled"),
    [((1024, 768), True), ((1440, 900), True), ((1680, 940), True), ((1920, 1080), False)],
)
def test_a_screen_without_room_for_the_title_is_filled(
    screen: tuple[int, int], *, is_filled: bool
) -> None:
    size = QSize(*screen)

    assert fills(size, first_size(size)) is is_filled


def test_a_long_path_goes_on_in_the_next_line(qtbot: QtBot) -> None:
    label = WrappedLabel()
    qtbot.addWidget(label)
    path = "/home/somebody/datasets/a-rather-long-name_of_a_folder/reference/manipulation/p1.png"
    label.setText(f"There is no such file: {path}")
    line_px = label.fontMetrics().height()

    assert label.minimumSizeHint().width() < 100
    assert label.heightForWidth(250) >= 3 * line_px
    assert label.text().endswith(path)
