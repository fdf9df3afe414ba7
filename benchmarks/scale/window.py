"""The window with a million trials and answers, and with twenty submissions open at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.report import Figure, read_figures
from benchmarks.scale.data import DetectionPlaces, write_detection
from benchmarks.scale.program import READ_TABLES, in_turn, run

SUBMISSIONS, FEW_TRIALS = 20, 10_000
_PANDAS = "pandas.read_csv"
_TIMES = 2


def measure_million(folder: Path, *, trials: int) -> Iterator[Figure]:
    """From opening to a list that scrolls, sorts and filters, and on until all is scored."""
    places = write_detection(folder / "million", trials=trials)
    tables = (places.index, places.reference, *places.submissions)
    found: list[list[Figure]] = []
    pandas_s: list[float] = []
    for _ in range(_TIMES):
        found.append(_in_window("million", places, folder / "figures.json"))
        pandas_s.append(in_turn([("-c", READ_TABLES, *tables)], times=1)[0].seconds)
    listed, scrolled, arranged, scored, block, memory = map(_least, zip(*found, strict=True))
    name, plain_s = f"window, {trials:,} trials and answers", min(pandas_s)
    peers = {_PANDAS: plain_s}
    yield Figure(f"{name}, opened until listed", listed, "s", peers=peers)
    yield Figure(f"{name}, until scrolled", scrolled, "s", 1.5 * plain_s, peers)
    yield Figure(f"{name}, until sorted and filtered too", arranged, "s", 1.5 * plain_s, peers)
    yield Figure(f"{name}, longest block", block, "ms", 50)
    yield Figure(f"{name}, scored in the background", scored, "s", 20)
    yield Figure(f"{name}, memory", memory, "GB", 1.5)


def measure_submissions(folder: Path) -> Iterator[Figure]:
    """Twenty submissions, opened together."""
    places = write_detection(folder / "twenty", trials=FEW_TRIALS, submissions=SUBMISSIONS)
    runs = [_in_window("twenty", places, folder / "figures.json") for _ in range(_TIMES)]
    opened, block, memory, before = map(_least, zip(*runs, strict=True))
    name = f"window, {SUBMISSIONS} submissions of {FEW_TRIALS:,} answers"
    yield Figure(f"{name}, opened", opened, "s", 1.0)
    yield Figure(f"{name}, longest block", block, "ms", 50)
    yield Figure(f"{name}, memory", memory, "GB", 0.3, {"the empty window": before})


def _in_window(case: str, places: DetectionPlaces, figures: Path) -> list[Figure]:
    where = (places.root, figures, *(path.parent for path in places.submissions))
    run("-m", "benchmarks.scale.opening", case, *where)
    return read_figures(figures)


def _least(same: Sequence[Figure]) -> float:
    return min(figure.value for figure in same)
