"""A video trial as it is reviewed: lanes of intervals, their outcome, differences and errors.

Pure: everything is computed from the tables and the scoring choices, with the very functions that
``score temporal`` uses, so that the window and the files say the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from forensicviewer.app.language.words import to_translate
from forensicviewer.app.temporal.journal import journal_rows
from forensicviewer.app.temporal.trials import (
    Extent,
    Extents,
    Stream,
    TemporalReader,
    TemporalSettings,
    TemporalTrial,
    has_intervals,
)
from forensicviewer.core.model import Operation, Submission, Task, Trial
from forensicviewer.core.problem import CodecError, ForensicViewerError, Problem, ProblemLog
from forensicviewer.core.table.number_cell import number_in, whole_in
from forensicviewer.core.table.text_table import Table
from forensicviewer.core.temporal import (
    Interval,
    Intervals,
    Measure,
    OutcomeStretch,
    TemporalConfusion,
    clip,
    intervals_at,
    leaving,
    merge,
    number_pairs,
    parse_intervals,
)
from forensicviewer.sources.video.frame_index import FrameIndex

FALLBACK_RATE = 30.0


@dataclass(frozen=True, slots=True, eq=False)
class FrameClock:
    """When frames are shown, in milliseconds from the first: by the packets, else by a rate."""

    rate: float
    index: FrameIndex | None = None

    def ms(self, frame: int) -> float:
        """Frames beyond the video go on at its mean rate."""
        if self.index is None:
            return (frame - 1) * 1000 / self.rate
        inside = min(max(frame, 1), len(self.index))
        return self.index.time_s(inside) * 1000 + (frame - inside) * 1000 / self.rate

    def frame_at(self, ms: float) -> int:
        if self.index is None:
            return int(ms * self.rate / 1000) + 1
        return self.index.frame_at(ms / 1000)


@dataclass(frozen=True, slots=True)
class OperationLane:
    """One journal operation: the frames and samples it changed; ``position`` is its number.

    ``times_ms`` are the journal's own times with its FrameTimeAdjustment added. ``by_time`` are the
    frames shown then, where the journal names no frames; the rule temporal-times scores them.
    """

    position: int
    operation: Operation
    frames: Intervals
    samples: Intervals
    times_ms: tuple[tuple[float, float], ...] = ()
    by_time: Intervals = ()
    adjustment_ms: float = 0.0
    is_selected: bool = True


@dataclass(frozen=True, slots=True)
class IntervalPair:
    """A reference interval and the system interval that overlaps it most, or one of them alone.

    Differences are system minus reference: negative starts early, positive ends late.
    """

    reference: Interval | None
    system: Interval | None
    start_frames: int | None = None
    end_frames: int | None = None
    start_ms: float | None = None
    end_ms: float | None = None

    @property
    def verdict(self) -> str:
        if self.reference is None:
            return to_translate("false alarm")
        if self.system is None:
            return to_translate("missed")
        is_exact = self.start_frames == self.end_frames == 0
        return to_translate("exact") if is_exact else to_translate("found")

    @property
    def first(self) -> int:
        starts = [each.first for each in (self.reference, self.system) if each is not None]
        return min(starts)


@dataclass(frozen=True, slots=True)
class StreamReview:
    """What is compared in one stream and what comes of it; ``unit`` names what is counted."""

    stream: Stream
    length: int
    reference: Intervals
    system: Intervals
    opt_out: Intervals
    confusion: TemporalConfusion | None
    pairings: tuple[IntervalPair, ...]
    beyond: Intervals = ()
    why_unscored: str = ""

    @property
    def unit(self) -> str:
        return "frames" if self.stream is Stream.VIDEO else "samples"

    @property
    def mcc(self) -> float | None:
        return None if self.confusion is None else self.confusion.mcc


@dataclass(frozen=True, slots=True, eq=False)
class VideoReview:
    """Everything there is to say about one video's intervals."""

    trial: Trial
    lanes: tuple[OperationLane, ...]
    video: StreamReview
    audio: StreamReview | None
    clock: FrameClock
    settings: TemporalSettings
    declared_frames: int | None
    rival: StreamReview | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def frame_count(self) -> int:
        return self.video.length

    @property
    def errors(self) -> tuple[OutcomeStretch, ...]:
        return () if self.video.confusion is None else self.video.confusion.errors()

    def next_error(self, frame: int) -> OutcomeStretch | None:
        """The first miss or false alarm that starts after a frame; the first one after the last."""
        later = [cell for cell in self.errors if cell.start > frame]
        return next(iter(later), next(iter(self.errors), None))

    def previous_error(self, frame: int) -> OutcomeStretch | None:
        earlier = [cell for cell in self.errors if cell.start < frame]
        return earlier[-1] if earlier else (self.errors[-1] if self.errors else None)


@dataclass(frozen=True, slots=True, eq=False)
class ReviewRequest:
    """What is reviewed; ``selected`` are positions in the trial's operations, ``None`` is all.

    ``rows`` are the probe's journal rows (:func:`probe_rows`), joined once for many reviews.
    """

    task: Task
    trial: Trial
    submission: Submission | None
    settings: TemporalSettings
    rival: Submission | None = None
    selected: frozenset[int] | None = None
    index: FrameIndex | None = None
    extent: Extent = field(default_factory=Extent)
    rows: Table | None = None


