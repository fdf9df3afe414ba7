"""A large provenance graph: time must grow no faster than the images in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.graph.data import write_graph
from benchmarks.report import Figure, shortest_in_turn
from forensicviewer.app.provenance.scoring import score_provenance
from forensicviewer.app.provenance.settings import ProvenanceSettings

IMAGES = (2_500, 10_000)


def measure(folder: Path) -> Iterator[Figure]:
    """Scoring alone, the reading of the graphs included."""
    works = [_scoring(folder / str(count), count) for count in IMAGES]
    few, many = shortest_in_turn(works, times=4)
    names = [f"{count:,} images" for count in IMAGES]
    yield Figure(f"score provenance, {names[1]}", many, "s", peers={names[0]: few})
    yield Figure(f"score provenance, {names[1]} by {names[0]}", many / few, "", limit=5.0)


def _scoring(folder: Path, count: int) -> Callable[[], object]:
    written = write_graph(folder, images=count)
    return partial(score_provenance, written.task, written.submission, ProvenanceSettings())
