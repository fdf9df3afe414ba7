"""Checks a submission that is open, or a file that may not even open as one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forensicviewer.app.datasets.answered_task import open_answered_task
from forensicviewer.app.datasets.opening import experiments_of
from forensicviewer.app.validation import Validation, ValidationOptions, rejection, validate
from forensicviewer.app.validation.masks import ignore_progress
from forensicviewer.app.validation.package import with_package_findings
from forensicviewer.core.model import Submission, Task
from forensicviewer.core.problem import SubmissionError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.imdl.dataset import DatasetChoices
from forensicviewer.sources.tables.packages import package_of


@dataclass(frozen=True, slots=True, eq=False)
class CheckedSubmission:
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
) -> CheckedSubmission:
    """Check a submission that is open."""
    return CheckedSubmission(
        validate(task, submission, options, progress=progress), task, submission
    )


def check_file(
    dataset: Path,
    path: Path,
    options: ValidationOptions,
    *,
    task: str | None = None,
    index: Path | None = None,
    choices: DatasetChoices | None = None,
    progress: Progress = ignore_progress,
) -> CheckedSubmission:
    """Open a submission to a dataset and check it; what cannot be opened is rejected."""
    try:
        answered, submission = open_answered_task(
            dataset, path, name=task, index=index, choices=choices
        )
    except SubmissionError as error:
        if error.rule == "submission.missing":
            raise
        return CheckedSubmission(
            rejection(
                path.name,
                rule="submission.opens",
                message=error.message,
                where=error.where,
                hint=error.hint,
            )
        )
    return check_open(answered, submission, options, progress=progress)


def check_package(
    dataset: Path,
    path: Path,
    options: ValidationOptions,
    *,
    task: str | None = None,
    index: Path | None = None,
    choices: DatasetChoices | None = None,
    progress: Progress = ignore_progress,
) -> tuple[CheckedSubmission, ...]:
    """Check every submission at a path, and the plan's rules about all of them together."""
    found = [
        check_file(
            dataset, one, options, task=task, index=index, choices=choices, progress=progress
        )
        for one in experiments_in(path)
    ]
    return judge_together(found, path)


def judge_together(found: Sequence[CheckedSubmission], path: Path) -> tuple[CheckedSubmission, ...]:
    """The verdicts, with findings about the package that contains them."""
    package = path if len(found) > 1 else package_around(path)
    if package is None:
        return tuple(found)
    validations = with_package_findings(
        [one.validation for one in found],
        package=package.name,
        siblings=[each.name for each in experiments_in(package)],
    )
    return tuple(
        replace(one, validation=validation)
        for one, validation in zip(found, validations, strict=True)
    )


def package_around(path: Path) -> Path | None:
    """The package that contains a submission, recognised by names alone.

    An archive contains one package. A folder is a package if it is named after its team, as the
    plan of NC2017 requires (Appendix A-b); other folders may collect unrelated systems.
    """
    package, team = package_of(path), path.name.partition("_")[0]
    if package != path:
        return package
    is_package = "_" in path.name and path.parent.name.startswith(f"{team}_")
    return path.parent if is_package and path.is_dir() else None


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
