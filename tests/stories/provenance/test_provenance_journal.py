"""The whole journal in the picture: what counts, and what only says how it came about."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import networkx
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.ui.shell.window import MainWindow
from tests.provenance_build import a_provenance_dataset, file_of
from tests.provenance_window import (
    click,
    explanation,
    facts,
    link_point,
    node_point,
    open_window,
    page_of,
    picture_in,
)

pytestmark = pytest.mark.ui

# The step in the middle and the donor's own source are in no world set.
LINKS = [
    ("base", "middle", "PasteSplice"),
    ("raw", "donor", "TransformCrop"),
    ("donor", "middle", "Donor"),
    ("middle", "probe", "OutputJpg"),
]
MIDDLE, RAW = file_of("middle"), file_of("raw")


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    built = a_provenance_dataset(tmp_path).with_probe(
        "probe",
        links=LINKS,
        world=["base", "donor", "probe"],
        kinds={"base": "base", "donor": "donor", "raw": "base", "probe": "final"},
    )
    built.with_answer(
        "probe", nodes=["base", "donor", "probe"], links=[("base", "probe"), ("donor", "probe")]
    )
    return open_window(qtbot, *built.write())


def scores(window: MainWindow) -> dict[str, str]:
    return {name: label.text() for name, label in page_of(window).desk.panel.scores.values.items()}


def test_images_outside_the_world_set_are_drawn_and_do_not_count(window: MainWindow) -> None:
    assert {node.file for node in picture_in(window).nodes if node.is_unscored} == {MIDDLE, RAW}
    assert scores(window)["SimNLO"] == "1.0000"

    click(window, node_point(window, MIDDLE))

    assert explanation(window).startswith("Not scored: this image is not in the world set")
    assert facts(window)["Journal node"] == "middle"


def test_a_step_of_the_journal_names_the_link_it_is_a_part_of(window: MainWindow) -> None:
    click(window, link_point(window, file_of("base"), MIDDLE))

    assert "part of the link from base to probe" in explanation(window)
    assert facts(window)["Operation"] == "PasteSplice"


def test_keys_walk_through_what_does_not_count_and_search_finds_it(window: MainWindow) -> None:
    canvas = page_of(window).canvas
    click(window, node_point(window, RAW))
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert page_of(window).review.state.selected == file_of("donor")
    QTest.keyClicks(page_of(window).desk.bar.search, "middle")
    assert page_of(window).review.state.selected == MIDDLE


def test_one_key_leaves_the_journal_out_and_the_numbers_stay(window: MainWindow) -> None:
    before = scores(window)
    page = page_of(window)
    page.canvas.setFocus()

    QTest.keyClick(page.canvas, Qt.Key.Key_J, Qt.KeyboardModifier.ShiftModifier)

    assert not page.desk.bar.journal.isChecked()
    assert not any(node.is_unscored for node in picture_in(window).nodes)
    assert scores(window) == before
    page.desk.bar.journal.click()
    assert any(node.is_unscored for node in picture_in(window).nodes)


def test_folding_a_donor_takes_its_sources_along(window: MainWindow) -> None:
    view = page_of(window).canvas.viewport()

    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=node_point(window, file_of("probe")))

    assert set(page_of(window).review.state.hidden) == {file_of("donor"), RAW}


def test_files_say_what_was_not_scored(window: MainWindow, tmp_path: Path) -> None:
    page_of(window).export_to(tmp_path / "graph.graphml")
    page_of(window).export_to(tmp_path / "graph.csv")

    graph = networkx.read_graphml(tmp_path / "graph.graphml")
    text = (tmp_path / "graph.csv").read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(text), delimiter="|"))

    told = {data["journal_node"]: data["outcome"] for _, data in graph.nodes(data=True)}
    assert {node for node, word in told.items() if word == "NotScored"} == {"middle", "raw"}
    steps = [row for row in rows if row["Mapping"] == "NotScored" and row["Kind"] == "link"]
    assert len(steps) == 4
    assert all(row["Explanation"].startswith("Not scored:") for row in steps)
