"""Intervals of frames or audio samples: their outcome against a reference, and its MCC.

Intervals are written as NIST's tables write them, first and last frame, counted from 1. How much
they cover is a matter of the rules: NIST's program treats frames as points on a line, so ``[10,
20]`` covers 10 units of a video of ``FrameCount - 1``; its plan counts frames, so it covers 11.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from forensicviewer.core.problem import CodecError


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """Frames ``first`` to ``last``, both included."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"[{self.first}, {self.last}]"


Intervals = tuple[Interval, ...]


class Measure(Enum):
    """How much an interval covers."""

    LINE = "line"
    FRAMES = "frames"

    @property
    def last_offset(self) -> int:
        """The offset from an interval's last frame to its end on the axis."""
        return 0 if self is Measure.LINE else 1


class IntervalOutcome(Enum):
    """The outcome of a stretch of time; no-score reasons are separate."""

    CORRECT_REJECTION = "TN"
    MISS = "FN"
    FALSE_ALARM = "FP"
    HIT = "TP"
    COLLAR = "X"
    UNSELECTED = "U"
    OPT_OUT = "Y"

    @property
    def is_scored(self) -> bool:
        return self in _SCORED

    @property
    def is_error(self) -> bool:
        return self in (IntervalOutcome.MISS, IntervalOutcome.FALSE_ALARM)


_SCORED = frozenset(
    (
        IntervalOutcome.CORRECT_REJECTION,
        IntervalOutcome.MISS,
        IntervalOutcome.FALSE_ALARM,
        IntervalOutcome.HIT,
    )
)