def review_video(request: ReviewRequest) -> VideoReview:
    """Compute the review; what is wrong with the tables is among its problems."""
    log = ProblemLog(trial=request.trial.id)
    declared = whole_in(request.trial.facts.get("FrameCount", ""))
    actual = None if request.index is None else len(request.index)
    length = declared or actual or request.extent.frames or 1
    clock = _clock(request)
    lanes = tuple(
        _lane(i, operation, request, clock, log)
        for i, operation in enumerate(request.trial.operations)
    )
    if declared is not None and actual is not None and declared != actual:
        log.warn(
            f"The index declares {declared} frames, but the file has {actual}",
            where=request.trial.probe.name,
            hint="scores use the number in the index, as NIST's program does",
            rule="video-frame-count",
        )
    _check_times(lanes, clock, log)
    audio = _stream(request, Stream.AUDIO, lanes, request.extent.samples or 0, clock, log)
    return VideoReview(
        trial=request.trial,
        lanes=lanes,
        video=_stream(request, Stream.VIDEO, lanes, length, clock, log),
        audio=audio if audio.reference or audio.system else None,
        clock=clock,
        settings=request.settings,
        declared_frames=declared,
        rival=_rival(request, lanes, length, clock),
        problems=log.freeze(),
    )


def _rival(
    request: ReviewRequest, lanes: Sequence[OperationLane], length: int, clock: FrameClock
) -> StreamReview | None:
    """The second submission's frames; its problems are reported when it is the current one."""
    if request.rival is None:
        return None
    second = replace(request, submission=request.rival, rival=None)
    return _stream(second, Stream.VIDEO, lanes, length, clock, ProblemLog())


def probe_rows(task: Task, trial: Trial) -> Table:
    """The journal rows of one probe, as ``score temporal`` joins them."""
    joins = task.probe_journals
    if joins is None or "ProbeFileID" not in joins:
        return journal_rows(task)
    codes, probes = joins["ProbeFileID"].dictionary
    code = probes.index(trial.probe.id) if trial.probe.id in probes else -1
    return journal_rows(replace(task, probe_journals=joins.filter(codes == code)))


def _clock(request: ReviewRequest) -> FrameClock:
    if request.index is not None and request.index.rate:
        return FrameClock(request.index.rate, request.index)
    return FrameClock(number_in(request.trial.facts.get("FrameRate", "")) or FALLBACK_RATE)


def _lane(
    position: int,
    operation: Operation,
    request: ReviewRequest,
    clock: FrameClock,
    log: ProblemLog,
) -> OperationLane:
    facts = operation.facts
    where = f"{operation.journal} {operation.name}"
    adjustment = number_in(facts.get("FrameTimeAdjustment", "")) or 0.0
    samples = facts.get("AudioSample") or facts.get("AudioFrame") or ""
    frames = _parsed(facts.get("VideoFrame", ""), where, log)
    sounds = facts.get("AudioTime", "")
    heard = intervals_at(sounds, rate=request.extent.sample_rate) if sounds.strip() else None
    times = _times(facts.get("VideoTime", ""), adjustment)
    at_times = (_at_time(start, end, clock) for start, end in times)
    return OperationLane(
        position=position,
        operation=operation,
        frames=frames,
        samples=_parsed(samples, where, log) or heard or (),
        times_ms=times,
        by_time=() if frames else tuple(at_times),
        adjustment_ms=adjustment,
        is_selected=request.selected is None or position in request.selected,
    )


def _at_time(start_ms: float, end_ms: float, clock: FrameClock) -> Interval:
    """The frames that begin within a time; the one that begins at its end is not among them."""
    first = clock.frame_at(start_ms)
    return Interval(first, max(first, clock.frame_at(end_ms) - 1))


def _stream(
    request: ReviewRequest,
    stream: Stream,
    lanes: Sequence[OperationLane],
    length: int,
    clock: FrameClock,
    log: ProblemLog,
) -> StreamReview:
    measure = request.settings.measure
    chosen = (lane for lane in lanes if lane.is_selected)
    reference = merge(_all_of(chosen, stream), measure=measure)
    trial, why, system, opt_out = _compared(request, stream, log)
    if trial is not None:
        length, reference = trial.length, trial.reference
    confusion = None if trial is None else trial.confusion(measure)
    beyond = (*leaving(reference, length=length), *leaving(system, length=length))
    return StreamReview(
        stream=stream,
        length=length,
        reference=reference,
        system=system,
        opt_out=opt_out,
        confusion=confusion,
        pairings=pair_intervals(reference, system, length=length, measure=measure, clock=clock)
        if stream is Stream.VIDEO
        else pair_intervals(reference, system, length=length, measure=measure, clock=None),
        beyond=beyond if length else (),
        why_unscored=why,
    )


