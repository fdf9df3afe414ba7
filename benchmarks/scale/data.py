"""Datasets as large as an evaluation may become, keys in random order in every table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from forensicviewer.core.array import Flags

_TABLES = {
    "index": "TaskID|ProbeFileID|ProbeFileName|ProbeWidth|ProbeHeight",
    "reference": "TaskID|ProbeFileID|ProbeFileName|IsTarget|ProbeMaskFileName|JournalName",
    "answers": "ProbeFileID|ConfidenceScore|OutputProbeMaskFileName|ProbeStatus",
}


@dataclass(frozen=True, slots=True)
class DetectionPlaces:
    """Where a dataset and its submissions are."""

    root: Path
    index: Path
    reference: Path
    submissions: tuple[Path, ...]


def write_detection(
    folder: Path, *, trials: int, submissions: int = 1, with_reference: bool = True
) -> DetectionPlaces:
    """Write a manipulation task whose submissions answer every trial and name no mask."""
    root = folder / "MFC2019"
    rng = np.random.default_rng(trials)
    keys = [f"{number:032x}" for number in _distinct(rng, trials)]
    places = DetectionPlaces(
        root,
        root / "indexes" / "MFC2019-manipulation-image-index.csv",
        root / "reference" / "manipulation-image" / "MFC2019-manipulation-image-ref.csv",
        tuple(folder / f"p-system{n}_1" / f"p-system{n}_1.csv" for n in range(1, submissions + 1)),
    )
    targets = rng.random(trials) < 0.1
    _write(places.index, "index", _index_rows(rng, keys))
    if with_reference:
        _write(places.reference, "reference", _reference_rows(rng, keys, targets))
    for path in places.submissions:
        _write(path, "answers", _answer_rows(rng, keys, targets))
    return places


def _distinct(rng: np.random.Generator, count: int) -> list[int]:
    high = rng.integers(0, 2**63, count).tolist()
    return [(number << 64) | row for row, number in enumerate(high)]


def _index_rows(rng: np.random.Generator, keys: Sequence[str]) -> Iterator[str]:
    widths, heights = rng.integers(600, 6000, len(keys)), rng.integers(400, 4000, len(keys))
    for row in rng.permutation(len(keys)).tolist():
        key = keys[row]
        yield f"manipulation|{key}|probe/{key}.jpg|{widths[row]}|{heights[row]}"


def _reference_rows(rng: np.random.Generator, keys: Sequence[str], targets: Flags) -> Iterator[str]:
    for row in rng.permutation(len(keys)).tolist():
        key = keys[row]
        rest = (
            f"Y|reference/manipulation-image/mask/{key}.png|{key[:16]}" if targets[row] else "N||"
        )
        yield f"manipulation|{key}|probe/{key}.jpg|{rest}"


def _answer_rows(rng: np.random.Generator, keys: Sequence[str], targets: Flags) -> Iterator[str]:
    scores = 1 / (1 + np.exp(-rng.normal(targets * 1.5, 1.0)))
    for row in rng.permutation(len(keys)).tolist():
        yield f"{keys[row]}|{scores[row]:.6f}||Processed"


def _write(path: Path, table: str, rows: Iterator[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as stream:
        stream.write(_TABLES[table] + "\n")
        stream.writelines(row + "\n" for row in rows)
