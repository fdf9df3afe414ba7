"""Messages over the window: what is told goes away, errors stay until they are read."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QToolButton

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.workbench.state import CompareMode
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.ui.shell.notices import Notice
from forensicviewer.ui.shell.window import MainWindow
from tests.build import two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def notice(window: MainWindow) -> Notice:
    return window.notice


def close(notice: Notice) -> None:
    QTest.mouseClick(notice.findChildren(QToolButton)[0], Qt.MouseButton.LeftButton)


def test_an_error_is_not_replaced_by_what_is_told_after_it(
    window: MainWindow, notice: Notice
) -> None:
    notice.warn("The table cannot be read")

    notice.tell("The view was copied to the clipboard")

    assert notice.text == "The table cannot be read"
    assert window.statusBar().currentMessage() == "The view was copied to the clipboard"


def test_what_an_error_takes_the_place_of_is_told_below(window: MainWindow, notice: Notice) -> None:
    notice.tell("MFC2019: 12 trials\nNo problems")

    notice.warn("p1.png cannot be scored")

    assert notice.text == "p1.png cannot be scored"
    assert window.statusBar().currentMessage() == "MFC2019: 12 trials · No problems"


def test_what_comes_up_in_the_background_is_listed_and_interrupts_nobody(
    window: MainWindow, notice: Notice
) -> None:
    bench = window.desk.workbench

    bench.report([Problem(Severity.ERROR, "p1.png cannot be scored")], is_aside=True)
    assert not notice.isVisible()
    bench.report([Problem(Severity.ERROR, "The archive cannot be read")])

    assert notice.text == "The archive cannot be read"
    assert len(bench.state.problems) == 2


def test_errors_wait_for_each_other(notice: Notice) -> None:
    for text in ("first", "second", "third"):
        notice.warn(text)
    seen = []

    while notice.isVisible():
        seen.append(notice.text)
        close(notice)

    assert seen == ["first", "second", "third"]


def test_once_read_messages_are_told_again(notice: Notice) -> None:
    notice.warn("The table cannot be read")
    close(notice)

    notice.tell("Wrote table.csv")

    assert notice.text == "Wrote table.csv"


def test_the_button_of_an_error_leads_where_it_says_and_the_next_error_follows(
    notice: Notice,
) -> None:
    led: list[str] = []
    notice.warn("first", button="Show problems", run=lambda: led.append("problems"))
    notice.warn("second")
    button = next(b for b in notice.findChildren(QPushButton) if b.text() == "Show problems")

    QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    assert (led, notice.text) == (["problems"], "second")


def test_escape_closes_messages_before_it_ends_a_comparison(
    window: MainWindow, notice: Notice, tmp_path: Path
) -> None:
    notice.warn("on the start page")
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not notice.isVisible()
    window.desk.open(OpenRequest(two_answered_trials(tmp_path).root))
    window.refresh()
    window.activateWindow()
    bench = window.desk.workbench
    bench.set_compare(mode=CompareMode.FADE)
    notice.warn("over the panes")

    QTest.keyClick(window, Qt.Key.Key_Escape)
    between = notice.isVisible(), bench.state.compare.mode
    QTest.keyClick(window, Qt.Key.Key_Escape)

    assert between == (False, CompareMode.FADE)
    assert bench.state.compare.mode is CompareMode.OFF


def test_the_message_of_an_opening_counts_files_that_are_not_there(
    window: MainWindow, notice: Notice, tmp_path: Path
) -> None:
    built = two_answered_trials(tmp_path)
    first = min((built.root / "probe").iterdir())
    first.unlink()

    window.desk.open(OpenRequest(built.root))

    assert "1 error" in notice.text
    assert "Show problems" in [button.text() for button in notice.findChildren(QPushButton)]


def test_an_error_goes_with_what_it_was_about(
    window: MainWindow, notice: Notice, tmp_path: Path
) -> None:
    built = two_answered_trials(tmp_path)
    window.desk.open(OpenRequest(tmp_path / "nowhere"))
    assert notice.text.startswith("The file or folder does not exist")

    window.desk.open(OpenRequest(built.root, (built.submission,)))

    assert "trials" in notice.text
