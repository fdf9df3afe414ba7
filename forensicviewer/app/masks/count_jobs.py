"""Turns trials into counting jobs, has them done, and hands out what each side of a trial shows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from forensicviewer.app.masks.counting import CountingJob, CountingOffice, Outcome
from forensicviewer.app.masks.image_count import CountJob, Mark, ReferenceKind
from forensicviewer.app.masks.journal import Journal
from forensicviewer.app.masks.selection import Selection
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.masks.status import Statuses
from forensicviewer.app.masks.trials import TrialRow
from forensicviewer.app.masks.unusable import unusable_mask
from forensicviewer.app.report.score_output import OutputTable
from forensicviewer.core.model import Edition, Side, Submission, Task
from forensicviewer.core.problem import ProblemLog, UnsafePathError
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.score import LevelCounts
from forensicviewer.sources.files.paths import resolve

JobT = TypeVar("JobT", bound=CountingJob[Any])
_MARKED_KINDS = (
    ReferenceKind.COLOURS,
    ReferenceKind.COLOURS_ELSE_BACKGROUND,
    ReferenceKind.BIT_PLANES,
)


def _mask_column(*, planes: bool) -> str:
    return "ProbeBitPlaneMaskFileName" if planes else "ProbeMaskFileName"


@dataclass(frozen=True, slots=True)
class SideWork(Generic[JobT]):
    """One side of one trial: its job; ``None`` leaves it unscored."""

    job: JobT | None
    is_omitted: bool = False
    opt_out_score: int | None = None


@dataclass(frozen=True, slots=True)
class JobMaker:
    """Knows how a trial of this task and submission becomes jobs."""

    task: Task
    submission: Submission
    settings: MaskSettings
    journal: Journal | None
    statuses: Statuses
    log: ProblemLog

    def work(self, row: TrialRow, side: Side, selection: Selection) -> SideWork[CountJob]:
        kind = self._kind(row, side)
        level, is_usable = self.opt_out_score(row, side)
        marks = self._marks(row, selection, kind) if self.is_asked(row, side) else None
        if marks is None or not is_usable:
            return SideWork(None)
        try:
            reference, system = self._reference(row, side, kind), self._named_system(row, side)
        except UnsafePathError as error:
            self.log.add(replace(error.as_problem(), where=row.where))
            return SideWork(None)
        job = CountJob(
            reference=reference,
            kind=kind,
            marks=marks,
            kernels=self.settings.kernels(self.task.kind),
            system=system,
            low_planes_only=self.settings.chooses(switches.SingleComponent.LOST),
            full_planes_fail=self.settings.chooses(switches.FullPlanes.UNSCORED),
            grey_only=self.settings.chooses(switches.ColourMasks.REFUSED),
        )
        return SideWork(self._standing_in(job, row, side), system is None, level)

    def is_asked(self, row: TrialRow, side: Side) -> bool:
        """Whether a side of a trial is to be scored at all."""
        if self.settings.opt_out and self.statuses.is_side_opted_out(row.cells, side):
            return False
        return side in row.sizes or self._tolerates_missing_index(row)

    def white_instead(
        self, work: SideWork[CountJob], row: TrialRow, side: Side
    ) -> SideWork[CountJob]:
        """The same work with a white mask, for a system mask that cannot be used."""
        assert work.job is not None
        job = self._standing_in(replace(work.job, system=None), row, side)
        return replace(work, job=job, is_omitted=True)

    def _standing_in(self, job: CountJob, row: TrialRow, side: Side) -> CountJob:
        by_index = self.settings.chooses(switches.StandInSize.INDEX)
        if job.system is not None or not by_index:
            return job
        return replace(job, stand_in=row.sizes.get(side))

    def _tolerates_missing_index(self, row: TrialRow) -> bool:
        if self.settings.chooses(switches.NotInIndex.UNSCORED):
            return False
        self.log.warn(
            f"The index does not list {' and '.join(row.key)}; it is scored all the same",
            where=row.where,
            rule=switches.NotInIndex.key,
        )
        return True

    def _kind(self, row: TrialRow, side: Side) -> ReferenceKind:
        if self.task.kind.has_donor:
            if side is Side.DONOR:
                return ReferenceKind.BLACK
            if self._has_coloured_splice(row):
                if self.settings.bit_planes:
                    return ReferenceKind.BIT_PLANES
                return ReferenceKind.COLOURS_ELSE_BACKGROUND
            no_kernels = self.settings.erode_px == self.settings.dilate_px == 0
            if no_kernels and self.settings.chooses(switches.ZeroKernels.MANIPULATED):
                return ReferenceKind.MARKED
            return ReferenceKind.BLACK_ELSE_BACKGROUND
        if self.journal is None:
            return ReferenceKind.BLACK
        return ReferenceKind.BIT_PLANES if self.settings.bit_planes else ReferenceKind.COLOURS

    def _has_coloured_splice(self, row: TrialRow) -> bool:
        """Whether the plans' reference of a splice is asked for, and there is one."""
        if self.settings.chooses(switches.SpliceReference.BINARY) or self.journal is None:
            return False
        planes = self.settings.bit_planes
        steps = [self.journal.rows[number] for number in self.journal.of_trial(row.key)]
        has_marks = any(step.bit_plane if planes else step.color for step in steps)
        is_named = bool(row.cells.get(_mask_column(planes=planes), "").strip())
        return self.task.edition is not Edition.NC2016 and has_marks and is_named

    def _marks(
        self, row: TrialRow, selection: Selection, kind: ReferenceKind
    ) -> tuple[Mark, ...] | None:
        """What marks the trial's operations; ``None`` when its journal is too broken to score."""
        if kind not in _MARKED_KINDS or self.journal is None:
            return ()
        marks: dict[Mark, None] = {}
        for number in self.journal.of_trial(row.key):
            step, asked = self.journal.rows[number], selection.asked[number]
            is_broken = not step.is_known and (asked or self.settings.bit_planes)
            if is_broken or (asked and step.has_unreadable_mark(planes=self.settings.bit_planes)):
                if self.settings.chooses(switches.BrokenJournal.UNSCORED):
                    return None
                self.log.warn(
                    f"The operation {' '.join(step.step)} of {row.key[0]} has no usable mark"
                    " and is skipped",
                    where=row.where,
                    rule=switches.BrokenJournal.key,
                )
                continue
            planes = self.settings.bit_planes
            mark = Mark(
                color=None if planes else step.color,
                bit_plane=step.bit_plane if planes else None,
                selected=asked,
            )
            marks[mark] = None
        return tuple(marks)

    def _reference(self, row: TrialRow, side: Side, kind: ReferenceKind) -> Path | None:
        column = f"{side.value}MaskFileName"
        if kind in _MARKED_KINDS:
            column = _mask_column(planes=kind is ReferenceKind.BIT_PLANES)
        elif self.task.kind.has_donor and side is Side.PROBE:
            column = "BinaryProbeMaskFileName"
        name = row.cells.get(column, "")
        if not name.strip():
            return None
        return resolve(Path(self.task.root), name)

    def _named_system(self, row: TrialRow, side: Side) -> Path | None:
        """The system mask; ``None`` when it is omitted, failed validation or must not be opened."""
        name = row.cells.get(f"Output{side.value}MaskFileName", "")
        if not name.strip() or self.statuses.has_failed(row.cells, side):
            return None
        try:
            return resolve(Path(self.submission.root), name)
        except UnsafePathError as error:
            if self.settings.chooses(switches.UnusableMask.UNSCORED):
                raise
            self.log.add(replace(error.as_problem(), where=row.answered_at))
            return None

    def opt_out_score(self, row: TrialRow, side: Side) -> tuple[int | None, bool]:
        """(the score of opted-out pixels or ``None``, whether the trial can be scored)."""
        if not self.settings.opt_out_pixels:
            value = self.settings.no_score_value
            return (None if value is None else 255 - value), True
        cell = row.cells.get(f"{side.value}OptOutPixelValue", "")
        if not cell.strip():
            return None, True
        try:
            return 255 - int(float(cell)), True
        except (ValueError, OverflowError):
            self.log.warn(
                f"The opt-out pixel value {cell!r} is no whole number",
                where=row.answered_at,
                rule=switches.OptOutValue.key,
            )
            return None, self.settings.chooses(switches.OptOutValue.IGNORED)


