"""Which dataset verdicts belong to, whatever its place: trial ids and tables by digest.

A corrected table keeps the review. What a verdict rests on is compared trial by trial.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forensicviewer.app.judging.evidence import digests
from forensicviewer.core.model import Dataset, Task, TrialId
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.verdict import Verdict
from forensicviewer.sources.files.paths import resolve
from forensicviewer.sources.media.images import digest

_FILES = {"Probe SHA-256": "probe", "Reference SHA-256": "reference"}


@dataclass(frozen=True, slots=True)
class TaskIdentity:
    """A task by its trials' ids, its tables (name → SHA-256) and its rows (trial → SHA-256).

    ``files`` are the digests of media and references by trial, where all were taken.
    """

    name: str
    ids: str
    tables: Mapping[str, str] = field(default_factory=dict)
    rows: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        files = {trial: dict(found) for trial, found in self.files.items()}
        return {
            "name": self.name,
            "ids": self.ids,
            "tables": dict(self.tables),
            "rows": dict(self.rows),
            "files": files,
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> TaskIdentity:
        return cls(
            str(content["name"]),
            str(content["ids"]),
            dict(content["tables"]),
            dict(content["rows"]),
            {str(trial): dict(found) for trial, found in content["files"].items()},
        )


def identity_of(task: Task, *, full: bool = False) -> TaskIdentity:
    """Take the identity of a task; ``full`` reads every media and reference file, too."""
    ids = [str(one) for one in task.trials.ids()]
    return TaskIdentity(
        task.name,
        _digest_of(sorted(ids)),
        {name: found for name in task.files.values() if (found := _file_digest(task, name))},
        {str(trial): row_digest(task, TrialId(trial)) for trial in ids},
        {trial: digests(task, TrialId(trial)) for trial in ids} if full else {},
    )


def row_digest(task: Task, trial_id: TrialId) -> str:
    """The digest of what the tables say about a trial; blank where they have no such trial."""
    trial = task.find_trial(trial_id)
    if trial is None:
        return ""
    steps = [[*step.key, step.name, step.color, step.bit_plane] for step in trial.operations]
    return _digest_of([sorted(trial.facts.items()), steps])


def changes_since(verdict: Verdict, task: Task) -> tuple[str, ...]:
    """What of a trial differs from what its judge saw, by name; empty where nothing does."""
    trial, now = task.find_trial(verdict.trial_id), digests(task, verdict.trial_id)
    if trial is None:
        return (f"the tables no longer contain the trial {verdict.trial_id}",)
    found = []
    if verdict.row and verdict.row != row_digest(task, verdict.trial_id):
        found.append(f"the rows of {verdict.trial_id} in the tables")
    names = {"probe": trial.probe.name, "reference": trial.reference or trial.bit_planes}
    for label, role in _FILES.items():
        if label in verdict.facts and verdict.facts[label] != now.get(label):
            found.append(f"the {role} {names[role] or ''}".strip())
    return tuple(found)


def foreign_reason(known: TaskIdentity, dataset: Dataset) -> str:
    """Why a dataset is not the one of a task's identity; blank where it is."""
    task = next((one for one in dataset.tasks if one.name == known.name), None)
    if task is None:
        return f"the dataset does not contain the task {known.name}"
    ids = {str(one) for one in task.trials.ids()}
    if not ids & set(known.rows):
        return f"the task {known.name} contains no trial of the review"
    return ""


def _file_digest(task: Task, name: str) -> str:
    try:
        return digest(resolve(Path(task.root), name))
    except (ForensicViewerError, OSError):
        return ""


def _digest_of(content: object) -> str:
    written = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(written.encode("utf-8", errors="backslashreplace")).hexdigest()
