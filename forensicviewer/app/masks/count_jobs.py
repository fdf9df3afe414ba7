"""Has the masks of trials counted, one job each, and hands out what was counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic

from forensicviewer.app.masks.counting import CountingOffice, CountOutcome
from forensicviewer.app.masks.image_count import CountJob
from forensicviewer.app.masks.metrics import Maxima
from forensicviewer.app.masks.question import (
    BROKEN_REFERENCE,
    UNUSABLE_MASK,
    JobT,
    Question,
    unusable_mask,
)
from forensicviewer.app.masks.question_maker import QuestionMaker, with_white_mask
from forensicviewer.app.masks.selection import Selection
from forensicviewer.app.masks.trials import TrialRow
from forensicviewer.app.report.score_output import OutputTable
from forensicviewer.core.model import Side
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.score import LevelCounts

NOT_COUNTED = "not counted"


@dataclass(frozen=True, slots=True)
class Counter(ABC, Generic[JobT]):
    """Has the masks of trials counted, one job each, and hands out what was counted."""

    maker: QuestionMaker
    office: CountingOffice

    def count(
        self, rows: Sequence[TrialRow], sides: Sequence[Side], selection: Selection
    ) -> list[Mapping[Side, Question[JobT]]]:
        """Count every side of every trial; masks that cannot be used are treated by the rules.

        What comes back is scored where there are counts, and says why not elsewhere.
        """
        asked = [{side: self.ask(row, side, selection) for side in sides} for row in rows]
        self._do(asked)
        ruled = [
            {side: self.rule_on(row, side, question) for side, question in sided.items()}
            for row, sided in zip(rows, asked, strict=True)
        ]
        self._do(ruled)
        if not selection.query:
            # A query leaves trials out on purpose; without one, nobody expects them to be missing.
            self.note_empty_references(rows, ruled)
        return [{side: self._settled(one) for side, one in sided.items()} for sided in ruled]

    def counts(self, question: Question[JobT]) -> LevelCounts:
        """The counts of a scored side, opted-out pixels taken out."""
        assert question.job is not None
        counts: LevelCounts | None = self.office.answer(question.job).counts
        assert counts is not None
        return question.without_opt_out(counts)

    @abstractmethod
    def ask(self, row: TrialRow, side: Side, selection: Selection) -> Question[JobT]:
        """What is to be counted."""

    @abstractmethod
    def rule_on(self, row: TrialRow, side: Side, question: Question[JobT]) -> Question[JobT]:
        """What is scored now that the job is done, by the rules for masks that cannot be used."""

    def note_empty_references(
        self,
        rows: Sequence[TrialRow],
        ruled: Sequence[Mapping[Side, Question[JobT]]],
    ) -> None:
        """Tell of the trials in which there is nothing to find, where somebody expects it."""

    def more_tables(
        self,
        rows: Sequence[TrialRow],  # noqa: ARG002 - for those who have more to tell
        questions: Sequence[Mapping[Side, Question[JobT]]],  # noqa: ARG002
        *,
        maxima: Maxima | None,  # noqa: ARG002
    ) -> list[OutputTable]:
        """Files beside NIST's own; ``maxima`` are the thresholds for all, if any."""
        return []

    def _do(self, asked: Sequence[Mapping[Side, Question[JobT]]]) -> None:
        questions = (question for sided in asked for question in sided.values())
        self.office.do(q.job for q in questions if q.job is not None and q.is_scored)

    def _settled(self, question: Question[JobT]) -> Question[JobT]:
        if question.job is None or not question.is_scored:
            return question
        outcome = self.office.outcome(question.job)
        if outcome is CountOutcome.COUNTED:
            return question
        has_no_region = outcome is CountOutcome.NO_REGION
        return replace(question.unscored(NOT_COUNTED), has_no_region=has_no_region)


@dataclass(frozen=True, slots=True)
class ImageCounter(Counter[CountJob]):
    """Has the masks of images counted."""

    def ask(self, row: TrialRow, side: Side, selection: Selection) -> Question[CountJob]:
        return self.maker.ask(row, side, selection)

    def rule_on(
        self, row: TrialRow, side: Side, question: Question[CountJob]
    ) -> Question[CountJob]:
        del side  # the question knows
        job = question.job
        if job is None or not question.is_scored:
            return question
        if self.office.outcome(job) in (CountOutcome.COUNTED, CountOutcome.NO_REGION):
            return question
        answer = self.office.answer(job)
        is_reference = answer.outcome is CountOutcome.BROKEN_REFERENCE
        name = job.system.name if job.system is not None else "the white mask"
        if is_reference:
            name = f"the reference mask {job.reference.name if job.reference else ''}".strip()
        where = row.where if is_reference else row.answered_at
        key, rule = " and ".join(row.key), BROKEN_REFERENCE if is_reference else UNUSABLE_MASK
        problem = unusable_mask(key, name, answer.detail, where=where, hint=answer.hint, rule=rule)
        self.maker.log.about(row.id).add(problem)
        is_unusable = answer.outcome in (CountOutcome.UNREADABLE, CountOutcome.WRONG_SIZE)
        stands_in = self.maker.settings.chooses(switches.UnusableMask.WHITE)
        if is_unusable and job.system is not None and stands_in:
            return with_white_mask(question)
        return question.unscored(answer.detail or NOT_COUNTED)

    def note_empty_references(
        self,
        rows: Sequence[TrialRow],
        ruled: Sequence[Mapping[Side, Question[CountJob]]],
    ) -> None:
        for row, sided in zip(rows, ruled, strict=True):
            for question in sided.values():
                job = question.job
                if job is None or not question.is_scored or row.is_original:
                    continue
                if self.office.outcome(job) is CountOutcome.NO_REGION:
                    self.maker.log.about(row.id).note(
                        f"{' and '.join(row.key)} is not scored: {self.office.answer(job).detail}",
                        where=row.where,
                        hint="check its reference mask and its journal",
                        rule="mask-no-region",
                    )
