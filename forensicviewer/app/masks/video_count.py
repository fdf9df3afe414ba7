"""Counts the spatial masks of one video frame by frame: the job a worker does, and how it is kept.

The window counts the frames it shows by the same functions.
"""

from __future__ import annotations

import heapq
import json
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import ClassVar

import numpy as np

from forensicviewer.app.masks.counting import (
    COUNT_SECONDS,
    CountedAnswer,
    CountingJob,
    CountOutcome,
)
from forensicviewer.core.array import BoolImage, Counts, Size, U8Image
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.mask import ReferenceMask, Region
from forensicviewer.core.model import Operation
from forensicviewer.core.problem import CodecError, ForensicViewerError, Problem, Severity
from forensicviewer.core.score import LEVELS, LevelCounts
from forensicviewer.core.temporal import parse_intervals
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.media.masks import Polarity
from forensicviewer.sources.video.masks import VideoMask, open_video_mask

_FRAMES_OF_OPERATION = "VideoFrame"
_DESIGNATION = "VideoTaskDesignation"
_TABLE_SHAPE = (len(Region), LEVELS)
_NUMBER_BYTES = 4


def reference_of_frame(
    mask: VideoMask, operations: Sequence[Operation], frame: int
) -> ReferenceMask:
    """The reference of one frame (from 1); between its blocks nothing is manipulated."""
    planes = mask.planes_at(frame - 1)
    if planes is not None and mask.has_bit_planes(_planes_of(operations)):
        return ReferenceMask.from_planes(planes, tuple(map(_without_mask, operations)))
    if planes is None:
        area: BoolImage = np.zeros((mask.size.height, mask.size.width), np.bool_)
    else:
        # Without bit planes black is manipulated (MFC2019 plan, 3.5.2).
        area = np.asarray(planes[:, :, 0] == 0)
    if not operations:
        return ReferenceMask.from_area(area)
    return ReferenceMask.from_shared(area, operations, _owners(operations, frame))


def _owners(operations: Sequence[Operation], frame: int) -> tuple[int, ...]:
    """The operations a black and white mask belongs to: those whose frames it lies in.

    So operations can be selected although the mask does not distinguish them; where none claims the
    frame, the area is everybody's.
    """
    spatial = [i for i, operation in enumerate(operations) if not _is_temporal(operation)]
    active = [i for i in spatial if _is_active(operations[i], frame)]
    return tuple(active or spatial)


def black_and_white_note(mask: VideoMask, operations: Sequence[Operation]) -> str:
    """What to tell where operations name bit planes and the mask has none; else nothing."""
    named = _planes_of(operations)
    if not named or mask.has_bit_planes(named):
        return ""
    return "The mask is black and white, so the bit planes named in the journal are ignored"


def _planes_of(operations: Sequence[Operation]) -> set[int]:
    return {operation.bit_plane for operation in operations if operation.bit_plane}


def _without_mask(operation: Operation) -> Operation:
    """The operation; without its plane where the journal says that it has no spatial mask."""
    return replace(operation, bit_plane=None) if _is_temporal(operation) else operation


def _is_temporal(operation: Operation) -> bool:
    return operation.facts.get(_DESIGNATION, "").strip().lower() == "temporal"


def _is_active(operation: Operation, frame: int) -> bool:
    try:
        intervals = parse_intervals(operation.facts.get(_FRAMES_OF_OPERATION, ""))
    except CodecError:
        return False
    return any(each.first <= frame <= each.last for each in intervals)


def scores_of_frame(mask: VideoMask, frame: int, *, manipulated_is: Polarity) -> U8Image:
    """A system's scores of one frame (from 1); between its blocks it calls nothing."""
    found = mask.scores_of_frame(frame, manipulated_is=manipulated_is)
    return _nothing(mask.size) if found is None else found


def _nothing(size: Size) -> U8Image:
    return np.zeros((size.height, size.width), np.uint8)


def counts_of_frame(
    reference: ReferenceMask,
    scores: U8Image | None,
    *,
    selected: Collection[int] | None,
    kernels: Kernels,
) -> LevelCounts:
    """The score counts in the regions of one frame; an answer without a mask calls nothing."""
    scores = _nothing(reference.size) if scores is None else scores
    return LevelCounts.of(scores, reference.regions(selected, kernels))


@dataclass(frozen=True, slots=True)
class VideoMark:
    """What marks an operation in the masks of a video, and whether it is selected.

    ``frames`` are those the journal says it changed, as it writes them, ``designation`` the video
    tasks that the operation is for.
    """

    bit_plane: int | None
    frames: str
    designation: str
    selected: bool

    @classmethod
    def of(cls, operation: Operation, *, selected: bool) -> VideoMark:
        frames = operation.facts.get(_FRAMES_OF_OPERATION, "")
        designation = operation.facts.get(_DESIGNATION, "")
        return cls(operation.bit_plane, frames, designation, selected)

    @property
    def operation(self) -> Operation:
        facts = {_FRAMES_OF_OPERATION: self.frames, _DESIGNATION: self.designation}
        return Operation("", "", "", "", bit_plane=self.bit_plane, facts=facts)


