"""The window's provenance page: the numbers of the command line, for every case of NIST's tests."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.desk import Desk
from forensicviewer.app.graph_review import GraphReview
from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.opening import open_submission
from forensicviewer.app.openrequest import OpenRequest
from forensicviewer.app.provenance_opening import open_provenance_task
from forensicviewer.app.settings import Settings
from forensicviewer.cli import main
from forensicviewer.ui.graphview import GraphDesk, GraphPage
from forensicviewer.ui.window import MainWindow
from tests.provenance_build import (
    NIST_GRAPH_CASES,
    NIST_RANKING_CASES,
    a_provenance_dataset,
    file_of,
)

pytestmark = pytest.mark.ui


@pytest.fixture
def desk(qtbot: QtBot) -> Iterator[GraphDesk]:
    made = GraphDesk(GraphReview(inline_jobs()))
    qtbot.addWidget(made)
    made.resize(1200, 800)
    made.show()
    yield made
    made.let_go()


def case_of(nist_suite: Path, name: str) -> dict[str, Any]:
    listed = json.loads((nist_suite / "cases.json").read_text("utf-8"))
    return next(case for case in listed if case["case"] == name)


def show_case(desk: GraphDesk, case: dict[str, Any], folder: Path, word: str) -> list[str]:
    """Open a case on the page; answers the same case as options of the command line."""
    options = case["options"]
    files = {key: folder / options[key] for key in "xrnw"}
    desk.bar.direct.setChecked("d" in options)
    desk.bar.undirected.setChecked("u" in options or "undirected" in options)
    task = open_provenance_task(
        folder,
        name=word,
        index=files["x"],
        reference=files["r"],
        nodes=files["n"],
        world=files["w"],
    )
    desk.review.show(task, open_submission(folder / options["s"], task=task))
    named = [
        "--index",
        files["x"],
        "--reference",
        files["r"],
        "--nodes",
        files["n"],
        "--world",
        files["w"],
    ]
    flags = [
        flag
        for flag, button in (("--direct", desk.bar.direct), ("--undirected", desk.bar.undirected))
        if button.isChecked()
    ]
    places = [str(folder), str(folder / options["s"])]
    return ["score", word, *places, *map(str, named), *flags, "--quiet"]


def records(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="|"))


@pytest.mark.nist
@pytest.mark.parametrize("name", NIST_GRAPH_CASES)
def test_the_page_shows_the_scores_the_command_line_writes(
    desk: GraphDesk, nist_suite: Path, tmp_path: Path, name: str
) -> None:
    case = case_of(nist_suite, name)
    arguments = show_case(desk, case, nist_suite / case["directory"], "provenance")

    main([*arguments, "--out", str(tmp_path)])

    rows = records(tmp_path / "trial_scores.csv")
    assert rows
    for row in rows:
        desk.review.open_trial(row["ProvenanceProbeFileID"])
        shown = {key: label.toolTip() for key, label in desk.panel.scores.values.items()}
        assert shown == {key: row[key] for key in shown}
    listed = {line.trial.id for line in desk.review.state.table}
    assert listed == {row["ProvenanceProbeFileID"] for row in rows}


@pytest.mark.nist
@pytest.mark.parametrize("name", NIST_RANKING_CASES)
def test_the_page_shows_the_recall_the_command_line_writes(
    desk: GraphDesk, nist_suite: Path, tmp_path: Path, name: str
) -> None:
    case = case_of(nist_suite, name)
    arguments = show_case(desk, case, nist_suite / case["directory"], "filtering")

    main([*arguments, "--out", str(tmp_path)])

    for row in records(tmp_path / "trial_scores.csv"):
        desk.review.open_trial(row["ProvenanceProbeFileID"])
        for n in (50, 100, 200, 300, 500):
            recall = float(row[f"NodeRecallAt{n}"])
            assert f"@{n}: {recall:.4f}" in desk.ranking.recalls.text()


def test_a_user_finds_out_in_the_window_why_a_graph_scores_badly(
    qtbot: QtBot, tmp_path: Path
) -> None:
    chain = [("base", "crop"), ("crop", "probe")]
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=chain)
    built.with_answer(
        "probe", nodes=["base", "crop", "probe"], links=[("crop", "base"), ("crop", "probe")]
    )
    dataset, system = built.write()
    desk = Desk(inline_jobs(), Settings())
    window = MainWindow(desk)
    qtbot.addWidget(window)
    window.resize(1400, 900)
    with qtbot.waitExposed(window):
        window.show()

    desk.open(OpenRequest(dataset, (system,), "provenance"))
    window.show_opened()
    QApplication.processEvents()
    page = window.page
    assert isinstance(page, GraphPage)
    page.canvas.setFocus()
    QTest.keyClick(page.canvas, Qt.Key.Key_E)

    assert page.desk.panel.scores.values["SimLO"].text() == "0.5000"
    seen = []
    for _ in page.review.differences():
        seen.append(page.desk.panel.facts.explanation.text())
        window.commands.run("graph.next_error")
    assert any("counted wrong because it is reversed" in words for words in seen)
    window.commands.run("graph.directed")
    assert page.desk.panel.scores.values["SimLO"].text() == "1.0000"
    assert page.review.state.nodes.keys() == {file_of(n) for n in ("base", "crop", "probe")}
    window.let_go()
