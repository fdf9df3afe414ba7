"""A window that opens a dataset and submissions: the program that is measured.

``python -m benchmarks.scale.opening CASE DATASET FIGURES SUBMISSION…``
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_LOGGING_RULES", "qt.qpa.*=false")

import numpy as np

from benchmarks.report import Figure, peak_memory_gb, write_figures
from benchmarks.ui import deeds
from benchmarks.ui.tools import Turns, threads, use_home
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import RecentPlaces
from forensicviewer.app.settings import Settings
from forensicviewer.app.trials.trial_filter import Sort, TrialFilter
from forensicviewer.app.trials.trial_list import ListChange
from forensicviewer.ui.shell.start import make_application, make_window
from forensicviewer.ui.shell.window import MainWindow

_WAYS = 120


@dataclass(frozen=True, slots=True)
class Opening:
    """What is being opened in a window that has come to rest, and the time since."""

    window: MainWindow
    turns: Turns
    submissions: int
    empty_gb: float
    began_s: float = field(default_factory=time.perf_counter)

    @property
    def desk(self) -> Desk:
        return self.window.desk

    def since(self, name: str) -> Figure:
        return Figure(name, time.perf_counter() - self.began_s, "s")


def million(opening: Opening) -> Iterator[Figure]:
    """Until the list is there; then through it, in other orders, and until all is scored."""
    desk, turns = opening.desk, opening.turns
    turns.until(lambda: len(desk.trials) > 0 and desk.workbench.state.is_current)
    yield opening.since("listed")
    bar = opening.window.docks.browser.table.verticalScrollBar()
    for place in np.linspace(0, bar.maximum(), _WAYS).astype(int).tolist():
        turns.do(partial(bar.setValue, place))
    yield opening.since("scrolled")
    _arrange(opening, lambda: desk.trials.set_sort(Sort("ConfidenceScore")))
    _arrange(opening, lambda: desk.trials.set_filter(TrialFilter("ProbeWidth > 3000")))
    yield opening.since("arranged")
    turns.until(lambda: _is_scored(desk))
    yield opening.since("scored")
    yield Figure("block", turns.longest_ms, "ms")
    yield Figure("memory", peak_memory_gb(), "GB")


def _arrange(opening: Opening, action: Callable[[], None]) -> None:
    """Arrange the list and wait until it is shown so."""
    told: list[ListChange] = []
    forget = opening.desk.trials.subscribe(told.append)
    opening.turns.do(action)
    opening.turns.until(
        lambda: any(ListChange.ROWS in one and ListChange.CELLS not in one for one in told)
    )
    forget()


def _is_scored(desk: Desk) -> bool:
    library = desk.trials.library
    return library is not None and library.scores.is_complete


def twenty(opening: Opening) -> Iterator[Figure]:
    """Until all submissions are open and the first trial is looked at."""
    state = opening.desk.workbench
    opening.turns.until(
        lambda: len(state.state.submissions) == opening.submissions and state.state.is_current
    )
    yield opening.since("opened")
    yield Figure("block", opening.turns.longest_ms, "ms")
    yield Figure("memory", peak_memory_gb(), "GB")
    yield Figure("memory of the empty window", opening.empty_gb, "GB")


_CASES = {"million": million, "twenty": twenty}


def main(case: str, dataset: str, figures: str, *submissions: str) -> None:
    """Open a window, do what the case does, and write what it took."""
    application = make_application()
    with tempfile.TemporaryDirectory() as home, threads() as jobs:
        use_home(Path(home))
        recent = RecentPlaces(Path(home) / "recent.json")
        desk = Desk(jobs, Settings(Path(home) / "settings.json"), recent=recent)
        window = make_window(desk, application)
        window.resize(1600, 1000)
        turns = Turns(application, jobs)
        deeds.appear(window, turns)
        turns.rest()
        turns.longest_ms = 0.0
        request = OpenRequest(Path(dataset), tuple(map(Path, submissions)))
        opening = Opening(window, turns, len(submissions), peak_memory_gb())
        turns.do(partial(desk.open, request))
        write_figures(Path(figures), list(_CASES[case](opening)))
        window.close()
        application.processEvents()


if __name__ == "__main__":
    main(*sys.argv[1:])
