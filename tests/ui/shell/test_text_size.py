"""A new text size counts at once: for headings, for digits and for the room tables give them."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import FONT_SCALE
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.video.page import VideoPage
from forensicviewer.ui.widgets.heading import Heading, Title, bold_font, digits_font
from forensicviewer.ui.widgets.theme import LIGHT, apply_theme
from tests.video_build import a_video_dataset

pytestmark = pytest.mark.ui


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> VideoPage:
    built = a_video_dataset(tmp_path)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    qtbot.waitUntil(lambda: isinstance(window.page, VideoPage) and window.page.isVisible())
    found = window.page
    assert isinstance(found, VideoPage)
    return found


def test_headings_follow_the_size_of_text_at_once(
    page: VideoPage, window: MainWindow, qtbot: QtBot
) -> None:
    texts = [window.docks.adjudicator._standing, page.panel.score.mcc, page.panel.score.collar]
    before = [widget.font().pointSizeF() for widget in texts]

    window.desk.settings.change(FONT_SCALE, 150)

    expected = [pytest.approx(1.5 * points) for points in before]
    qtbot.waitUntil(lambda: [widget.font().pointSizeF() for widget in texts] == expected)
    assert before[0] < before[1]


def test_digits_and_tabs_follow_the_size_of_text_at_once(
    page: VideoPage, window: MainWindow, qtbot: QtBot
) -> None:
    texts = [page.inspector.position, page.transport.time, page.panel.tabBar()]
    before = [widget.font().pointSizeF() for widget in texts]

    window.desk.settings.change(FONT_SCALE, 150)

    expected = [pytest.approx(1.5 * points) for points in before]
    qtbot.waitUntil(lambda: [widget.font().pointSizeF() for widget in texts] == expected)
    time = page.transport.time
    qtbot.waitUntil(lambda: time.width() > time.fontMetrics().horizontalAdvance(time.text()))


def test_tables_and_lanes_make_room_for_a_larger_text(
    page: VideoPage, window: MainWindow, qtbot: QtBot
) -> None:
    metrics = window.docks.metrics.table
    header = window.docks.browser.table.horizontalHeader()
    line_px, column_px = metrics.verticalHeader().defaultSectionSize(), header.sectionSize(0)
    titles_px = page.timeline._axes["left"].fixedWidth

    window.desk.settings.change(FONT_SCALE, 200)

    assert metrics.verticalHeader().defaultSectionSize() == 2 * line_px
    assert header.sectionSize(0) == 2 * column_px
    qtbot.waitUntil(lambda: page.timeline._axes["left"].fixedWidth > titles_px)


def test_panels_beside_the_page_make_room_for_a_larger_text(
    page: VideoPage, window: MainWindow, qtbot: QtBot
) -> None:
    window.resize(1600, 900)
    trials = window.docks.docks["trials"]
    qtbot.waitUntil(lambda: trials.width() < 0.35 * window.width())
    before = trials.width()

    window.desk.settings.change(FONT_SCALE, 130)

    qtbot.waitUntil(lambda: trials.width() == pytest.approx(1.3 * before, abs=3))
    window.reset_layout()
    qtbot.waitUntil(lambda: trials.width() == pytest.approx(1.3 * before, abs=3))
    assert page.width() > 0.3 * window.width()


def test_columns_of_the_trial_list_are_as_wide_at_the_start_as_after_a_change(
    page: VideoPage, window: MainWindow
) -> None:
    header = window.docks.browser.table.horizontalHeader()
    window.desk.settings.change(FONT_SCALE, 150)
    changed = header.sectionSize(0)

    window.docks.browser.columns.reset()

    assert page.isVisible()
    assert header.sectionSize(0) == changed


def test_a_heading_made_before_the_size_changed_and_shown_after_it_has_the_new_size(
    qapp: QApplication, qtbot: QtBot
) -> None:
    heading = Heading("Recent")
    qtbot.addWidget(heading)
    apply_theme(qapp, LIGHT, font_scale=200)

    heading.show()

    assert heading.font().pointSizeF() == pytest.approx(Heading("Recent").font().pointSizeF())


def test_titles_are_larger_than_headings_and_other_fonts_name_no_size(qapp: QApplication) -> None:
    sizes = [Title().font().pointSizeF(), Heading().font().pointSizeF(), qapp.font().pointSizeF()]

    assert sizes == sorted(sizes, reverse=True)
    assert bold_font().bold()
    assert digits_font().pointSizeF() == qapp.font().pointSizeF()
