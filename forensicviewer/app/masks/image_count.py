"""Counts one system mask against its reference: the job a worker does, and how it is kept.

Everything a worker needs travels as paths and options; what comes back is a table of counts.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import ClassVar

import numpy as np

from forensicviewer.app.masks.counting import (
    COUNT_SECONDS,
    CountedAnswer,
    CountingJob,
    CountOutcome,
    count_in_bundles,
)
from forensicviewer.core.array import Counts, PlaneImage, Size, U8Image
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.mask import (
    Color,
    ReferenceMask,
    Region,
    black_in_planes,
    changed_in_planes,
    is_black_and_white,
    nearest_colours,
    rounds_up_beyond,
)
from forensicviewer.core.model import Operation
from forensicviewer.core.problem import CodecError, ForensicViewerError
from forensicviewer.core.score import LEVELS, LevelCounts
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.decoders.limits import is_out_of_memory
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.files.media_file import missing_file
from forensicviewer.sources.media.headers import read_header
from forensicviewer.sources.media.jpeg2000 import read_components
from forensicviewer.sources.media.masks import (
    Polarity,
    has_lossy_colours,
    read_bit_planes,
    read_colour_reference,
    read_system_mask,
)

_NO_REFERENCE = "the trial has no reference mask"
_SAFE_PLANES = 40  # the logarithm of so many bits is never rounded to the next whole number
_TABLE_SHAPE = (len(Region), LEVELS)
# A packed answer: outcome, bytes of a number, length of its words, and NIST's two zones.
_HEAD = struct.Struct("<BBIqq")
_OUTCOMES = tuple(CountOutcome)
_WIDTHS = ("<u1", "<u2", "<u4", "<i8")
_NO_TABLE = len(_WIDTHS)


class ReferenceKind(Enum):
    """How a reference mask says what was manipulated."""

    COLOURS = "colours"
    COLOURS_ELSE_BACKGROUND = "colours, all others are background"
    BIT_PLANES = "bit planes"
    ANY_PLANE = "any bit plane"
    BLACK = "black"
    BLACK_ELSE_BACKGROUND = "black; other colours are background"
    BLACK_ELSE_MARKED = "black, or everything that is not white if nothing is black"
    MARKED = "everything that is not white"
    MARKED_WITH_BLACK = "everything that is not white, if anything is black"
    NOT_BLACK = "everything that is not black"

    @property
    def has_marks(self) -> bool:
        """Whether colours or bit planes of operations distinguish them."""
        return self in (
            ReferenceKind.COLOURS,
            ReferenceKind.COLOURS_ELSE_BACKGROUND,
            ReferenceKind.BIT_PLANES,
        )


@dataclass(frozen=True, slots=True)
class ImageMark:
    """What marks an operation in a reference mask, and whether it is selected."""

    color: tuple[int, int, int] | None
    bit_plane: int | None
    selected: bool


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CountAnswer(CountedAnswer):
    """The counts of one image."""

    def packed(self) -> bytes:
        """Tables of few levels become very short, and no number has more bytes than it needs."""
        outcome = _OUTCOMES.index(self.outcome)
        words = json.dumps([self.detail, self.hint]).encode() if self.detail or self.hint else b""
        if self.counts is None:
            return _HEAD.pack(outcome, _NO_TABLE, len(words), 0, 0) + words
        table = self.counts.table
        width = next(w for w, kind in enumerate(_WIDTHS) if table.max() <= np.iinfo(kind).max)
        zones = self.counts.boundary_px, self.counts.unselected_px
        head = _HEAD.pack(outcome, width, len(words), *zones)
        return head + words + zlib.compress(table.astype(_WIDTHS[width]).tobytes(), level=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountJob(CountingJob[CountAnswer]):
    """One side of one trial of images."""

    version: ClassVar[object] = 6

    kind: ReferenceKind
    marks: tuple[ImageMark, ...]
    kernels: Kernels
    low_planes_only: bool = False
    full_planes_fail: bool = False
    white_planes_are_empty: bool = False
    black_is_changed: bool = False
    snaps_lossy_colours: bool = False
    grey_only: bool = False
    manipulated_is: Polarity = Polarity.BLACK

    def __hash__(self) -> int:
        # Files tell nearly all jobs apart, and a path knows its hash; marks and kernels do not.
        return hash((self.reference, self.system))

    @property
    def reads(self) -> tuple[object, ...]:
        """What is read and how; equal where the same pixels can be scored in another way."""
        marks: set[object] = {(mark.color, mark.bit_plane) for mark in self.marks}
        if self.kind is ReferenceKind.COLOURS_ELSE_BACKGROUND:
            marks = {*self.marks}
        files = (self.reference, self.system, self.grey_only, self.manipulated_is)
        planes = (self.low_planes_only, self.full_planes_fail, self.white_planes_are_empty)
        colours = (self.black_is_changed, self.snaps_lossy_colours)
        return *files, self.kind, frozenset(marks), *planes, *colours

    def options(self) -> list[object]:
        kernels, stand_in = self.kernels, None if self.system else self.stand_in
        fails = self.full_planes_fail and self.kind is ReferenceKind.BIT_PLANES
        return [
            self.kind.value,
            [[mark.color, mark.bit_plane, mark.selected] for mark in self.marks],
            [kernels.shape.value, kernels.erode_px, kernels.dilate_px, kernels.distraction_px],
            None if stand_in is None else [stand_in.width, stand_in.height],
            self.low_planes_only,
            self.white_planes_are_empty,
            self.black_is_changed,
            self.snaps_lossy_colours,
            self.manipulated_is.value,
            *(["grey"] if self.grey_only and self.system else []),
            *(["full planes"] if fails else []),
        ]

    def count(self) -> CountAnswer:
        try:
            return _count(self, deadline=Deadline(COUNT_SECONDS))
        except ForensicViewerError as error:
            return _blame(self, error)

    @classmethod
    def count_together(cls, jobs: Sequence[CountJob]) -> list[CountAnswer]:
        found = {job: answer for job in jobs if (answer := job.without_reference()) is not None}
        asked = [job for job in jobs if job not in found]
        found |= zip(asked, count_in_bundles(asked, _count_some), strict=True)
        return [found[job] for job in jobs]

    def without_reference(self) -> CountAnswer | None:
        """The answer where there is no reference to read: nobody need be asked for it."""
        if self.reference is None:
            return CountAnswer(outcome=CountOutcome.NO_REGION, detail=_NO_REFERENCE)
        try:
            self.reference.stat()
        except FileNotFoundError:
            return _failure(CountOutcome.BROKEN_REFERENCE, missing_file(self.reference))
        except (OSError, ValueError):
            pass  # whoever opens it says more
        return None

    def failed(self, why: str) -> CountAnswer:
        return CountAnswer(outcome=CountOutcome.DIED, detail=why)

    def unpacked(self, payload: bytes) -> CountAnswer | None:
        try:
            number, width, length, *zones = _HEAD.unpack_from(payload)
            end = _HEAD.size + length
            detail, hint = json.loads(payload[_HEAD.size : end]) if length else ("", "")
            counts = None
            if width != _NO_TABLE:
                cells = np.frombuffer(zlib.decompress(payload[end:]), _WIDTHS[width])
                table: Counts = cells.reshape(_TABLE_SHAPE).astype(np.int64)
                counts = LevelCounts(table, *zones)
            outcome = _OUTCOMES[number]
            return CountAnswer(outcome=outcome, counts=counts, detail=detail, hint=hint)
        except (zlib.error, struct.error, ValueError, IndexError, TypeError):
            return None

    def outcome_in(self, payload: bytes) -> CountOutcome | None:
        # The store has checked that it is what was put there.
        return _OUTCOMES[payload[0]] if len(payload) >= _HEAD.size else None


@decoded_apart
def _count_some(jobs: tuple[CountJob, ...]) -> tuple[CountAnswer, ...]:
    return tuple(_count(job, deadline=Deadline(COUNT_SECONDS)) for job in jobs)


@decoded_apart
def _count(job: CountJob, *, deadline: Deadline) -> CountAnswer:
    """Read and count where the files are decoded, so that only the table travels."""
    return _count_all((job,), deadline)[0]


@decoded_apart
def count_alike(jobs: tuple[CountJob, ...]) -> tuple[CountAnswer, ...]:
    """Count jobs that read the same pixels and score them in other ways: files are read once."""
    if len({job.reads for job in jobs}) > 1:
        raise ValueError("the jobs read different pixels")
    return _count_all(jobs, Deadline(COUNT_SECONDS))


def _count_all(jobs: Sequence[CountJob], deadline: Deadline) -> tuple[CountAnswer, ...]:
    first = jobs[0]
    if first.reference is None:
        missing = CountAnswer(outcome=CountOutcome.NO_REGION, detail=_NO_REFERENCE)
        return (missing,) * len(jobs)
    try:
        pixels = read_reference(first)
        reference = reference_mask(first, pixels)
    except (ForensicViewerError, OSError) as error:
        return (_failure(CountOutcome.BROKEN_REFERENCE, error),) * len(jobs)
    deadline.check(where=first.reference)
    held: dict[Size | None, U8Image] = {}

    def read_scores(job: CountJob) -> U8Image:
        if job.stand_in not in held:
            held[job.stand_in] = _scores(job, reference.size)
        return held[job.stand_in]

    return tuple(_count_in(job, pixels, reference, read_scores, deadline) for job in jobs)


def _count_in(
    job: CountJob,
    pixels: PlaneImage,
    reference: ReferenceMask,
    read_scores: Callable[[CountJob], U8Image],
    deadline: Deadline,
) -> CountAnswer:
    """Count what was read; the system mask is not read for a reference without a region."""
    regions = reference.regions(selected_in(reference.operations, job), job.kernels)
    deadline.check(where=job.reference)
    if not regions.has_selected:
        detail = "the reference shows no selected region"
        return CountAnswer(outcome=CountOutcome.NO_REGION, detail=detail)
    if is_overfull(job, pixels):
        return CountAnswer(outcome=CountOutcome.BROKEN_REFERENCE, detail=OVERFULL)
    try:
        scores = read_scores(job)
    except (ForensicViewerError, OSError) as error:
        return _failure(CountOutcome.UNREADABLE, error)
    deadline.check(where=job.system)
    if scores.shape != regions.codes.shape:
        detail = f"the system mask is {Size.of(scores)}, but the reference is {reference.size}"
        return CountAnswer(outcome=CountOutcome.WRONG_SIZE, detail=detail)
    return CountAnswer(outcome=CountOutcome.COUNTED, counts=LevelCounts.of(scores, regions))


def _blame(job: CountJob, error: ForensicViewerError) -> CountAnswer:
    """Find out which of the files the decoder failed at, by reading one after the other."""
    try:
        if job.reference is not None:
            read_reference(job)
    except ForensicViewerError as failure:
        return _failure(CountOutcome.BROKEN_REFERENCE, failure)
    try:
        if job.system is not None:
            read_system(job, job.system)
    except ForensicViewerError as failure:
        return _failure(CountOutcome.UNREADABLE, failure)
    return job.failed(error.message)


OVERFULL = "all bits of its six or more components are set at a pixel"


def read_reference(job: CountJob) -> PlaneImage:
    """The pixels of the reference: components of bit planes, colours otherwise."""
    assert job.reference is not None
    if job.kind not in (ReferenceKind.BIT_PLANES, ReferenceKind.ANY_PLANE):
        colours = read_colour_reference(job.reference)
        is_lossy = job.snaps_lossy_colours and has_lossy_colours(job.reference)
        return nearest_colours(colours, _palette(job)) if is_lossy else colours
    planes = read_bit_planes(job.reference)
    if job.white_planes_are_empty and bool((planes == 255).all()):
        return np.zeros_like(planes)
    if job.black_is_changed and job.kind is ReferenceKind.BIT_PLANES:
        planes = black_in_planes(planes, [mark.bit_plane for mark in job.marks if mark.bit_plane])
    if job.low_planes_only and planes.shape[2] == 2 and _has_one_component(job.reference):
        return np.ascontiguousarray(planes[:, :, :1])
    return planes


def _palette(job: CountJob) -> list[Color]:
    """The colours a mask was painted with, as far as they are known."""
    if job.kind in (ReferenceKind.MARKED, ReferenceKind.BLACK_ELSE_MARKED):
        return []
    return [mark.color for mark in job.marks if mark.color is not None] or [(0, 0, 0)]


def reference_mask(job: CountJob, pixels: PlaneImage) -> ReferenceMask:
    """The reference as it is scored."""
    marked = [_operation(mark) for mark in job.marks]
    match job.kind:
        case ReferenceKind.COLOURS | ReferenceKind.BIT_PLANES:
            return shown_mask(job, pixels, marked)
        case ReferenceKind.COLOURS_ELSE_BACKGROUND:
            mask = _by_colours(job, pixels, marked)
            return ReferenceMask.from_area(mask.split(selected_in(marked, job))[0])
        case ReferenceKind.ANY_PLANE:
            area = changed_in_planes(pixels, white_is_background=job.black_is_changed)
            return ReferenceMask.from_area(area)
        case ReferenceKind.BLACK:
            return ReferenceMask.from_black(pixels)
        case ReferenceKind.BLACK_ELSE_BACKGROUND:
            return ReferenceMask.from_black(pixels, others_scored=True)
        case ReferenceKind.BLACK_ELSE_MARKED:
            return ReferenceMask.from_marks(pixels, black_first=True)
        case ReferenceKind.MARKED:
            return ReferenceMask.from_marks(pixels)
        case ReferenceKind.MARKED_WITH_BLACK:
            has_black = bool((pixels == 0).all(axis=2).any())
            return ReferenceMask.from_area((pixels != 255).any(axis=2) & has_black)
        case ReferenceKind.NOT_BLACK:
            return ReferenceMask.from_area((pixels != 0).any(axis=2))


def shown_mask(job: CountJob, pixels: PlaneImage, operations: Sequence[Operation]) -> ReferenceMask:
    """The reference with the operations a reader knows, where it distinguishes operations."""
    match job.kind:
        case ReferenceKind.COLOURS:
            return _by_colours(job, pixels, operations)
        case ReferenceKind.BIT_PLANES:
            return ReferenceMask.from_planes(pixels, operations)
        case _:
            return reference_mask(job, pixels)


def _by_colours(
    job: CountJob, pixels: PlaneImage, operations: Sequence[Operation]
) -> ReferenceMask:
    """Each operation in its colour; what is only black belongs to all that have one."""
    owners = [number for number, operation in enumerate(operations) if operation.color is not None]
    colours = {operations[number].color for number in owners}
    if job.black_is_changed and colours and is_black_and_white(pixels, colours):
        return ReferenceMask.from_shared(pixels[:, :, 0] == 0, operations, owners)
    return ReferenceMask.from_colours(pixels, operations)


def selected_in(operations: Sequence[Operation], job: CountJob) -> list[int]:
    """The numbers of the operations whose mark is selected."""
    wanted = {(mark.color, mark.bit_plane) for mark in job.marks if mark.selected}
    by_plane = job.kind is ReferenceKind.BIT_PLANES
    return [
        number
        for number, operation in enumerate(operations)
        if (
            None if by_plane else operation.color,
            operation.bit_plane if by_plane else None,
        )
        in wanted
    ]


def is_scored_by(mask: ReferenceMask, job: CountJob) -> bool:
    """Whether a mask as shown knows just the marks that are scored."""
    if job.kind is ReferenceKind.BIT_PLANES:
        return {op.bit_plane for op in mask.operations} == {mark.bit_plane for mark in job.marks}
    if job.kind is ReferenceKind.COLOURS:
        return {op.color for op in mask.operations} == {mark.color for mark in job.marks}
    return True


def is_overfull(job: CountJob, pixels: PlaneImage) -> bool:
    """Whether NIST's scorer fails at this reference, and the rules say so too."""
    if not job.full_planes_fail or job.kind is not ReferenceKind.BIT_PLANES:
        return False
    known = {mark.bit_plane for mark in job.marks if mark.bit_plane is not None}
    return len(known) > _SAFE_PLANES and rounds_up_beyond(pixels, known)


