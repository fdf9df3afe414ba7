"""Which scorers can say something about a submission."""

from __future__ import annotations

from forensicviewer.core.model import Submission, Task, TaskKind
from forensicviewer.core.table import Table

_MASKED = (TaskKind.MANIPULATION, TaskKind.REMOVAL, TaskKind.SPLICE)
_MASK_COLUMNS = (
    "OutputProbeMaskFileName",
    "ProbeOutputMaskFileName",
    "OutputDonorMaskFileName",
    "DonorOutputMaskFileName",
)
_SEGMENTS = ("VideoFrameSegments", "AudioSampleSegments")


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
