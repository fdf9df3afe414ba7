"""The palettes: commands and trials by a few letters."""

from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.commands.table import COMMANDS
from forensicviewer.ui.dialogs.command_palette import ChoicePalette, PaletteLine, Show
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path).nist("NC2017")
    for name in ("p1", "p2", "p3", "p4"):
        made = made.with_trial(name)
    return made.write()


def palette_of(window: MainWindow) -> ChoicePalette:
    (found,) = window.findChildren(ChoicePalette)
    return found


def test_the_palette_runs_a_command_by_a_few_letters(opened: MainWindow, qtbot: QtBot) -> None:
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(opened, Qt.Key.Key_P, modifiers)
    palette = palette_of(opened)

    QTest.keyClicks(palette.box, "next tri")
    QTest.keyClick(palette.box, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: opened.desk.workbench.state.trial_id == "p2")
    assert not opened.findChildren(ChoicePalette)


def lines(palette: ChoicePalette) -> dict[str, str]:
    items = [palette.list.topLevelItem(i) for i in range(palette.list.topLevelItemCount())]
    return {item.text(0): item.text(1) for item in items if item is not None}


def test_what_cannot_be_done_says_why_and_keeps_the_palette_open(opened: MainWindow) -> None:
    opened.commands.run("help.palette")
    palette = palette_of(opened)

    QTest.keyClicks(palette.box, "play or pause")
    QTest.keyClick(palette.box, Qt.Key.Key_Return)

    assert lines(palette) == {"Video: Play or pause": "only for videos"}
    assert palette.isVisible()


def test_enter_does_nothing_else_where_what_was_meant_cannot_be_done(opened: MainWindow) -> None:
    opened.commands.run("help.palette")
    palette = palette_of(opened)

    QTest.keyClicks(palette.box, "redo")

    assert next(iter(lines(palette).items())) == ("Edit: Redo", "nothing to redo")


def test_what_was_chosen_last_stands_first_until_something_is_typed(
    opened: MainWindow, qtbot: QtBot
) -> None:
    for name in ("last trial", "zoom in"):
        opened.commands.run("help.palette")
        QTest.keyClicks(palette_of(opened).box, name)
        QTest.keyClick(palette_of(opened).box, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: not opened.findChildren(ChoicePalette))

    opened.commands.run("help.palette")
    palette = palette_of(opened)

    assert list(lines(palette))[:2] == ["View: Zoom in", "Trial: Last trial"]
    QTest.keyClicks(palette.box, "open")
    assert next(iter(lines(palette))) == "File: Open dataset"


def test_every_command_is_listed_and_lines_keep_their_height(opened: MainWindow) -> None:
    opened.commands.run("help.palette")
    palette = palette_of(opened)
    height = palette.list.visualRect(palette.list.model().index(0, 0)).height()

    QTest.keyClicks(palette.box, "e")
    later = palette.list.visualRect(palette.list.model().index(0, 0)).height()
    palette.box.clear()

    assert height == later
    assert palette.list.topLevelItemCount() == len(COMMANDS)


def test_letters_that_fit_nothing_are_told_so(opened: MainWindow) -> None:
    opened.commands.run("help.palette")
    palette = palette_of(opened)
    before = palette.empty.isVisible()

    QTest.keyClicks(palette.box, "zqzq")

    assert (before, palette.empty.isVisible()) == (False, True)


def test_the_arrows_choose_in_the_palette_and_escape_leaves_it(opened: MainWindow) -> None:
    opened.commands.run("help.palette")
    palette = palette_of(opened)
    QTest.keyClicks(palette.box, "trial")
    first = palette.list.currentIndex().row()

    QTest.keyClick(palette.box, Qt.Key.Key_Down)

    assert palette.list.currentIndex().row() == first + 1
    QTest.keyClick(palette.box, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert opened.desk.workbench.state.trial_id == "p1"


def test_a_trial_is_found_by_a_few_letters(opened: MainWindow, qtbot: QtBot) -> None:
    QTest.keyClick(opened, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    palette = palette_of(opened)

    QTest.keyClicks(palette.box, "4")
    QTest.keyClick(palette.box, Qt.Key.Key_Return)

    qtbot.waitUntil(lambda: opened.desk.workbench.state.trial_id == "p4")


def test_enter_waits_for_what_is_still_looked_for(window: MainWindow, qtbot: QtBot) -> None:
    answers: dict[str, Show] = {}
    chosen: list[str] = []
    palette = ChoicePalette(
        window, name="Find", hint="", find=answers.__setitem__, choose=chosen.append
    )
    palette.open_over(window)
    answers[""]([PaletteLine("first", "first")])

    QTest.keyClicks(palette.box, "ab")
    QTest.keyClick(palette.box, Qt.Key.Key_Return)
    answers["a"]([PaletteLine("stale", "stale")])
    assert palette.isVisible()
    answers["ab"]([PaletteLine("wanted", "wanted"), PaletteLine("other", "other")])

    qtbot.waitUntil(lambda: chosen == ["wanted"])
    # Who is late finds nobody there any more.
    qtbot.waitUntil(lambda: not shiboken6.isValid(palette))
    answers["a"]([PaletteLine("late", "late")])
    assert chosen == ["wanted"]