@dataclass(frozen=True, slots=True)
class Counted:
    """One side of one trial after counting: the job that was counted; ``None`` is not scored."""

    job: CountingJob[Any] | None = None
    is_omitted: bool = False
    opt_out_score: int | None = None
    has_no_region: bool = False

    @property
    def has_counts(self) -> bool:
        return self.job is not None

    def scored(self, counts: LevelCounts) -> LevelCounts:
        """Counts with the pixels opted out of taken out."""
        return counts if self.opt_out_score is None else counts.without_level(self.opt_out_score)


@dataclass(frozen=True, slots=True)
class Counter(ABC, Generic[JobT]):
    """Has the masks of trials counted, one job each, and hands out what was counted."""

    maker: JobMaker
    office: CountingOffice

    def count(
        self, rows: Sequence[TrialRow], sides: Sequence[Side], selection: Selection
    ) -> list[Mapping[Side, Counted]]:
        """Count every side of every trial; masks that cannot be used are treated by the rules."""
        works = [{side: self.work(row, side, selection) for side in sides} for row in rows]
        self._do(works)
        judged = [
            {side: self.judged(row, side, work) for side, work in sided.items()}
            for row, sided in zip(rows, works, strict=True)
        ]
        self._do(judged)
        if not selection.query:
            # A query leaves trials out on purpose; without one, nobody expects them to be missing.
            self.note_empty_references(rows, judged)
        return [{side: self._counted(work) for side, work in sided.items()} for sided in judged]

    def counts(self, counted: Counted) -> LevelCounts:
        """The counts of a scored side, opted-out pixels taken out."""
        assert counted.job is not None
        counts: LevelCounts | None = self.office.answer(counted.job).counts
        assert counts is not None
        return counted.scored(counts)

    @abstractmethod
    def work(self, row: TrialRow, side: Side, selection: Selection) -> SideWork[JobT]:
        """What is to be counted."""

    @abstractmethod
    def judged(self, row: TrialRow, side: Side, work: SideWork[JobT]) -> SideWork[JobT]:
        """What is scored now that the job is done, by the rules for masks that cannot be used."""

    def note_empty_references(
        self,
        rows: Sequence[TrialRow],
        judged: Sequence[Mapping[Side, SideWork[JobT]]],
    ) -> None:
        """Tell of the trials in which there is nothing to find, where somebody expects it."""

    def more_tables(
        self,
        rows: Sequence[TrialRow],  # noqa: ARG002 - for those who have more to tell
        counted: Sequence[Mapping[Side, Counted]],  # noqa: ARG002
        *,
        maximum: float,  # noqa: ARG002
    ) -> list[OutputTable]:
        """Files beside NIST's own; ``maximum`` is the one threshold for all, if any."""
        return []

    def _do(self, works: Sequence[Mapping[Side, SideWork[JobT]]]) -> None:
        jobs = (work.job for sided in works for work in sided.values())
        self.office.do(job for job in jobs if job is not None)

    def _counted(self, work: SideWork[JobT]) -> Counted:
        outcome = None if work.job is None else self.office.outcome(work.job)
        return Counted(
            job=work.job if outcome is Outcome.COUNTED else None,
            is_omitted=work.is_omitted,
            opt_out_score=work.opt_out_score,
            has_no_region=outcome is Outcome.NO_REGION,
        )


