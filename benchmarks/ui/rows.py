"""A table of a million trials: filter, sort, scroll."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.report import Figure, middle_of, timed
from benchmarks.ui.tools import Turns, million_trials, on_screen, threads, wait
from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.recent import RecentPlaces
from forensicviewer.app.settings import SCORE_IN_BACKGROUND, Settings
from forensicviewer.app.trials.library import Library
from forensicviewer.app.trials.score_columns import Scores
from forensicviewer.app.trials.trial_filter import Sort, TrialFilter
from forensicviewer.core.array import Size
from forensicviewer.ui.widgets.watch import WatchedApplication

_WAYS = 3
_ASKED = (
    ("filter by words", TrialFilter("clone"), Sort()),
    ("filter by query", TrialFilter("ProbeWidth > 3000"), Sort()),
    ("sort by a text column", TrialFilter(), Sort("DonorFileID")),
    ("sort worst first", TrialFilter(), Sort("MCC")),
    ("filter by score, best first", TrialFilter("MCC < 0.3"), Sort("NMM", descending=True)),
)


def measure(application: WatchedApplication, home: Path) -> Iterator[Figure]:
    root = million_trials(home)
    dataset = open_dataset(root)
    task = dataset.tasks[0]
    library = Library(task)
    library.prepare()
    for name, wanted, sort in _ASKED:
        # Newly scored: no order of scores that was worked out before helps.
        scored = library.with_scores(_found(library.scores))
        elapsed_s = timed(partial(scored.arranged, wanted, sort))[1]
        yield Figure(f"1,000,000 rows: {name}", 1000 * elapsed_s, "ms", limit=200)
    with threads() as jobs:
        settings = Settings(home / "rows.json")
        settings.change(SCORE_IN_BACKGROUND, False)  # noqa: FBT003 - a setting's value
        desk = Desk(jobs, settings, recent=RecentPlaces(home / "rows-recent.json"))
        desk.workbench.show_dataset(dataset, task)
        name = "1,000,000 rows: longest block while scrolling"
        blocks = _scrolling_blocks(application, desk)
        yield from middle_of([[Figure(name, block, "ms", limit=16)] for block in blocks])


def _found(unknown: Scores) -> Scores:
    """A score for every trial but some, as when a batch has come to its end."""
    random = np.random.default_rng(1)
    scores = unknown.copy(is_complete=True)
    for numbers in scores.values.values():
        numbers[:] = random.random(len(numbers)).round(5)
        numbers[::50] = np.nan
    return scores


def _scrolling_blocks(application: WatchedApplication, desk: Desk) -> list[float]:
    """Of several ways through the whole list, each past rows of its own."""
    from forensicviewer.ui.trials.browser import TrialBrowser

    browser = TrialBrowser(desk)
    with on_screen(application, browser, Size(420, 900)):
        wait(application, lambda: not desk.jobs.is_busy())
        bar = browser.table.verticalScrollBar()
        ways = [Turns(application, desk.jobs) for _ in range(_WAYS)]
        for number, turns in enumerate(ways):
            for place in np.linspace(number * 1000, bar.maximum(), 120).astype(int).tolist():
                turns.do(partial(bar.setValue, place))
        browser.let_go()
    return [turns.longest_ms for turns in ways]
