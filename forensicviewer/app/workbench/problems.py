"""Which problems stay listed when something else is open, and how failed masks are reported."""

from __future__ import annotations

from collections.abc import Iterable

from forensicviewer.core.model import Dataset, Submission
from forensicviewer.core.problem import Problem, Severity, Topic

# The rule of a problem: a dataset or submission that a session names is not where it was.
MISSING_PLACE = "session-missing"
_ORDER = tuple(Severity)  # worst first


def problems_once_open(
    before: Iterable[Problem], dataset: Dataset, submissions: Iterable[Submission]
) -> tuple[Problem, ...]:
    """Those of what was opened; of those before, only what is wrong with the program's files."""
    own = [problem for problem in before if problem.topic is Topic.PROGRAM]
    answers = [problem for submission in submissions for problem in submission.problems]
    return tuple(dict.fromkeys([*own, *dataset.problems, *answers]))


def merge_problems(
    before: Iterable[Problem], new: Iterable[Problem], *, instead_of: Topic | None = None
) -> tuple[Problem, ...]:
    """Problems and new ones, each once; those of a topic make way for the new ones."""
    kept = (problem for problem in before if problem.topic is not instead_of)
    return drop_repeats((*kept, *new))


def drop_repeats(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Each problem once, as bad as it is for anybody: a file may be needed here and extra there."""
    worst: dict[tuple[str, str, str], Problem] = {}
    for problem in problems:
        same = problem.message, problem.where, problem.rule
        known = worst.setdefault(same, problem)
        if _ORDER.index(problem.severity) < _ORDER.index(known.severity):
            worst[same] = problem
    return tuple(worst.values())
