"""The panel of trials: left alone while it is read, and clear about queries."""

from collections.abc import Iterator
from pathlib import PurePath

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.settings import THUMBNAILS, Settings
from forensicviewer.app.trials.score_columns import MCC, Scores
from forensicviewer.app.trials.trial_filter import Sort
from forensicviewer.core.model import Dataset, Edition
from forensicviewer.ui.trials.browser import TrialBrowser
from tests.app.trials.test_library import a_task

pytestmark = pytest.mark.ui
N = 200


@pytest.fixture
def browser(qtbot: QtBot) -> Iterator[TrialBrowser]:
    settings = Settings()
    settings.change(THUMBNAILS, False)  # noqa: FBT003 - a setting's value
    desk = Desk(inline_jobs(), settings)
    shown = TrialBrowser(desk)
    qtbot.addWidget(shown)
    shown.resize(460, 400)
    with qtbot.waitExposed(shown):
        shown.show()
    ids = [f"p{n:03d}" for n in range(N)]
    task = a_task({"ProbeFileID": ids, "IsTarget": ["Y"] * N, "My column": ids})
    desk.workbench.show_dataset(Dataset(PurePath("data"), "many", Edition.NC2017, (task,)), task)
    yield shown
    shown.let_go()


def scored(count: int) -> Scores:
    """The last trials are the worst, and are scored first."""
    scores = Scores.unknown(N)
    scores[MCC][N - count :] = np.linspace(0.9, 0.1, count)
    return scores


def ids_of(browser: TrialBrowser, rows: np.ndarray) -> list[str]:
    return [browser.model.text(int(row), 0) for row in rows]


def test_scores_that_come_in_do_not_scroll_the_list(browser: TrialBrowser) -> None:
    trials = browser._desk.trials
    trials.set_sort(Sort(MCC))
    bar = browser.table.verticalScrollBar()
    bar.setValue(60)

    trials.put_scores(scored(20))

    assert bar.value() == 60
    assert browser.model.text(0, 0) == "p199"


def test_the_trial_looked_at_stays_in_sight_where_it_was(browser: TrialBrowser) -> None:
    trials = browser._desk.trials
    trials.set_sort(Sort(MCC))
    assert browser.table.shows_current

    trials.put_scores(scored(100))

    assert trials.place == 100
    assert browser.table.currentIndex().row() == 100
    assert browser.table.shows_current


def test_what_is_selected_stays_selected_when_rows_move(browser: TrialBrowser) -> None:
    trials = browser._desk.trials
    trials.set_sort(Sort(MCC))
    for _ in range(3):
        QTest.keyClick(browser.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    chosen = ids_of(browser, browser.table.chosen_places)
    assert chosen == ["p000", "p001", "p002", "p003"]

    trials.put_scores(scored(100))

    assert ids_of(browser, browser.table.chosen_places) == chosen
    assert browser.table.chosen_places.tolist() == [100, 101, 102, 103]


def test_what_passes_a_filter_is_read_from_its_beginning(browser: TrialBrowser) -> None:
    trials = browser._desk.trials
    trials.select_place(N - 1)
    assert browser.table.verticalScrollBar().value() > 0

    trials.set_text("ProbeFileID != 'p199'")

    assert trials.place is None
    assert browser.table.verticalScrollBar().value() == 0


def test_a_letter_that_is_no_command_searches_nothing(browser: TrialBrowser) -> None:
    before = browser.table.currentIndex().row()

    QTest.keyClick(browser.table, Qt.Key.Key_P)

    assert browser.table.currentIndex().row() == before


def test_a_wrong_query_is_told_in_a_line_and_in_full_in_its_tool_tip(
    browser: TrialBrowser,
) -> None:
    browser._desk.trials.set_text("nothing == 1")
    assert browser._message.text() == "There is no column 'nothing'"
    assert "ProbeFileID" in browser._message.toolTip()

    browser._desk.trials.set_text("MCC <")
    assert browser._message.text().startswith(
        "The query ends too early: column 6 (write a comparison"
    )


def test_the_title_of_a_column_says_how_a_query_writes_it(browser: TrialBrowser) -> None:
    across, tip = Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
    section = browser.model.names.index("My column")

    assert "In queries: `My column`" in browser.model.headerData(section, across, tip)
