"""Checks the reference of one trial of images."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from forensicviewer.app.quality.reading import ReferenceFiles, read_trial
from forensicviewer.core.array import RgbImage, Size, U8Image
from forensicviewer.core.model import Operation, Submission, Task, TaskKind, Trial
from forensicviewer.core.problem import Severity
from forensicviewer.core.quality.levels import Levels
from forensicviewer.core.quality.marks import check_colours, check_planes, compare_marks
from forensicviewer.core.quality.placement import check_placement
from forensicviewer.core.quality.rule import Suspect
from forensicviewer.core.quality.shape import (
    coverage,
    specks_and_holes,
    thin_and_framed,
    unlike_pixel_size,
)
from forensicviewer.sources.media.endings import is_cut_off

_NEARLY = 24  # levels
_THUMB_PX = 128
_JUDGED = (TaskKind.MANIPULATION, TaskKind.REMOVAL, TaskKind.SPLICE, TaskKind.IMDL)


@dataclass(frozen=True, slots=True, eq=False)
class CheckedTrial:
    """What one trial came to, and what is compared with other trials: small mask and change."""

    suspects: tuple[Suspect, ...]
    size: Size | None = None
    area: U8Image | None = None
    change: U8Image | None = None
    fits: float | None = None
    has_systems: bool = False
    levels: Levels | None = None


def check_image(
    task: Task, trial: Trial, submissions: Sequence[Submission], off: Collection[str] = ()
) -> CheckedTrial:
    """Apply every rule that one trial can tell about by itself."""
    reading = read_trial(task, trial, submissions)
    found = [one for one in _found(task, trial, reading) if one.rule not in off]
    area = reading.area
    if area is None:
        return CheckedTrial(tuple(found), reading.size)
    small, change, fits = _thumb(area.astype(np.uint8) * np.uint8(255)), None, None
    seen = reading.change
    if seen is not None and seen.is_exact and not seen.is_quiet:
        change = _thumb(np.asarray(seen.values * 255, np.uint8))
        fits = similarity(small, change)
    has_systems = seen is not None and not seen.is_exact
    return CheckedTrial(
        tuple(found), Size.of(area), small, change, fits, has_systems, reading.levels
    )


def similarity(area: U8Image, change: U8Image) -> float:
    """Pearson's coefficient of a small mask and a small change; 0 where undefined."""
    if area.shape != change.shape or not area.any() or not change.any():
        return 0.0
    one, other = area.astype(np.float64), change.astype(np.float64)
    one, other = one - one.mean(), other - other.mean()
    size = float(np.sqrt((one * one).sum() * (other * other).sum()))
    return float((one * other).sum()) / size if size else 0.0


def _found(task: Task, trial: Trial, reading: ReferenceFiles) -> Iterator[Suspect]:
    yield from _unreadable(task, trial, reading)
    area = reading.area
    if area is None:
        return
    if trial.is_target is False and task.kind in _JUDGED:
        if area.any():
            share = f"{float(area.mean()):.2%}"
            yield Suspect("target", f"IsTarget is N, but {share} of the mask is marked", 0.5)
        return
    blank = list(coverage(area))
    if area.any() or _should_mark(trial.operations):
        yield from blank
    yield from _sizes(trial, reading, Size.of(area))
    yield from _marks(task, trial, reading)
    cell = trial.facts.get("CompositePixelSize", "")
    off_size = unlike_pixel_size(cell, int(area.sum()), area.size) if cell.strip() else None
    if off_size is not None and not blank:
        yield off_size
    if any(one.rule in ("empty", "full") for one in blank):
        return
    yield from thin_and_framed(area)
    yield from specks_and_holes(area, reading.change)
    if reading.change is not None and not blank:
        is_whole = task.kind is not TaskKind.SPLICE
        by_systems = not reading.change.is_exact
        for suspect in check_placement(area, reading.change, is_whole=is_whole):
            yield replace(suspect, is_by_systems=by_systems)


def _should_mark(operations: Sequence[Operation]) -> bool:
    """Whether a mask must mark something; operations of the whole image need no region.

    NC2017, section 2.1.1, and MFC2019, section 2.1.1.1.
    """
    return not operations or any(op.color is not None or op.bit_plane for op in operations)


def _unreadable(task: Task, trial: Trial, reading: ReferenceFiles) -> Iterator[Suspect]:
    named = trial.reference or trial.bit_planes
    if not named and trial.is_target and task.kind in _JUDGED:
        yield Suspect("unreadable", "The trial is a target, but no mask is named", 0.9)
    for role in ("mask", "bit planes"):
        if role in reading.failures:
            yield Suspect("unreadable", f"{role}: {reading.failures[role]}", 1.0)
    for path in reading.files:
        if path.is_file() and is_cut_off(path):
            text = f"{path.name} is truncated ({path.stat().st_size} bytes)"
            yield Suspect("cut", text, 1.0)
    for role in ("probe", "base"):
        if role in reading.failures:
            text = f"{role}: {reading.failures[role]}"
            yield Suspect("unchecked", text, 0.1, severity=Severity.NOTE)


def _sizes(trial: Trial, reading: ReferenceFiles, size: Size) -> Iterator[Suspect]:
    real, declared = reading.size, trial.probe.size
    wanted = real or declared
    if wanted is not None and size not in (wanted, reading.stored_size):
        text = f"The mask is {size}, but the probe is {wanted}"
        is_turned = size == Size(wanted.height, wanted.width)
        yield Suspect("orientation" if is_turned else "size", text, 0.95)
    if real is not None and declared is not None and real != declared:
        text = f"The index declares {declared}, but the probe is {real}"
        place = (0, 0, min(declared.width, real.width), min(declared.height, real.height))
        yield Suspect("declared-size", text, 0.5, place=place)


def _marks(task: Task, trial: Trial, reading: ReferenceFiles) -> Iterator[Suspect]:
    operations, colours, planes = trial.operations, reading.colours, reading.planes
    if colours is not None and not reading.is_lossy and not _has_one_mark(task, trial, colours):
        # The mask of a splice is restricted to it (NC2017 and MFC2019, section 2.1.2).
        may_lack = planes is not None or task.kind.has_donor
        yield from check_colours(colours, operations, may_lack=may_lack)
        if planes is not None:
            yield from compare_marks(colours, planes, operations)
    if planes is not None and not task.kind.has_donor:
        yield from check_planes(planes, operations)


def _has_one_mark(task: Task, trial: Trial, colours: RgbImage) -> bool:
    """Whether the mask is black and white, or a splice's that is white and one other colour.

    Their colours do not distinguish operations. A colour that is nearly the one of an operation,
    or nearly black, is a mistake and not a colour of its own.
    """
    marked = colours[(colours != 255).any(axis=2)]
    if not len(marked) or (marked != marked[0]).any():
        return False
    color = tuple(int(level) for level in marked[0])
    if not any(color):
        is_known = any(operation.color == color for operation in trial.operations)
        return not is_known and (task.kind.has_donor or bool(trial.operations))
    meant = [(0, 0, 0), *(op.color for op in trial.operations if op.color is not None)]
    return task.kind.has_donor and all(_apart(color, other) > _NEARLY for other in meant)


def _apart(one: Sequence[int], other: Sequence[int]) -> int:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def _thumb(levels: U8Image) -> U8Image:
    ratio = _THUMB_PX / max(levels.shape)
    if ratio >= 1:
        return levels
    size = (max(1, round(levels.shape[1] * ratio)), max(1, round(levels.shape[0] * ratio)))
    return np.asarray(cv2.resize(levels, size, interpolation=cv2.INTER_AREA), np.uint8)
