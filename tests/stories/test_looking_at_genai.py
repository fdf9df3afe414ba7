"""An analyst looks at a GenAI evaluation in the window: which images, which system, and why."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog, QMessageBox, QPushButton, QTableWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.folders import config_folder
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.cli import main
from forensicviewer.cli.command import ExitCode
from forensicviewer.core.model import Viewing
from forensicviewer.ui.genai.panel import GenAIPanel
from forensicviewer.ui.shell.docks import DetectionStack
from forensicviewer.ui.shell.window import MainWindow
from tests.desk_work import answer_dialog, start_program, trial
from tests.genai_build import DRY_RUN, SETS, GenAIBuilder, GenAITrial, packed, trials
from tests.window_checks import beginning_of_the_program, nothing_left_behind

__all__ = ["beginning_of_the_program", "nothing_left_behind"]

GOOD = [0.9, 0.8, 0.54, 0.4, 0.45, 0.3, 0.2, 0.1]  # four AI-generated images, then four others
OTHER = [0.2, 0.9, 0.6, 0.7, 0.1, 0.6, 0.3, 0.2]


@pytest.fixture(autouse=True)
def _as_every_window(beginning_of_the_program: None, nothing_left_behind: None) -> None:
    """Every story here is one of a window."""


def a_set(folder: Path, *, index: str = DRY_RUN) -> GenAIBuilder:
    built = GenAIBuilder(folder / "set", index_name=index).of(trials(4, 4))
    built.write()
    built.reference()
    return built


def outputs(built: GenAIBuilder) -> tuple[Path, ...]:
    first = built.output(GOOD, name="sys_a_cutoff-50.csv")
    other = "{0}|detection|D-Other|v1|{1}|{2}"
    return first, built.output(OTHER, name="sys_b_cutoff-65.csv", row=other)


def panel_of(window: MainWindow) -> GenAIPanel:
    stack = window.docks.panel("detection")
    assert isinstance(stack, DetectionStack)
    assert stack.currentWidget() is stack.genai
    return stack.genai


def cell(table: QTableWidget, row: int, column: int) -> str:
    item = table.item(row, column)
    assert item is not None
    return item.text()


def listed(window: MainWindow) -> list[str]:
    rows = range(len(window.desk.trials))
    return [str(window.desk.trials.id_at(row)) for row in rows]


def open_set(window: MainWindow, qtbot: QtBot, *paths: Path) -> None:
    window.desk.open(OpenRequest(paths[0], paths[1:]))
    qtbot.waitUntil(lambda: window.desk.layout == "detect" and window.page is not None)


def question(window: MainWindow, qtbot: QtBot, name: str) -> QMessageBox | QInputDialog:
    def is_open() -> bool:
        return window.genai.open is not None and window.genai.open.objectName() == name

    qtbot.waitUntil(is_open)
    found = window.genai.open
    assert isinstance(found, QMessageBox | QInputDialog)
    return found


def answer(box: QMessageBox | QInputDialog, words: str) -> None:
    button = next(each for each in box.findChildren(QPushButton) if words in each.text())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_most_wrong_image_comes_first_and_its_place_is_shown(
    qtbot: QtBot, tmp_path: Path
) -> None:
    built = a_set(tmp_path)
    window = start_program(qtbot)
    open_set(window, qtbot, built.folder, *outputs(built))

    assert listed(window)[:2] == ["file_0004.webp", "file_0003.webp"]  # 0.6 and 0.46 from the truth
    assert window.desk.trials.next_worst()
    assert trial(window) == "file_0004.webp"
    panel = panel_of(window)
    assert "AI-generated; score 0.4000, called human-made: wrong" in panel.histogram.here.text()
    marks = {mark.label: mark.x for mark in panel.histogram.chart.marks}
    assert marks == {"cutoff": 0.5, "this image": 0.4}
    named = [series.name for series in panel.histogram.chart.series]
    assert named == ["Human-made", "AI-generated"]


def test_several_systems_lie_over_each_other_with_their_operating_points(
    qtbot: QtBot, tmp_path: Path
) -> None:
    built = a_set(tmp_path)
    window = start_program(qtbot)
    open_set(window, qtbot, built.folder, *outputs(built))
    panel = panel_of(window)

    points = [(mark.x, mark.y) for mark in panel.curves.chart.marks]
    assert points == [(0.0, 0.5), (0.0, 0.75)]  # the chosen system is drawn last
    panel.curves.det.click()
    other = panel.curves.chart.marks[0]
    assert other.x == pytest.approx(-3.4)  # the probit of 0, cut
    assert other.y == pytest.approx(0.0)  # the probit of 0.5
    assert len(panel.curves.chart.series) == 2

    panel.systems.cellClicked.emit(1, 0)
    assert window.desk.workbench.state.system == 1
    assert listed(window)[0] == "file_0001.webp"


def test_agreement_is_listed_filtered_and_told_for_each_image(qtbot: QtBot, tmp_path: Path) -> None:
    built = a_set(tmp_path)
    window = start_program(qtbot)
    open_set(window, qtbot, built.folder, *outputs(built))
    panel = panel_of(window)
    window.desk.workbench.select_trial(window.desk.trials.id_at(0))

    # file_0004: a says 0.4 < 0.5, b says 0.7 >= 0.65.
    cells = [[cell(panel.agreement.calls, r, c) for c in range(5)] for r in range(2)]
    assert cells == [
        ["a", "0.4000", "0.5", "human-made", "wrong"],
        ["b", "0.7000", "0.65", "AI-generated", "right"],
    ]
    counts = [cell(panel.agreement.counts, r, 1) for r in range(3)]
    assert counts == ["0", "3", "5"]
    QTest.mouseClick(panel.agreement.link, Qt.MouseButton.LeftButton)
    assert sorted(listed(window)) == ["file_0001.webp", "file_0003.webp", "file_0004.webp"]


def test_the_worst_images_are_a_contact_sheet_to_open_and_export(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = a_set(tmp_path)
    window = start_program(qtbot)
    open_set(window, qtbot, built.folder, *outputs(built))
    panel = panel_of(window)
    panel.tabs.setCurrentWidget(panel.worst)

    first = panel.worst.list.item(0)
    assert first.text() == "file_0004.webp\nAI-generated · 0.400"
    panel.worst.list.itemClicked.emit(panel.worst.list.item(1))
    assert trial(window) == "file_0003.webp"
    path = answer_dialog(monkeypatch, "getSaveFileName", tmp_path / "worst.png")
    button = next(b for b in panel.worst.findChildren(QPushButton) if "contact sheet" in b.text())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    sheet = cv2.imread(str(path))
    assert sheet is not None
    # The image of the second trial, drawn with the shade its file has.
    assert (np.abs(sheet[60:120, 180:300].astype(int) - 20) < 6).all(axis=2).any()


def test_exported_charts_name_no_team_and_carry_the_disclaimer(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = a_set(tmp_path)
    window = start_program(qtbot)
    open_set(window, qtbot, built.folder, *outputs(built))
    panel = panel_of(window)

    def exported(name: str) -> bytes:
        path = answer_dialog(monkeypatch, "getSaveFileName", tmp_path / name)
        QTest.mouseClick(panel.export, Qt.MouseButton.LeftButton)
        return path.read_bytes()

    drawing = exported("charts.svg").decode()
    for team in ("D-NIST_site", "D-Other", "sys_a", "sys_b"):
        assert team not in drawing
    assert "Team 1" in drawing
    assert "Team 2" in drawing
    said = re.sub(r"<[^>]*>|\s+", " ", drawing)
    assert "NIST does not approve, recommend, or endorse any proprietary product" in " ".join(
        said.split()
    )
    pixels = cv2.imdecode(np.frombuffer(exported("charts.png"), np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None
    assert pixels.shape[1] > 900
    panel.anonymous.click()
    assert "sys_a_cutoff-50" in exported("own.svg").decode()


def test_generators_are_read_the_other_way_round(qtbot: QtBot, tmp_path: Path) -> None:
    built = a_set(tmp_path)
    window = start_program(qtbot)
    open_set(window, qtbot, built.folder, *outputs(built))
    panel = panel_of(window)

    table = panel.generators.table
    assert {cell(table, row, 0) for row in range(2)} == set(SETS)
    assert "the other way round" in panel.generators.note.text()
    # G2's images score 0.8, 0.4 against 0.3, 0.1: told apart; G1's 0.9, 0.54 against 0.45, 0.2.
    assert [cell(table, row, 2) for row in range(2)] == ["1.0000", "1.0000"]


def test_versions_of_one_system_are_followed(qtbot: QtBot, tmp_path: Path) -> None:
    built = a_set(tmp_path)
    paths = [
        built.output(scores, name=f"s_{n}_cutoff-50.csv", row="{0}|detection|D-One|" + rest)
        for n, scores, rest in ((10, GOOD, "v10|{1}|{2}"), (2, OTHER, "v2|{1}|{2}"))
    ]
    window = start_program(qtbot)
    open_set(window, qtbot, built.folder, *paths)
    versions = panel_of(window).versions

    assert versions.system.currentText() == "D-One"
    # Version 2 comes before version 10.
    assert [cell(versions.table, row, 0) for row in range(2)] == ["v2", "v10"]
    auc = next(series for series in versions.chart.series if series.name == "AUC")
    assert auc.y.tolist() == [float(cell(versions.table, row, 1)) for row in range(2)]


def test_a_test_set_asks_once_and_shows_images_to_those_who_do_not_take_part(
    qtbot: QtBot, tmp_path: Path
) -> None:
    built = a_set(tmp_path, index="genai25_Image-D_detection_index.csv")
    window = start_program(qtbot)
    open_set(window, qtbot, built.folder, *outputs(built))
    box = question(window, qtbot, "participation")
    hidden = window.desk.workbench.state.loaded
    assert hidden is not None
    assert hidden.probe.pictures is None
    assert "Hidden" in hidden.probe.reason

    answer(box, "do not take part")
    qtbot.waitUntil(lambda: _viewing(window) is Viewing.CONFIRMED)
    shown = window.desk.workbench.state.loaded
    assert shown is not None
    assert shown.probe.pictures is not None
    kept = json.loads((config_folder() / "genai.json").read_text())
    ((_, said),) = kept["sets"].items()
    assert said["participant"] is False
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", said["said_on"])

    window.desk.close_dataset()
    open_set(window, qtbot, built.folder)
    assert window.genai.open is None
    assert _viewing(window) is Viewing.CONFIRMED


def _viewing(window: MainWindow) -> Viewing | None:
    task = window.desk.workbench.state.task
    return None if task is None else task.viewing


def test_for_participants_nothing_of_a_test_set_can_be_seen(
    qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = a_set(tmp_path, index="genai25_Image-D_detection_index.csv")
    window = start_program(qtbot)
    open_set(window, qtbot, built.folder, *outputs(built))
    answer(question(window, qtbot, "participation"), "hide the images")
    qtbot.waitUntil(lambda: _viewing(window) is Viewing.REFUSED)
    panel = panel_of(window)
    panel.tabs.setCurrentWidget(panel.worst)

    loaded = window.desk.workbench.state.loaded
    assert loaded is not None
    assert loaded.probe.pictures is None
    assert "are hidden" in panel.worst.note.text()
    sheet = panel.worst.sheet("", "")
    assert sheet is not None
    # Only the grey of an empty place, the paper and letters: no image's shade (0 or 70).
    seen = {sheet.pixelColor(x, 90).name() for x in range(20, 150)}
    assert seen == {"#d5d9e0"}
    # Elsewhere, and packed, it is the same test set.
    archive = packed(*built.folder.iterdir(), name="again.tgz")
    assert not _is_drawn(archive, tmp_path)
    out = tmp_path / "out"
    main(["score", "genai", str(archive), *map(str, outputs(built)), "--out", str(out)])
    said = json.loads((out / "summary.json").read_text())["settings"]["test media (plan, 2.2)"]
    assert "the images are hidden" in said
    assert main(["genai", "participant", str(archive), "no"]) == ExitCode.FINE
    assert "confirmed on" in capsys.readouterr().out
    assert _is_drawn(archive, tmp_path)


def _is_drawn(dataset: Path, folder: Path) -> bool:
    """Whether ``render`` shows the last image, which is grey with the shade 70."""
    path = folder / "drawn.png"
    command = [sys.executable, "-m", "forensicviewer", "render", str(dataset)]
    wanted = ["--trial", "file_0008.webp", "--layout", "probe", "--out", str(path)]
    subprocess.run([*command, *wanted], check=True, capture_output=True)
    pixels = cv2.imread(str(path))
    assert pixels is not None
    return bool(((np.abs(pixels.astype(int) - 70) < 3).all(axis=2)).mean() > 0.1)


def test_a_question_put_off_leaves_images_hidden_and_is_asked_again(
    qtbot: QtBot, tmp_path: Path
) -> None:
    built = a_set(tmp_path, index="genai25_Image-D_detection_index.csv")
    window = start_program(qtbot)
    open_set(window, qtbot, built.folder)
    answer(question(window, qtbot, "participation"), "later")
    assert _viewing(window) is Viewing.UNASKED

    qtbot.waitUntil(window.commands["file.participation"].isEnabled)
    window.commands.run("file.participation")
    assert question(window, qtbot, "participation").isVisible()


def test_unknown_labels_are_asked_for_once_and_remembered(qtbot: QtBot, tmp_path: Path) -> None:
    built = GenAIBuilder(tmp_path / "set", index_name=DRY_RUN).of(trials(4, 4))
    built.write()
    built.reference("Origin", ("1", "0"), more={"Topic": ["cats", "dogs"] * 4})
    window = start_program(qtbot)
    open_set(window, qtbot, built.folder, *outputs(built))

    dialog = question(window, qtbot, "labels")
    assert isinstance(dialog, QInputDialog)
    wanted = next(line for line in dialog.comboBoxItems() if line.startswith("Origin"))
    assert wanted == "Origin: 1, 0"
    dialog.setTextValue(wanted)
    dialog.accept()

    def is_scored() -> bool:
        return panel_of(window).review is not None

    qtbot.waitUntil(is_scored)
    assert cell(panel_of(window).systems, 0, 1) == "0.9375"
    window.desk.close_dataset()
    open_set(window, qtbot, built.folder)
    assert window.genai.open is None


def test_rows_without_images_are_a_normal_state(qtbot: QtBot, tmp_path: Path) -> None:
    rows = [GenAITrial(f"text_{n}", n < 2, SETS[0]) for n in range(4)]
    built = GenAIBuilder(tmp_path / "set", index_name=DRY_RUN, has_images=False).of(rows)
    built.write()
    built.reference()
    window = start_program(qtbot)
    open_set(window, qtbot, built.folder, built.output([0.9, 0.4, 0.3, 0.2]))

    loaded = window.desk.workbench.state.loaded
    assert loaded is not None
    assert loaded.probe.reason == "The dataset has no image for this trial"
    assert window.desk.workbench.state.problems == ()


def test_packed_sets_and_folders_of_outputs_open_together(qtbot: QtBot, tmp_path: Path) -> None:
    built = a_set(tmp_path)
    first, second = outputs(built)
    rows = [line.replace("ConfidenceScore", "ConfScore") for line in second.read_text().split("\n")]
    second.write_text("\n".join(rows))
    archive = packed(built.folder, name="genai25_dryrun.tgz")
    window = start_program(qtbot)

    window.desk.open_paths([first.parent, archive])

    state = window.desk.workbench.state
    assert state.dataset is not None
    assert (state.dataset.name, state.problems) == ("genai25_dryrun", ())
    assert [each.name for each in state.submissions] == [first.stem, second.stem]
    window.desk.close_dataset()
    window.desk.open_paths([built.folder, packed(first, name="one.tgz"), second])
    state = window.desk.workbench.state
    assert [each.name for each in state.submissions] == [first.stem, second.stem]