@dataclass(frozen=True, slots=True)
class OutcomeStretch:
    """A stretch of the axis with one outcome, ``start`` included and ``end`` excluded."""

    start: int
    end: int
    outcome: IntervalOutcome

    @property
    def length(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class NoScore:
    """Excluded stretches; opt-out has priority over unselected, unselected over collar."""

    collar: int = 0
    opt_out: Intervals = ()
    unselected: Intervals = ()


@dataclass(frozen=True, slots=True)
class TemporalConfusion:
    """The outcome of a whole video or sound track, as stretches from its start to its end."""

    cells: tuple[OutcomeStretch, ...]

    def amount(self, outcome: IntervalOutcome) -> int:
        return sum(cell.length for cell in self.cells if cell.outcome is outcome)

    @property
    def tp(self) -> int:
        return self.amount(IntervalOutcome.HIT)

    @property
    def fp(self) -> int:
        return self.amount(IntervalOutcome.FALSE_ALARM)

    @property
    def fn(self) -> int:
        return self.amount(IntervalOutcome.MISS)

    @property
    def tn(self) -> int:
        return self.amount(IntervalOutcome.CORRECT_REJECTION)

    @property
    def mcc(self) -> float:
        """Matthews' correlation coefficient; 0 where it is not defined, as NIST's program has it.

        A video that is manipulated and detected from end to end therefore scores 0.
        """
        tp, fp, fn, tn = self.tp, self.fp, self.fn, self.tn
        product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        return (tp * tn - fp * fn) / math.sqrt(product) if product else 0.0

    def errors(self) -> tuple[OutcomeStretch, ...]:
        """Misses and false alarms in order."""
        return tuple(cell for cell in self.cells if cell.outcome.is_error)

    def outcome_at(self, frame: int) -> IntervalOutcome | None:
        """The outcome a frame falls into; ``None`` outside the video."""
        starts = [cell.start for cell in self.cells]
        at = bisect_right(starts, frame) - 1
        if at < 0 or frame > self.cells[at].end:
            return None
        return self.cells[at].outcome


def compare(
    *,
    reference: Iterable[Interval],
    system: Iterable[Interval],
    length: int,
    measure: Measure,
    no_score: NoScore | None = None,
) -> TemporalConfusion:
    """The outcome of every stretch of a video of ``length`` frames; what lies outside is ignored.

    Collars surround every boundary of the merged reference intervals, those of a single frame too,
    even where a single frame covers nothing.
    """
    axis = _Axis(length, measure)
    truth, called = axis.spans(reference), axis.spans(system)
    left_out = no_score or NoScore()
    zones = (
        (axis.spans(left_out.opt_out), IntervalOutcome.OPT_OUT),
        (axis.spans(left_out.unselected), IntervalOutcome.UNSELECTED),
        (axis.collars(reference, left_out.collar), IntervalOutcome.COLLAR),
    )
    edges = axis.edges([truth, called, *(spans for spans, _ in zones)])
    is_true, is_called = _membership(truth), _membership(called)
    excluded = [(_membership(spans), outcome) for spans, outcome in zones]
    cells: list[OutcomeStretch] = []
    for start, end in pairwise(edges):
        outcome = next((outcome for inside, outcome in excluded if inside(start)), None)
        outcome = outcome or _scored_outcome(is_true=is_true(start), is_called=is_called(start))
        _append(cells, OutcomeStretch(start, end, outcome))
    return TemporalConfusion(tuple(cells))


def merge(intervals: Iterable[Interval], *, measure: Measure) -> Intervals:
    """The union: intervals that touch become one. Frames 14 and 15 touch only as frames."""
    offset = measure.last_offset
    spans = _merged((each.first, each.last + offset) for each in map(_forward, intervals))
    return tuple(Interval(start, end - offset) for start, end in spans)


def clip(intervals: Iterable[Interval], *, length: int) -> Intervals:
    """The intervals cut to frames 1 to ``length``; those entirely outside are dropped."""
    forward = map(_forward, intervals)
    return tuple(
        Interval(max(each.first, 1), min(each.last, length))
        for each in forward
        if each.first <= length and each.last >= 1
    )


def leaving(intervals: Iterable[Interval], *, length: int) -> Intervals:
    """The intervals that reach outside frames 1 to ``length``."""
    return tuple(each for each in intervals if _forward(each) != each or not _fits(each, length))


def overlapping(intervals: Sequence[Interval]) -> Intervals:
    """The intervals that share a frame with one listed before them."""
    starts = sorted({each.first for each in intervals})
    seen = _LatestEnds(len(starts))
    found = []
    for each in intervals:
        # Of those that begin before this one ends, the one that ends last decides.
        if seen.latest(bisect_right(starts, each.last)) >= each.first:
            found.append(each)
        seen.add(bisect_right(starts, each.first), each.last)
    return tuple(found)


class _LatestEnds:
    """The latest end among the first so many places (a Fenwick tree)."""

    def __init__(self, places: int) -> None:
        self._ends = [-math.inf] * (places + 1)

    def add(self, place: int, end: int) -> None:
        while place < len(self._ends):
            self._ends[place] = max(self._ends[place], end)
            place += place & -place

    def latest(self, places: int) -> float:
        latest = -math.inf
        while places:
            latest = max(latest, self._ends[places])
            places -= places & -places
        return latest


def parse_intervals(text: str, *, where: str = "") -> Intervals:
    """Read ``[[a, b], …]``; blank means none.

    NIST's program stops at a blank cell, at ``[ ]`` and at ``10.0``; here they mean what they say.
    """
    if not text.strip():
        return ()
    pairs = number_pairs(text)
    if pairs is None or not all(_is_whole(bound) for pair in pairs for bound in pair):
        raise _unreadable(text, where)
    return tuple(Interval(int(first), int(last)) for first, last in pairs)


def intervals_at(text: str, *, rate: float | None, later_ms: float = 0.0) -> Intervals | None:
    """Times in milliseconds from 0, as ``[[300, 1200]]``, as units counted from 1.

    ``later_ms`` is added to every time. ``None`` if that is not such a list, or if the
    rate (units a second) is unknown.
    """
    pairs = number_pairs(text)
    if pairs is None or not rate:
        return None
    pairs = [(first + later_ms, last + later_ms) for first, last in pairs]
    starts_ends = ((round(a * rate / 1000) + 1, round(b * rate / 1000)) for a, b in pairs)
    return tuple(Interval(first, max(first, last)) for first, last in starts_ends)


def number_pairs(text: str) -> list[tuple[float, float]] | None:
    """The pairs of a cell like ``[[1, 5.5], [7, 9]]``; ``None`` where it is not such a list."""
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(listed, list) or not all(_is_pair(pair) for pair in listed):
        return None
    return [(first, last) for first, last in listed]


def _is_whole(bound: float) -> bool:
    return isinstance(bound, int) or bound.is_integer()


def _is_pair(pair: object) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and all(isinstance(bound, int | float) and not isinstance(bound, bool) for bound in pair)
    )


