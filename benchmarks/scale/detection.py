"""A million detection trials and a table of ten million rows, beside pandas and scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import Figure
from benchmarks.scale.data import write_detection
from benchmarks.scale.program import in_turn

TRIALS = 1_000_000
MANY_ROWS = 10_000_000
PEER = "pandas and scikit-learn"
PANDAS = "pandas.read_csv"

_OURS = ("-m", "forensicviewer")
_READ = "import sys, pandas\nfor path in sys.argv[1:]: pandas.read_csv(path, sep='|', engine='c')"


def measure(folder: Path) -> Iterator[Figure]:
    """``score detection`` from index, reference and submission."""
    places = write_detection(folder / "detection", trials=TRIALS)
    tables = (places.index, places.reference, places.submissions[0])
    scored = (*_OURS, "score", "detection", places.root, places.submissions[0].parent)
    ours, peer = in_turn(
        [
            (*scored, "--out", folder / "scores"),
            ("-m", "benchmarks.scale.peer", *tables, folder / "peer"),
        ],
        times=3,
    )
    name = f"score detection, {TRIALS:,} trials"
    yield Figure(name, ours.seconds, "s", peers={PEER: peer.seconds})
    yield _times_better(f"{name}, by the peer", peer.seconds / ours.seconds, limit=1.0)
    yield Figure(f"{name}, memory", ours.memory_gb, "GB", 0.8, peers={PEER: peer.memory_gb})


def measure_tables(folder: Path) -> Iterator[Figure]:
    """``info`` and ``validate`` of the same tables, and an index of a gigabyte."""
    places = write_detection(folder / "tables", trials=TRIALS)
    answers = places.submissions[0]
    info, validate, pandas = in_turn(
        [
            (*_OURS, "info", places.root, answers.parent),
            (*_OURS, "validate", places.root, answers.parent),
            ("-c", _READ, places.index, places.reference, answers),
        ],
        times=3,
    )
    yield Figure(f"info, {TRIALS:,} trials", info.seconds, "s", peers={PANDAS: pandas.seconds})
    yield _times_better("info, by pandas.read_csv", pandas.seconds / info.seconds, limit=1.0)
    yield Figure("validate, by info", validate.seconds / info.seconds, "", limit=2.0)
    yield from _measure_many_rows(folder / "many")


def _measure_many_rows(folder: Path) -> Iterator[Figure]:
    index = write_detection(folder, trials=MANY_ROWS, submissions=0, with_reference=False).index
    ours, pandas = in_turn([(*_OURS, "info", index), ("-c", _READ, index)], times=1)
    name = f"info, an index of {MANY_ROWS:,} rows"
    yield Figure(name, ours.seconds, "s", peers={PANDAS: pandas.seconds})
    yield Figure(f"{name}, by pandas", ours.seconds / pandas.seconds, "", limit=2.0)
    yield Figure(f"{name}, memory", ours.memory_gb, "GB", 4.0, peers={PANDAS: pandas.memory_gb})


def _times_better(name: str, ratio: float, *, limit: float) -> Figure:
    return Figure(name, ratio, "", limit=limit, more_is_better=True)
