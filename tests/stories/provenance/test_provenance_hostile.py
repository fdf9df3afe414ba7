"""Broken and hostile answers in the real window: a problem each, and the page goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.graph import drawing as graph_drawing
from forensicviewer.ui.shell.window import MainWindow
from tests.provenance_build import a_provenance_dataset, file_of
from tests.provenance_window import click, node_point, open_window, page_of

pytestmark = pytest.mark.ui

CHAIN = [("base", "crop"), ("crop", "probe")]


def node(file: object, confidence: object = 1, node_id: object = "0") -> dict[str, object]:
    return {"id": node_id, "file": file, "nodeConfidenceScore": confidence}


def link(source: object, target: object, confidence: object = 1) -> dict[str, object]:
    return {"source": source, "target": target, "relationshipConfidenceScore": confidence}


def graph(nodes: list[object], links: list[object]) -> str:
    return json.dumps({"nodes": nodes, "links": links})


THREE: list[object] = [node(file_of(name), node_id=name) for name in ("base", "crop", "probe")]
ANSWERS = {
    "a cycle": (graph(THREE, [link(0, 1), link(1, 2), link(2, 0)]), "contains a cycle"),
    "a link to itself": (graph(THREE, [link(1, 1)]), "contains a cycle"),
    "dangling positions": (graph(THREE, [link(0, 99), link(-1, 1)]), "refers to a missing node"),
    "positions of another type": (graph(THREE, [link("0", 1.5)]), "not the position of a node"),
    "repeated ids": (graph([*THREE, *THREE], []), "occurs more than once"),
    "wrong types": (graph([7, None, node({}, "high", 5)], [3, "x"]), "is not an object"),
    "not a number": (graph([node(file_of("base"), float("nan"))], []), "is not a number"),
    "a number without end": (graph([node(file_of("base"), 10**400)], []), "is not a number"),
    "the largest numbers": (
        graph([node(file_of("base"), 1.7e308), node(file_of("crop"), -1.7e308, "1")], []),
        "",
    ),
    "a name of a megabyte": (graph([node("x" * 1_000_000)], []), "longer than 4096 characters"),
    "letters nobody can print": (graph([node("\x00\u202e\ud800\n<b>.jpg")], []), "leads outside"),
    "a path upwards": (graph([node("world/../../../outside.jpg")], []), "leads outside"),
    "a path of the system": (graph([node("/etc/passwd", 1, "../../etc")], []), "leads outside"),
    "a path of Windows": (graph([node("C:\\boot.ini")], []), "leads outside"),
    "a whole number without end": ('{"nodes": [' + "9" * 5000 + "]}", "thousands of digits"),
    "deep nesting": ('{"nodes":' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    "no JSON": ("{nodes: [", "is not JSON"),
    "nothing": ("", "is not JSON"),
    "a list": ("[1, 2]", "is not a JSON object"),
    "nodes that are no list": ('{"nodes": {"a": 1}, "links": []}', "has no list of nodes"),
}


def opened(qtbot: QtBot, folder: Path, text: str) -> MainWindow:
    built = a_provenance_dataset(folder).with_probe("probe", links=CHAIN)
    built.with_document("probe", text)
    return open_window(qtbot, *built.write())


@pytest.mark.parametrize("name", ANSWERS)
def test_a_bad_answer_is_a_problem_and_the_page_goes_on(
    qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    text, told = ANSWERS[name]

    window = opened(qtbot, tmp_path, text)

    page = page_of(window)
    problems = [
        each for each in window.desk.workbench.state.problems if told and told in each.message
    ]
    assert all(each.where.startswith("jsons/probe-0.json") for each in problems)
    assert all(each.hint for each in problems)
    assert problems or not told
    assert page.desk.panel.scores.values["SimNLO"].text() != ""
    page.canvas.setFocus()
    for key in (Qt.Key.Key_E, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_H, Qt.Key.Key_D):
        QTest.keyClick(page.canvas, key)
    QTest.keyClick(page.desk.panel.node_cut.slider, Qt.Key.Key_End)
    page.desk.tabs.setCurrentWidget(page.desk.ranking)
    QApplication.processEvents()
    assert not page.desk.grab().isNull()


def test_a_file_outside_the_dataset_is_never_shown(qtbot: QtBot, tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    Image.new("RGB", (64, 48), (255, 0, 0)).save(secret)
    (tmp_path / "MFC2019/world").mkdir(parents=True)
    (tmp_path / "MFC2019/world/linked.png").symlink_to(secret)
    names = ["../secret.png", str(secret), "world/linked.png"]
    answer = graph([node(name, 1, str(i)) for i, name in enumerate(names)], [])
    window = opened(qtbot, tmp_path, answer)

    for name in names:
        click(window, node_point(window, name))
        QApplication.processEvents()
        loaded = page_of(window).desk.pair.bench.state.loaded

        assert loaded is not None
        assert loaded.probe.media.name == name
        assert loaded.probe.pictures is None
        assert loaded.probe.reason
    assert not any(page_of(window).canvas.thumbnails.kept.values())


def test_text_of_another_encoding_says_how_to_save_it(qtbot: QtBot, tmp_path: Path) -> None:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=CHAIN)
    built.with_document("probe", "")
    answer = tmp_path / "system" / built.answers[0][1]
    answer.write_bytes('{"nodes": [], "links": [], "name": "caf\u00e9"}'.encode("latin-1"))

    window = open_window(qtbot, *built.write())

    [told] = [each for each in window.desk.workbench.state.problems if each.rule == "json.broken"]
    assert told.hint == "save it as UTF-8"
    assert "byte 40 is not text" in told.message


def test_an_answer_of_very_many_images_is_drawn_in_part_and_scored_whole(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_drawing, "MOST_DRAWN", 300)
    count = 900
    strangers = [node(file_of(f"x{i}"), i / count, str(i)) for i in range(count)]
    links: list[object] = [link(i, i + 1) for i in range(0, count - 1, 3)]

    window = opened(qtbot, tmp_path, graph([*THREE, *strangers], links))

    state = page_of(window).review.state
    assert state.document is not None
    assert len(state.document.merged.nodes) == 300
    assert state.comparison is not None
    assert state.comparison.scores.nodes.invented == count
    messages = [problem.message for problem in window.desk.workbench.state.problems]
    assert any("the 300 with the highest confidence are drawn" in message for message in messages)
