"""Checks of video and audio intervals: readable, in bounds, disjoint."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

from forensicviewer.app.validation.finding import Findings
from forensicviewer.app.validation.profile import Profile
from forensicviewer.core.model import Task
from forensicviewer.core.problem import CodecError, UnsafePathError
from forensicviewer.core.table.text_table import Table
from forensicviewer.core.temporal import number_pairs
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.video.audio import read_waveform
from forensicviewer.sources.video.packet_index import load_index
from forensicviewer.sources.video.video_file import INDEX_SECONDS

TimeInterval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class IntervalTolerance:
    """What is reported without rejecting the submission."""

    overlap: bool = False
    beyond_end: bool = False


STRICT_INTERVALS = IntervalTolerance()


def frame_counts(task: Task, findings: Findings) -> dict[str, int]:
    """The number of frames by probe, from the index or else from the video itself.

    A probe whose count is unknown is left out and reported.
    """
    index = task.table
    if "FrameCount" in index:
        numbers = index["FrameCount"].numbers
        return {
            probe: int(count)
            for probe, count in zip(index["ProbeFileID"], numbers, strict=True)
            if 0 < count < math.inf
        }
    counts: dict[str, int] = {}
    for probe, name in _files(index):
        try:
            path = resolve(Path(task.root), name)
            counts[probe] = len(load_index(path, deadline=Deadline(INDEX_SECONDS)))
        except (CodecError, UnsafePathError) as error:
            findings.note(
                "intervals.frame-count",
                f"The frames of {probe} cannot be counted: {error.message}",
                hint="the index has no FrameCount column; add the video to the dataset",
            )
    return counts


def _files(index: Table) -> Iterator[tuple[str, str]]:
    """The probes with their files; opening an index without file names has already reported it."""
    if "ProbeFileID" in index and "ProbeFileName" in index:
        yield from zip(index["ProbeFileID"], index["ProbeFileName"], strict=True)


def sample_counts(task: Task, table: Table) -> dict[str, int]:
    """The number of audio samples of the probes whose audio the reference calls manipulated."""
    if "AudioSampleSegments" not in table:
        return {}
    said = zip(table["ProbeFileID"], table["AudioSampleSegments"], strict=True)
    wanted = {probe for probe, cell in said if number_pairs(cell)}
    counts: dict[str, int] = {}
    for probe, name in _files(task.table):
        if probe not in wanted:
            continue
        try:
            sound = read_waveform(resolve(Path(task.root), name))
        except (CodecError, UnsafePathError):
            continue
        if sound is not None:
            counts[probe] = sound.samples
    return counts


def check_intervals(
    table: Table,
    frame_counts: dict[str, int],
    profile: Profile,
    findings: Findings,
    *,
    tolerance: IntervalTolerance,
    sample_counts: Mapping[str, int] = MappingProxyType({}),
) -> None:
    """Check every interval cell; ``frame_counts`` knows each probe's number of frames.

    ``sample_counts`` has the number of audio samples, if the videos could be read.
    """
    for column in (name for name in profile.intervals if name in table):
        for row, cell in enumerate(table[column]):
            if table.cell("ProbeStatus", row) == "FailedValidation":
                continue
            place = _Place(findings, column, table.line(row), tolerance, profile)
            intervals = place.read(cell)
            last = frame_counts.get(table["ProbeFileID"][row])
            if column.startswith("Audio") and profile.by_plan:
                place.check_bounds(intervals, sample_counts.get(table["ProbeFileID"][row]))
            elif column.startswith("Audio"):
                # These count samples, so the number of frames says nothing about their end.
                place.check_bounds(intervals, None)
                place.warn_of_nists_bounds(intervals, last)
            else:
                place.check_bounds(intervals, last)
            place.check_overlap(intervals)


@dataclass(frozen=True, slots=True)
class _Place:
    findings: Findings
    column: str
    row: int
    tolerance: IntervalTolerance
    profile: Profile

    def read(self, cell: str) -> list[TimeInterval]:
        intervals = number_pairs(cell)
        if intervals is None or any(first > last for first, last in intervals):
            self.findings.error(
                "intervals.readable",
                f"{self.column} {_short(cell)!r} cannot be read as intervals",
                row=self.row,
                expected="a list of pairs like [[1,5],[7,9]], or []",
                hint="each pair is [first, last] with first not after last",
            )
            return []
        return intervals

    def check_bounds(self, intervals: list[TimeInterval], last: int | None) -> None:
        say = self.findings.warn if self.tolerance.beyond_end else self.findings.error
        for first, end in intervals:
            if first < 1 or (last is not None and end > last):
                say(
                    "intervals.bounds",
                    f"{self.column}: interval {_format((first, end))} is out of bounds",
                    row=self.row,
                    expected=f"within [1,{last if last is not None else '…'}]",
                    hint="frames and samples are counted from 1 to the last one of the video",
                )

    def warn_of_nists_bounds(self, intervals: list[TimeInterval], last: int | None) -> None:
        beyond = [each for each in intervals if last is not None and each[1] > last]
        if beyond and not self.tolerance.beyond_end:
            self.findings.note(
                "intervals.audio-bounds",
                f"{self.column}: interval {_format(beyond[0])} ends after frame {last}",
                row=self.row,
                hint="NIST's validator treats samples as frames and rejects this",
            )

    def check_overlap(self, intervals: list[TimeInterval]) -> None:
        say = self.findings.warn if self.tolerance.overlap else self.findings.error
        if self.profile.by_plan:
            # Only NIST's program wants them apart; MFC2019's plan prints [[1,20],[40,230],[37,40]].
            say = self.findings.note
        # Neighbours in order of start suffice: what overlaps anything overlaps one of them.
        for earlier, later in pairwise(sorted(intervals)):
            if _overlap(later, earlier):
                say(
                    "intervals.disjoint",
                    f"{self.column}: interval {_format(later)} intersects with {_format(earlier)}",
                    row=self.row,
                    expected="intervals without common frames",
                    hint="merge the two intervals",
                )


def _overlap(later: TimeInterval, earlier: TimeInterval) -> bool:
    # A single frame may repeat an end of an earlier interval; anything longer may not.
    if later[0] == later[1]:
        return earlier[0] < later[0] < earlier[1]
    return later[0] <= earlier[1] and earlier[0] <= later[1]


def _format(interval: TimeInterval) -> str:
    return _short(f"[{interval[0]},{interval[1]}]")


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"
