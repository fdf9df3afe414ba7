"""Counts the spatial masks of videos: frame by frame, over every interval, and over the video.

The pixels of several frames are counted together, so that a frame in which little was changed
weighs no more than its pixels. Regions, metrics, queries and averages are those of images.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from forensicviewer.app.masks.count_jobs import NOT_COUNTED, Counter
from forensicviewer.app.masks.counting import CountOutcome
from forensicviewer.app.masks.metrics import MaskScorer, Maxima
from forensicviewer.app.masks.question import Question
from forensicviewer.app.masks.selection import Selection
from forensicviewer.app.masks.tables import is_count, number_columns
from forensicviewer.app.masks.trials import TrialRow
from forensicviewer.app.masks.video_count import VideoJob
from forensicviewer.app.report.numbers import printed, printed_count
from forensicviewer.app.report.score_output import OutputTable
from forensicviewer.core.model import Side
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.score import LevelCounts, ThresholdSweep

_NUMBERS = tuple(number_columns(is_splice=False))
_WHOLE = frozenset(filter(is_count, _NUMBERS))


@dataclass(frozen=True, slots=True)
class VideoCounter(Counter[VideoJob]):
    """Has the masks of videos counted."""

    def ask(self, row: TrialRow, side: Side, selection: Selection) -> Question[VideoJob]:
        return self.maker.ask_video(row, side, selection)

    def rule_on(
        self, row: TrialRow, side: Side, question: Question[VideoJob]
    ) -> Question[VideoJob]:
        del side  # videos have one
        job = question.job
        if job is None or not question.is_scored:
            return question
        outcome = self.office.outcome(job)
        is_refused = job.system is None and not question.is_omitted
        answer = self.office.answer(job)
        if answer.note:
            self.maker.log.note(answer.note, where=str(job.reference), rule="mask.planes")
        if outcome is CountOutcome.COUNTED and not is_refused:
            return question
        log = self.maker.log.about(row.id)
        log.extend(complaint.as_problem(job) for complaint in answer.complaints)
        if outcome is CountOutcome.NO_REGION:
            return question
        name = "the white mask" if question.is_omitted else "the system mask"
        log.error(
            f"{row.id}: {name} cannot be scored: {answer.detail or 'it cannot be read'}",
            where=row.answered_at,
            rule=switches.UnusableMask.key,
        )
        stands_in = self.maker.settings.chooses(switches.UnusableMask.WHITE)
        if outcome is CountOutcome.DIED or not stands_in:
            return question.unscored(NOT_COUNTED)
        return replace(question, job=replace(job, system=None), is_omitted=True)

    def more_tables(
        self,
        rows: Sequence[TrialRow],
        questions: Sequence[Mapping[Side, Question[VideoJob]]],
        *,
        maxima: Maxima | None,
    ) -> list[OutputTable]:
        """The same numbers over every interval of the reference, and for every frame."""
        settings = self.maker.settings
        scorer = MaskScorer(settings, self.maker.task.edition)
        writer = _Writer(scorer, maxima, settings.precision)
        intervals: list[tuple[str, ...]] = []
        frames: list[tuple[str, ...]] = []
        for row, sides in zip(rows, questions, strict=True):
            video, probe = sides[Side.PROBE], row.key[0]
            if video.job is None or not video.is_scored:
                continue
            answer = self.office.answer(video.job)
            totals = dict.fromkeys(answer.intervals, LevelCounts.total(()))
            for frame, counts in answer.by_frame():
                scored = video.without_opt_out(counts)
                frames.append((probe, str(frame), *writer.cells(scored, video)))
                for first, last in totals:
                    if first <= frame <= last:
                        totals[first, last] += scored
            for (first, last), total in totals.items():
                intervals.append((probe, str(first), str(last), *writer.cells(total, video)))
        return [
            OutputTable(
                "mask_scores_perinterval.csv",
                ("ProbeFileID", "FirstFrame", "LastFrame", *_NUMBERS),
                tuple(intervals),
            ),
            OutputTable(
                "mask_scores_perframe.csv", ("ProbeFileID", "Frame", *_NUMBERS), tuple(frames)
            ),
        ]


@dataclass(frozen=True, slots=True)
class _Writer:
    """Turns counts into the cells of the files; ``maxima`` are the thresholds for all masks."""

    scorer: MaskScorer
    maxima: Maxima | None
    precision: int

    def cells(self, counts: LevelCounts, video: Question[VideoJob]) -> list[str]:
        sweep, is_omitted = ThresholdSweep(counts), video.is_omitted
        numbers = dict(self.scorer.metrics(sweep, is_omitted=is_omitted).numbers)
        if self.maxima is not None and sweep.scored:
            numbers |= self.scorer.at_common_thresholds(sweep, self.maxima, is_omitted=is_omitted)
        return [self._printed(name, numbers.get(name, math.nan)) for name in _NUMBERS]

    def _printed(self, name: str, value: float) -> str:
        return printed_count(value) if name in _WHOLE else printed(value, precision=self.precision)
