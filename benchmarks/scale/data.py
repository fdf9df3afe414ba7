"""Datasets as large as an evaluation may become, keys in random order in every table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from forensicviewer.core.array import Flags, RgbImage, Size, U8Image

_TABLES = {
    "index": "TaskID|ProbeFileID|ProbeFileName|ProbeWidth|ProbeHeight",
    "reference": "TaskID|ProbeFileID|ProbeFileName|IsTarget|ProbeMaskFileName|JournalName",
    "answers": "ProbeFileID|ConfidenceScore|OutputProbeMaskFileName|ProbeStatus",
    "join": "ProbeFileID|JournalName|StartNodeID|EndNodeID",
    "journal": "JournalName|StartNodeID|EndNodeID|Operation|Color|Purpose",
}
_COLOURS = ((255, 0, 0), (0, 247, 250), (0, 48, 255))
_PAINTED = 16  # scenes, of which all others are shifted copies


@dataclass(frozen=True, slots=True)
class DetectionPlaces:
    """Where a dataset and its submissions are."""

    root: Path
    index: Path
    reference: Path
    submissions: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class MaskPlaces:
    """Where a dataset with masks and its submission are; ``files`` are all masks of both."""

    root: Path
    index: Path
    reference: Path
    submission: Path
    files: tuple[Path, ...]


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


def write_masks(folder: Path, *, size: Size, masks: int) -> MaskPlaces:
    """Write a manipulation task whose masks are all different, and answers for each of them."""
    rng = np.random.default_rng(masks)
    keys = [f"{number:032x}" for number in _distinct(rng, masks)]
    stem = "NC2017-manipulation-image"
    tables = folder / "reference" / "manipulation-image"
    places = MaskPlaces(
        folder,
        folder / "indexes" / f"{stem}-index.csv",
        tables / f"{stem}-ref.csv",
        folder / "system.csv",
        tuple(folder / kind / f"{key}.png" for key in keys for kind in ("mask", "system")),
    )
    _write_mask_files(places.files, rng, size)
    _write_mask_tables(places, tables / f"{stem}-ref", rng, keys, size)
    return places


def _write_mask_tables(
    places: MaskPlaces, stem: Path, rng: np.random.Generator, keys: Sequence[str], size: Size
) -> None:
    def shuffled() -> list[str]:
        return [keys[row] for row in rng.permutation(len(keys))]

    task, steps = "manipulation|{0}|probe/{0}.jpg", range(len(_COLOURS))
    wide = f"|{size.width}|{size.height}"
    _write(places.index, "index", (task.format(key) + wide for key in shuffled()))
    truth = (f"{task.format(key)}|Y|mask/{key}.png|{key[:16]}" for key in shuffled())
    _write(places.reference, "reference", truth)
    joined = (f"{key}|{key[:16]}|{step}|{step}b" for key in shuffled() for step in steps)
    _write(stem.with_name(f"{stem.name}-probejournaljoin.csv"), "join", joined)
    colours = [" ".join(map(str, color)) for color in _COLOURS]
    journal = (
        f"{key[:16]}|{step}|{step}b|Paste|{colours[step]}|add"
        for key in shuffled()
        for step in steps
    )
    _write(stem.with_name(f"{stem.name}-journalmask.csv"), "journal", journal)
    answers = (f"{key}|{rng.random():.6f}|system/{key}.png|Processed" for key in shuffled())
    _write(places.submission, "answers", answers)


def _write_mask_files(files: Sequence[Path], rng: np.random.Generator, size: Size) -> None:
    for parent in {path.parent for path in files}:
        parent.mkdir(parents=True, exist_ok=True)
    scenes = [_paint(rng, size) for _ in range(min(_PAINTED, len(files) // 2))]
    for number, (reference, system) in enumerate(zip(files[::2], files[1::2], strict=True)):
        colours, soft = scenes[number % len(scenes)]
        turn = number // len(scenes)
        shift = (turn // size.width, turn % size.width)
        cv2.imwrite(str(reference), np.roll(colours, shift, axis=(0, 1)))
        cv2.imwrite(str(system), np.roll(soft, shift, axis=(0, 1)))


def _paint(rng: np.random.Generator, size: Size) -> tuple[RgbImage, U8Image]:
    """Three objects in three colours, in OpenCV's order, and a blurred and noisy answer."""
    colours = np.full((size.height, size.width, 3), 255, np.uint8)
    for color in _COLOURS:
        centre = rng.integers(size.height // 4, 3 * size.height // 4, 2)
        cv2.circle(colours, [int(x) for x in centre], size.height // 7, color[::-1], -1)
    soft = cv2.blur(np.where((colours < 255).any(axis=2), 40, 200).astype(np.uint8), (31, 31))
    noise = rng.integers(0, 56, size=(size.height, size.width), dtype=np.uint8)
    return colours, np.asarray(cv2.subtract(soft, noise), np.uint8)
