"""Measures a part several times, each time in a program of its own, and keeps the middle figure.

What a program makes its user wait for comes back in every run. What the machine adds does not: a
virtual one may stop a program that only counts for longer than a frame.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import Figure, middle_of, read_figures
from benchmarks.ui.stories import LIMIT_MS
from forensicviewer.ui.widgets.watch import WatchedApplication

RUNS = 3


def repeat_stories(_application: WatchedApplication, home: Path) -> Iterator[Figure]:
    yield from _blocks("stories", home)


def repeat_many_rows(_application: WatchedApplication, home: Path) -> Iterator[Figure]:
    yield from _blocks("many", home)


def _blocks(part: str, home: Path) -> Iterator[Figure]:
    figures = middle_of([_run(part, home / f"{part}-{number}.json") for number in range(RUNS)])
    yield from figures
    yield Figure(
        "longest block of the window over these stories",
        max(figure.value for figure in figures),
        "ms",
        limit=LIMIT_MS,
        runs=tuple(max(longest) for longest in zip(*(f.runs for f in figures), strict=True)),
    )


def _run(part: str, answer: Path) -> list[Figure]:
    subprocess.run([sys.executable, "-m", "benchmarks.ui.once", part, str(answer)], check=True)
    return read_figures(answer)
