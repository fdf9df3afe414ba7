"""What a user of GenAI datasets was asked once: whether they take part, and which column labels.

Section 2.2 of NIST's plan forbids participants to look at the test media. The answer is kept for
each test set with its date and holds until the user changes it; it is printed in reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from forensicviewer.app.runtime.atomic import file_digest
from forensicviewer.app.runtime.folders import config_folder
from forensicviewer.app.runtime.json_file import JsonFile
from forensicviewer.core.model import Dataset, Task, Viewing
from forensicviewer.sources.layouts.genai import GenAITrials

_NAMES_BETWEEN = "|"


@dataclass(frozen=True, slots=True)
class Participation:
    """Whether the user takes part in an evaluation, and when they said so."""

    is_participant: bool
    said_on: str

    @property
    def viewing(self) -> Viewing:
        return Viewing.REFUSED if self.is_participant else Viewing.CONFIRMED


@dataclass(frozen=True, slots=True)
class GenAIChoices:
    """Everything that was asked.

    ``sets`` are the answers by test set (:func:`set_key`), ``labels`` the label columns by the
    columns of their tables.
    """

    sets: Mapping[str, Participation] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def label_of(self, columns: Sequence[str]) -> str | None:
        return self.labels.get(_NAMES_BETWEEN.join(columns))

    def with_label(self, columns: Sequence[str], chosen: str) -> GenAIChoices:
        return replace(self, labels={**self.labels, _NAMES_BETWEEN.join(columns): chosen})

    def with_participation(self, key: str, *, is_participant: bool) -> GenAIChoices:
        today = datetime.now().astimezone().date().isoformat()
        return replace(self, sets={**self.sets, key: Participation(is_participant, today)})


def set_key(task: Task) -> str:
    """What tells a test set from others: the content of its index, wherever it lies."""
    return file_digest(Path(task.root) / task.files["index"])


def participation_in(task: Task) -> Participation | None:
    """The user's answer about this test set; ``None`` before they were asked."""
    return read_choices().sets.get(set_key(task))


def say_participation(dataset: Dataset, *, is_participant: bool) -> None:
    """Keep the user's answer for every test set of a dataset."""
    choices = read_choices()
    for task in dataset.tasks:
        if task.viewing is not Viewing.FREE:
            choices = choices.with_participation(set_key(task), is_participant=is_participant)
    write_choices(choices)


def read_choices() -> GenAIChoices:
    """What was answered so far; nothing where the file says nothing usable."""
    document = _file().read().document or {}
    labels, sets = document.get("labels"), document.get("sets")
    answers = sets.items() if isinstance(sets, dict) else ()
    read = ((str(key), _participation(answer)) for key, answer in answers)
    return GenAIChoices(
        {key: said for key, said in read if said is not None},
        {str(k): str(v) for k, v in labels.items()} if isinstance(labels, dict) else {},
    )


def _participation(answer: object) -> Participation | None:
    if not isinstance(answer, dict):
        return None
    participant, said_on = answer.get("participant"), answer.get("said_on")
    is_usable = isinstance(participant, bool) and isinstance(said_on, str)
    return Participation(bool(participant), str(said_on)) if is_usable else None


def write_choices(choices: GenAIChoices) -> None:
    sets = {
        key: {"participant": said.is_participant, "said_on": said.said_on}
        for key, said in choices.sets.items()
    }
    _file().write({"labels": dict(choices.labels), "sets": sets})


def as_allowed(dataset: Dataset) -> Dataset:
    """The dataset with the media of each set shown or hidden as the user's answer has it."""
    if all(task.viewing is Viewing.FREE for task in dataset.tasks):
        return dataset
    return replace(dataset, tasks=tuple(map(_as_allowed, dataset.tasks)))


def _as_allowed(task: Task) -> Task:
    if task.viewing is Viewing.FREE or not isinstance(task.trials, GenAITrials):
        return task
    said = participation_in(task)
    viewing = Viewing.UNASKED if said is None else said.viewing
    trials = task.trials.showing(media=not viewing.hides_media)
    return replace(task, trials=trials, viewing=viewing)


def _file() -> JsonFile:
    return JsonFile(config_folder() / Path("genai.json"), "genai")
