"""What is asked of one video: its trial, its answer and the operations that are selected."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from forensicviewer.core.mask import Kernels
from forensicviewer.core.model import Answer, Submission, Task, Trial
from forensicviewer.sources.media.masks import Polarity


@dataclass(frozen=True, slots=True, eq=False)
class AskedSystem:
    submission: Submission
    answer: Answer | None

    @property
    def root(self) -> Path:
        return Path(self.submission.root)


@dataclass(frozen=True, slots=True, eq=False)
class VideoQuestion:
    task: Task
    trial: Trial
    systems: tuple[AskedSystem, ...]
    kernels: Kernels
    selected: frozenset[int] | None

    @classmethod
    def of(
        cls,
        task: Task,
        trial: Trial,
        submissions: tuple[Submission, ...],
        *,
        kernels: Kernels,
        selected: frozenset[int] | None,
    ) -> VideoQuestion:
        asked = tuple(AskedSystem(one, one.answers.get(trial.id)) for one in submissions)
        return cls(task, trial, asked, kernels, selected)

    @property
    def polarity(self) -> Polarity:
        return Polarity.BLACK if self.task.is_nist else Polarity.WHITE
