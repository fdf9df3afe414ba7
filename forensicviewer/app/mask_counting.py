"""Counts one system mask against its reference: the job a worker does, and how it is kept.

Everything a worker needs travels as paths and options; what comes back is a table of counts.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np

from forensicviewer.app.store import ResultStore, content_digest
from forensicviewer.core.array import Counts, Size, U8Image
from forensicviewer.core.mask import Kernels, ReferenceMask, Region, rounds_up_beyond
from forensicviewer.core.model import Operation
from forensicviewer.core.problem import CodecError, ForensicViewerError
from forensicviewer.core.score import LEVELS, LevelCounts
from forensicviewer.sources.headers import read_header
from forensicviewer.sources.jpeg2000 import read_components
from forensicviewer.sources.masks import (
    Polarity,
    read_bit_planes,
    read_colour_reference,
    read_system_mask,
)

_FORMAT = 3  # to be raised whenever the same files and options would give other counts
_SAFE_PLANES = 40  # the logarithm of so many bits is never rounded to the next whole number
_TABLE_SHAPE = (len(Region), LEVELS)


class ReferenceKind(Enum):
    """How a reference mask says what was manipulated."""

    COLOURS = "colours"
    COLOURS_ELSE_BACKGROUND = "colours, all others are background"
    BIT_PLANES = "bit planes"
    BLACK = "black"
    BLACK_ELSE_BACKGROUND = "black, other colours are background"
    MARKED = "everything that is not white, where there is black at all"


class Outcome(Enum):
    """What became of a mask."""

    COUNTED = "counted"
    NO_REGION = "no region"
    UNREADABLE = "unreadable"
    WRONG_SIZE = "wrong size"
    BROKEN_REFERENCE = "broken reference"
    DIED = "died"


@dataclass(frozen=True, slots=True)
class Mark:
    """What marks an operation in a reference mask, and whether it is selected."""

    color: tuple[int, int, int] | None
    bit_plane: int | None
    selected: bool


@dataclass(frozen=True, slots=True)
class CountJob:
    """One side of one trial. ``system`` is ``None`` where a white mask stands in.

    ``stand_in`` is the size of that white mask, or ``None`` for the reference's own.
    """

    reference: Path | None
    kind: ReferenceKind
    marks: tuple[Mark, ...]
    kernels: Kernels
    system: Path | None
    stand_in: Size | None = None
    low_planes_only: bool = False
    full_planes_fail: bool = False
    grey_only: bool = False
    manipulated_is: Polarity = Polarity.BLACK


@dataclass(frozen=True, slots=True, eq=False)
class CountAnswer:
    """What was counted; ``digests`` are those of the files read, with their size and time."""

    outcome: Outcome
    counts: LevelCounts | None = None
    detail: str = ""
    hint: str = ""
    digests: tuple[tuple[Path, tuple[int, int], str], ...] = ()


def count(job: CountJob) -> CountAnswer:
    """Read both masks and count scores by region. Never raises for a broken file."""
    try:
        digests = _digests(job)
    except OSError:
        digests = ()
    answer = _counted(job)
    return CountAnswer(answer.outcome, answer.counts, answer.detail, answer.hint, digests)


def key_of(job: CountJob, digests: dict[Path, str]) -> str | None:
    """The key a result is kept under: content and options; ``None`` when a digest is unknown."""
    files = [digests.get(path) if path else "white" for path in (job.reference, job.system)]
    if None in files:
        return None
    kernels = job.kernels
    options: list[object] = [
        _FORMAT,
        *files,
        job.kind.value,
        [[mark.color, mark.bit_plane, mark.selected] for mark in job.marks],
        [kernels.shape.value, kernels.erode_px, kernels.dilate_px, kernels.distraction_px],
        None if job.stand_in is None or job.system else [job.stand_in.width, job.stand_in.height],
        job.low_planes_only,
        job.manipulated_is.value,
        *(["grey"] if job.grey_only and job.system else []),
        *(["full planes"] if job.full_planes_fail and job.kind is ReferenceKind.BIT_PLANES else []),
    ]
    return hashlib.sha256(json.dumps(options).encode()).hexdigest()


def known_answer(job: CountJob, store: ResultStore) -> tuple[Outcome, bytes] | None:
    """The packed answer of an earlier run over the same content; reads no image."""
    digests = {path: store.known_digest(path) for path in _files(job)}
    known = {path: digest for path, digest in digests.items() if digest is not None}
    key = key_of(job, known)
    payload = store.get(key) if key else None
    answer = unpacked(payload) if payload else None
    return None if answer is None or payload is None else (answer.outcome, payload)


def keep_answer(job: CountJob, answer: CountAnswer, store: ResultStore) -> None:
    """Keep an answer that depends on nothing but content and options."""
    for path, stamp, digest in answer.digests:
        store.tell_digest(path, stamp, digest)
    key = key_of(job, {path: digest for path, _, digest in answer.digests})
    if key and answer.outcome is not Outcome.DIED:
        store.put(key, packed(answer))


def packed(answer: CountAnswer) -> bytes:
    """The answer as bytes; tables of few levels become very short."""
    counts = answer.counts
    head = {
        "outcome": answer.outcome.value,
        "detail": answer.detail,
        "hint": answer.hint,
        "zones": [counts.boundary_px, counts.unselected_px] if counts else None,
    }
    table = b"" if counts is None else counts.table.astype("<i8").tobytes()
    return zlib.compress(json.dumps(head).encode() + b"\n" + table, level=1)


def unpacked(payload: bytes) -> CountAnswer | None:
    """The answer, or ``None`` for bytes that are none (an older or damaged store)."""
    try:
        head, _, body = zlib.decompress(payload).partition(b"\n")
        facts = json.loads(head)
        outcome = Outcome(facts["outcome"])
        counts = None
        if facts["zones"] is not None:
            table: Counts = np.frombuffer(body, "<i8").reshape(_TABLE_SHAPE).astype(np.int64)
            counts = LevelCounts(table, *facts["zones"])
        return CountAnswer(outcome, counts, facts["detail"], facts["hint"])
    except (zlib.error, ValueError, KeyError, TypeError):
        return None


def _files(job: CountJob) -> list[Path]:
    return [path for path in (job.reference, job.system) if path is not None]


def _digests(job: CountJob) -> tuple[tuple[Path, tuple[int, int], str], ...]:
    found = []
    for path in _files(job):
        digest, stamp = content_digest(path)
        found.append((path, stamp, digest))
    return tuple(found)


def _counted(job: CountJob) -> CountAnswer:
    if job.reference is None:
        return CountAnswer(Outcome.NO_REGION, detail="the trial has no reference mask")
    try:
        reference = _reference(job, job.reference)
    except (ForensicViewerError, OSError) as error:
        return _failure(Outcome.BROKEN_REFERENCE, error)
    regions = reference.regions(_selected(job), job.kernels)
    if not regions.has_selected:
        return CountAnswer(Outcome.NO_REGION, detail="the reference shows no selected region")
    if job.full_planes_fail and _has_full_planes(job, job.reference):
        detail = "all bits of its six or more components are set at a pixel"
        return CountAnswer(Outcome.BROKEN_REFERENCE, detail=detail)
    try:
        scores = _scores(job, reference.size)
    except (ForensicViewerError, OSError) as error:
        return _failure(Outcome.UNREADABLE, error)
    if scores.shape != regions.codes.shape:
        detail = f"the system mask is {Size.of(scores)}, the reference {reference.size}"
        return CountAnswer(Outcome.WRONG_SIZE, detail=detail)
    return CountAnswer(Outcome.COUNTED, LevelCounts.of(scores, regions))


def _reference(job: CountJob, path: Path) -> ReferenceMask:
    operations = [_operation(mark) for mark in job.marks]
    match job.kind:
        case ReferenceKind.BIT_PLANES:
            planes = read_bit_planes(path)
            if job.low_planes_only and planes.shape[2] == 2 and _has_one_component(path):
                planes = np.ascontiguousarray(planes[:, :, :1])
            return ReferenceMask.from_planes(planes, operations)
        case ReferenceKind.COLOURS:
            return ReferenceMask.from_colours(read_colour_reference(path), operations)
        case ReferenceKind.COLOURS_ELSE_BACKGROUND:
            mask = ReferenceMask.from_colours(read_colour_reference(path), operations)
            return ReferenceMask.from_area(mask.split(_selected(job))[0])
        case ReferenceKind.BLACK:
            return ReferenceMask.from_black(read_colour_reference(path))
        case ReferenceKind.BLACK_ELSE_BACKGROUND:
            return ReferenceMask.from_black(read_colour_reference(path), others_scored=True)
        case ReferenceKind.MARKED:
            colours = read_colour_reference(path)
            has_black = bool((colours == 0).all(axis=2).any())
            return ReferenceMask.from_area((colours != 255).any(axis=2) & has_black)


def _has_one_component(path: Path) -> bool:
    return bool(read_components(path).shape[2] == 1)


def _has_full_planes(job: CountJob, path: Path) -> bool:
    if job.kind is not ReferenceKind.BIT_PLANES:
        return False
    known = {mark.bit_plane for mark in job.marks if mark.bit_plane is not None}
    return len(known) > _SAFE_PLANES and rounds_up_beyond(read_bit_planes(path), known)


def _operation(mark: Mark) -> Operation:
    return Operation("", "", "", "", color=mark.color, bit_plane=mark.bit_plane)


def _selected(job: CountJob) -> list[int]:
    return [number for number, mark in enumerate(job.marks) if mark.selected]


def _scores(job: CountJob, size: Size) -> U8Image:
    if job.system is not None:
        if job.grey_only:
            _refuse_colours(job.system)
        return read_system_mask(job.system, manipulated_is=job.manipulated_is)
    white = job.stand_in or size
    return np.zeros((white.height, white.width), np.uint8)


def _refuse_colours(path: Path) -> None:
    channels = read_header(path).channels
    if channels is not None and channels > 1:
        raise CodecError(
            f"The system mask has {channels} channels, and only grey ones are evaluated",
            where=path,
            hint="save it as grey PNG without palette and alpha",
        )


def _failure(outcome: Outcome, error: ForensicViewerError | OSError) -> CountAnswer:
    if isinstance(error, ForensicViewerError):
        return CountAnswer(outcome, detail=error.message, hint=error.hint)
    return CountAnswer(outcome, detail=error.strerror or str(error))
