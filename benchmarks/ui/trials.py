"""The next trial: read ahead of time, and cold beside decoding its files alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import Figure, timed
from benchmarks.ui.tools import elapsed_ms, on_screen, open_both, threads, wait, write_large_trials
from forensicviewer.app.runtime.decoders import open_decoders
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.trial_reader import load_trial
from forensicviewer.core.array import Size
from forensicviewer.core.model import TrialId
from forensicviewer.sources.decoders.limits import Limits
from forensicviewer.sources.media.images import read_image
from forensicviewer.sources.media.masks import Polarity, read_colour_reference, read_system_mask
from forensicviewer.ui.panes.grid import PaneGrid
from forensicviewer.ui.widgets.watch import WatchedApplication


def measure(application: WatchedApplication, home: Path) -> Iterator[Figure]:
    limits = Limits()
    # As many as the window has.
    open_decoders(memory_mb=limits.memory_mb, seconds=limits.seconds)
    root, submission = write_large_trials(home / "large")
    with threads() as jobs:
        bench = Workbench(jobs)
        open_both(application, bench, root, submission)
        with on_screen(application, PaneGrid(bench), Size(1600, 900)):
            bench.set_neighbours([TrialId("p2")])
            wait(application, lambda: not jobs.is_busy())
            shown = elapsed_ms(application, lambda: bench.select_trial(TrialId("p2")))
    inline = Workbench(inline_jobs())
    open_both(application, inline, root, submission)
    loaded = inline.state.loaded
    assert loaded is not None
    colds, decodings = [], []
    # In turn: the machine may be faster a second later.
    for _ in range(5):
        colds.append(1000 * timed(lambda: load_trial(loaded.request))[1])
        decodings.append(1000 * timed(lambda: _decode(root, submission))[1])
    cold, decoding = min(colds), min(decodings)
    yield Figure("next trial, prefetched, 12 MP", shown, "ms", limit=50)
    yield Figure("next trial, cold, 12 MP", cold, "ms", peers={"decoding alone": decoding})
    yield Figure("next trial, cold, by decoding its files", cold / decoding, "", limit=1.3)


def _decode(root: Path, submission: Path) -> None:
    """In this process, without the detour."""
    read_image.here(root / "probe" / "p1.png")
    read_colour_reference.here(root / "reference" / "manipulation" / "mask" / "p1.png")
    read_system_mask.here(submission / "mask" / "p1.png", manipulated_is=Polarity.BLACK)
