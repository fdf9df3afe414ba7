"""A million detection trials and a table of ten million rows, beside pandas and scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import Figure
from benchmarks.scale.data import write_detection
from benchmarks.scale.program import READ_TABLES, in_turn

PEER = "pandas and scikit-learn"
PANDAS = "pandas.read_csv"

_OURS = ("-m", "forensicviewer")


def measure(folder: Path, *, trials: int) -> Iterator[Figure]:
    """``score detection`` from index, reference and submission."""
    places = write_detection(folder / "detection", trials=trials)
    tables = (places.index, places.reference, places.submissions[0])
    scored = (*_OURS, "score", "detection", places.root, places.submissions[0].parent)
    ours, peer = in_turn(
        [
            (*scored, "--out", folder / "scores"),
            ("-m", "benchmarks.scale.peer", *tables, folder / "peer"),
        ],
        times=3,
    )
    name = f"score detection, {trials:,} trials"
    yield Figure(name, ours.seconds, "s", peers={PEER: peer.seconds})
    yield _times_better(f"{name}, by the peer", peer.seconds / ours.seconds, limit=1.0)
    yield Figure(f"{name}, memory", ours.memory_gb, "GB", 0.8, peers={PEER: peer.memory_gb})


def measure_tables(folder: Path, *, trials: int, rows: int) -> Iterator[Figure]:
    """``info`` and ``validate`` of the same tables, and an index of a gigabyte."""
    places = write_detection(folder / "tables", trials=trials)
    answers = places.submissions[0]
    info, validate, pandas = in_turn(
        [
            (*_OURS, "info", places.root, answers.parent),
            (*_OURS, "validate", places.root, answers.parent),
            ("-c", READ_TABLES, places.index, places.reference, answers),
        ],
        times=3,
    )
    yield Figure(f"info, {trials:,} trials", info.seconds, "s", peers={PANDAS: pandas.seconds})
    yield _times_better("info, by pandas.read_csv", pandas.seconds / info.seconds, limit=1.0)
    yield Figure("validate, by info", validate.seconds / info.seconds, "", limit=2.0)
    yield from _measure_many_rows(folder / "many", rows)


def _measure_many_rows(folder: Path, rows: int) -> Iterator[Figure]:
    index = write_detection(folder, trials=rows, submissions=0, with_reference=False).index
    ours, pandas = in_turn([(*_OURS, "info", index), ("-c", READ_TABLES, index)], times=1)
    name = f"info, an index of {rows:,} rows"
    yield Figure(name, ours.seconds, "s", peers={PANDAS: pandas.seconds})
    yield Figure(f"{name}, by pandas", ours.seconds / pandas.seconds, "", limit=2.0)
    yield Figure(f"{name}, memory", ours.memory_gb, "GB", 4.0, peers={PANDAS: pandas.memory_gb})


def _times_better(name: str, ratio: float, *, limit: float) -> Figure:
    return Figure(name, ratio, "", limit=limit, more_is_better=True)
