"""Scores system outputs of a GenAI evaluation: over all trials, and by generator."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from forensicviewer.core import genai
from forensicviewer.core.array import Flags, Floats, Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.detection import ScoredTrials
from forensicviewer.core.discrimination import AT_CUTOFF, Discrimination, measure
from forensicviewer.core.model import Submission, Task, TaskKind
from forensicviewer.core.problem import Problem, ProblemLog, ScoringError, UsageError
from forensicviewer.core.progress import Progress

ALL = "all"


@dataclass(frozen=True, slots=True)
class GenAISettings:
    """What a user asks of a run; ``by`` is the column whose values are scored one by one."""

    fpr: float = 0.1
    by: str = genai.DATASET
    with_intervals: bool = False


@dataclass(frozen=True, eq=False)
class TrialScores:
    """The trials of a task as one system answers them, in the order of the index.

    ``rows`` are those of the system output, -1 without an answer; scores are NaN without a number.
    """

    rows: Rows
    scores: Floats
    targets: Flags
    is_labelled: Flags

    @cached_property
    def scored(self) -> Rows:
        """The trials that count: those with a score and a label."""
        return np.flatnonzero(self.is_labelled & ~np.isnan(self.scores))

    @cached_property
    def errors(self) -> Floats:
        """How far each score is from the truth: 0 is right, 1 as wrong as can be."""
        return np.where(self.is_labelled, np.abs(self.scores - self.targets), np.nan)

    def of(self, rows: Rows) -> ScoredTrials:
        return ScoredTrials(self.scores[rows], self.targets[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The trials of one value of the partition, or all of them."""

    value: str
    found: Discrimination


@dataclass(frozen=True, slots=True, eq=False)
class SystemResult:
    """Everything found about one system; the first part holds all trials."""

    name: str
    submission: Submission
    cutoff: float | None
    trials: TrialScores
    parts: tuple[Part, ...]

    @property
    def whole(self) -> Discrimination:
        return self.parts[0].found


@dataclass(frozen=True, slots=True, eq=False)
class GenAIRun:
    """A finished run over one or more systems."""

    task: Task
    settings: GenAISettings
    systems: tuple[SystemResult, ...]
    log: ProblemLog

    def renamed(self, names: Mapping[str, str]) -> GenAIRun:
        """The run with its systems called otherwise, also where problems name them."""
        systems = tuple(replace(each, name=names[each.name]) for each in self.systems)
        files = {each.submission.table.name: names[each.name] for each in self.systems}
        log = ProblemLog()
        log.extend(_renamed(problem, {**names, **files}) for problem in self.log)
        return replace(self, systems=systems, log=log)


def _renamed(problem: Problem, names: Mapping[str, str]) -> Problem:
    where = problem.where
    # The longest first: one name may be the beginning of another.
    for name in sorted(names, key=len, reverse=True):
        if name in where:
            return replace(problem, where=where.replace(name, names[name]))
    return problem


def run_genai(
    task: Task,
    submissions: Sequence[Submission],
    settings: GenAISettings,
    *,
    progress: Progress | None = None,
) -> GenAIRun:
    """Score every system output against the task's labels."""
    _check(task, settings)
    log = ProblemLog()
    names = unique_names([submission.name for submission in submissions])
    systems = []
    for number, (name, submission) in enumerate(zip(names, submissions, strict=True)):
        log.extend(submission.problems)
        step = _part_of(progress, number, len(submissions))
        systems.append(score_system(task, submission, settings, name=name, log=log, progress=step))
    return GenAIRun(task, settings, tuple(systems), log)


def score_system(
    task: Task,
    submission: Submission,
    settings: GenAISettings,
    *,
    name: str,
    log: ProblemLog,
    progress: Progress | None = None,
) -> SystemResult:
    """Score one system output."""
    if submission.kind is not TaskKind.GENAI:
        raise ScoringError(
            "This is not a system output of a GenAI evaluation",
            where=submission.origin,
            hint="the columns are " + "|".join(genai.OUTPUT_COLUMNS),
            rule="genai.not-an-output",
        )
    trials = read_scores(task, submission)
    _report_unscored(task, submission, trials, log)
    cutoff = genai.cutoff_of(submission.name)
    selections = [(ALL, trials.scored), *_partition(task, trials.scored, settings.by)]
    parts = []
    for number, (value, rows) in enumerate(selections):
        found = measure(
            trials.of(rows),
            cutoff=cutoff,
            fpr=settings.fpr,
            with_intervals=settings.with_intervals,
            progress=_part_of(progress, number, len(selections)),
        )
        parts.append(Part(value, found))
        _report_undefined(parts[-1], name, log)
    return SystemResult(name, submission, cutoff, trials, tuple(parts))


def read_system(task: Task, submission: Submission) -> SystemResult:
    """What a system output says about each trial, before anything is measured."""
    trials = read_scores(task, submission)
    return SystemResult(submission.name, submission, genai.cutoff_of(submission.name), trials, ())


