"""Which task a submission answers, and which scorers can say something about it."""

from __future__ import annotations

from pathlib import Path

from forensicviewer.app.opening import open_submission, open_task
from forensicviewer.core.model import Submission, Task, TaskKind
from forensicviewer.core.problem import UsageError
from forensicviewer.core.table import Table

_MASKED = (TaskKind.MANIPULATION, TaskKind.REMOVAL, TaskKind.SPLICE)
_MASK_COLUMNS = (
    "OutputProbeMaskFileName",
    "ProbeOutputMaskFileName",
    "OutputDonorMaskFileName",
    "DonorOutputMaskFileName",
)
_SEGMENTS = ("VideoFrameSegments", "AudioSampleSegments")


def open_answered_task(
    dataset: Path,
    submission: Path,
    *,
    name: str | None,
    index: Path | None = None,
    reference: Path | None = None,
) -> tuple[Task, Submission]:
    """Open the task a submission answers: the named one, or the one its columns speak of."""
    kind = open_submission(submission).kind
    guess = name or (kind.value if kind else None)
    try:
        _, task = open_task(dataset, name=guess, index=index, reference=reference)
    except UsageError:
        if name is not None:
            raise
        # The dataset may have a single task whose submissions look like another's.
        _, task = open_task(dataset, name=None, index=index, reference=reference)
    return task, open_submission(submission, task=task)


def scorers_for(task: Task, submission: Submission) -> tuple[str, ...]:
    """The scorers this submission has answers for, by their words on the command line."""
    if task.kind.is_provenance:
        return (task.kind.value,)
    table = submission.table
    answers = {
        "mask": task.kind in _MASKED and _has_cells(table, _MASK_COLUMNS),
        "detection": _has_cells(table, ("ConfidenceScore",)),
        "temporal": task.kind is TaskKind.VIDEO and _has_cells(table, _SEGMENTS),
    }
    return tuple(scorer for scorer, answered in answers.items() if answered)


def _has_cells(table: Table, columns: tuple[str, ...]) -> bool:
    return any(name in table and not table[name].blank.all() for name in columns)
