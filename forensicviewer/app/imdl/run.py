"""Scores the predictions of a run: from a dataset and a folder of maps to its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from forensicviewer.app.imdl.pair_job import PairAnswer, PairJob
from forensicviewer.app.imdl.question import UNLABELLED, ask, head_score
from forensicviewer.app.imdl.settings import ImageScore, ImdlSettings
from forensicviewer.app.masks.counting import CountingOffice, CountOutcome
from forensicviewer.app.masks.question import Question
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.app.runtime.batch import Crew, inline_crew
from forensicviewer.core.imdl.run_scores import ImageScores, RunScores
from forensicviewer.core.model import Submission, Task, TaskKind, Trial
from forensicviewer.core.problem import Problem, ProblemLog, ScoringError, UsageError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.imdl.checks import POLARITY
from forensicviewer.sources.imdl.dataset import PAIRING

PREDICTION_POLARITY = "imdl.prediction-polarity"
HEAD = "head"
_NAMED = 20
_STATUSES = {
    CountOutcome.COUNTED: "scored",
    CountOutcome.UNREADABLE: "unusable prediction",
    CountOutcome.WRONG_SIZE: "mask of another size",
    CountOutcome.BROKEN_REFERENCE: "unusable mask",
    CountOutcome.DIED: "worker died",
}


@dataclass(frozen=True, slots=True, eq=False)
class ImageResult:
    """One image of a run; ``answer`` is ``None`` where there was nothing to measure."""

    trial: Trial
    status: str
    answer: PairAnswer | None = None
    image_score: float = math.nan
    score_kind: str = ""

    @property
    def is_scored(self) -> bool:
        return self.answer is not None and self.answer.counts is not None

    @property
    def is_manipulated(self) -> bool:
        return self.trial.is_target is True


@dataclass(frozen=True, slots=True, eq=False)
class ImdlRun:
    """The numbers of every image and of all of them together."""

    task: Task
    submission: Submission
    settings: ImdlSettings
    results: tuple[ImageResult, ...]
    problems: tuple[Problem, ...]

    @property
    def considered(self) -> list[ImageResult]:
        """The images that count: all, or the manipulated ones alone."""
        only = self.settings.manipulated_only
        return [one for one in self.results if one.is_manipulated or not only]

    def totals(self) -> RunScores:
        totals = RunScores()
        for one in self.considered:
            if one.answer is not None and one.answer.counts is not None:
                totals.add(one.answer.numbers, one.answer.confusion, one.answer.counts)
        return totals

    def image_scores(self) -> ImageScores:
        """Over all images with a score: both classes are needed, whatever is averaged above."""
        known = [one for one in self.results if not math.isnan(one.image_score)]
        labelled = [one for one in known if one.trial.is_target is not None]
        scores = np.array([one.image_score for one in labelled], np.float64)
        targets = np.array([one.is_manipulated for one in labelled], np.bool_)
        return ImageScores.of(scores, targets, self.settings.threshold)


def score_imdl(
    task: Task,
    submission: Submission,
    settings: ImdlSettings,
    *,
    opening: Sequence[Problem] = (),
    crew: Crew | None = None,
    store: ResultStore | None = None,
    progress: Progress | None = None,
) -> ImdlRun:
    """Score every image with a prediction.

    Raises where pairing or polarity is neither certain nor given: ``opening`` is what opening the
    dataset had to tell.
    """
    if task.kind is not TaskKind.IMDL:
        raise UsageError(
            "This is not a dataset of images and masks",
            where=task.root,
            hint="use score mask or score all",
            rule="imdl.other-dataset",
        )
    _refuse_doubt(opening)
    office = CountingOffice(crew or inline_crew(), store, progress)
    log = ProblemLog(submission.problems)
    results = tuple(_results(task, submission, settings, office, log))
    if not any(one.is_scored for one in results):
        raise ScoringError(
            "No image could be scored",
            where=submission.origin,
            hint=_why_nothing(log),
            rule="imdl.nothing-scored",
        )
    if settings.prediction_polarity is None:
        _refuse_inverted(results, submission)
    if store is not None:
        log.extend(store.problems)
    return ImdlRun(task, submission, settings, results, log.freeze())


def _why_nothing(log: ProblemLog) -> str:
    """The first image that failed tells more than those without a prediction."""
    failed = [problem for problem in log if problem.trial is not None]
    problem = next(iter([*failed, *log]), None)
    if problem is None:
        return "check the file names of the maps"
    return f"{problem.where}: {problem.message}" + (
        f" ({problem.hint})" if failed and problem.hint else ""
    )


def _refuse_doubt(opening: Iterable[Problem]) -> None:
    for problem in opening:
        if problem.rule in (PAIRING, POLARITY):
            raise ScoringError(
                problem.message, where=problem.where, hint=problem.hint, rule=problem.rule
            )


def _refuse_inverted(results: Sequence[ImageResult], submission: Submission) -> None:
    evidence = inversion_evidence(one.answer for one in results if one.is_manipulated)
    if evidence:
        raise ScoringError(
            f"The predictions look inverted: {evidence}",
            where=submission.origin,
            hint="add --prediction-polarity black if black means manipulated, or "
            "--prediction-polarity white if the model is simply wrong",
            rule=PREDICTION_POLARITY,
        )


def inversion_evidence(answers: Iterable[PairAnswer | None]) -> str:
    """Why predictions look inverted; blank where they do not."""
    aucs = [one.numbers.get("AUC", math.nan) for one in answers if one is not None and one.numbers]
    known = [auc for auc in aucs if not math.isnan(auc)]
    below = sum(auc < 0.5 for auc in known)
    mean = sum(known) / len(known) if known else math.nan
    if known and 2 * below > len(known) and mean < 0.4:
        return (
            f"{below} of {len(known)} maps score authentic pixels above manipulated ones; "
            f"their mean AUC is {mean:.3f}"
        )
    return ""


def _results(
    task: Task,
    submission: Submission,
    settings: ImdlSettings,
    office: CountingOffice,
    log: ProblemLog,
) -> Iterable[ImageResult]:
    trials = chosen_trials(task, settings, log)
    asked = [ask(task, submission, trial, settings) for trial in trials]
    office.do(question.job for question in asked if question.is_scored and question.job)
    measured = [_answer(question, office) for question in asked]
    has_heads = any(
        head is not None
        for trial, answer in zip(trials, measured, strict=True)
        for head in (head_score(submission, trial), None if answer is None else answer.score)
    )
    tell = _tell_failures(task, log)
    for trial, question, answer in zip(trials, asked, measured, strict=True):
        status = _status(question, answer)
        if answer is not None and answer.counts is None:
            tell(trial, status, answer)
        score, kind = image_score_of(submission, trial, answer, settings, has_heads=has_heads)
        yield ImageResult(trial, status, answer, score, kind)


def chosen_trials(task: Task, settings: ImdlSettings, log: ProblemLog) -> list[Trial]:
    """The images to score: all, or those the settings list."""
    trials = [task.trials[row] for row in range(len(task.trials))]
    if settings.trials is None:
        return trials
    listed = set(settings.trials)
    chosen = [one for one in trials if not listed.isdisjoint((one.id, one.probe.name))]
    known = {name for one in chosen for name in (one.id, one.probe.name)}
    unknown = [name for name in settings.trials if name not in known]
    if unknown:
        message = f"{len(unknown)} of {len(listed)} listed images are not in the dataset"
        hint = "use the image names of the dataset; forensicviewer trials DATASET lists them"
        if not chosen:
            raise UsageError(f"{message} ({unknown[0]})", where=task.root, hint=hint)
        log.warn(f"{message} ({unknown[0]})", hint=hint, rule="imdl.unknown-trial")
    return chosen


def _answer(question: Question[PairJob], office: CountingOffice) -> PairAnswer | None:
    if question.job is None or not question.is_scored:
        return None
    return office.answer(question.job)


def _status(question: Question[PairJob], answer: PairAnswer | None) -> str:
    if answer is not None:
        return _STATUSES[answer.outcome]
    if question.is_omitted:
        return "no prediction"
    if question.why == UNLABELLED:
        return "no label"
    return "no mask" if question.job is None else "not scored"


def _tell_failures(task: Task, log: ProblemLog) -> Callable[[Trial, str, PairAnswer], None]:
    counts: dict[str, int] = {}

    def tell(trial: Trial, status: str, answer: PairAnswer) -> None:
        counts[status] = counts.get(status, 0) + 1
        if counts[status] <= _NAMED:
            log.about(trial.id).warn(
                f"{trial.id} is not scored: {answer.detail}",
                where=task.table.where(trial.row),
                hint=answer.hint,
                rule=f"imdl.{status.replace(' ', '-')}",
            )

    return tell


def image_score_of(
    submission: Submission,
    trial: Trial,
    answer: PairAnswer | None,
    settings: ImdlSettings,
    *,
    has_heads: bool,
) -> tuple[float, str]:
    """What is said of the whole image, and by whom: the model's head, or derived from the map."""
    head = head_score(submission, trial)
    if head is None and answer is not None:
        head = answer.score
    if has_heads:
        return (math.nan, "") if head is None else (head, HEAD)
    if answer is None or answer.counts is None:
        return math.nan, ""
    called = answer.confusion.tp + answer.confusion.fp
    derived = {
        ImageScore.MAX: answer.peak,
        ImageScore.MEAN: answer.mean,
        ImageScore.ANY: float(called > 0),
    }
    return derived[settings.image_score], settings.image_score.label