@dataclass(frozen=True, slots=True)
class PictureCounter(Counter[CountJob]):
    """Has the masks of pictures counted."""

    def work(self, row: TrialRow, side: Side, selection: Selection) -> SideWork[CountJob]:
        return self.maker.work(row, side, selection)

    def judged(self, row: TrialRow, side: Side, work: SideWork[CountJob]) -> SideWork[CountJob]:
        if work.job is None:
            return work
        if self.office.outcome(work.job) in (Outcome.COUNTED, Outcome.NO_REGION):
            return work
        answer = self.office.answer(work.job)
        is_reference = answer.outcome is Outcome.BROKEN_REFERENCE
        name = work.job.system.name if work.job.system is not None else "the white mask"
        if is_reference:
            named = work.job.reference.name if work.job.reference else ""
            name = f"the reference mask {named}".strip()
        where = row.where if is_reference else row.answered_at
        key = " and ".join(row.key)
        self.maker.log.add(unusable_mask(key, name, answer.detail, where=where, hint=answer.hint))
        is_unusable = answer.outcome in (Outcome.UNREADABLE, Outcome.WRONG_SIZE)
        is_named = work.job.system is not None
        stands_in = self.maker.settings.chooses(switches.UnusableMask.WHITE)
        if is_unusable and is_named and stands_in:
            return self.maker.white_instead(work, row, side)
        return replace(work, job=None)

    def note_empty_references(
        self,
        rows: Sequence[TrialRow],
        judged: Sequence[Mapping[Side, SideWork[CountJob]]],
    ) -> None:
        for row, sided in zip(rows, judged, strict=True):
            for work in sided.values():
                if work.job is not None and self.office.outcome(work.job) is Outcome.NO_REGION:
                    self.maker.log.note(
                        f"{' and '.join(row.key)} is not scored:"
                        f" {self.office.answer(work.job).detail}",
                        where=row.where,
                        hint="look at its reference mask and its journal",
                        rule="mask-no-region",
                    )
