"""Checks a submission that is open, or a file that may not even open as one."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.app.datasets.answered_task import open_answered_task
from forensicviewer.app.datasets.opening import experiments_of
from forensicviewer.app.validation import Validation, ValidationOptions, rejection, validate
from forensicviewer.app.validation.masks import ignore_progress
from forensicviewer.core.model import Submission, Task
from forensicviewer.core.problem import SubmissionError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.imdl.dataset import Choices


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """A verdict with what it is about; a file that cannot be opened has no task and no answers."""

    validation: Validation
    task: Task | None = None
    submission: Submission | None = None


def check_open(
    task: Task,
    submission: Submission,
    options: ValidationOptions,
    *,
    progress: Progress = ignore_progress,
) -> Checked:
    """Check a submission that is open."""
    return Checked(validate(task, submission, options, progress=progress), task, submission)


def check_file(
    dataset: Path,
    path: Path,
    options: ValidationOptions,
    *,
    task: str | None = None,
    index: Path | None = None,
    choices: Choices | None = None,
    progress: Progress = ignore_progress,
) -> Checked:
    """Open a submission to a dataset and check it; what cannot be opened is rejected."""
    try:
        answered, submission = open_answered_task(
            dataset, path, name=task, index=index, choices=choices
        )
    except SubmissionError as error:
        if error.rule == "submission.missing":
            raise
        return Checked(
            rejection(
                path.name,
                rule="submission.opens",
                message=error.message,
                where=error.where,
                hint=error.hint,
            )
        )
    return check_open(answered, submission, options, progress=progress)


def experiments_in(path: Path) -> tuple[Path, ...]:
    """The submissions of a package; of an archive that cannot be unpacked, itself."""
    try:
        return experiments_of(path)
    except SubmissionError:
        return (path,)


def validate_command(
    dataset: Path, submission: Path, options: ValidationOptions, *, task: str | None
) -> str:
    """The command line that checks the same."""
    words = ["forensicviewer", "validate", str(dataset), str(submission)]
    words += [] if task is None else ["--task", task]
    words += [] if options.family is None else ["--rules", options.family.value]
    words += ["--check-name"] if options.names else []
    words += [] if options.masks else ["--no-masks"]
    words += ["--strict"] if options.strict else []
    return shlex.join(words)
