"""How a mask that cannot be scored is told of."""

from __future__ import annotations

from forensicviewer.core.problem import Problem, Severity
from forensicviewer.core.rules.mask import UnusableMask


def unusable_mask(trial: str, mask: str, why: str, *, where: str, hint: str) -> Problem:
    """A mask that cannot be scored, in the same words wherever it is found out: told once."""
    message = f"{trial}: {mask} cannot be scored: {why}"
    return Problem(Severity.ERROR, message, where, hint, UnusableMask.key)
