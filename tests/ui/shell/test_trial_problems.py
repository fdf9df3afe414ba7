"""What is wrong with the files of one trial is told where it is looked at."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.ui.shell.problems import ProblemsPanel
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def test_problems_are_listed_below_the_start_page(window: MainWindow, built: Built) -> None:
    QTest.mouseClick(window.status.problems, Qt.MouseButton.LeftButton)

    dock = window.docks.docks["problems"]
    assert dock.isVisible()
    assert dock.y() > window.stack.geometry().bottom()
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    assert window.docks.browser.isVisible()


def test_a_missing_file_of_the_open_trial_is_told_by_its_pane_and_counted(
    window: MainWindow, built: Built
) -> None:
    (built.root / "probe" / "p1.png").unlink()

    window.desk.open(OpenRequest(built.root, (built.submission,)))

    assert "1 error" in window.status.problems.text()
    assert "1 error" in window.notice.text
    panel = window.docks.panel("problems")
    assert isinstance(panel, ProblemsPanel)
    assert panel.tree.topLevelItemCount() == 1


def test_a_problem_that_is_read_stays_in_place_when_others_come(window: MainWindow) -> None:
    bench = window.desk.workbench
    bench.report(Problem(Severity.WARNING, f"Row {number} is odd") for number in range(300))
    window.show_panel("problems")
    panel = window.docks.panel("problems")
    assert isinstance(panel, ProblemsPanel)
    panel.tree.setCurrentItem(panel.tree.findItems("Row 200 is odd", Qt.MatchFlag.MatchExactly)[0])
    before = panel.tree.verticalScrollBar().value()

    bench.report([Problem(Severity.WARNING, "Another row is odd")])

    assert panel.tree.topLevelItemCount() == 301
    assert [item.text(0) for item in panel.tree.selectedItems()] == ["Row 200 is odd"]
    assert panel.tree.verticalScrollBar().value() == before > 0


@pytest.mark.parametrize(("message", "hint"), [("Odd " * 20, "look"), ("Odd", "look there " * 9)])
def test_a_wide_panel_cuts_nothing_off(window: MainWindow, message: str, hint: str) -> None:
    window.resize(1600, 900)
    window.show_panel("problems")
    panel = window.docks.panel("problems")
    assert isinstance(panel, ProblemsPanel)

    window.desk.workbench.report(
        [Problem(Severity.WARNING, message, where="reference/table.csv:12", hint=hint)]
    )

    tree = panel.tree
    assert all(tree.columnWidth(c) >= tree.sizeHintForColumn(c) for c in range(3))
