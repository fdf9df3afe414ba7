"""Which problems are told once something else is open."""

from __future__ import annotations

from collections.abc import Iterable

from forensicviewer.core.model import Dataset, Submission
from forensicviewer.core.problem import Problem

# What is wrong with the program's own files is wrong whatever is open.
_OWN = ("settings-", "recent-", "session-", "window-", "store-")


def problems_once_open(
    before: Iterable[Problem], dataset: Dataset, submissions: Iterable[Submission]
) -> tuple[Problem, ...]:
    """Those of what was opened; of those before, only what is not about what was open before."""
    own = [problem for problem in before if problem.rule.startswith(_OWN)]
    answers = [problem for submission in submissions for problem in submission.problems]
    return tuple(dict.fromkeys([*own, *dataset.problems, *answers]))
