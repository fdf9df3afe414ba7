"""The table of trials: what its cells look like, and what mouse and keys do in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage, QPalette
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.language.words import NO_NUMBER
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import THUMBNAILS, Settings
from forensicviewer.app.workbench.open_trial import TRIAL_LANE
from forensicviewer.ui.trials.browser import TrialBrowser
from forensicviewer.ui.trials.table import TrialCells
from tests.build import a_dataset, blurred, box
from tests.hall import Hall

pytestmark = pytest.mark.ui


@pytest.fixture
def browser(tmp_path: Path, qtbot: QtBot) -> Iterator[TrialBrowser]:
    made = a_dataset(tmp_path).nist("NC2017")
    for name in ("p1", "p2", "a-very-long-name-of-a-probe-that-does-not-fit-the-column-p3"):
        made = made.with_trial(name, manipulated=box(10, 10, 40, 40)).with_answer(name, blurred(5))
    built = made.write()
    desk = Desk(inline_jobs(), Settings())
    shown = TrialBrowser(desk)
    qtbot.addWidget(shown)
    shown.resize(460, 400)
    shown.show()
    desk.open(OpenRequest(built.root, (built.submission,)))
    qtbot.waitExposed(shown)
    yield shown
    shown.let_go()


def cell(browser: TrialBrowser, row: int, name: str) -> QRect:
    table = browser.table
    return table.visualRect(browser.model.index(row, browser.model.names.index(name)))


def picture(browser: TrialBrowser) -> QImage:
    return browser.table.viewport().grab().toImage()


def color_of(browser: TrialBrowser, role: QPalette.ColorRole) -> int:
    return browser.table.palette().color(role).rgb()


def inks(image: QImage, area: QRect) -> set[int]:
    xs, ys = range(area.left(), area.right()), range(area.top(), area.bottom())
    return {image.pixel(x, y) for x in xs for y in ys}


def test_the_current_row_has_a_bar_and_a_ground_of_its_own(browser: TrialBrowser) -> None:
    first, second = cell(browser, 0, "Trial"), cell(browser, 1, "Trial")

    image = picture(browser)

    bar = image.pixel(first.left() + 1, first.center().y())
    assert bar == color_of(browser, QPalette.ColorRole.Accent)
    ground = image.pixel(first.right() - 2, first.top() + 1)
    assert ground == color_of(browser, QPalette.ColorRole.Shadow)
    other = image.pixel(second.left() + 1, second.center().y())
    assert other == color_of(browser, QPalette.ColorRole.Base)


def test_the_whole_row_under_the_mouse_stands_out(browser: TrialBrowser) -> None:
    area = cell(browser, 2, "Trial")

    QTest.mouseMove(browser.table.viewport(), area.center())
    image = picture(browser)

    hovered = color_of(browser, QPalette.ColorRole.Midlight)
    for name in ("Trial", "Target", "MCC"):
        there = cell(browser, 2, name)
        assert image.pixel(there.right() - 2, there.top() + 1) == hovered
    assert browser.table.row_under_mouse == 2
    QTest.mouseMove(browser.table.viewport(), QPoint(5, area.bottom() + 60))
    assert browser.table.row_under_mouse == -1


def test_cells_hold_their_text_and_stay_inside_their_column(browser: TrialBrowser) -> None:
    image = picture(browser)

    assert len(inks(image, cell(browser, 1, "MCC"))) > 2
    long_name, beside = cell(browser, 2, "Trial"), cell(browser, 2, "Target")
    gap = QRect(long_name.right() - 5, long_name.top(), 5, long_name.height())
    assert inks(image, gap) == {color_of(browser, QPalette.ColorRole.Base)}
    assert len(inks(image, beside)) > 2


def test_an_id_of_two_parts_stands_in_two_lines_where_one_is_too_short(
    tmp_path: Path, qtbot: QtBot
) -> None:
    probe, donor = "a-name-of-a-probe", "a-name-of-a-donor"
    made = a_dataset(tmp_path).with_trial(probe, donor=donor, manipulated=box(4, 4, 30, 30))
    desk = Desk(inline_jobs(), Settings())
    browser = TrialBrowser(desk)
    qtbot.addWidget(browser)
    desk.open(OpenRequest(made.write().root))
    cells = browser.table.itemDelegate()
    assert isinstance(cells, TrialCells)
    line_px = browser.table.fontMetrics().height()

    assert cells.fitted(f"{probe}+{donor}", 160, 2 * line_px) == (f"{probe}+", donor)
    assert len(cells.fitted(f"{probe}+{donor}", 160, line_px)) == 1
    assert cells.fitted(f"{probe}+{donor}", 900, 2 * line_px) == (f"{probe}+{donor}",)
    browser.let_go()


def test_probes_are_shown_small_once_scrolling_rests(browser: TrialBrowser, qtbot: QtBot) -> None:
    picture(browser)

    qtbot.waitUntil(lambda: browser.model.thumbnail(1) is not None)

    before = picture(browser)
    browser._desk.settings.change(THUMBNAILS, False)  # noqa: FBT003 - a setting's value
    assert picture(browser) != before


def test_clicks_and_arrows_open_trials(browser: TrialBrowser) -> None:
    state = browser._desk.workbench

    QTest.mouseClick(
        browser.table.viewport(), Qt.MouseButton.LeftButton, pos=cell(browser, 1, "MCC").center()
    )
    assert state.state.trial_id == "p2"
    QTest.keyClick(browser.table, Qt.Key.Key_Left)
    assert state.state.trial_id == "p1"
    QTest.keyClick(browser.table, Qt.Key.Key_Down)
    assert state.state.trial_id == "p2"
    QTest.keyClick(browser.table, Qt.Key.Key_End)
    assert browser._desk.trials.place == 2
    QTest.keyClick(browser.table, Qt.Key.Key_Home)

    assert state.state.trial_id == "p1"


def test_tool_tips_tell_what_a_number_means(browser: TrialBrowser) -> None:
    section = browser.model.names.index("NMM")

    told = browser.model.headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)

    assert "NIST mask metric" in told
    cell_told = browser.model.data(browser.model.index(0, section), Qt.ItemDataRole.ToolTipRole)
    assert cell_told.startswith("NMM: ")


def test_a_trial_that_is_not_scored_shows_a_dash_and_why(
    browser: TrialBrowser, tmp_path: Path
) -> None:
    made = a_dataset(tmp_path / "c").with_trial("p1", manipulated=box(10, 10, 40, 40))
    built = made.with_trial("clean").with_answer("p1", blurred(5)).write()
    browser._desk.open(OpenRequest(built.root, (built.submission,)))

    index = browser.model.index(1, browser.model.names.index("MCC"))

    assert browser.model.data(index) == NO_NUMBER
    told = browser.model.data(index, Qt.ItemDataRole.ToolTipRole)
    assert told == "MCC: not manipulated, so not scored"


def test_a_trial_whose_reading_was_called_off_can_be_clicked_again(
    tmp_path: Path, qtbot: QtBot
) -> None:
    made = a_dataset(tmp_path).with_trial("p1", manipulated=box(10, 10, 40, 40))
    hall = Hall()
    desk = Desk(hall.jobs, Settings())
    browser = TrialBrowser(desk)
    qtbot.addWidget(browser)
    browser.show()
    desk.open(OpenRequest(made.write().root))
    hall.fetch_until(lambda: hall.jobs.is_busy(TRIAL_LANE))
    assert browser.table.currentIndex().row() == 0
    hall.jobs.call_off(TRIAL_LANE)
    hall.settle()
    assert desk.workbench.state.trial_id is None

    place = cell(browser, 0, browser.model.names[0]).center()
    QTest.mouseClick(browser.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    hall.settle()

    assert desk.workbench.state.is_current
    browser.let_go()
    desk.close()


def test_a_probe_without_a_picture_is_crossed_out(
    browser: TrialBrowser, tmp_path: Path, qtbot: QtBot
) -> None:
    next(tmp_path.rglob("probe/p2.png")).unlink()
    browser.model.forget_thumbnails()
    picture(browser)

    qtbot.waitUntil(lambda: browser.model.lacks_picture(1) and not browser.model.lacks_picture(0))

    edge, place = browser.model.edge_px, cell(browser, 1, "Trial").topLeft()
    thumbnail = QRect(place.x() + 12, place.y() + 8, edge - 10, edge - 10)
    assert len(inks(picture(browser), thumbnail)) > 1


def test_titles_do_not_look_through_all_rows_that_are_selected(browser: TrialBrowser) -> None:
    browser.table.selectAll()

    assert len(browser.table.chosen_places) == 3
    assert not browser.table.horizontalHeader().selectionModel().hasSelection()