@dataclass(frozen=True, slots=True)
class Complaint:
    """Why one of a job's files cannot be read.

    It names the place within the file, not the file: next time the same content may lie elsewhere.
    """

    is_reference: bool
    message: str
    place: str
    hint: str
    rule: str

    @classmethod
    def of(cls, error: ForensicViewerError, path: Path, *, is_reference: bool) -> Complaint:
        place = error.where.removeprefix(str(path))
        return cls(is_reference, error.message, place, error.hint, error.rule)

    def as_problem(self, job: VideoJob) -> Problem:
        path = job.reference if self.is_reference else job.system
        where = f"{path}{self.place}"
        return Problem(Severity.ERROR, self.message, where, self.hint, self.rule)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class VideoAnswer(CountedAnswer):
    """What was counted in a video: all of it, and each of its frames (from 1), packed.

    ``intervals`` are the runs of frames the reference speaks about, ``note`` says how it was read.
    """

    frames: tuple[tuple[int, bytes], ...] = ()
    intervals: tuple[tuple[int, int], ...] = ()
    complaints: tuple[Complaint, ...] = ()
    note: str = ""

    def by_frame(self) -> Iterator[tuple[int, LevelCounts]]:
        for frame, table in self.frames:
            yield frame, _unpacked_counts(table)

    def packed(self) -> bytes:
        """A checksum, then what is known of all frames, then the tables one after another."""
        whole = b"" if self.counts is None else _packed_counts(self.counts)
        head = {
            "outcome": self.outcome.value,
            "detail": self.detail,
            "hint": self.hint,
            "intervals": self.intervals,
            "note": self.note,
            "complaints": [asdict(complaint) for complaint in self.complaints],
            "whole": len(whole),
            "frames": [(frame, len(table)) for frame, table in self.frames],
        }
        text = zlib.compress(json.dumps(head).encode(), level=1)
        tables = b"".join(table for _, table in self.frames)
        body = _number(len(text)) + text + whole + tables
        return _number(zlib.crc32(body)) + body


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoJob(CountingJob[VideoAnswer]):
    """All frames of one video: read one at a time, so that its length costs no memory."""

    version: ClassVar[object] = "video 2"

    marks: tuple[VideoMark, ...]
    kernels: Kernels
    manipulated_is: Polarity

    @property
    def operations(self) -> tuple[Operation, ...]:
        return tuple(mark.operation for mark in self.marks)

    @property
    def selected(self) -> frozenset[int] | None:
        """The numbers of the operations asked for; ``None`` where none is known."""
        if not self.marks:
            return None
        return frozenset(number for number, mark in enumerate(self.marks) if mark.selected)

    def options(self) -> list[object]:
        kernels = self.kernels
        return [
            [[mark.bit_plane, mark.frames, mark.designation, mark.selected] for mark in self.marks],
            [kernels.shape.value, kernels.erode_px, kernels.dilate_px, kernels.distraction_px],
            self.manipulated_is.value,
        ]

    def count(self) -> VideoAnswer:
        try:
            return _count(self, deadline=Deadline(COUNT_SECONDS))
        except ForensicViewerError as error:
            return _count_apart(self, error)

    def failed(self, why: str) -> VideoAnswer:
        return VideoAnswer(outcome=CountOutcome.DIED, detail=why)

    def unpacked(self, payload: bytes) -> VideoAnswer | None:
        checksum, body = payload[:_NUMBER_BYTES], payload[_NUMBER_BYTES:]
        if checksum != _number(zlib.crc32(body)):
            return None
        length = int.from_bytes(body[:_NUMBER_BYTES], "little")
        facts = json.loads(zlib.decompress(body[_NUMBER_BYTES : _NUMBER_BYTES + length]))
        at = _NUMBER_BYTES + length + facts["whole"]
        frames: list[tuple[int, bytes]] = []
        for frame, size in facts["frames"]:
            frames.append((frame, body[at : at + size]))
            at += size
        whole = body[_NUMBER_BYTES + length :][: facts["whole"]]
        return VideoAnswer(
            outcome=CountOutcome(facts["outcome"]),
            counts=_unpacked_counts(whole) if whole else None,
            detail=facts["detail"],
            hint=facts["hint"],
            frames=tuple(frames),
            intervals=tuple((first, last) for first, last in facts["intervals"]),
            note=facts["note"],
            complaints=tuple(Complaint(**complaint) for complaint in facts["complaints"]),
        )


def _number(value: int) -> bytes:
    return value.to_bytes(_NUMBER_BYTES, "little")


