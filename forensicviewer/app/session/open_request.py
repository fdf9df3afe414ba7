"""What is to be opened together: a dataset, its task and submissions to it, and what was opened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.session.session_file import Place, Session
from forensicviewer.core.model import Dataset, Submission, Task
from forensicviewer.core.problem import Problem


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """What to open together. ``session`` says how it is then looked at.

    ``file`` is one of the trial to show first, where that is not named itself; ``refused`` is what
    was asked for at the same time and is not opened.
    """

    dataset: Path | None = None
    submissions: tuple[Path, ...] = ()
    task: str | None = None
    trial: str | None = None
    session: Session | None = None
    file: Path | None = None
    refused: tuple[Problem, ...] = ()

    def once_each(self) -> OpenRequest:
        """The same by full paths, each submission once, wherever it was named from."""
        return replace(
            self,
            dataset=None if self.dataset is None else self.dataset.absolute(),
            submissions=tuple(dict.fromkeys(path.absolute() for path in self.submissions)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """What was opened. ``dataset`` and ``verdicts`` are ``None`` where it was open before."""

    request: OpenRequest
    dataset: Dataset | None
    task: Task
    submissions: tuple[Submission, ...]
    places: tuple[Place, ...]
    problems: tuple[Problem, ...]
    verdicts: VerdictBook | None = None
