"""The content of a dataset and its submissions, as plain values to print or to save."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from forensicviewer.core.graph.variation import variation_of
from forensicviewer.core.model import Dataset, Submission, Task, key_columns
from forensicviewer.core.problem import Problem
from forensicviewer.sources.files import archives
from forensicviewer.sources.files.digest import md5_of
from forensicviewer.sources.tables.packages import package_of


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which task a submission answers best, and how many of its trials."""

    task: Task
    answered: int

    @property
    def missing(self) -> int:
        return len(self.task.trials) - self.answered


def coverage_of(dataset: Dataset, submission: Submission) -> Coverage | None:
    """The task with the most trials that this submission answers; ``None`` where there is none.

    Sub-indexes list trials of the main index too, so of equals the earlier and larger one counts.
    """
    kind = submission.kind
    fitting = [
        task
        for task in dataset.tasks
        if kind is not None and key_columns(task.kind) == key_columns(kind)
    ]
    found = [Coverage(task, _answered(task, submission)) for task in fitting]
    best = max(
        found,
        key=lambda each: (each.answered, each.task.kind is kind, not each.task.is_variant),
        default=None,
    )
    return best if best is not None and best.answered else None


def describe_dataset(dataset: Dataset) -> dict[str, object]:
    """A dataset as values that JSON knows."""
    return {
        "name": dataset.name,
        "root": str(dataset.root),
        "edition": dataset.edition.value,
        "evidence": list(dataset.evidence),
        "tasks": [describe_task(task) for task in dataset.tasks],
        "problems": describe_problems(dataset.problems),
    }


def describe_task(task: Task) -> dict[str, object]:
    targets, others = _targets(task)
    variation = variation_of(task)
    return {
        "name": task.name,
        "kind": task.kind.value,
        "edition": task.edition.value,
        "condition": "" if task.condition is None else str(task.condition),
        "variation": "" if variation is None else variation.value,
        "trials": len(task.trials),
        "targets": targets,
        "non_targets": others,
        "has_reference": task.has_reference,
        "files": dict(task.files),
        "columns": list(task.table.names),
    }


def describe_submission(submission: Submission, coverage: Coverage | None) -> dict[str, object]:
    """A submission as values that JSON knows, with the trials it answers."""
    return {
        "name": submission.name,
        "origin": str(submission.origin),
        "kind": None if submission.kind is None else submission.kind.value,
        "answers": len(submission.answers),
        "identity": dict(submission.identity),
        "system_description": submission.description,
        "md5": md5_of_package(submission),
        "columns": list(submission.table.names),
        "task": None if coverage is None else coverage.task.name,
        "answered": 0 if coverage is None else coverage.answered,
        "missing": None if coverage is None else coverage.missing,
        "problems": describe_problems(submission.problems),
    }


def md5_of_package(submission: Submission) -> str:
    """The MD5 of the archive a submission came in, which NC2017's plan asks for by mail (A-c)."""
    package = package_of(Path(submission.origin))
    return md5_of(package) if archives.is_archive(package) else ""


def describe_problems(problems: Iterable[Problem]) -> list[dict[str, str]]:
    return [
        {
            "severity": problem.severity.value,
            "rule": problem.rule,
            "where": problem.where,
            "message": problem.message,
            "hint": problem.hint,
            "trial": problem.trial or "",
        }
        for problem in problems
    ]


def _answered(task: Task, submission: Submission) -> int:
    return int(np.count_nonzero(submission.answers.rows_for(task.trials.ids()) >= 0))


def _targets(task: Task) -> tuple[int | None, int | None]:
    if "IsTarget" not in task.table:
        return None, None
    counts = task.table["IsTarget"].counts()
    by_word = {word.strip().upper(): count for word, count in counts.items()}
    return by_word.get("Y", 0), by_word.get("N", 0)


def describe_identity(submission: Submission) -> str:
    """What the name of a submission says: team, evaluation, task, condition, system, version."""
    return ", ".join(f"{part} {word}" for part, word in submission.identity.items())
