"""The manual's window: opens where one is, follows links, goes back, searches."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.commands.manual import CHAPTERS
from forensicviewer.app.workbench.legend_counts import OUTCOME_NAMES
from forensicviewer.core.palette import palette
from forensicviewer.ui.dialogs.manual import ManualWindow, Passage
from forensicviewer.ui.panes.canvas import PaneCanvas
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def opened_manual(window: MainWindow, qtbot: QtBot) -> ManualWindow:
    window.commands.run("help.manual")
    manual = window.findChild(ManualWindow)
    assert isinstance(manual, ManualWindow)
    qtbot.waitUntil(lambda: manual.contents.topLevelItemCount() == len(CHAPTERS))
    wait_for_page(manual, qtbot)
    return manual


def wait_for_page(manual: ManualWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: bool(manual.view.toPlainText()) and not manual._adding.isActive())


def test_it_opens_at_first_steps_while_nothing_is_open(window: MainWindow, qtbot: QtBot) -> None:
    manual = opened_manual(window, qtbot)

    assert manual.view.toPlainText().startswith("First steps")
    assert manual.windowTitle().startswith("First steps")
    manual.close()


def test_it_opens_at_what_is_looked_at(opened: MainWindow, qtbot: QtBot) -> None:
    opened.commands.run("edit.filter")
    in_the_list = opened_manual(opened, qtbot).place
    panes = opened.findChildren(PaneCanvas)
    panes[0].setFocus()
    manual = opened_manual(opened, qtbot)

    assert (in_the_list, manual.place) == (Passage("trials"), Passage("panes"))
    manual.close()


def test_links_lead_on_and_back_leads_back(window: MainWindow, qtbot: QtBot) -> None:
    manual = opened_manual(window, qtbot)

    manual.view.anchorClicked.emit(QUrl("panes#colours"))
    wait_for_page(manual, qtbot)
    there, scrolled = manual.view.toPlainText(), manual.view.verticalScrollBar().value()
    manual.back.click()
    wait_for_page(manual, qtbot)
    back = manual.view.toPlainText()
    manual.forward.click()

    assert there.startswith("Reading the panes")
    assert scrolled > 0
    assert back.startswith("First steps")
    assert manual.place == Passage("panes", "colours")
    assert manual.back.isEnabled()
    assert not manual.forward.isEnabled()
    manual.close()


def test_words_typed_into_the_search_box_find_sections(window: MainWindow, qtbot: QtBot) -> None:
    manual = opened_manual(window, qtbot)

    QTest.keyClicks(manual.box, "contact sheet")
    qtbot.waitUntil(lambda: manual.found.text() != "")
    QTest.keyClick(manual.box, Qt.Key.Key_Return)
    wait_for_page(manual, qtbot)

    assert manual.found.isVisible()
    assert manual.place is not None
    assert manual.place.page == "video"
    manual.box.clear()
    qtbot.waitUntil(lambda: manual.contents.topLevelItemCount() == len(CHAPTERS))
    manual.close()


def test_the_manual_says_the_users_own_keys(window: MainWindow, qtbot: QtBot) -> None:
    window.desk.settings.change_shortcuts({"trial.next": ("Ctrl+Alt+J",)})
    manual = opened_manual(window, qtbot)

    assert "press Ctrl+Alt+J" in manual.view.toPlainText()
    manual.close()


def test_pictures_of_the_manual_fit_into_it(window: MainWindow, qtbot: QtBot) -> None:
    manual = opened_manual(window, qtbot)

    manual.resize(700, 500)
    wait_for_page(manual, qtbot)
    qtbot.waitUntil(lambda: manual.view.document().idealWidth() <= manual.view.width())

    assert not manual.view.horizontalScrollBar().isVisible()
    manual.close()


def test_every_colour_of_the_legend_shows_on_the_page(window: MainWindow, qtbot: QtBot) -> None:
    manual = opened_manual(window, qtbot)
    manual.open_at("panes#colours")
    wait_for_page(manual, qtbot)
    colors = palette(window.desk.workbench.state.look.palette)
    paper = manual.view.palette().base().color().rgb()

    for outcome in OUTCOME_NAMES:
        red, green, blue = colors[outcome]
        url = QUrl(f"swatch:{outcome.short}/{red:02x}{green:02x}{blue:02x}")
        square = manual.view.loadResource(QTextDocument.ResourceType.ImageResource.value, url)
        assert isinstance(square, QImage)
        middle = square.height() // 2
        across = {square.pixel(x, middle) & 0xFFFFFF for x in range(square.width())}
        assert red << 16 | green << 8 | blue in across, outcome
        # A rim keeps white apart from white paper.
        assert square.pixel(1, middle) not in (paper, 0), outcome
    assert "swatch:TN/ffffff" in manual.view.toHtml()
    manual.close()
