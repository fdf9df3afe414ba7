"""The results of a whole run in the window: numbers, divisions, copies and cancelling."""

from __future__ import annotations

import csv
import shlex
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QTableWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.datasets.opening import open_dataset, open_submission
from forensicviewer.app.results.request import Division
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.settings import RULES
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.cli import main
from forensicviewer.core.rules import RULE_SETS, RuleSet
from forensicviewer.ui.results.dialog import ResultsDialog
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.table_copy import table_of
from tests.build import Built, a_dataset, blurred, box, inverted
from tests.hall import Hall

pytestmark = pytest.mark.ui
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path).nist("MFC2019")
    for name, kind in (("p1", "a"), ("p2", "b"), ("p3", "b"), ("p4", "b")):
        made.with_trial(name, manipulated=box(4, 4, 30, 30), facts={"Kind": kind})
    made.with_trial("clean", facts={"Kind": "a"})
    made.with_answer("p1", blurred(6), confidence="0.9")
    made.with_answer("p2", inverted(), confidence="0.8")
    made.with_answer("p3", confidence="0", status="OptOutAll")
    return made.with_answer("clean", blurred(), confidence="0.3").write()


def shown_results(window: MainWindow, qtbot: QtBot) -> ResultsDialog:
    """The dialog as the menu's key opens it."""
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_R, keys)
    (dialog,) = [w for w in QApplication.topLevelWidgets() if isinstance(w, ResultsDialog)]
    qtbot.waitExposed(dialog)
    return dialog


def cells(table: QTableWidget) -> list[dict[str, str]]:
    """A table as it is copied."""
    return list(csv.DictReader(table_of(table).splitlines(), delimiter="\t"))


def averages(path: Path) -> dict[str, str]:
    (record,) = csv.DictReader(path.read_text("utf-8").splitlines(), delimiter="|")
    return record


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: rules.name)
def test_the_page_has_the_numbers_of_the_command_it_copies(
    opened: MainWindow, qtbot: QtBot, tmp_path: Path, rules: RuleSet
) -> None:
    opened.desk.settings.change(RULES, rules.name)
    dialog = shown_results(opened, qtbot)

    QTest.mouseClick(dialog.buttons["commands"], LEFT)
    command = QGuiApplication.clipboard().text().splitlines()[0]
    _, *words = shlex.split(command)
    main([*words[:-1], str(tmp_path / "out"), "--quiet"])

    written = averages(tmp_path / "out" / "mask_score.csv")
    shown = {row["Measure"]: row["All trials"] for row in cells(dialog.page(0).whole)}
    named = [name for name in shown if name in written]
    assert {"OptimumMCC", "OptimumNMM", "MaximumMCC", "ActualMCC", "ActualNMM", "TRR"} <= {*named}
    assert {name: written[name] for name in named} == {name: shown[name] for name in named}
    assert [dialog.pages.tabText(n) for n in range(2)] == ["Masks", "Detection"]
    dialog.close()


def test_counts_say_what_became_of_the_trials(opened: MainWindow, qtbot: QtBot) -> None:
    dialog = shown_results(opened, qtbot)

    shown = {row["Measure"]: row for row in cells(dialog.page(1).whole)}
    assert shown["Trials in the evaluation"]["All trials"] == "5"
    assert shown["Trials scored"]["All trials"] == "5"
    assert shown["Trials scored"]["Opted-in trials"] == "3"
    assert shown["Trials opted out"]["All trials"] == "1"
    assert shown["Trials not answered"]["All trials"] == "1"
    dialog.close()


def test_a_run_is_divided_by_the_values_of_a_column(opened: MainWindow, qtbot: QtBot) -> None:
    dialog = shown_results(opened, qtbot)
    assert dialog.page(0).lines.rowCount() == 0

    dialog.division.setCurrentIndex(list(Division).index(Division.PARTITION))
    dialog.division.activated.emit(dialog.division.currentIndex())
    (kind,) = [act for act in dialog.column.menu().actions() if act.text() == "Kind"]
    kind.trigger()

    assert dialog.query.toPlainText() == "Kind==['a','b']"
    lines = cells(dialog.page(0).lines)
    assert [(row["Line"], row["Over"]) for row in lines] == [
        ("Kind 'a'", "All trials"),
        ("Kind 'a'", "Opted-in trials"),
        ("Kind 'b'", "All trials"),
        ("Kind 'b'", "Opted-in trials"),
    ]
    assert float(lines[0]["OptimumMCC"]) > float(lines[2]["OptimumMCC"])
    assert "--query-partition" in "\n".join(dialog.results.commands if dialog.results else ())
    dialog.close()


def test_a_query_that_cannot_be_read_is_said_beside_the_whole_run(
    opened: MainWindow, qtbot: QtBot
) -> None:
    dialog = shown_results(opened, qtbot)

    dialog.divide(Division.QUERY, "Colour=='red'")

    assert dialog.page(0).whole.rowCount() > 5
    assert any("Colour" in label.text() for label in dialog.page(0).failures)
    dialog.close()


def test_the_page_follows_the_rule_set_and_the_submission(
    opened: MainWindow, built: Built, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = shown_results(opened, qtbot)
    assert "mediscore" in dialog.about.text()

    opened.desk.settings.change(RULES, "plan")
    assert "plan" in dialog.about.text()
    other = built.copied_submission(tmp_path / "other")
    opened.desk.open_submissions([other])

    assert dialog.results is not None
    assert dialog.results.commands[0].count(str(other)) == 1
    opened.desk.close_dataset()
    assert not dialog.isVisible()


def test_numbers_are_copied_with_their_commands_and_exported(
    opened: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = shown_results(opened, qtbot)

    QTest.mouseClick(dialog.buttons["copy"], LEFT)
    dialog.export(tmp_path / "results.csv")

    commands, _, table = QGuiApplication.clipboard().text().partition("\n\n")
    assert commands.startswith("forensicviewer score mask ")
    copied = list(csv.DictReader(table.splitlines(), delimiter="\t"))
    text = (tmp_path / "results.csv").read_text("utf-8")
    assert copied == list(csv.DictReader(text.splitlines()))
    exact = next(row["value"] for row in copied if row["measure"] == "GWL1")
    assert len(exact) > 10
    dialog.close()


def test_scoring_a_run_shows_its_progress_and_can_be_cancelled(qtbot: QtBot, built: Built) -> None:
    hall = Hall()
    bench = Workbench(hall.jobs)
    dataset = open_dataset(built.root)
    bench.show_dataset(dataset, dataset.tasks[0])
    bench.add_submissions([open_submission(built.submission, task=dataset.tasks[0])])
    hall.settle()
    is_free = Event()
    for lane in (Lane("one"), Lane("two")):  # both threads are busy: the run has to wait
        hall.jobs.submit(lane, is_free.wait, lambda _: None)
    dialog = ResultsDialog(bench, print)
    with qtbot.waitExposed(dialog):
        dialog.show()
    qtbot.waitUntil(dialog.progress.isVisible)
    (cancel,) = dialog.progress.findChildren(QPushButton)

    QTest.mouseClick(cancel, LEFT)

    assert dialog.about.text() == "Cancelled"
    is_free.set()
    hall.settle()
    assert dialog.results is None
    dialog.close()
    hall.jobs.close()
