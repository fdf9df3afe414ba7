"""Memory held after thousands of trials were looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import Figure
from benchmarks.ui.tools import on_screen, open_both
from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.workbench import Workbench
from forensicviewer.core.array import Size
from forensicviewer.core.model import TrialId
from forensicviewer.ui.panes import PaneGrid
from forensicviewer.ui.watch import WatchedApplication
from tests.build import a_dataset, blurred, box

SWITCHES = 2000


def measure(application: WatchedApplication, home: Path) -> Iterator[Figure]:
    made = a_dataset(home / "many")
    names = [f"p{n}" for n in range(40)]
    for name in names:
        made = made.with_trial(name, manipulated=box(40, 40, 300, 200), size=Size(640, 480))
        made = made.with_answer(name, blurred(9))
    built = made.write()
    bench = Workbench(inline_jobs(), cache_bytes=32 << 20)
    open_both(application, bench, built.root, built.submission)
    with on_screen(application, PaneGrid(bench), Size(1200, 800)):
        held = []
        for number in range(SWITCHES):
            bench.select_trial(TrialId(names[number % len(names)]))
            application.processEvents()
            if number in (SWITCHES // 5, SWITCHES - 1):
                held.append(_held_mb())
    yield Figure(f"memory gained over {SWITCHES} trial switches", held[1] - held[0], "MB", limit=20)


def _held_mb() -> float:
    """Memory that is this program's own; pages of files come and go as the system likes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    return int(fields["RssAnon"].split()[0]) * 1024 / 1e6