def read_system(job: CountJob, path: Path) -> U8Image:
    """The scores of the system mask."""
    if job.grey_only:
        _refuse_colours(path)
    return read_system_mask(path, manipulated_is=job.manipulated_is)


def _scores(job: CountJob, size: Size) -> U8Image:
    if job.system is not None:
        return read_system(job, job.system)
    white = job.stand_in or size
    return np.zeros((white.height, white.width), np.uint8)


def _has_one_component(path: Path) -> bool:
    return bool(read_components(path).shape[2] == 1)


def _operation(mark: ImageMark) -> Operation:
    return Operation("", "", "", "", color=mark.color, bit_plane=mark.bit_plane)


def _refuse_colours(path: Path) -> None:
    """Let only grey masks pass, as the plans do."""
    channels = read_header(path).channels
    if channels is not None and channels > 1:
        raise CodecError(
            f"The system mask has {channels} channels, and only grey masks are scored",
            where=path,
            hint="save it as a grey PNG without palette or alpha channel",
        )


def _failure(outcome: CountOutcome, error: ForensicViewerError | OSError) -> CountAnswer:
    if is_out_of_memory(error):
        # Not the file's fault alone: whoever asked knows the limit.
        raise error
    if isinstance(error, ForensicViewerError):
        return CountAnswer(outcome=outcome, detail=error.message, hint=error.hint)
    return CountAnswer(outcome=outcome, detail=error.strerror or str(error))
