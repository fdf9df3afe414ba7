"""The window's provenance page: the numbers of the command line, for every case of NIST's tests."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.datasets.named_tables import open_provenance_task
from forensicviewer.app.datasets.opening import open_dataset, open_submission
from forensicviewer.app.settings import RULES
from forensicviewer.cli import main
from forensicviewer.core.model import TrialId
from forensicviewer.core.rules import RULE_SETS
from forensicviewer.ui.shell.window import MainWindow
from tests.provenance_build import (
    NIST_GRAPH_CASES,
    NIST_RANKING_CASES,
    NIST_TYPE_CASES,
    ProvenanceBuilder,
    a_provenance_dataset,
    file_of,
)
from tests.provenance_window import empty_window, open_window, page_of

pytestmark = pytest.mark.ui


def case_of(nist_suite: Path, name: str) -> dict[str, Any]:
    listed = json.loads((nist_suite / "cases.json").read_text("utf-8"))
    return next(case for case in listed if case["case"] == name)


def show_case(window: MainWindow, case: dict[str, Any], folder: Path, word: str) -> list[str]:
    """Open a case in the window; answers the same case as options of the command line."""
    options = case["options"]
    files = {key: folder / options[key] for key in "xrnw"}
    task = open_provenance_task(
        folder,
        name=word,
        index=files["x"],
        reference=files["r"],
        nodes=files["n"],
        world=files["w"],
    )
    answers = open_submission(folder / options["s"], task=task)
    window.desk.workbench.show_dataset(open_dataset(folder), task, submissions=(answers,))
    bar = page_of(window).desk.bar
    bar.direct.setChecked("d" in options)
    bar.undirected.setChecked("u" in options or "undirected" in options)
    names = {"x": "--index", "r": "--reference", "n": "--nodes", "w": "--world"}
    named = [part for key, path in files.items() for part in (names[key], str(path))]
    flags = [
        flag
        for flag, button in (("--direct", bar.direct), ("--undirected", bar.undirected))
        if button.isChecked()
    ]
    if "nodetype" in options:
        flags += ["--node-type", options["nodetype"]]
    return ["score", word, str(folder), str(folder / options["s"]), *named, *flags, "--quiet"]


def records(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="|"))


def shown_scores(window: MainWindow) -> dict[str, str]:
    """Every measure of the page with all its digits."""
    values = page_of(window).desk.panel.scores.values
    return {name: label.toolTip() for name, label in values.items()}


def shown_recalls(window: MainWindow, node_type: str) -> dict[str, str]:
    """The recalls beside the list with all their digits; none where no image is of that type."""
    table = page_of(window).desk.ranking.recalls
    head = table.model().headerData
    types = [head(row, Qt.Orientation.Vertical) for row in range(table.rowCount())]
    found = {}
    for column in range(table.columnCount()):
        cell = table.item(types.index(node_type), column) if node_type in types else None
        length = str(head(column, Qt.Orientation.Horizontal)).removeprefix("@")
        found[f"NodeRecallAt{length}"] = "" if cell is None else cell.toolTip()
    return found


def click_trial(window: MainWindow, probe: str, answer: str) -> None:
    """Choose a line of the table of all trials with the mouse."""
    desk = page_of(window).desk
    desk.tabs.setCurrentWidget(desk.trials)
    listed = [(line.trial.id, line.trial.output_file) for line in desk.trials.lines.lines]
    index = desk.trials.lines.index(listed.index((TrialId(probe), answer)), 0)
    place = desk.trials.visualRect(index).center()
    QTest.mouseClick(desk.trials.viewport(), Qt.MouseButton.LeftButton, pos=place)


def choose(window: MainWindow, trial: str) -> None:
    window.desk.workbench.select_trial(TrialId(trial))


@pytest.mark.nist
@pytest.mark.parametrize("name", NIST_GRAPH_CASES)
def test_the_window_shows_the_scores_the_command_line_writes(
    qtbot: QtBot, nist_suite: Path, tmp_path: Path, name: str
) -> None:
    case = case_of(nist_suite, name)
    window = empty_window(qtbot)
    arguments = show_case(window, case, nist_suite / case["directory"], "provenance")

    for rules in RULE_SETS:
        window.desk.settings.change(RULES, rules.name)
        main([*arguments, "--rules", rules.name, "--out", str(tmp_path / rules.name)])

        rows = records(tmp_path / rules.name / "trial_scores.csv")
        assert rows
        trials = page_of(window).desk.trials
        assert trials.lines.rowCount() == len(rows)
        for row in rows:
            click_trial(window, row["ProvenanceProbeFileID"], row["ProvenanceOutputFileName"])
            shown = shown_scores(window)
            assert shown == {key: row[key] for key in shown}


@pytest.mark.nist
@pytest.mark.parametrize("name", [*NIST_RANKING_CASES, *NIST_TYPE_CASES])
def test_the_window_shows_the_recall_the_command_line_writes(
    qtbot: QtBot, nist_suite: Path, tmp_path: Path, name: str
) -> None:
    case = case_of(nist_suite, name)
    window = empty_window(qtbot)
    arguments = show_case(window, case, nist_suite / case["directory"], "filtering")
    for rules in RULE_SETS:
        window.desk.settings.change(RULES, rules.name)
        main([*arguments, "--rules", rules.name, "--out", str(tmp_path / rules.name)])

        rows = records(tmp_path / rules.name / "trial_scores.csv")
        assert rows
        for row in rows:
            choose(window, row["ProvenanceProbeFileID"])
            shown = shown_recalls(window, row["NodeType"])
            written = {key: value for key, value in row.items() if key.startswith("NodeRecallAt")}
            assert shown == written


def test_a_user_finds_out_in_the_window_why_a_graph_scores_badly(
    qtbot: QtBot, tmp_path: Path
) -> None:
    chain = [("base", "crop"), ("crop", "probe")]
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=chain)
    built.with_answer(
        "probe", nodes=["base", "crop", "probe"], links=[("crop", "base"), ("crop", "probe")]
    )
    window = open_window(qtbot, *built.write())
    page = page_of(window)
    page.canvas.setFocus()
    QTest.keyClick(page.canvas, Qt.Key.Key_E)

    assert page.desk.panel.scores.values["SimLO"].text() == "0.5000"
    seen = []
    for _ in page.review.differences():
        seen.append(page.desk.panel.facts.explanation.text())
        window.commands.run("graph.next_error")
    assert any("this link is reversed" in words for words in seen)
    window.commands.run("graph.undirected")
    assert page.desk.panel.scores.values["SimLO"].text() == "1.0000"
    assert page.review.state.nodes.keys() == {file_of(n) for n in ("base", "crop", "probe")}


def with_strangers(folder: Path) -> ProvenanceBuilder:
    """Under the direct condition the rule sets disagree about what the system adds elsewhere."""
    built = a_provenance_dataset(folder).with_probe(
        "probe", links=[("base", "probe"), ("base", "other"), ("other", "last")]
    )
    return built.with_answer(
        "probe",
        nodes=["base", "probe", "other", "last"],
        links=[("base", "probe"), ("base", "other"), ("other", "last")],
    )


def test_the_rule_set_is_one_setting_wherever_it_is_changed(qtbot: QtBot, tmp_path: Path) -> None:
    window = open_window(qtbot, *with_strangers(tmp_path).write())
    bar, settings = page_of(window).desk.bar, window.desk.settings
    bar.direct.click()
    before = shown_scores(window)

    settings.change(RULES, "plan")

    assert bar.rules.currentText() == "plan"
    assert shown_scores(window) != before
    bar.rules.setFocus()
    QTest.keyClick(bar.rules, Qt.Key.Key_Up)
    QTest.keyClick(bar.rules, Qt.Key.Key_Up)
    assert settings.of(RULES) == "mediscore"
    assert shown_scores(window) == before
    assert QApplication.focusWidget() is bar.rules or not window.isActiveWindow()
