"""Checks the reference of one trial of videos: intervals, and masks frame by frame."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

from forensicviewer.core.array import BoolImage, PlaneImage
from forensicviewer.core.model import Operation, Task, Trial
from forensicviewer.core.problem import ForensicViewerError, Severity
from forensicviewer.core.quality.marks import plane_of
from forensicviewer.core.quality.rule import Suspect
from forensicviewer.core.temporal import number_pairs
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.video.masks import VideoMask, open_video_mask
from forensicviewer.sources.video.packet_index import load_index
from forensicviewer.sources.video.video_file import INDEX_SECONDS

_FRAMES = 12  # looked at in each block
_SPARE = 1  # frames an interval may reach beyond the end: some tools count from 0
_MS = 1000
# Journals of NIST differ by two frames.
_APART_FRAMES, _APART_MS = 5, 200


def check_video(task: Task, trial: Trial, off: Collection[str] = ()) -> tuple[Suspect, ...]:
    """Apply the rules of videos."""
    return tuple(one for one in _found(task, trial) if one.rule not in off)


def _found(task: Task, trial: Trial) -> Iterator[Suspect]:
    try:
        length, rate = _length(task, trial)
    except ForensicViewerError as error:
        yield Suspect("unchecked", f"probe: {error.message}", 0.1, severity=Severity.NOTE)
        length, rate = None, None
    declared = _number(trial.facts.get("FrameCount", ""))
    if length and declared and abs(length - declared) > 1:
        yield Suspect(
            "interval", f"FrameCount is {declared:g}, but the video has {length} frames", 0.6
        )
    length = length or (int(declared) if declared else None)
    rate = rate or _number(trial.facts.get("FrameRate", ""))
    for operation in trial.operations:
        yield from check_intervals(operation, length, rate)
    name = trial.reference or trial.bit_planes
    if name:
        yield from _masks(task, trial, name, length)


def _length(task: Task, trial: Trial) -> tuple[int | None, float | None]:
    name = trial.probe.name
    path = resolve(Path(task.root), name) if name else None
    if path is None or not path.is_file():
        return None, None
    index = load_index(path, deadline=Deadline(INDEX_SECONDS))
    return len(index), index.rate or None


def check_intervals(
    operation: Operation, length: int | None, rate: float | None
) -> Iterator[Suspect]:
    """Whether frames and times of a step lie within the video and agree."""
    yield from _frames_and_times(operation, rate)
    limits = {
        "VideoFrame": None if length is None else length + _SPARE,
        "VideoTime": None if not length or not rate else (length + _SPARE) / rate * _MS + _MS,
    }
    for column, limit in limits.items():
        cell = operation.facts.get(column, "").strip()
        if not cell or cell == "[]":
            continue
        pairs = number_pairs(cell)
        if pairs is None:
            yield Suspect("interval", f"{operation.name}: {column} {cell} is not an interval", 0.8)
            continue
        for start, end in pairs:
            if start > end or start < 0:
                text = f"{operation.name}: {column} {start:g} to {end:g} ends before it starts"
                yield Suspect("interval", text, 0.9)
            elif limit is not None and end > limit:
                text = f"{operation.name}: {column} ends at {end:g}, but the video ends at"
                last = length if column == "VideoFrame" else f"{limit - _MS:.0f} ms"
                yield Suspect("interval", f"{text} {last}", 0.9)


def _frames_and_times(operation: Operation, rate: float | None) -> Iterator[Suspect]:
    """Frames and milliseconds of one step that tell of different moments."""
    frames, times = (
        number_pairs(operation.facts.get(column, "").strip() or "[]") or ()
        for column in ("VideoFrame", "VideoTime")
    )
    if not rate or len(frames) != len(times):
        return
    most_ms = max(_APART_MS, _APART_FRAMES / rate * _MS)
    for (first, last), (start, end) in zip(frames, times, strict=True):
        off_ms = min(abs(first / rate * _MS - start), abs(last / rate * _MS - end))
        if off_ms > most_ms:
            text = f"{operation.name}: frames {first:g} to {last:g} are not the {start:g} to"
            yield Suspect("interval", f"{text} {end:g} ms beside them, at {rate:g} frames/s", 0.7)


def _masks(task: Task, trial: Trial, name: str, length: int | None) -> Iterator[Suspect]:
    try:
        with open_video_mask(resolve(Path(task.root), name)) as mask:
            yield from _mask(trial, mask, length)
    except (ForensicViewerError, OSError) as error:
        text = error.message if isinstance(error, ForensicViewerError) else str(error.strerror)
        yield Suspect("unreadable", f"mask: {text}", 1.0)


def _mask(trial: Trial, mask: VideoMask, length: int | None) -> Iterator[Suspect]:
    if trial.probe.size is not None and mask.size is not None and mask.size != trial.probe.size:
        yield Suspect("size", f"The mask is {mask.size}, but the probe is {trial.probe.size}", 0.9)
    last = max((block.end for block in mask.blocks), default=0)
    if length and last > length + _SPARE:
        yield Suspect("interval", f"The mask ends at frame {last}, but the video at {length}", 0.9)
    known = {op.bit_plane: op for op in trial.operations if op.bit_plane}
    is_layered = mask.has_bit_planes(list(known))
    seen: set[int] = set()
    marked = frames = full = 0
    for frame in _samples(mask):
        area = frame.any(axis=2) if is_layered else (frame != 255).any(axis=2)
        frames, marked, full = frames + 1, marked + bool(area.any()), full + bool(area.all())
        seen |= _planes(frame) if is_layered else set()
    if not marked:
        yield Suspect("empty", f"None of the {frames} frames checked is marked", 0.9)
    elif full == frames:
        yield Suspect("full", f"All {frames} frames checked are marked completely", 0.9)
    if is_layered and marked:
        yield from _named(known, seen)


def _named(known: dict[int, Operation], seen: set[int]) -> Iterator[Suspect]:
    for plane in sorted(seen - known.keys()):
        text = f"Bit plane {plane} is set, but no operation names it"
        yield Suspect("mark-without-operation", text, 0.9)
    for plane in sorted(known.keys() - seen):
        text = f"{known[plane].name} has bit plane {plane}, which is empty in the frames checked"
        yield Suspect("operation-without-area", text, 0.6)


def _samples(mask: VideoMask) -> Iterator[PlaneImage]:
    for block in mask.blocks:
        count = min(_FRAMES, block.end - block.start)
        for index in np.linspace(block.start, block.end - 1, count).astype(int).tolist():
            frame = mask.planes_at(index)
            if frame is not None:
                yield frame


def _planes(frame: PlaneImage) -> set[int]:
    def is_set(plane: int) -> bool:
        area: BoolImage = plane_of(frame, plane)
        return bool(area.any())

    return {plane for plane in range(1, 8 * frame.shape[2] + 1) if is_set(plane)}


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