def _compared(
    request: ReviewRequest, stream: Stream, log: ProblemLog
) -> tuple[TemporalTrial | None, str, Intervals, Intervals]:
    """(what ``score temporal`` would compare, why not, system intervals, opted-out ones)."""
    submission = request.submission
    if submission is None:
        return None, to_translate("No submission is open"), (), ()
    if not has_intervals(submission):
        return None, to_translate("Not scored: the submission has no intervals"), (), ()
    if request.task.index is None:
        return None, to_translate("The task has no index table"), (), ()
    reader = TemporalReader(request.task, submission, request.settings, log, _extents(request))
    answer = reader.system(request.trial.probe.id, stream)
    found = () if answer is None else answer.found
    opt_out = () if answer is None else answer.opt_out
    try:
        rows = request.rows or probe_rows(request.task, request.trial)
    except ForensicViewerError as error:
        return None, error.message, found, opt_out
    selected, others = _rows_of(rows, request)
    if not len(selected):
        why = to_translate("No operation is selected, so nothing is scored")
        return None, why, found, opt_out
    trial = reader.trial(request.trial.probe.id, stream, selected=selected, others=others)
    why = "" if trial is not None else to_translate("The rules exclude this probe")
    return trial, why, found, opt_out


def _rows_of(rows: Table, request: ReviewRequest) -> tuple[Table, Table]:
    """The probe's journal rows that are selected, and the others."""
    operations = request.trial.operations
    wanted = range(len(operations)) if request.selected is None else request.selected
    keys = {operations[i].key for i in wanted if i < len(operations)}
    names = ("ProbeFileID", "JournalName", "StartNodeID", "EndNodeID")
    chosen: list[int] = []
    others: list[int] = []
    for row, (probe, *key) in enumerate(zip(*(rows[name] for name in names), strict=True)):
        if probe == request.trial.probe.id:
            (chosen if tuple(key) in keys else others).append(row)
    return rows.take(np.array(chosen, np.intp)), rows.take(np.array(others, np.intp))


def _extents(request: ReviewRequest) -> Extents:
    return lambda _name: request.extent


def pair_intervals(
    reference: Intervals,
    system: Intervals,
    *,
    length: int,
    measure: Measure,
    clock: FrameClock | None,
) -> tuple[IntervalPair, ...]:
    """Each reference interval with the system interval that overlaps it most, in order of time."""
    found = clip(merge(system, measure=measure), length=length) if length else system
    paired = [(truth, _best(truth, found)) for truth in reference]
    rows = [_pairing(truth, best, clock) for truth, best in paired]
    alone = [each for each in found if not any(_overlap(each, truth) for truth in reference)]
    rows += [IntervalPair(None, each) for each in alone]
    return tuple(sorted(rows, key=lambda row: row.first))


def _best(truth: Interval, found: Iterable[Interval]) -> Interval | None:
    overlapping = [each for each in found if _overlap(each, truth)]
    return max(overlapping, key=lambda each: _overlap(each, truth), default=None)


def _overlap(one: Interval, other: Interval) -> int:
    return max(0, min(one.last, other.last) - max(one.first, other.first) + 1)


def _pairing(truth: Interval, found: Interval | None, clock: FrameClock | None) -> IntervalPair:
    if found is None:
        return IntervalPair(truth, None)
    return IntervalPair(
        truth,
        found,
        start_frames=found.first - truth.first,
        end_frames=found.last - truth.last,
        start_ms=None if clock is None else clock.ms(found.first) - clock.ms(truth.first),
        end_ms=None if clock is None else clock.ms(found.last) - clock.ms(truth.last),
    )


def _all_of(lanes: Iterable[OperationLane], stream: Stream) -> list[Interval]:
    is_video = stream is Stream.VIDEO
    return [each for lane in lanes for each in (lane.frames if is_video else lane.samples)]


def _parsed(cell: str, where: str, log: ProblemLog) -> Intervals:
    try:
        return parse_intervals(cell, where=where)
    except CodecError as error:
        log.add(error.as_problem())
        return ()


def _times(cell: str, adjustment_ms: float) -> tuple[tuple[float, float], ...]:
    """The journal's milliseconds moved by its adjustment; unreadable ones are left to frames."""
    try:
        pairs = number_pairs(cell) or ()
        return tuple((a + adjustment_ms, b + adjustment_ms) for a, b in pairs)
    except OverflowError:
        return ()


def _check_times(lanes: Iterable[OperationLane], clock: FrameClock, log: ProblemLog) -> None:
    """Tell where a journal's adjusted times and its frames mean different images."""
    if clock.index is None:
        return
    tolerance = 2
    for lane in lanes:
        for each, (start_ms, _) in zip(lane.frames, lane.times_ms, strict=False):
            frame = clock.frame_at(start_ms)
            if abs(frame - each.first) > tolerance:
                log.note(
                    f"{lane.operation.name} starts at frame {each.first}, but its adjusted time"
                    f" {start_ms:.0f} ms is frame {frame}",
                    where=lane.operation.journal,
                    hint=f"FrameTimeAdjustment is {lane.adjustment_ms:g} ms",
                    rule="video-time-adjustment",
                )
