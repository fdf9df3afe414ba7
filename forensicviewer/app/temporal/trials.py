"""What is compared for one probe: its reference and system intervals, read from the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from forensicviewer.app.report.numbers import significant
from forensicviewer.core.model import Status, Submission, Task, TrialId
from forensicviewer.core.problem import CodecError, ProblemLog, UsageError
from forensicviewer.core.query.grammar import Queries, queries_of
from forensicviewer.core.rules import MEDISCORE, VERBATIM, RuleSet, Switch, rule_set
from forensicviewer.core.rules import temporal as switches
from forensicviewer.core.table.number_cell import number_in, whole_in
from forensicviewer.core.table.text_table import Column, Table
from forensicviewer.core.temporal import (
    Interval,
    Intervals,
    Measure,
    NoScore,
    TemporalConfusion,
    compare,
    intervals_at,
    leaving,
    merge,
    overlapping,
    parse_intervals,
)

EVERYTHING = "*"
_DECIMALS = 12  # NIST's program rounds every MCC to 12 decimals before averaging

DESIGNATION = "VideoTaskDesignation"
_INTERVALS_COUNT = (Status.PROCESSED, Status.OPT_OUT_SPATIAL, Status.OPT_OUT_DETECTION)
_EMPTY_ANSWER = (Status.NON_PROCESSED, Status.FAILED_VALIDATION)


class Stream(Enum):
    """What the intervals are counted in."""

    VIDEO = "video"
    AUDIO = "audio"


@dataclass(frozen=True, slots=True)
class StreamColumns:
    """The columns that hold a stream's intervals; the first of ``reference`` found is used.

    ``times`` holds the reference's in milliseconds.
    """

    reference: tuple[str, ...]
    times: str
    system: str
    opt_out: str | None


COLUMNS: Mapping[Stream, StreamColumns] = {
    Stream.VIDEO: StreamColumns(
        ("VideoFrame",), "VideoTime", "VideoFrameSegments", "VideoFrameOptOutSegments"
    ),
    # MFC2018's tables say AudioFrame where MFC2019's say AudioSample.
    Stream.AUDIO: StreamColumns(
        ("AudioSample", "AudioFrame"), "AudioTime", "AudioSampleSegments", None
    ),
}


def has_intervals(submission: Submission) -> bool:
    """Whether a submission has columns of intervals; NC2017's has none (5.1.1)."""
    return any(columns.system in submission.table for columns in COLUMNS.values())


@dataclass(frozen=True, slots=True)
class Extent:
    """How long a probe is, as far as its file tells; ``None`` where it does not."""

    frames: int | None = None
    samples: int | None = None
    samples_per_frame: float | None = None
    sample_rate: float | None = None


Extents = Callable[[str], Extent]  # by ProbeFileName


def no_extents(name: str) -> Extent:  # noqa: ARG001 - one of many answers to the same question
    """For when no media file can be asked."""
    return Extent()


@dataclass(frozen=True, slots=True)
class TemporalSettings:
    """How intervals are scored.

    ``score_all`` ignores what the system says about its status, ``ignore_opt_out_segments`` its
    opted-out frames. Intervals that leave the video or overlap are cut and merged, or make the
    answer invalid when they are to be refused. ``precision`` is in significant digits; without it
    numbers have NIST's 12 decimals.
    """

    rules: RuleSet = MEDISCORE
    collar: int = 0
    queries: tuple[str, ...] = (EVERYTHING,)
    partition: str = ""
    precision: int | None = None
    score_all: bool = False
    ignore_opt_out_segments: bool = False
    refuse_beyond_end: bool = False
    refuse_overlap: bool = False

    @classmethod
    def from_options(
        cls,
        *,
        rules: str = MEDISCORE.name,
        rule: Iterable[Switch] = (),
        query: Queries = None,
        query_partition: str | None = None,
        query_manipulation: Queries = None,
        opt_out: bool = False,
        precision: int | None = None,
        collar: int = 0,
        score_all: bool = False,
        ignore_opt_out_segments: bool = False,
        refuse_beyond_end: bool = False,
        refuse_overlap: bool = False,
    ) -> TemporalSettings:
        """The settings that options of the command line and the Python API mean, by their names.

        Every query is one of journal rows, whichever of the two options it comes from.
        """
        if opt_out and score_all:
            raise UsageError(
                "--opt-out and --score-all cannot be combined",
                hint="omit --opt-out: opted-out probes are excluded anyway",
            )
        return cls(
            rules=rule_set(rules, rule),
            collar=collar,
            queries=(*queries_of(query), *queries_of(query_manipulation)) or (EVERYTHING,),
            partition=query_partition or "",
            precision=precision,
            score_all=score_all,
            ignore_opt_out_segments=ignore_opt_out_segments,
            refuse_beyond_end=refuse_beyond_end,
            refuse_overlap=refuse_overlap,
        )

    @property
    def measure(self) -> Measure:
        return Measure(self.rules.choice(switches.IntervalMeasure).value)

    def rounded(self, value: float) -> float:
        if self.precision is None:
            return round(value, _DECIMALS)
        return significant(value, self.precision)

    @property
    def refuses_beyond_end(self) -> bool:
        return self.refuse_beyond_end and self.rules.chooses(switches.BeyondEnd.AS_ASKED)


