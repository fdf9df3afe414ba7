"""What a user of GenAI datasets was asked once: whether they take part, and which column labels.

Section 2.2 of NIST's plan forbids participants to look at the test media. The answer is kept with
its date and holds until the user changes it; it is printed in reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from forensicviewer.app.runtime.folders import config_folder
from forensicviewer.app.runtime.json_file import JsonFile
from forensicviewer.core.model import Dataset, Task, Viewing
from forensicviewer.sources.layouts.genai import GenAITrials

_NAMES_BETWEEN = "|"


@dataclass(frozen=True, slots=True)
class Participation:
    """Whether the user takes part in the evaluation, and when they said so."""

    is_participant: bool
    said_on: str

    @property
    def viewing(self) -> Viewing:
        return Viewing.REFUSED if self.is_participant else Viewing.CONFIRMED


@dataclass(frozen=True, slots=True)
class GenAIChoices:
    """Everything that was asked; ``labels`` are label columns by the columns of their tables."""

    participation: Participation | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    def label_of(self, columns: Sequence[str]) -> str | None:
        return self.labels.get(_NAMES_BETWEEN.join(columns))

    def with_label(self, columns: Sequence[str], chosen: str) -> GenAIChoices:
        return replace(self, labels={**self.labels, _NAMES_BETWEEN.join(columns): chosen})

    def with_participation(self, *, is_participant: bool) -> GenAIChoices:
        today = datetime.now().astimezone().date().isoformat()
        return replace(self, participation=Participation(is_participant, today))


def read_choices() -> GenAIChoices:
    """What was answered so far; nothing where the file says nothing usable."""
    document = _file().read().document or {}
    labels = document.get("labels")
    participant, said_on = document.get("participant"), document.get("said_on")
    is_answered = isinstance(participant, bool) and isinstance(said_on, str)
    return GenAIChoices(
        Participation(bool(participant), str(said_on)) if is_answered else None,
        {str(k): str(v) for k, v in labels.items()} if isinstance(labels, dict) else {},
    )


def write_choices(choices: GenAIChoices) -> None:
    said = choices.participation
    content: dict[str, object] = {"labels": dict(choices.labels)}
    if said is not None:
        content |= {"participant": said.is_participant, "said_on": said.said_on}
    _file().write(content)


def as_allowed(dataset: Dataset) -> Dataset:
    """The dataset with its media shown or hidden as the user's answer has it."""
    if all(task.viewing is Viewing.FREE for task in dataset.tasks):
        return dataset
    said = read_choices().participation
    viewing = Viewing.UNASKED if said is None else said.viewing
    return replace(dataset, tasks=tuple(_with_viewing(task, viewing) for task in dataset.tasks))


def _with_viewing(task: Task, viewing: Viewing) -> Task:
    if task.viewing is Viewing.FREE or not isinstance(task.trials, GenAITrials):
        return task
    trials = task.trials.showing(media=not viewing.hides_media)
    return replace(task, trials=trials, viewing=viewing)


def _file() -> JsonFile:
    return JsonFile(config_folder() / Path("genai.json"), "genai")
