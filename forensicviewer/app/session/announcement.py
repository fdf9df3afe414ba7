"""What the window says when something was opened or has failed, in a few lines of text."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from forensicviewer import __version__
from forensicviewer.app.language.words import labelled, tr, tr_many, whole
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.model import Dataset, Edition, Submission, Task
from forensicviewer.core.problem import ForensicViewerError, Problem, Severity

_MOST_NAMED = 3
# The rule of a submission whose answers are about other trials than those of the task.
STRANGER = "submission-stranger"


@dataclass(frozen=True, slots=True)
class Announcement:
    """A message; ``evidence`` is what it rests on, for those who ask."""

    text: str
    evidence: str = ""
    problems: int = 0


def opened(
    state: ViewState, change: Change, known: Sequence[Submission] = ()
) -> Announcement | None:
    """What was recognised in what was opened last, with its problems counted.

    ``known`` are the submissions that were open before.
    """
    dataset, task = state.dataset, state.task
    if dataset is None or task is None:
        return None
    if change & Change.DATASET:
        lines = [_dataset_line(dataset, task), *_opened_with(state)]
        return _announcement(lines, state.problems, "\n".join(dataset.evidence))
    if state.submission is None:
        return None
    news = [one for one in state.submissions if one not in known] or [state.submission]
    found = [problem for submission in news for problem in submission.problems]
    evidence = "\n".join(str(submission.origin) for submission in news)
    # Its masks are read later: what the window counts is counted here, too.
    return _announcement(_submission_lines(news), found or state.problems, evidence)


def failed(problems: Sequence[Problem]) -> str:
    """The first of some errors in full, and how many more there are."""
    first = problems[0]
    hint = f"{first.hint[:1].upper()}{first.hint[1:]}" if first.hint else ""
    left = len(problems) - 1
    more = tr_many("… and {count} more", "… and {count} more", left) if left else ""
    return "\n".join(part for part in (first.message, first.where, hint, more) if part)


def problem_of(error: BaseException) -> Problem | None:
    """The message of an error; ``None`` if it was not expected."""
    if isinstance(error, OSError):
        where = str(error.filename or "")
        return Problem(Severity.ERROR, f"The file cannot be used: {error.strerror}", where)
    return error.as_problem() if isinstance(error, ForensicViewerError) else None


def lone_submissions(problems: Sequence[Problem]) -> list[Path]:
    """The submissions that were to be opened without the dataset they answer."""
    return [Path(problem.where) for problem in problems if problem.rule == "submission-alone"]


def without_its_dataset(submissions: Sequence[Path]) -> tuple[Problem, ...]:
    """What to tell of submissions that are to be opened without the dataset they answer."""
    return tuple(
        Problem(
            Severity.ERROR,
            "A submission needs its dataset",
            str(submission),
            "open the dataset first, or drop both together",
            "submission-alone",
        )
        for submission in submissions
    )


def strangers(problems: Sequence[Problem]) -> list[Path]:
    """The submissions that were not opened because they answer no trial of the dataset."""
    return [Path(problem.where) for problem in problems if problem.rule == STRANGER]


def details(problems: Sequence[Problem]) -> str:
    """Everything about some errors that a bug report or a colleague needs."""
    lines = [
        f"{problem} [{problem.rule}]" if problem.rule else str(problem) for problem in problems
    ]
    about = f"forensicviewer {__version__}, Python {platform.python_version()}"
    return "\n".join([*lines, "", about, platform.platform()])


def _announcement(lines: list[str], problems: Sequence[Problem], evidence: str) -> Announcement:
    once = list(dict.fromkeys(problems))
    return Announcement("\n".join([*lines, count_problems(once)]), evidence, len(once))


def count_problems(problems: Iterable[Problem]) -> str:
    """How many errors, warnings and notes there are."""
    found: Counter[Severity] = Counter()
    for problem in problems:
        found[problem.severity] += problem.times
    counts = [_of_severity(severity, found[severity]) for severity in Severity if found[severity]]
    return ", ".join(counts) or tr("No problems")


def _of_severity(severity: Severity, count: int) -> str:
    match severity:
        case Severity.ERROR:
            return tr_many("{count} error", "{count} errors", count)
        case Severity.WARNING:
            return tr_many("{count} warning", "{count} warnings", count)
        case Severity.NOTE:
            return tr_many("{count} note", "{count} notes", count)


def _dataset_line(dataset: Dataset, task: Task) -> str:
    is_named = task.edition is not Edition.UNKNOWN and task.edition.value != dataset.name
    edition = f"{task.edition.value} " if is_named else ""
    tasks = len(dataset.tasks)
    of_several = f" ({tr('1 of {count} tasks', count=whole(tasks))})" if tasks > 1 else ""
    trials = tr_many("{count} trial", "{count} trials", len(task.trials))
    parts = [f"{edition}{task.name}{of_several}", trials]
    parts += [] if task.has_reference else [tr("no reference")]
    return labelled(dataset.name, ", ".join(parts))


def _opened_with(state: ViewState) -> list[str]:
    """The submissions by name; of those hidden from a blind judge only how many there are."""
    hidden = len(state.submissions) - len(state.run_submissions)
    if not hidden:
        return _submission_lines(state.submissions)
    return [
        tr_many(
            "{count} submission, hidden until you have judged",
            "{count} submissions, hidden until you have judged",
            hidden,
        )
    ]


def _submission_lines(submissions: Sequence[Submission]) -> list[str]:
    named = [_submission_line(submission) for submission in submissions[:_MOST_NAMED]]
    more = len(submissions) - _MOST_NAMED
    if more <= 0:
        return named
    return [
        *named,
        tr_many("… and {count} more submission", "… and {count} more submissions", more),
    ]


def _submission_line(submission: Submission) -> str:
    count = len(submission.answers)
    if any(problem.rule == STRANGER for problem in submission.problems):
        answers = tr_many(
            "{count} answer, for no trial of this task",
            "{count} answers, none for a trial of this task",
            count,
        )
    else:
        answers = tr_many("{count} answer", "{count} answers", count)
    return labelled(submission.name, answers)
