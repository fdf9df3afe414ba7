"""The longest the window is busy with one event while somebody works with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import Figure
from benchmarks.ui.tools import settle, threads, wait, write_large_trials
from forensicviewer.app.desk import Desk
from forensicviewer.app.openrequest import OpenRequest
from forensicviewer.app.recent import RecentPlaces
from forensicviewer.app.settings import Settings
from forensicviewer.app.state import Viewpoint
from forensicviewer.app.workbench import Workbench
from forensicviewer.core.model import TrialId
from forensicviewer.ui.start import import_panels, make_window
from forensicviewer.ui.watch import WatchedApplication


def measure(application: WatchedApplication, home: Path) -> Iterator[Figure]:
    """Open, walk, drag, zoom and select operations in the real window, jobs on threads."""
    root, submission = write_large_trials(home / "story")
    with threads() as jobs:
        settings = Settings(home / "story.json")
        desk = Desk(jobs, settings, recent=RecentPlaces(home / "recent.json"))
        window = make_window(desk, application)
        window.resize(1600, 1000)
        window.show()
        settle(application)
        application.watch.clear()
        jobs.submit("warm", import_panels, lambda _: window.prepare())
        wait(application, lambda: not jobs.is_busy())
        for _ in range(20):
            settle(application)
        desk.open(OpenRequest(root, (submission,)))
        wait(application, lambda: desk.workbench.state.is_current and not jobs.is_busy())
        for _ in range(3):
            _walk(application, desk.workbench)
        wait(application, lambda: not jobs.is_busy())
        timings = application.watch.timings()
        window.let_go()
        window.hide()
        window.deleteLater()
        settle(application)
    worst = timings[0]
    name = f"longest block of the window over a story ({worst.name.lower()})"
    yield Figure(name, worst.worst_ms, "ms", limit=50)


def _walk(application: WatchedApplication, bench: Workbench) -> None:
    for trial_id in ("p2", "p1"):
        bench.select_trial(TrialId(trial_id))
        wait(application, lambda: bench.state.is_current and not bench.state.is_loading)
        for threshold in range(40, 220, 12):
            bench.set_threshold(threshold)
            application.processEvents()
        for scale in (0.3, 1.0, 4.0):
            bench.set_viewpoint(0, Viewpoint(1500, 1200, scale))
            application.processEvents()
        bench.set_viewpoint(0, None)
        bench.highlight_operation(0)
        application.processEvents()
        bench.highlight_operation(None)
        application.processEvents()
