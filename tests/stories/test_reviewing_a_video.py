"""A video reviewed in the real window: open, step, find errors, drag the collar, read the score."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.settings import Settings
from forensicviewer.app.workbench.state import Layer, Pane
from forensicviewer.cli import main
from forensicviewer.core.model import TrialId
from forensicviewer.ui.panes.layers import layer_facts
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.video.page import VideoPage
from tests.filmmaking import number_in
from tests.hand import NOTCH, lane_y, right_click, turn_wheel
from tests.video_build import FRAMES, BuiltVideo, a_video_dataset

pytestmark = pytest.mark.ui
Key = Qt.Key
SHIFT = Qt.KeyboardModifier.ShiftModifier
NO_KEYS = Qt.KeyboardModifier.NoModifier


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltVideo:
    return a_video_dataset(tmp_path_factory.mktemp("story"))


@pytest.fixture
def window(qtbot: QtBot, built: BuiltVideo) -> Iterator[MainWindow]:
    shown = MainWindow(Desk(inline_jobs(), Settings()))
    qtbot.addWidget(shown)
    # Not as large as the screen of a test, which is small.
    shown.setWindowState(Qt.WindowState.WindowNoState)
    shown.resize(1500, 950)
    with qtbot.waitActive(shown):
        shown.show()
    shown.desk.open_paths([built.root, built.submission])
    shown.refresh()
    yield shown
    shown.close()


@pytest.fixture
def page(qtbot: QtBot, window: MainWindow) -> VideoPage:
    found = window.page
    assert isinstance(found, VideoPage)
    # Where the mouse goes depends on how the parts share the window.
    qtbot.waitUntil(lambda: found.timeline.lanes_area.width() > 300)
    return found


def shown_number(window: MainWindow) -> int:
    loaded = window.desk.workbench.state.loaded
    assert loaded is not None
    assert loaded.probe.pictures is not None
    return number_in(loaded.probe.pictures.levels[0])


def test_a_video_task_opens_on_the_video_page_in_the_video_layout(
    window: MainWindow, page: VideoPage
) -> None:
    assert window.desk.layout == "video"
    assert page.player.state.playback.frames == FRAMES
    assert shown_number(window) == 1


def test_keys_step_jump_and_find_errors(window: MainWindow, page: VideoPage) -> None:
    page.timeline.setFocus()
    shown = []
    for key, keys in (
        (Key.Key_Period, NO_KEYS),
        (Key.Key_Period, NO_KEYS),
        (Key.Key_Comma, NO_KEYS),
        (Key.Key_PageDown, NO_KEYS),
        (Key.Key_PageUp, NO_KEYS),
        (Key.Key_End, NO_KEYS),
        (Key.Key_Home, NO_KEYS),
        (Key.Key_E, NO_KEYS),
        (Key.Key_E, NO_KEYS),
        (Key.Key_E, SHIFT),
    ):
        QTest.keyClick(page.timeline, key, keys)
        shown.append(shown_number(window))

    assert shown == [2, 3, 2, 32, 2, FRAMES, 1, 10, 30, 10]


def test_pictures_of_a_video_zoom_fit_and_maximise_as_those_of_a_trial(
    window: MainWindow, page: VideoPage
) -> None:
    canvas, bench = page.panes.canvases[0], window.desk.workbench
    fitting = canvas.window_shown().scale

    turn_wheel(canvas, 3 * NOTCH)
    enlarged = canvas.window_shown().scale
    QTest.keyClick(canvas, Key.Key_F)
    fitted = canvas.window_shown().scale
    QTest.keyClick(canvas, Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    exact = canvas.window_shown().scale
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton)
    alone = [other.isVisible() for other in page.panes.canvases]
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton)
    QTest.keyClick(canvas, Key.Key_H)

    assert enlarged > 1.5 * fitting
    assert (fitted, exact) == (fitting, 1.0)
    assert alone == [True, False, False, False]
    assert not bench.state.look.has_overlays


def test_a_right_click_on_a_frame_is_about_its_pixel(page: VideoPage) -> None:
    canvas = page.panes.canvases[0]
    at = canvas.widget_point(20.5, 10.5).toPoint()
    QTest.mouseMove(canvas, at)

    menu = right_click(canvas, at)
    offered = {action.text(): action for action in menu.actions()}
    offered["Copy coordinates"].trigger()
    menu.close()

    assert QGuiApplication.clipboard().text() == "20, 10"
    assert {"Copy pixel", "Mark start", "Export view…", "Show in file manager"} <= offered.keys()


def test_what_am_i_seeing_explains_lanes_and_frames(window: MainWindow, page: VideoPage) -> None:
    page.player.seek(20)
    QTest.keyClick(window, Key.Key_F1, SHIFT)
    strip = page.explanation
    captions = [frame.caption.text() for frame in page.panes._frames]
    is_shown = strip.isVisible()
    QTest.keyClick(window, Key.Key_F1, SHIFT)

    assert is_shown
    assert "lane" in strip.text()
    assert 'href="video"' in strip.text()
    assert "at threshold" in captions[3]
    assert not strip.isVisible()


def test_threshold_keys_move_the_threshold_of_a_frame(window: MainWindow, page: VideoPage) -> None:
    bench = window.desk.workbench
    page.player.seek(20)
    before = bench.state.shown_threshold(bench.state.threshold())

    QTest.keyClick(page.panes.canvases[0], Key.Key_BracketRight)

    assert bench.state.shown_threshold(bench.state.threshold()) == before + 1


def test_j_k_l_and_space_play_in_both_directions(
    window: MainWindow, page: VideoPage, qtbot: QtBot
) -> None:
    page.timeline.setFocus()

    QTest.keyClick(page.timeline, Key.Key_L)
    qtbot.waitUntil(lambda: page.player.state.frame > 10, timeout=20_000)
    QTest.keyClick(page.timeline, Key.Key_J)
    backwards = page.player.state.playback.speed
    qtbot.waitUntil(lambda: page.player.state.frame < 8, timeout=20_000)
    QTest.keyClick(page.timeline, Key.Key_K)
    paused = page.player.state.frame
    QTest.keyClick(page.timeline, Key.Key_Space)
    playing = page.player.state.playback.speed
    QTest.keyClick(page.timeline, Key.Key_Space)

    assert (backwards, playing) == (-1, 1)
    assert page.player.state.frame >= paused
    assert shown_number(window) == page.player.state.frame
    assert not page.player.state.playback.is_playing


def test_dragging_the_collar_gives_the_command_lines_score(
    page: VideoPage, built: BuiltVideo, tmp_path: Path
) -> None:
    lanes = page.timeline.plot.viewport()
    start = QPoint(round(page.timeline.x_of(50)), round(lane_y(page.timeline, "Outcome")))
    end = QPoint(round(page.timeline.x_of(45)), start.y())

    QTest.mousePress(lanes, Qt.MouseButton.LeftButton, NO_KEYS, start)
    QTest.mouseMove(lanes, end)
    QTest.mouseRelease(lanes, Qt.MouseButton.LeftButton, NO_KEYS, end)

    collar = page.panel.score.collar.value()
    main(
        [
            *("score", "temporal", str(built.root), str(built.submission), "--quiet"),
            *("--collar", str(collar), "--out", str(tmp_path)),
        ]
    )
    with (tmp_path / "scores_probes.csv").open(encoding="utf-8", newline="") as stream:
        scored = float(next(csv.DictReader(stream, delimiter="|"))["MCC"])
    assert collar == 5
    assert page.panel.score.mcc.text() == f"MCC {scored:.4f}"


def test_choosing_operations_in_the_window_equals_a_query(
    window: MainWindow, page: VideoPage, built: BuiltVideo, tmp_path: Path
) -> None:
    window.desk.workbench.set_selected_operations({0})

    main(
        [
            *("score", "temporal", str(built.root), str(built.submission), "--quiet"),
            *("--query", "Operation == 'PasteFrames'", "--out", str(tmp_path)),
        ]
    )
    with (tmp_path / "scores.csv").open(encoding="utf-8", newline="") as stream:
        scored = float(next(csv.DictReader(stream, delimiter="|"))["MCC"])
    assert page.panel.score.mcc.text() == f"MCC {scored:.4f}"


@pytest.mark.nist
def test_the_window_shows_nists_scores_of_every_probe_and_query(
    qtbot: QtBot, nist_suite: Path
) -> None:
    folder = nist_suite / "videoTemporalLocalizationScorerTests"
    with (folder / "checkfiles/test_1_0/scores_probes.csv").open(encoding="utf-8") as stream:
        expected = list(csv.DictReader(stream, delimiter="|"))
    window = MainWindow(Desk(inline_jobs(), Settings()))
    qtbot.addWidget(window)
    window.show()
    window.desk.open_paths([folder, folder / "test_case_1_system_output.csv"])
    page, bench = window.page, window.desk.workbench
    assert isinstance(page, VideoPage)
    page.panel.score.rules.setCurrentText("mediscore-verbatim")
    page.panel.score.rules.activated.emit(page.panel.score.rules.currentIndex())
    page.panel.score.collar.setValue(5)

    for record in expected:
        bench.select_trial(TrialId(record["ProbeFileID"]))
        review = page.player.state.review
        assert review is not None
        pasted = [lane.position for lane in review.lanes if lane.operation.name == "PasteFrames"]
        bench.set_selected_operations(None if record["query"] == "0" else pasted)

        shown = page.panel.score.mcc
        assert shown.text() == f"MCC {float(record['MCC']):.4f}", record
        assert float(shown.toolTip().splitlines()[0]) == pytest.approx(
            float(record["MCC"]), abs=1e-12
        )
    window.close()


def test_a_broken_video_is_told_and_the_rest_is_reviewed(qtbot: QtBot, tmp_path: Path) -> None:
    broken = a_video_dataset(tmp_path)
    broken.probe.write_bytes(broken.probe.read_bytes()[:3000])
    window = MainWindow(Desk(inline_jobs(), Settings()))
    qtbot.addWidget(window)
    window.show()

    window.desk.open_paths([broken.root, broken.submission])

    page = window.page
    assert isinstance(page, VideoPage)
    state = window.desk.workbench.state
    assert "cannot be read" in layer_facts(state, Pane(Layer.PICTURE)).reason
    assert not page.reason.isVisible()  # the pane says it already
    assert page.panel.score.mcc.text().startswith("MCC 0.")
    window.close()


def test_a_frame_is_drawn_into_a_file_without_a_display(built: BuiltVideo, tmp_path: Path) -> None:
    out = tmp_path / "frame.png"
    command = [sys.executable, "-m", "forensicviewer", "render"]
    files = [str(built.root), str(built.submission), "--out", str(out)]

    done = subprocess.run(
        [*command, *files, "--task", "video", "--frame", "20", "--size", "1200x900"],
        capture_output=True,
        text=True,
        check=False,
    )

    drawn = QImage(str(out))
    assert done.returncode == 0, done.stderr
    assert (drawn.width(), drawn.height()) == (1200, 900)
