"""Counts the spatial masks of videos: frame by frame, over every interval, and over the video.

The pixels of several frames are counted together, so that a frame in which little was changed
weighs no more than its pixels. Regions, metrics, queries and averages are those of pictures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forensicviewer.app.masks.count_jobs import Counted, Counter, SideWork
from forensicviewer.app.masks.counting import Outcome
from forensicviewer.app.masks.metrics import MaskScorer
from forensicviewer.app.masks.selection import Selection
from forensicviewer.app.masks.tables import is_count, number_columns
from forensicviewer.app.masks.trials import TrialRow
from forensicviewer.app.masks.video_count import VideoJob, VideoMark
from forensicviewer.app.masks.video_question import VideoQuestion
from forensicviewer.app.report.numbers import printed, printed_count
from forensicviewer.app.report.score_output import OutputTable
from forensicviewer.core.model import Side, trial_id
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.score import LevelCounts, ThresholdSweep, threshold_from_nist
from forensicviewer.sources.files.paths import resolve

_NUMBERS = tuple(number_columns(is_splice=False))
_WHOLE = frozenset(filter(is_count, _NUMBERS))


@dataclass(frozen=True, slots=True)
class VideoCounter(Counter[VideoJob]):
    """Has the masks of videos counted."""

    def work(self, row: TrialRow, side: Side, selection: Selection) -> SideWork[VideoJob]:
        level, is_usable = self.maker.opt_out_score(row, side)
        request = self._request(row, selection)
        if request is None or not is_usable or not self.maker.is_asked(row, side):
            return SideWork(None)
        job = VideoJob(
            reference=self._reference(request),
            system=None,
            marks=_marks(request),
            kernels=request.kernels,
            manipulated_is=request.polarity,
        )
        (system,) = request.systems
        named = None if system.answer is None else system.answer.mask
        if not named or self.maker.statuses.has_failed(row.cells, side):
            return SideWork(job, is_omitted=True, opt_out_score=level)
        job = replace(job, system=self._resolved(system.root, named))
        return SideWork(job, opt_out_score=level)

    def judged(self, row: TrialRow, side: Side, work: SideWork[VideoJob]) -> SideWork[VideoJob]:
        del side  # videos have one
        job = work.job
        if job is None:
            return work
        outcome = self.office.outcome(job)
        is_refused = job.system is None and not work.is_omitted
        if outcome is Outcome.COUNTED and not is_refused:
            return work
        answer = self.office.answer(job)
        self.maker.log.extend(complaint.as_problem(job) for complaint in answer.complaints)
        if outcome is Outcome.NO_REGION:
            return work
        name = "the white mask" if work.is_omitted else "the system mask"
        self.maker.log.error(
            f"{trial_id(row.key)}: {name} cannot be scored: {answer.detail or 'it cannot be read'}",
            where=row.answered_at,
            rule=switches.UnusableMask.key,
        )
        stands_in = self.maker.settings.chooses(switches.UnusableMask.WHITE)
        if outcome is Outcome.DIED or not stands_in:
            return SideWork(None)
        return replace(work, job=replace(job, system=None), is_omitted=True)

    def more_tables(
        self,
        rows: Sequence[TrialRow],
        counted: Sequence[Mapping[Side, Counted]],
        *,
        maximum: float,
    ) -> list[OutputTable]:
        """The same numbers over every interval of the reference, and for every frame."""
        settings = self.maker.settings
        scorer = MaskScorer(settings, self.maker.task.edition)
        writer = _Writer(scorer, maximum, settings.precision)
        intervals: list[tuple[str, ...]] = []
        frames: list[tuple[str, ...]] = []
        for row, sides in zip(rows, counted, strict=True):
            video, probe = sides[Side.PROBE], row.key[0]
            if not isinstance(video.job, VideoJob):
                continue
            answer = self.office.answer(video.job)
            totals = dict.fromkeys(answer.intervals, LevelCounts.total(()))
            for frame, counts in answer.by_frame():
                scored = video.scored(counts)
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

    def _request(self, row: TrialRow, selection: Selection) -> VideoQuestion | None:
        task, settings = self.maker.task, self.maker.settings
        number = task.trials.row_of(trial_id(row.key))
        if number is None:
            return None
        trial = task.trials[number]
        asked = self._asked(row, selection)
        selected = None
        if trial.operations and asked is not None:
            steps = enumerate(trial.operations)
            selected = frozenset(place for place, step in steps if step.key in asked)
        return VideoQuestion.of(
            task,
            trial,
            (self.maker.submission,),
            kernels=settings.kernels(task.kind),
            selected=selected,
        )

    def _asked(self, row: TrialRow, selection: Selection) -> set[tuple[str, ...]] | None:
        """The operations a query asks for; ``None`` without a journal."""
        journal = self.maker.journal
        if journal is None:
            return None
        numbers = journal.of_trial(row.key)
        return {journal.rows[number].step for number in numbers if selection.asked[number]}

    def _reference(self, request: VideoQuestion) -> Path | None:
        name = request.trial.reference or request.trial.bit_planes
        return self._resolved(Path(request.task.root), name) if name else None

    def _resolved(self, root: Path, name: str) -> Path | None:
        """The path of a mask; ``None`` when it must not be opened, which is a problem."""
        try:
            return resolve(root, name)
        except ForensicViewerError as error:
            self.maker.log.add(error.as_problem())
            return None


def _marks(request: VideoQuestion) -> tuple[VideoMark, ...]:
    selected = request.selected
    return tuple(
        VideoMark.of(operation, selected=selected is None or number in selected)
        for number, operation in enumerate(request.trial.operations)
    )


@dataclass(frozen=True, slots=True)
class _Writer:
    """Turns counts into the cells of the files; ``maximum`` is NIST's threshold for all masks."""

    scorer: MaskScorer
    maximum: float
    precision: int

    def cells(self, counts: LevelCounts, video: Counted) -> list[str]:
        sweep, is_omitted = ThresholdSweep(counts), video.is_omitted
        numbers = dict(self.scorer.metrics(sweep, is_omitted=is_omitted).numbers)
        if not math.isnan(self.maximum) and sweep.scored:
            t = threshold_from_nist(int(self.maximum))
            numbers |= self.scorer.at_common_threshold(sweep, t, is_omitted=is_omitted)
        return [self._printed(name, numbers.get(name, math.nan)) for name in _NUMBERS]

    def _printed(self, name: str, value: float) -> str:
        return printed_count(value) if name in _WHOLE else printed(value, precision=self.precision)
