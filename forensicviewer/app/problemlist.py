"""Which problems are told once something else is open, and how masks that fail are told of."""

from __future__ import annotations

from collections.abc import Iterable

from forensicviewer.core.model import Dataset, Submission
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.core.rules.mask import UNUSABLE_MASK

# What is wrong with the program's own files is wrong whatever is open.
_OWN = ("settings-", "recent-", "session-", "window-", "store-")


def problems_once_open(
    before: Iterable[Problem], dataset: Dataset, submissions: Iterable[Submission]
) -> tuple[Problem, ...]:
    """Those of what was opened; of those before, only what is not about what was open before."""
    own = [problem for problem in before if problem.rule.startswith(_OWN)]
    answers = [problem for submission in submissions for problem in submission.problems]
    return tuple(dict.fromkeys([*own, *dataset.problems, *answers]))


def unusable_mask(trial: str, mask: str, why: str, *, where: str, hint: str) -> Problem:
    """A mask that cannot be scored, in the same words wherever it is found out: told once."""
    message = f"{trial}: {mask} cannot be scored: {why}"
    return Problem(Severity.ERROR, message, where, hint, UNUSABLE_MASK.name)
