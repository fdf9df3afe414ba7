"""Titles of columns and tabs are whole on a laptop's screen, whatever language they are in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot

from forensicviewer.app.language.words import use_language
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.app.trials.library import CONFIDENCE
from forensicviewer.ui.graph.page import GraphPage
from forensicviewer.ui.shell.window import MainWindow
from tests.provenance_build import a_provenance_dataset
from tests.video_build import a_video_dataset

pytestmark = pytest.mark.ui


@pytest.fixture(params=["en", "de", "fr"], autouse=True)
def _language(request: pytest.FixtureRequest) -> Iterator[None]:
    assert use_language(request.param) == ()
    yield
    use_language("en")


@pytest.fixture
def laptop(qtbot: QtBot) -> MainWindow:
    """A window as large as the screen of a laptop."""
    window = MainWindow(Desk(inline_jobs(), Settings()))
    qtbot.addWidget(window)
    window.setWindowState(Qt.WindowState.WindowNoState)
    window.resize(1280, 800)
    with qtbot.waitExposed(window):
        window.show()
    return window


def test_the_video_layout_shows_confidences_and_all_its_tabs(
    laptop: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    built = a_video_dataset(tmp_path)
    laptop.desk.open(OpenRequest(built.root, (built.submission,)))
    browser = laptop.docks.browser
    header = browser.table.horizontalHeader()
    confidence = browser.model.names.index(CONFIDENCE)

    def is_whole() -> bool:
        end = header.sectionViewportPosition(confidence) + header.sectionSize(confidence)
        return 0 < end <= browser.table.viewport().width()

    def tabs_are_whole() -> bool:
        bars = [bar for bar in laptop.findChildren(QTabBar) if bar.isVisible() and bar.count()]
        return bool(bars) and all(bar.width() >= bar.sizeHint().width() for bar in bars)

    qtbot.waitUntil(is_whole)
    qtbot.waitUntil(tabs_are_whole)
    assert laptop.desk.layout == "video"
    laptop.close()


@pytest.fixture
def graph_page(laptop: MainWindow, qtbot: QtBot, tmp_path: Path) -> GraphPage:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=[("base", "probe")])
    built.with_answer("probe", nodes=["base", "probe"], links=[("base", "probe")])
    dataset, system = built.write()
    laptop.desk.open(OpenRequest(dataset, (system,), "filtering"))
    qtbot.waitUntil(lambda: isinstance(laptop.page, GraphPage))
    found = laptop.page
    assert isinstance(found, GraphPage)
    found.desk.tabs.setCurrentWidget(found.desk.ranking)
    return found


def test_the_bar_of_a_graph_takes_one_line_also_while_images_are_looked_for(
    graph_page: GraphPage, qtbot: QtBot
) -> None:
    bar = graph_page.desk.bar
    buttons = (bar.direct, bar.undirected, bar.differences, bar.journal, bar.fold)

    bar.search.setText("b")

    qtbot.waitUntil(lambda: bar.found.isVisible() and graph_page.width() > 900)
    assert {button.y() for button in buttons} == {bar.direct.y()}
    assert bar.rules.mapTo(bar, bar.rules.rect().topRight()).x() < bar.width()
    assert bar.rules.mapTo(bar, bar.rules.rect().topRight()).y() < bar.direct.geometry().bottom()


def test_ranking_and_recall_take_turns_where_neither_would_be_whole(
    graph_page: GraphPage, qtbot: QtBot
) -> None:
    ranking = graph_page.desk.ranking
    qtbot.waitUntil(ranking.halves.isVisible)
    shown = (ranking.table.isVisible(), ranking.recalls.isVisible())
    needs_scrolling = ranking.table.horizontalScrollBar().maximum()

    ranking.halves.setCurrentIndex(1)

    assert (shown, needs_scrolling) == ((True, False), 0)
    assert (ranking.table.isVisible(), ranking.recalls.isVisible()) == (False, True)
    qtbot.waitUntil(lambda: ranking.recalls.horizontalScrollBar().maximum() == 0)


def test_ranking_and_recall_stand_side_by_side_where_there_is_room(
    graph_page: GraphPage, laptop: MainWindow, qtbot: QtBot
) -> None:
    ranking = graph_page.desk.ranking
    qtbot.waitUntil(ranking.halves.isVisible)

    laptop.resize(1900, 1000)

    qtbot.waitUntil(lambda: not ranking.halves.isVisible())
    assert ranking.table.isVisible()
    assert ranking.recalls.isVisible()
