"""Where two submissions disagree most: the trials whose confidence they rank most differently.

Ranks, not scores: every system has a scale of its own.
"""

from __future__ import annotations

import numpy as np

from forensicviewer.core.array import Floats, Rows
from forensicviewer.core.model import Submission, Task, TrialId


def disagreements(
    task: Task, one: Submission, other: Submission, rows: Rows
) -> tuple[TrialId, ...]:
    """The trials of these rows that both submissions answer, the most disputed first."""
    ids = task.trials.ids()
    wanted = [ids[row] for row in rows.tolist()]
    first, second = _confidences(one, wanted), _confidences(other, wanted)
    both = np.flatnonzero(~np.isnan(first) & ~np.isnan(second))
    apart = np.abs(_ranks(first[both]) - _ranks(second[both]))
    order = both[np.argsort(-apart, kind="stable")]
    return tuple(wanted[place] for place in order.tolist())


def _confidences(submission: Submission, ids: list[TrialId]) -> Floats:
    found: Floats = np.full(len(ids), np.nan)
    if "ConfidenceScore" in submission.table:
        rows = submission.answers.rows_for(ids)
        answered = rows >= 0
        found[answered] = submission.table["ConfidenceScore"].numbers[rows[answered]]
    return found


def _ranks(scores: Floats) -> Floats:
    """The place of each score among all, 0..1; equal scores share the middle of their places."""
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    middles: Floats = (np.cumsum(counts) - counts / 2) / max(1, len(scores))
    return middles[places]
