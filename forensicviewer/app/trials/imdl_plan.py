"""Scores the predictions of a run for the trial list, some at a time, as ``score imdl`` does."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from forensicviewer.app.imdl.pair_job import PairAnswer
from forensicviewer.app.imdl.question import ask, has_head_file, head_score, settings_shown
from forensicviewer.app.imdl.run import PREDICTION_POLARITY, image_score_of, inversion_evidence
from forensicviewer.app.masks.counting import CountingOffice
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.app.runtime.batch import inline_crew
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.app.trials.score_columns import IMAGE_SCORE, IMDL_COLUMNS
from forensicviewer.app.trials.score_plans import IsOver, ScoredRow
from forensicviewer.core.imdl.run_scores import ImageScores, RunScores
from forensicviewer.core.model import Side, Submission, Task
from forensicviewer.core.problem import Problem, ProblemLog, Severity
from forensicviewer.core.score import ThresholdSweep

_NAMED = 20
_ENOUGH = 100  # maps that tell whether all of them are inverted


@dataclass(frozen=True, slots=True, eq=False)
class ImdlScored(ScoredRow):
    """One row of the list with everything that was measured."""

    answer: PairAnswer | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ImdlPlan:
    """Predictions, measured by the jobs and kept in the store of ``score imdl``."""

    task: Task
    submission: Submission
    seen: list[PairAnswer] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    failed: ProblemLog = field(default_factory=ProblemLog)

    @property
    def length(self) -> int:
        return len(self.task.trials)

    @property
    def problems(self) -> tuple[Problem, ...]:
        failures = tuple(self.failed)[:_NAMED]
        evidence = next(iter(self.evidence), "")
        if not evidence:
            return failures
        inverted = Problem(
            Severity.WARNING,
            f"The predictions look inverted: {evidence}",
            str(self.submission.origin),
            "the Definitions panel can read black as manipulated",
            PREDICTION_POLARITY,
        )
        return (*failures, inverted)

    def score(self, start: int, is_over: IsOver, ticket: Ticket) -> tuple[Sequence[ScoredRow], int]:
        scored: list[ScoredRow] = []
        at = start
        with ResultStore.of_user() as store:
            office = CountingOffice(inline_crew(), store, None)
            while at < self.length and not is_over():
                ticket.report(at, self.length)
                found = self._scored(at, office)
                scored += [] if found is None else [found]
                at += 1
        if not self.evidence and (at >= self.length or len(self.seen) >= _ENOUGH):
            # Said once: with every map more the same problem would have other numbers.
            self.evidence.append(inversion_evidence(self.seen))
        return scored, at

    def _scored(self, row: int, office: CountingOffice) -> ImdlScored | None:
        trial = self.task.trials[row]
        settings = settings_shown(self.submission)
        question = ask(self.task, self.submission, trial, settings)
        if question.job is None or not question.is_scored:
            return None
        office.do([question.job])
        answer = office.answer(question.job)
        if answer.counts is None:
            self.failed.about(trial.id).warn(
                f"{trial.id} is not scored: {answer.detail}",
                where=self.task.table.where(row),
                hint=answer.hint,
                rule="imdl.not-scored",
            )
            return None
        if trial.is_target:
            self.seen.append(answer)
        numbers = {name: answer.numbers.get(name, math.nan) for name in IMDL_COLUMNS}
        numbers[IMAGE_SCORE], _ = image_score_of(
            self.submission,
            trial,
            answer,
            settings,
            has_heads=has_head_file(self.submission) or answer.score is not None,
        )
        return ImdlScored(row, numbers, {Side.PROBE: ThresholdSweep(answer.counts)}, answer)


def run_numbers(
    task: Task,
    submission: Submission,
    answers: Mapping[int, PairAnswer],
    *,
    manipulated_only: bool,
) -> tuple[dict[str, float], RunScores, str]:
    """Every definition over the images scored so far, at 0.5, and where image scores are from."""
    totals = RunScores()
    for row, answer in answers.items():
        if answer.counts is not None and (not manipulated_only or task.trials[row].is_target):
            totals.add(answer.numbers, answer.confusion, answer.counts)
    image, kind = _image_scores(task, submission, answers)
    return totals.numbers(image), totals, kind


def _image_scores(
    task: Task, submission: Submission, answers: Mapping[int, PairAnswer]
) -> tuple[ImageScores, str]:
    settings = settings_shown(submission)
    trials = {row: task.trials[row] for row in answers}
    has_heads = any(
        head_score(submission, trials[row]) is not None or answer.score is not None
        for row, answer in answers.items()
    )
    found = [
        (
            *image_score_of(submission, trials[row], answer, settings, has_heads=has_heads),
            trials[row].is_target,
        )
        for row, answer in answers.items()
    ]
    known = [one for one in found if one[2] is not None]
    scores = np.array([score for score, _, _ in known], np.float64)
    targets = np.array([is_target for _, _, is_target in known], np.bool_)
    has_score = ~np.isnan(scores)
    kind = next((kind for _, kind, _ in known if kind), "")
    return ImageScores.of(scores[has_score], targets[has_score], settings.threshold), kind
