"""Playing and scrubbing a 1080p video with spatial masks in the real window, four panes.

Everything is decoded, scored and painted for real, on the offscreen platform.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_LOGGING_RULES", "qt.qpa.*=false")

from benchmarks.report import Figure
from benchmarks.ui.tools import Turns, threads
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import RecentPlaces
from forensicviewer.app.settings import Settings
from forensicviewer.app.video.player import FRAME_LANE
from forensicviewer.app.workbench.state import Change
from forensicviewer.core.array import Size
from forensicviewer.sources.video.mask_reader import Block
from forensicviewer.ui.shell.start import make_application, make_window, warm_up
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.video.page import VideoPage
from tests.video_build import a_video_dataset

FRAMES = 300
RATE = 30
SECONDS = 8.0
SCRUBS = 120
LONGEST_MS = 50
NOTE = (
    f"  playing: {FRAMES} frames of 1920 by 1080 with reference and system masks, {RATE} a second,"
    " window of 1600 by 1000"
)


def measure(home: Path) -> Iterator[Figure]:
    application = make_application()
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        os.environ[variable] = str(home / variable.lower())
    built = a_video_dataset(
        home / "played",
        frames=FRAMES,
        frame_count=FRAMES,
        size=Size(1920, 1080),
        mask_blocks=(Block(0, FRAMES), Block(0, FRAMES)),
    )
    with threads() as jobs:
        desk = Desk(jobs, Settings(home / "v.json"), recent=RecentPlaces(home / "recent.json"))
        window = make_window(desk, application)
        window.resize(1600, 1000)
        window.show()
        turns = Turns(application, jobs)
        turns.do(lambda: warm_up(window))
        turns.rest()
        turns.do(lambda: desk.open(OpenRequest(built.root, (built.submission,), task="video")))
        turns.until(lambda: isinstance(window.page, VideoPage))
        turns.rest()
        yield from _play(Turns(application, jobs), desk, _page(window))
        yield from _scrub(Turns(application, jobs), desk, _page(window))
        window.let_go()
        window.hide()
        window.deleteLater()
        application.processEvents()


def _page(window: MainWindow) -> VideoPage:
    assert isinstance(window.page, VideoPage)
    return window.page


def _play(turns: Turns, desk: Desk, page: VideoPage) -> Iterator[Figure]:
    shown: list[float] = []

    def see(_state: object, change: Change) -> None:
        if change & Change.FRAME:
            shown.append(time.perf_counter())

    unsubscribe = desk.workbench.subscribe(see)
    turns.do(lambda: page.player.toggle_playing(now_s=time.monotonic()))
    began, started = page.player.state.frame, time.perf_counter()
    turns.until(lambda: time.perf_counter() > started + SECONDS)
    due = page.player.state.frame - began
    turns.do(page.player.pause)
    turns.rest()
    unsubscribe()
    yield Figure(
        "playing with masks: frames shown a second",
        len(shown) / SECONDS,
        "",
        limit=24,
        more_is_better=True,
    )
    yield Figure("playing with masks: frames dropped", max(0, due - len(shown)), "")
    gaps = [1000 * (later - earlier) for earlier, later in pairwise(shown)]
    yield Figure("playing with masks: between two frames, median", statistics.median(gaps), "ms")
    name = "playing with masks: longest block of the window"
    yield Figure(name, turns.longest_ms, "ms", limit=LONGEST_MS)


def _scrub(turns: Turns, desk: Desk, page: VideoPage) -> Iterator[Figure]:
    """Jump among frames that are kept, each until it is painted with its masks and numbers."""
    video = page.player.media.video if page.player.media is not None else None
    assert video is not None
    kept = video.cached_frames
    each = []
    for i in range(SCRUBS):
        frame = kept[i * 7 % len(kept)]
        started = time.perf_counter()
        turns.do(lambda frame=frame: page.player.seek(frame))  # type: ignore[misc]
        turns.until(lambda: not desk.jobs.is_busy(FRAME_LANE))
        turns.turn()
        each.append(1000 * (time.perf_counter() - started))
    name = "scrubbing with masks: asked to painted, median"
    yield Figure(name, statistics.median(each), "ms", limit=60)
    name = "scrubbing with masks: longest block of the window"
    yield Figure(name, turns.longest_ms, "ms", limit=LONGEST_MS)