def read_scores(task: Task, submission: Submission) -> TrialScores:
    """What a system says about each trial of the index, and what the reference says."""
    rows = submission.answers.rows_for(task.trials.ids())
    numbers = submission.table[genai.SCORE].numbers
    scores = np.append(numbers, np.nan)[rows]
    targets, is_labelled = labels_of(task)
    return TrialScores(rows, scores, targets, is_labelled)


def labels_of(task: Task) -> tuple[Flags, Flags]:
    """(whether each trial is AI-generated, whether the reference says what it is)."""
    if genai.TARGET not in task.table:
        nothing = np.zeros(len(task.table), dtype=np.bool_)
        return nothing, nothing
    codes, distinct = task.table[genai.TARGET].dictionary
    is_target = np.array([cell == "Y" for cell in distinct] or [False])
    is_known = np.array([cell in ("Y", "N") for cell in distinct] or [False])
    return is_target[codes], is_known[codes]


def unique_names(names: Sequence[str]) -> list[str]:
    """The names with a number behind those that occur again: each system has one of its own."""
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique


def natural(text: str) -> list[tuple[int, str]]:
    """A key that orders set2 before set10."""
    return [
        (int(part), "") if part.isascii() and part.isdigit() else (-1, part)
        for part in _DIGITS.split(text)
    ]


# More digits than any number of a name has would take Python too long, or are refused by it.
_DIGITS = re.compile(r"([0-9]{1,300})")


def _check(task: Task, settings: GenAISettings) -> None:
    if task.kind is not TaskKind.GENAI:
        raise UsageError(
            "This is not a dataset of a GenAI evaluation",
            where=task.root,
            hint="use score detection or score all",
            rule="genai.other-dataset",
        )
    if not 0 <= settings.fpr <= 1:
        raise UsageError(f"{settings.fpr:g} is not a valid false positive rate (0 to 1)")
    if settings.by not in task.table:
        raise UsageError(
            f"The dataset has no column {settings.by!r}",
            where=task.table.name,
            hint="choose one of " + ", ".join(task.table.names),
            rule="genai.no-such-column",
        )
    if not labels_of(task)[1].any():
        raise ScoringError(
            "Scoring needs a reference that says which images are AI-generated",
            where=task.root,
            hint="name it with --reference FILE, and its column with --label-column NAME",
            rule="genai.no-reference",
        )


def _partition(task: Task, scored: Rows, by: str) -> list[tuple[str, Rows]]:
    codes, distinct = task.table[by].dictionary
    order = np.argsort(codes[scored], kind="stable")
    ends = np.cumsum(np.bincount(codes[scored], minlength=len(distinct)))
    pieces = np.split(scored[order], ends[:-1]) if len(distinct) else []
    return sorted(zip(distinct, pieces, strict=True), key=lambda piece: natural(piece[0]))


def _report_unscored(
    task: Task, submission: Submission, trials: TrialScores, log: ProblemLog
) -> None:
    _report(
        np.flatnonzero(trials.rows < 0),
        "{count} of {total} trials of the index have no answer and are not scored",
        task,
        log,
        where=submission.table.name,
        rule="genai.unanswered",
        hint="answer every trial in the index",
    )
    unanswered = trials.rows < 0
    _report(
        np.flatnonzero(np.isnan(trials.scores) & ~unanswered),
        "{count} of {total} answers have no score and are not scored",
        task,
        log,
        where=submission.table.name,
        rule="genai.no-number",
        hint="give every trial a score from 0 to 1",
    )
    _report(
        np.flatnonzero(~trials.is_labelled),
        "{count} of {total} trials have no label and are not scored",
        task,
        log,
        where=task.table.name,
        rule="genai.unlabelled",
        hint="the reference does not label them",
    )
    is_asked = np.zeros(len(submission.table), dtype=np.bool_)
    is_asked[trials.rows[~unanswered]] = True
    unasked = int(np.count_nonzero(~is_asked))
    if unasked:
        log.warn(
            f"{unasked} answers do not belong to a trial of the index, or repeat one, and "
            "are not scored",
            where=submission.table.name,
            hint="check whether the system output belongs to another dataset",
            rule="genai.unasked",
        )


def _report(
    rows: Rows, message: str, task: Task, log: ProblemLog, *, where: str, rule: str, hint: str
) -> None:
    if len(rows):
        first = task.trials.ids()[int(rows[0])]
        counted = message.format(count=len(rows), total=len(task.trials))
        log.warn(f"{counted} (the first is {first})", where=where, hint=hint, rule=rule)


def _report_undefined(part: Part, system: str, log: ProblemLog) -> None:
    """Say once why metrics are blank: a warning where all trials are concerned, else a note."""
    say = log.warn if part.value == ALL else log.note
    reasons: dict[str, list[str]] = {}
    for metric, why in part.found.why.items():
        # A missing cutoff is missing everywhere; once is enough.
        if part.value == ALL or part.found.cutoff is not None or metric not in AT_CUTOFF:
            reasons.setdefault(why, []).append(metric)
    for why, metrics in reasons.items():
        say(
            f"{', '.join(metrics)} cannot be computed: {why}",
            where=f"{system}, {part.value}",
            rule="genai.undefined",
        )


def _part_of(progress: Progress | None, number: int, total: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, steps: progress(number * steps + done, max(total, 1) * steps)