def _unreadable(text: str, where: str) -> CodecError:
    shown = text if len(text) <= 60 else text[:57] + "…"
    return CodecError(
        f"The intervals {shown!r} cannot be read",
        where=where,
        hint="write pairs of whole frame numbers, as in [[1, 20], [40, 230]]",
        rule="temporal-intervals",
    )


def _fits(interval: Interval, length: int) -> bool:
    return interval.first >= 1 and interval.last <= length


def _forward(interval: Interval) -> Interval:
    if interval.first <= interval.last:
        return interval
    return Interval(interval.last, interval.first)


def _scored_outcome(*, is_true: bool, is_called: bool) -> IntervalOutcome:
    if is_true:
        return IntervalOutcome.HIT if is_called else IntervalOutcome.MISS
    return IntervalOutcome.FALSE_ALARM if is_called else IntervalOutcome.CORRECT_REJECTION


def _append(cells: list[OutcomeStretch], cell: OutcomeStretch) -> None:
    """Add a stretch, joined to the one before where nothing changes between them."""
    if cells and cells[-1].outcome is cell.outcome:
        cells[-1] = OutcomeStretch(cells[-1].start, cell.end, cell.outcome)
    else:
        cells.append(cell)


Spans = tuple[tuple[int, int], ...]  # disjoint, in order, end excluded


@dataclass(frozen=True, slots=True)
class _Axis:
    """The axis of the outcomes: from 1 to the end of the last frame."""

    length: int
    measure: Measure

    @property
    def end(self) -> int:
        return max(1, self.length + self.measure.last_offset)

    def spans(self, intervals: Iterable[Interval]) -> Spans:
        merged = merge(intervals, measure=self.measure)
        return self._inside((each.first, each.last + self.measure.last_offset) for each in merged)

    def collars(self, reference: Iterable[Interval], collar: int) -> Spans:
        if collar <= 0:
            return ()
        merged = merge(reference, measure=self.measure)
        bounds = (
            bound for each in merged for bound in (each.first, each.last + self.measure.last_offset)
        )
        return self._inside((bound - collar, bound + collar) for bound in bounds)

    def edges(self, layers: Iterable[Spans]) -> list[int]:
        bounds = {bound for spans in layers for span in spans for bound in span}
        return sorted(bounds | {1, self.end})

    def _inside(self, spans: Iterable[tuple[int, int]]) -> Spans:
        cut = ((max(start, 1), min(end, self.end)) for start, end in spans)
        return _merged((start, end) for start, end in cut if start < end)


def _merged(spans: Iterable[tuple[int, int]]) -> Spans:
    union: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if union and start <= union[-1][1]:
            union[-1] = (union[-1][0], max(union[-1][1], end))
        else:
            union.append((start, end))
    return tuple(union)


def _membership(spans: Spans) -> Callable[[int], bool]:
    starts = [start for start, _ in spans]

    def inside(point: int) -> bool:
        at = bisect_right(starts, point) - 1
        return at >= 0 and point < spans[at][1]

    return inside
