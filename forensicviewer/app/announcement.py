"""What the window says when something was opened or has failed, in a few lines of text."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from forensicviewer import __version__
from forensicviewer.app.state import Change, ViewState
from forensicviewer.core.model import Dataset, Edition, Submission, Task
from forensicviewer.core.problem import Problem, Severity

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Announcement:
    """A message; ``evidence`` is what it rests on, for those who ask."""

    text: str
    evidence: str = ""
    problems: int = 0


def opened(state: ViewState, change: Change) -> Announcement | None:
    """What was recognised in what was opened last, with its problems counted."""
    dataset, task = state.dataset, state.task
    if dataset is None or task is None:
        return None
    if change & Change.DATASET:
        lines = [_dataset_line(dataset, task), *_submission_lines(state.submissions)]
        found = [*dataset.problems, *(p for s in state.submissions for p in s.problems)]
        return _announcement(lines, found, "\n".join(dataset.evidence))
    if state.submission is None:
        return None
    line = _submission_line(state.submission)
    return _announcement([line], state.submission.problems, str(state.submission.origin))


def failed(problems: Sequence[Problem]) -> str:
    """The first of some errors in full, and how many more there are."""
    first = problems[0]
    hint = f"{first.hint[:1].upper()}{first.hint[1:]}" if first.hint else ""
    more = f"… and {len(problems) - 1:n} more" if len(problems) > 1 else ""
    return "\n".join(part for part in (first.message, first.where, hint, more) if part)


def lone_submissions(problems: Sequence[Problem]) -> list[Path]:
    """The submissions that were to be opened without the dataset they answer."""
    return [Path(problem.where) for problem in problems if problem.rule == "submission-alone"]


def details(problems: Sequence[Problem]) -> str:
    """Everything about some errors that a bug report or a colleague needs."""
    told = [f"{problem} [{problem.rule}]" if problem.rule else str(problem) for problem in problems]
    about = f"forensicviewer {__version__}, Python {platform.python_version()}"
    return "\n".join([*told, "", about, platform.platform()])


def _announcement(lines: list[str], problems: Sequence[Problem], evidence: str) -> Announcement:
    found = Counter(problem.severity for problem in dict.fromkeys(problems))
    told = [_counted(found[severity], severity.value) for severity in Severity if found[severity]]
    counted = ", ".join(told) or "No problems"
    return Announcement("\n".join([*lines, counted]), evidence, found.total())


def _dataset_line(dataset: Dataset, task: Task) -> str:
    is_named = task.edition is not Edition.UNKNOWN and task.edition.value != dataset.name
    edition = f"{task.edition.value} " if is_named else ""
    of_several = f" (1 of {len(dataset.tasks)} tasks)" if len(dataset.tasks) > 1 else ""
    trials = _counted(len(task.trials), "trial")
    return f"{dataset.name}: {edition}{task.name}{of_several}, {trials}"


def _submission_lines(submissions: Sequence[Submission]) -> list[str]:
    named = [_submission_line(submission) for submission in submissions[:_MOST_NAMED]]
    more = len(submissions) - _MOST_NAMED
    return [*named, f"… and {_counted(more, 'submission')} more"] if more > 0 else named


def _submission_line(submission: Submission) -> str:
    return f"{submission.name}: {_counted(len(submission.answers), 'answer')}"


def _counted(number: int, word: str) -> str:
    return f"{number:n} {word}" + ("" if number == 1 else "s")
