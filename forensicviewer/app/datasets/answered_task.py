"""Which task a submission answers, and which scorers can say something about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from forensicviewer.app.datasets.opening import (
    open_dataset,
    open_submission,
    open_task,
    tasks_called,
)
from forensicviewer.core.model import Dataset, Submission, Task, TaskKind
from forensicviewer.core.problem import UsageError
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.imdl.dataset import DatasetChoices
from forensicviewer.sources.tables.provenance_documents import ranks_only

_MASKED = (
    *(TaskKind.MANIPULATION, TaskKind.REMOVAL, TaskKind.SPLICE, TaskKind.VIDEO),
    TaskKind.CAMERA,
)
_MASK_COLUMNS = (
    "OutputProbeMaskFileName",
    "ProbeOutputMaskFileName",
    *("OutputProbeMaskFName", "OutputMaskFName", "MaskFName"),
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
    choices: DatasetChoices | None = None,
) -> tuple[Task, Submission]:
    """Open the task a submission answers: the named one, or the one its answers are about.

    Where a word like ``manipulation`` or no word at all leaves several tasks to choose from, the
    one most of whose trials are answered is meant; only where none is answered must the user say.
    """
    try:
        _, task = open_task(dataset, name=name, index=index, reference=reference, choices=choices)
    except UsageError as error:
        if error.rule != "task.several" or index is not None or reference is not None:
            raise
        answered = task_answered_by(
            open_dataset(dataset, choices=choices), [open_submission(submission)], name=name
        )
        if answered is None:
            raise _answers_nothing(submission, error) from error
        task = answered
    if name is None and task.kind is TaskKind.PROVENANCE:
        # One index often serves both provenance tasks; the submission's name then decides.
        asked = open_submission(submission).kind
        task = replace(task, kind=asked) if asked is TaskKind.FILTERING else task
    return task, open_submission(submission, task=task)


def _answers_nothing(submission: Path, error: UsageError) -> UsageError:
    return UsageError(
        "The submission does not answer any trial of this dataset",
        where=submission,
        hint=f"check whether it belongs to another dataset; if not, {error.hint}",
        rule=error.rule,
    )


def task_answered_by(
    dataset: Dataset, submissions: Sequence[Submission], *, name: str | None = None
) -> Task | None:
    """The task most of whose trials the submissions answer; ``None`` where they answer none.

    Of equals the one the submissions' names or documents speak of wins (graphs and filtering ask
    about the same probes), then the first main task: a sub-index asks about fewer of the same
    trials.
    """
    tasks = sorted(tasks_called(dataset, name), key=lambda task: task.is_variant)
    named = {submission.kind for submission in submissions}
    if {TaskKind.PROVENANCE, TaskKind.FILTERING} <= {task.kind for task in tasks}:
        named = {TaskKind.FILTERING if ranks_only(each) else each.kind for each in submissions}
    best = max(
        tasks, key=lambda task: (_answered(task, submissions), task.kind in named), default=None
    )
    return best if best is not None and _answered(best, submissions) > 0 else None


def _answered(task: Task, submissions: Sequence[Submission]) -> int:
    ids = task.trials.ids()
    return sum(
        int((submission.answers.rows_for(ids) >= 0).sum())
        for submission in submissions
        if submission.kind is None or _is_about(submission.kind, task.kind)
    )


def _is_about(answered: TaskKind, asked: TaskKind) -> bool:
    # Submissions to these tasks have the same columns, so the columns cannot distinguish them:
    # images and removals in NC2016, images and videos in NC2017, graphs and rankings.
    alike = (
        {TaskKind.MANIPULATION, TaskKind.REMOVAL},
        {TaskKind.MANIPULATION, TaskKind.VIDEO},
        {TaskKind.PROVENANCE, TaskKind.FILTERING},
    )
    return answered is asked or any({answered, asked} <= kinds for kinds in alike)


def scorers_for(task: Task, submission: Submission) -> tuple[str, ...]:
    """The scorers this submission has answers for, by their words on the command line."""
    if task.kind.is_provenance or task.kind in (TaskKind.GENAI, TaskKind.IMDL):
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