@dataclass(frozen=True, slots=True)
class TemporalTrial:
    """One probe's intervals, ready to be compared; ``collar`` is in the stream's own unit."""

    probe: str
    length: int
    reference: Intervals
    system: Intervals
    opt_out: Intervals = ()
    unselected: Intervals = ()
    collar: int = 0

    def confusion(self, measure: Measure) -> TemporalConfusion:
        zones = NoScore(collar=self.collar, opt_out=self.opt_out, unselected=self.unselected)
        return compare(
            reference=self.reference,
            system=self.system,
            length=self.length,
            measure=measure,
            no_score=zones,
        )


@dataclass(frozen=True, slots=True)
class SystemIntervals:
    """What a system says about one probe."""

    found: Intervals = ()
    opt_out: Intervals = ()


@dataclass(frozen=True, eq=False)
class TemporalReader:
    """Reads the intervals of a task and a submission probe by probe, noting what is wrong."""

    task: Task
    submission: Submission
    settings: TemporalSettings
    log: ProblemLog
    extents: Extents = no_extents
    _index_rows: dict[str, int] = field(init=False, default_factory=dict)
    _reference_rows: dict[str, int] = field(init=False, default_factory=dict)
    _answer_rows: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for table, rows in (*self._tables, (self.submission.table, self._answer_rows)):
            column = table["ProbeFileID"] if "ProbeFileID" in table else Column.of(())
            for row, probe in enumerate(column):
                rows.setdefault(probe, row)

    @property
    def _tables(self) -> list[tuple[Table, dict[str, int]]]:
        """The tables that describe probes, and where in them each probe stands."""
        listed = (
            (self.task.index, self._index_rows),
            (self.task.reference, self._reference_rows),
        )
        return [(table, rows) for table, rows in listed if table is not None]

    def trial(
        self, probe: str, stream: Stream, *, selected: Table, others: Table
    ) -> TemporalTrial | None:
        """What to compare; ``None`` where the rules leave the probe out or nothing can be compared.

        ``selected`` are the probe's journal rows the query chose, ``others`` the rest.
        """
        answer = self.system(probe, stream)
        if answer is None:
            return None
        selected, spatial = self._by_designation(selected)
        reference = self.reference(selected, stream)
        if stream is Stream.AUDIO and not reference and not answer.found:
            return None
        rest = self.reference(others, stream)
        if not self._has_task(probe, stream, selected, reference, rest):
            return None
        length = self.length(probe, stream)
        if length is None:
            return None
        self._report_reference(probe, reference, length)
        for listed in (answer.found, answer.opt_out, reference):
            if listed and all(
                each.first in (each.last, length) or each.first > length for each in listed
            ):
                self.note_stop(f"intervals of {probe} of zero length")
        left_out = self.reference(spatial, stream)
        if self.settings.rules.chooses(switches.Unselected.NO_SCORE):
            left_out = merge((*left_out, *rest), measure=self.settings.measure)
        return TemporalTrial(
            probe=probe,
            length=length,
            reference=reference,
            system=self._checked(probe, answer.found, length),
            opt_out=() if self.settings.ignore_opt_out_segments else answer.opt_out,
            unselected=self._outside(reference, left_out),
            collar=self._collar(probe, stream),
        )

    def _by_designation(self, rows: Table) -> tuple[Table, Table]:
        """The operations that temporal localization is asked about, and those it is not."""
        if DESIGNATION not in rows or self.settings.rules.chooses(switches.Designation.IGNORED):
            return rows, rows.take(np.empty(0, np.intp))
        words = [cell.strip().lower() for cell in rows[DESIGNATION]]
        is_spatial = np.array([word == "spatial" for word in words], dtype=np.bool_)
        return rows.filter(~is_spatial), rows.filter(is_spatial)

    def _has_task(
        self, probe: str, stream: Stream, selected: Table, reference: Intervals, rest: Intervals
    ) -> bool:
        """Whether there is something to find here that was asked for (MFC2019 plan, Table 1)."""
        if not len(selected):
            why = "its operations are for spatial localization only"
            self.log.note(f"{probe} is excluded: {why}", rule=switches.Designation.key)
            return False
        # NIST's program scores frames all the same; it has no sound.
        is_strict = stream is Stream.AUDIO or self.settings.rules.chooses(
            switches.Unselected.NO_SCORE
        )
        if reference or not rest or not is_strict:
            return True
        self.log.note(
            f"The {stream.value} of {probe} is not scored: only unselected operations changed it",
            rule=switches.Unselected.key,
        )
        return False

    def reference(self, rows: Table, stream: Stream) -> Intervals:
        """The union of the intervals of these journal rows."""
        names = [name for name in COLUMNS[stream].reference if name in rows]
        found: list[Interval] = []
        for row in range(len(rows)):
            listed: Intervals = ()
            for name in names[:1]:
                cell, where = rows.cell(name, row), f"{_journal_file(self.task)} {name}"
                if not cell:
                    self.note_stop("a blank list of intervals", where=where)
                listed = self._parsed(cell, where=where)
            found += listed or self._by_time(rows, row, stream)
        return merge(found, measure=self.settings.measure)

    def _by_time(self, rows: Table, row: int, stream: Stream) -> Intervals:
        """What the journal's times say of an operation without frames or samples."""
        column = COLUMNS[stream].times
        cell = rows.cell(column, row) if column in rows else ""
        if cell.strip() in ("", "[]") or self.settings.rules.chooses(switches.Times.IGNORED):
            return ()
        probe, unit = rows.cell("ProbeFileID", row), _UNITS[stream]
        adjusted = rows.cell(_ADJUSTMENT, row) if _ADJUSTMENT in rows else ""
        later_ms = (number_in(adjusted) or 0.0) if stream is Stream.VIDEO else 0.0
        found = intervals_at(cell, rate=self._rate(probe, stream), later_ms=later_ms)
        where = f"{_journal_file(self.task)} {column}"
        if found is None:
            self.log.warn(
                f"The times {cell} of {probe} cannot be converted to {unit}",
                where=where,
                hint="the sample rate is read from the probe's file, if the dataset contains it"
                if stream is Stream.AUDIO
                else "the rate is read from FrameRate in the reference or from the probe's file",
                rule=switches.Times.key,
            )
            return ()
        self.log.note(
            f"The {unit} of {probe} are computed from its times {cell}",
            where=where,
            rule=switches.Times.key,
        )
        return found

    def _rate(self, probe: str, stream: Stream) -> float | None:
        """Frames or samples a second."""
        rate = number_in(self._cell(probe, "FrameRate")) if stream is Stream.VIDEO else None
        if rate:
            return rate
        extent = self.extents(self._cell(probe, "ProbeFileName"))
        if stream is Stream.AUDIO or not extent.samples_per_frame or not extent.sample_rate:
            return extent.sample_rate if stream is Stream.AUDIO else None
        return extent.sample_rate / extent.samples_per_frame

    def _cell(self, probe: str, column: str) -> str:
        """What the index says of a probe, or else the reference (MFC2019 plan, 3.5.1)."""
        found = ""
        for table, rows in self._tables:
            row = rows.get(probe)
            if row is not None and not found.strip():
                found = table.cell(column, row)
        return found

    def system(self, probe: str, stream: Stream) -> SystemIntervals | None:
        """The system's intervals; ``None`` where its status leaves the probe out."""
        row = self._answer_rows.get(probe)
        if row is None:
            return self._missing(probe)
        table = self.submission.table
        status = _status(table.cell("ProbeStatus", row))
        if not self._scores(status):
            self.log.about(TrialId(probe)).note(
                f"{probe} is excluded: its status is {table.cell('ProbeStatus', row)}",
                where=table.where(row),
                rule="temporal-status",
            )
            return None
        if status in _EMPTY_ANSWER and not self.settings.score_all:
            return SystemIntervals()
        columns = COLUMNS[stream]
        opt_out = table.cell(columns.opt_out, row) if columns.opt_out else ""
        return SystemIntervals(
            found=self._parsed(table.cell(columns.system, row), where=table.where(row)),
            opt_out=self._parsed(opt_out, where=table.where(row)),
        )

    def length(self, probe: str, stream: Stream) -> int | None:
        """Frames by the index or the reference, else by the file; samples by the file."""
        index, row = self.task.index, self._index_rows[probe]
        assert index is not None
        length = whole_in(self._cell(probe, "FrameCount")) if stream is Stream.VIDEO else None
        if length is None:
            # The file is asked only where it must be: that may mean decoding it.
            extent = self.extents(self._cell(probe, "ProbeFileName"))
            length = extent.samples if stream is Stream.AUDIO else extent.frames
        if length is None or length < 1:
            self.log.about(TrialId(probe)).warn(
                f"{probe} is not scored: its number of {_UNITS[stream]} is unknown",
                where=index.where(row),
                hint="the number is read from the probe's file, if the dataset contains it"
                if stream is Stream.AUDIO
                else (
                    "the number is read from FrameCount in the index or reference, or from "
                    "the probe's file"
                ),
                rule="temporal-length",
            )
            return None
        return length

    def _collar(self, probe: str, stream: Stream) -> int:
        """The collar is given in frames; for sound it lasts as long."""
        if stream is Stream.VIDEO or not self.settings.collar:
            return self.settings.collar
        extent = self.extents(self._cell(probe, "ProbeFileName"))
        return round(self.settings.collar * (extent.samples_per_frame or 0))

    def _scores(self, status: Status | None) -> bool:
        if self.settings.score_all or "ProbeStatus" not in self.submission.table:
            return True
        if self.settings.rules.chooses(switches.StatusScope.PROCESSED_ONLY):
            return status is Status.PROCESSED
        return status is None or status in _INTERVALS_COUNT or status in _EMPTY_ANSWER

    def _missing(self, probe: str) -> SystemIntervals:
        self.log.about(TrialId(probe)).warn(
            f"{probe} has no answer and is scored as one without intervals",
            where=self.submission.table.name,
            hint="NIST's program stops at a probe without an answer",
            rule="temporal-missing",
        )
        return SystemIntervals()

    def _parsed(self, cell: str, *, where: str) -> Intervals:
        try:
            return parse_intervals(cell, where=where)
        except CodecError as error:
            self.log.add(error.as_problem())
            return ()

    def _checked(self, probe: str, found: Intervals, length: int) -> Intervals:
        """The system's intervals after the checks that may refuse them."""
        where = self.submission.table.where(self._answer_rows[probe]) if found else ""
        outside, twice = leaving(found, length=length), overlapping(found)
        refused = (outside and self.settings.refuses_beyond_end) or (
            twice and self.settings.refuse_overlap
        )
        if outside:
            fate = "the answer is refused" if refused else "they are cut"
            self.log.about(TrialId(probe)).warn(
                f"{_listed(outside)} of {probe} exceed the video of {length} frames: {fate}",
                where=where,
                rule="temporal-beyond-end",
            )
        if twice and self.settings.refuse_overlap:
            self.log.about(TrialId(probe)).warn(
                f"{_listed(twice)} of {probe} overlap: the answer is refused",
                where=where,
                rule="temporal-overlap",
            )
        self._report_single_frames(found, of=probe, where=where)
        return () if refused else found

    def note_stop(self, what: str, *, where: str = "") -> None:
        """Say, where NIST's program is imitated, that it would have ended without a result."""
        if self.settings.rules.name == VERBATIM.name:
            self.log.note(
                f"NIST's program stops without a result at {what}",
                where=where,
                rule="temporal-nist-stops",
            )

    def _report_reference(self, probe: str, reference: Intervals, length: int) -> None:
        where = _journal_file(self.task)
        outside = leaving(reference, length=length)
        if outside:
            self.log.about(TrialId(probe)).warn(
                f"The reference {_listed(outside)} of {probe} exceeds the video of {length} frames",
                where=where,
                hint="they are cut here; NIST's program stops",
                rule="temporal-reference-beyond-end",
            )
        self._report_single_frames(reference, of=f"the reference of {probe}", where=where)

    def _report_single_frames(self, found: Intervals, *, of: str, where: str) -> None:
        single = tuple(each for each in found if each.first == each.last)
        if single and self.settings.measure is Measure.LINE:
            self.log.note(
                f"Single frames {_listed(single)} in {of} have zero length under these rules",
                where=where,
                hint="NIST's program stops if a list contains only such frames; the plan "
                "counts them",
                rule="temporal-single-frame",
            )

    def _outside(self, reference: Intervals, others: Intervals) -> Intervals:
        """What of the other operations is not selected as well: selected beats unselected."""
        remaining: list[tuple[int, int]] = []
        offset = self.settings.measure.last_offset
        for each in others:
            start = each.first
            for chosen in reference:
                if chosen.last + offset <= start or chosen.first >= each.last + offset:
                    continue
                remaining.append((start, chosen.first))
                start = chosen.last + offset
            remaining.append((start, each.last + offset))
        return tuple(Interval(start, end - offset) for start, end in remaining if start < end)


_ADJUSTMENT = "FrameTimeAdjustment"
_UNITS: Mapping[Stream, str] = {Stream.VIDEO: "frames", Stream.AUDIO: "audio samples"}


def _journal_file(task: Task) -> str:
    return task.journal_masks.name if task.journal_masks is not None else ""


def _listed(intervals: Intervals) -> str:
    shown = ", ".join(str(each) for each in intervals[:3])
    return shown + (f" and {len(intervals) - 3} more" if len(intervals) > 3 else "")


def _status(cell: str) -> Status | None:
    """The status; blank is none, and an unknown word is an opt-out of everything."""
    word = cell.strip()
    if not word:
        return None
    return next((status for status in Status if status.value == word), Status.OPT_OUT_ALL)