def _packed_counts(counts: LevelCounts) -> bytes:
    zones = np.array([counts.boundary_px, counts.unselected_px], "<i8")
    return zlib.compress(zones.tobytes() + counts.table.astype("<i8").tobytes(), level=1)


def _unpacked_counts(packed: bytes) -> LevelCounts:
    numbers: Counts = np.frombuffer(zlib.decompress(packed), "<i8").astype(np.int64)
    return LevelCounts(numbers[2:].reshape(_TABLE_SHAPE), int(numbers[0]), int(numbers[1]))


@decoded_apart
def _count(job: VideoJob, *, deadline: Deadline) -> VideoAnswer:
    """Read and count where the files are decoded, so that only tables travel."""
    return _count_frames(job, deadline)


def _count_apart(job: VideoJob, error: ForensicViewerError) -> VideoAnswer:
    """Count with frames read apart: that way it is known which file a decoder fails at."""
    try:
        return _count_frames(job, Deadline(COUNT_SECONDS))
    except ForensicViewerError:
        return job.failed(error.message)


def _count_frames(job: VideoJob, deadline: Deadline) -> VideoAnswer:
    with ExitStack() as opened:
        reference, system, complaints = _open(job, opened)
        if reference is None:
            return VideoAnswer(outcome=CountOutcome.NO_REGION, complaints=complaints)
        try:
            has_region = _has_region(job, reference, deadline)
        except CodecError as error:
            return _without_reference(job, error)
        if not has_region:
            return VideoAnswer(outcome=CountOutcome.NO_REGION, complaints=complaints)
        if complaints:
            return VideoAnswer(outcome=CountOutcome.UNREADABLE, complaints=complaints)
        if system is not None and system.size != reference.size:
            detail = f"it is {system.size}, but the reference is {reference.size}"
            return VideoAnswer(outcome=CountOutcome.WRONG_SIZE, detail=detail)
        return _all_frames(job, reference, system, deadline)


def _open(
    job: VideoJob, opened: ExitStack
) -> tuple[VideoMask | None, VideoMask | None, tuple[Complaint, ...]]:
    masks: list[VideoMask | None] = []
    complaints: list[Complaint] = []
    for path in (job.reference, job.system):
        mask = None
        try:
            mask = None if path is None else opened.enter_context(open_video_mask(path))
        except ForensicViewerError as error:
            assert path is not None
            complaints.append(Complaint.of(error, path, is_reference=not masks))
        masks.append(mask)
    return masks[0], masks[1], tuple(complaints)


def _has_region(job: VideoJob, mask: VideoMask, deadline: Deadline) -> bool:
    operations, selected = job.operations, job.selected
    mask.has_bit_planes(_planes_of(operations), deadline=deadline)  # says that it is alive
    for frame in _frames(mask):
        deadline.check(where=job.reference)
        if reference_of_frame(mask, operations, frame).split(selected)[0].any():
            return True
        deadline.renew()
    return False


def _frames(*masks: VideoMask | None) -> Iterator[int]:
    """The frames, counted from 1, that any of the masks speaks about, each once and in order."""
    blocks = (block for mask in masks if mask is not None for block in mask.blocks)
    runs = (range(block.start + 1, block.end + 1) for block in blocks)
    return (frame for frame, _ in groupby(heapq.merge(*runs)))


def _all_frames(
    job: VideoJob, reference: VideoMask, system: VideoMask | None, deadline: Deadline
) -> VideoAnswer:
    operations, selected = job.operations, job.selected
    whole = LevelCounts.total(())
    frames: list[tuple[int, bytes]] = []
    for frame in _frames(reference, system):
        deadline.check(where=job.reference)
        deadline.renew()
        try:
            truth = reference_of_frame(reference, operations, frame)
        except CodecError as error:
            return _without_reference(job, error)
        scores = None
        try:
            if system is not None:
                scores = scores_of_frame(system, frame, manipulated_is=job.manipulated_is)
        except CodecError as error:
            assert job.system is not None
            complaint = Complaint.of(error, job.system, is_reference=False)
            return VideoAnswer(outcome=CountOutcome.UNREADABLE, complaints=(complaint,))
        counts = counts_of_frame(truth, scores, selected=selected, kernels=job.kernels)
        whole = whole + counts
        frames.append((frame, _packed_counts(counts)))
    return VideoAnswer(
        outcome=CountOutcome.COUNTED,
        counts=whole,
        frames=tuple(frames),
        intervals=tuple((block.start + 1, block.end) for block in reference.blocks),
        note=black_and_white_note(reference, operations),
    )


def _without_reference(job: VideoJob, error: CodecError) -> VideoAnswer:
    """The answer where a reference breaks off: like one that cannot be opened, it shows nothing."""
    assert job.reference is not None
    complaint = Complaint.of(error, job.reference, is_reference=True)
    return VideoAnswer(outcome=CountOutcome.NO_REGION, complaints=(complaint,))
