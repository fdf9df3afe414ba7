"""Decoders that crash, hang, grow or are killed while the window is used: it goes on."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import Jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.app.workbench.loaded_trial import LoadedTrial
from forensicviewer.app.workbench.state import Layer, Pane
from forensicviewer.core.model import Side
from forensicviewer.core.verdict import Verdict
from forensicviewer.sources.decoders import pool
from forensicviewer.sources.decoders.limits import Limits
from forensicviewer.sources.decoders.pool import DecoderPool
from forensicviewer.ui.panes.layers import layer_facts
from forensicviewer.ui.shell.bridge import MainThreadBridge
from forensicviewer.ui.shell.problems import ProblemsPanel
from forensicviewer.ui.shell.start import background_threads
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.video.page import VideoPage
from tests.build import Built, a_dataset, box, exact
from tests.desk_work import CTRL, press, trial
from tests.filmmaking import number_in
from tests.stories.decoders.faulty_codec import Fault, mark
from tests.video_build import FRAMES, a_video_dataset

pytestmark = [
    pytest.mark.ui,
    pytest.mark.skipif(sys.platform == "win32", reason="signals are of POSIX"),
]
Key = Qt.Key
PATIENCE_MS = 60_000
SECONDS, MEMORY_MB = 3.0, 1024


@pytest.fixture
def decoders() -> Iterator[DecoderPool]:
    """As the window has them, with narrow limits and a codec that marked files break."""
    limits = Limits(memory_mb=MEMORY_MB, seconds=SECONDS)
    made = DecoderPool(3, limits=limits, modules=["tests.stories.decoders.broken_decoders"])
    pool.use_decoders(made)
    yield made
    pool.close_decoders()


@pytest.fixture
def window(
    qapp: QApplication,
    qtbot: QtBot,
    decoders: DecoderPool,  # noqa: ARG001 - they must be there before, and end after it
) -> Iterator[MainWindow]:
    """The window with jobs on threads, as the program starts it."""
    bridge = MainThreadBridge(qapp)
    errors: list[BaseException] = []
    jobs = Jobs(background_threads(), bridge.post, errors.append)
    shown = MainWindow(Desk(jobs, Settings()))
    qtbot.addWidget(shown)
    shown.setWindowState(Qt.WindowState.WindowNoState)
    shown.resize(1400, 900)
    with qtbot.waitActive(shown):
        shown.show()
    yield shown
    shown.close()
    qtbot.waitUntil(lambda: not shown.isVisible())
    bridge.deleteLater()
    assert errors == []


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path)
    for number in range(1, 5):
        shape = box(number, 4, 40 + number, 44)
        made = made.with_trial(f"p{number}", manipulated=shape).with_answer(f"p{number}", exact())
    return made.write()


def open_window(window: MainWindow, root: Path, submission: Path, qtbot: QtBot) -> None:
    window.desk.open(OpenRequest(root, (submission,)))
    qtbot.waitUntil(lambda: window.desk.workbench.state.is_current, timeout=PATIENCE_MS)
    settle(window, qtbot)


def settle(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.desk.jobs.is_busy(), timeout=PATIENCE_MS)


def loaded(window: MainWindow) -> LoadedTrial:
    found = window.desk.workbench.state.loaded
    assert found is not None
    return found


def mcc(window: MainWindow) -> float | None:
    sweep = loaded(window).sweep(Side.PROBE, 0)
    return None if sweep is None else float(sweep.mcc.max())


def told(window: MainWindow) -> str:
    """Everything the panel of problems says."""
    focused = QApplication.focusWidget()
    window.show_panel("problems")
    panel = window.docks.panel("problems")
    assert isinstance(panel, ProblemsPanel)
    panel.copy()
    if focused is not None:
        focused.setFocus()
    return QApplication.clipboard().text()


def probe_reason(window: MainWindow) -> str:
    return layer_facts(window.desk.workbench.state, Pane(Layer.PICTURE)).reason


WORDS = {
    Fault.CRASH: "it crashed (SIGSEGV)",
    Fault.LOOP: f"Decoding took longer than {SECONDS:g} s and was stopped",
    Fault.FILL: f"Decoding needs more memory than the limit of {MEMORY_MB} MB",
}


@pytest.mark.parametrize("fault", WORDS, ids=lambda fault: fault.name)
def test_a_probe_that_breaks_its_decoder_costs_one_pane(
    window: MainWindow,
    built: Built,
    qtbot: QtBot,
    caplog: pytest.LogCaptureFixture,
    fault: Fault,
) -> None:
    mark(next(built.root.rglob("probe/p2.png")), fault)
    open_window(window, built.root, built.submission, qtbot)
    press(Key.Key_1, CTRL)  # a verdict on p1
    assert (mcc(window), probe_reason(window)) == (1.0, "")

    press(Key.Key_N)
    qtbot.waitUntil(lambda: window.desk.workbench.state.is_current, timeout=PATIENCE_MS)

    assert trial(window) == "p2"
    assert WORDS[fault] in probe_reason(window)
    assert (loaded(window).probe.pictures, mcc(window)) == (None, 1.0)
    assert WORDS[fault] in told(window)
    assert "p2.png" in told(window)
    for name in ("p3", "p4"):
        press(Key.Key_N)
        qtbot.waitUntil(lambda: window.desk.workbench.state.is_current, timeout=PATIENCE_MS)
        assert (trial(window), mcc(window), probe_reason(window)) == (name, 1.0, "")
    book = window.desk.judging.book
    assert book is not None
    assert [entry.trial_id for entry in book.entries if isinstance(entry, Verdict)] == ["p1"]
    settle(window, qtbot)
    caplog.clear()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV], ids=["kill", "segv"])
def test_decoders_killed_again_and_again_lose_no_trial(
    window: MainWindow,
    built: Built,
    decoders: DecoderPool,
    qtbot: QtBot,
    caplog: pytest.LogCaptureFixture,
    number: signal.Signals,
) -> None:
    open_window(window, built.root, built.submission, qtbot)

    for key, name in ((Key.Key_N, "p2"), (Key.Key_N, "p3"), (Key.Key_P, "p2"), (Key.Key_P, "p1")):
        kill_all(decoders, number)
        # What was read ahead of time would need no decoder.
        window.desk.workbench._cache.clear()
        press(key)
        qtbot.waitUntil(lambda: window.desk.workbench.state.is_current, timeout=PATIENCE_MS)
        settle(window, qtbot)
        assert (trial(window), mcc(window), probe_reason(window)) == (name, 1.0, "")

    assert told(window).count("\n") <= 1
    caplog.clear()


def kill_all(decoders: DecoderPool, number: signal.Signals) -> None:
    pids = decoders.pids
    for pid in pids:
        os.kill(pid, number)
    while set(pids) & set(decoders.pids):
        pass


def test_a_decoder_killed_while_it_reads_is_told_and_the_trial_can_be_read_again(
    window: MainWindow,
    built: Built,
    decoders: DecoderPool,
    qtbot: QtBot,
    caplog: pytest.LogCaptureFixture,
) -> None:
    decoders.limits = Limits(memory_mb=MEMORY_MB, seconds=600)
    probe = next(built.root.rglob("probe/p4.png"))
    whole = probe.read_bytes()
    open_window(window, built.root, built.submission, qtbot)
    mark(probe, Fault.LOOP)
    # What was read ahead of time would need no decoder.
    window.desk.workbench._cache.clear()

    press(Key.Key_End, CTRL)
    qtbot.waitUntil(lambda: trial(window) == "p4")
    qtbot.waitUntil(lambda: bool(looping(decoders)), timeout=PATIENCE_MS)
    for pid in looping(decoders):
        os.kill(pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: window.desk.workbench.state.is_current, timeout=PATIENCE_MS)

    assert "it was killed" in probe_reason(window)
    assert mcc(window) == 1.0
    probe.write_bytes(whole)
    window.desk.workbench.read_again()
    qtbot.waitUntil(lambda: probe_reason(window) == "", timeout=PATIENCE_MS)
    settle(window, qtbot)
    caplog.clear()


def test_what_cost_a_decoder_ahead_of_time_is_read_again_when_it_is_asked_for(
    window: MainWindow, built: Built, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    """The file may not be to blame; what was read before is not shown for it."""
    probe = next(built.root.rglob("probe/p2.png"))
    whole = probe.read_bytes()
    mark(probe, Fault.CRASH)
    open_window(window, built.root, built.submission, qtbot)
    assert caplog.records  # it ended its decoder
    probe.write_bytes(whole)

    press(Key.Key_N)
    qtbot.waitUntil(lambda: window.desk.workbench.state.is_current, timeout=PATIENCE_MS)

    assert (trial(window), mcc(window), probe_reason(window)) == ("p2", 1.0, "")
    settle(window, qtbot)
    caplog.clear()


def looping(decoders: DecoderPool) -> list[int]:
    """The decoders that have been at work longer than starting and any honest picture takes."""
    return [pid for pid in decoders.pids if processor_s(pid) > 4.0]


def processor_s(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def test_a_video_goes_on_when_its_decoders_are_killed(
    window: MainWindow,
    decoders: DecoderPool,
    tmp_path: Path,
    qtbot: QtBot,
    caplog: pytest.LogCaptureFixture,
) -> None:
    built = a_video_dataset(tmp_path)
    open_window(window, built.root, built.submission, qtbot)
    page = window.page
    assert isinstance(page, VideoPage)
    qtbot.waitUntil(lambda: page.player.state.index is not None, timeout=PATIENCE_MS)
    settle(window, qtbot)
    page.timeline.setFocus()

    keys: list[tuple[Key, Callable[[int], int]]] = [
        (Key.Key_Period, lambda frame: frame + 1),
        (Key.Key_PageDown, lambda frame: frame + 30),
        (Key.Key_End, lambda _: FRAMES),
        (Key.Key_Comma, lambda frame: frame - 1),
    ]
    for key, moved in keys:
        expected = moved(page.player.state.frame)
        kill_all(decoders, signal.SIGKILL)
        press(key)
        settle(window, qtbot)
        assert page.player.state.shown == expected
        pictures = loaded(window).probe.pictures
        assert pictures is not None
        assert number_in(pictures.levels[0]) == expected
        assert loaded(window).probe.reference is not None
        assert loaded(window).probe.systems[0].scores is not None
    caplog.clear()


def test_a_video_whose_decoder_hangs_shows_a_blank_frame_and_then_the_next_one(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    built = a_video_dataset(tmp_path, masks=False, sound=False)
    open_window(window, built.root, built.submission, qtbot)
    page = window.page
    assert isinstance(page, VideoPage)
    qtbot.waitUntil(lambda: page.player.state.index is not None, timeout=PATIENCE_MS)
    settle(window, qtbot)
    page.timeline.setFocus()
    media = page.player.media
    assert media is not None
    assert media.video is not None
    process = media.video._reader.seat.process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)

    press(Key.Key_End)
    qtbot.waitUntil(lambda: page.player.state.shown == FRAMES, timeout=PATIENCE_MS)

    assert loaded(window).probe.pictures is None
    assert WORDS[Fault.LOOP] in probe_reason(window)
    press(Key.Key_Comma)
    qtbot.waitUntil(lambda: page.player.state.shown == FRAMES - 1, timeout=PATIENCE_MS)
    pictures = loaded(window).probe.pictures
    assert pictures is not None
    assert number_in(pictures.levels[0]) == FRAMES - 1
    settle(window, qtbot)
    caplog.clear()
