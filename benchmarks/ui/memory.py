"""Memory held after thousands of trials were looked at in the window, panels and all."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import Figure
from benchmarks.ui.tools import threads, wait
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import RecentPlaces
from forensicviewer.app.settings import MEMORY, Settings
from forensicviewer.core.array import Size
from forensicviewer.core.model import TrialId
from forensicviewer.ui.shell.start import make_window, warm_up
from forensicviewer.ui.widgets.watch import WatchedApplication
from tests.build import Built, a_dataset, blurred, box

SWITCHES = 2000
_READ_EVERY, _READINGS = 100, 5
_NAMES = [TrialId(f"p{n}") for n in range(120)]
# Less than the trials take together, so that some are let go of at every switch.
_KEPT_MB = 128


def measure(application: WatchedApplication, home: Path) -> Iterator[Figure]:
    built = _write_trials(home)
    settings = Settings(home / "memory.json")
    settings.change(MEMORY, _KEPT_MB)
    held = []
    with threads() as jobs:
        desk = Desk(jobs, settings, recent=RecentPlaces(home / "memory-recent.json"))
        bench = desk.workbench
        window = make_window(desk, application)
        window.resize(1600, 1000)
        window.show()
        warm_up(window)
        desk.open(OpenRequest(built.root, (built.submission,)))
        wait(application, lambda: bool(bench.state.submissions) and not jobs.is_busy())
        for number in range(SWITCHES):
            bench.select_trial(_NAMES[number % len(_NAMES)])
            wait(application, lambda: bench.state.is_current)
            if number % _READ_EVERY == _READ_EVERY - 1:
                wait(application, lambda: not jobs.is_busy())
                held.append(_held_mb())
        window.close()
        window.deleteLater()
        application.processEvents()
    # What the C library keeps for later comes and goes by as much as the limit; the cache is full
    # before the first reading.
    early, late = (statistics.median(part) for part in (held[:_READINGS], held[-_READINGS:]))
    yield Figure(f"memory gained over {SWITCHES} trial switches", late - early, "MB", limit=20)


def _write_trials(home: Path) -> Built:
    made = a_dataset(home / "many")
    for name in _NAMES:
        made = made.with_trial(name, manipulated=box(60, 60, 300, 240), size=Size(480, 360))
        made = made.with_answer(name, blurred(9))
    return made.write()


def _held_mb() -> float:
    """Memory that is this program's own; pages of files come and go as the system likes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    return int(fields["RssAnon"].split()[0]) * 1024 / 1e6
