"""What is to be opened together: a dataset, its task and submissions to it, and what was opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.session.session_file import Place, Session
from forensicviewer.core.model import Dataset, Submission, Task
from forensicviewer.core.problem import Problem

if TYPE_CHECKING:
    from forensicviewer.sources.imdl.dataset import Choices


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """What to open together. ``session`` says how it is then looked at.

    ``file`` is one of the trial to show first, where that is not named itself; ``refused`` is what
    was asked for at the same time and is not opened. Submissions that answer no trial of the
    dataset are opened only where it ``accepts_strangers``: the user was asked. So it is with links
    that lead out of the dataset, which are read only where it ``follows_links``. ``choices`` settle
    how images find their masks.
    """

    dataset: Path | None = None
    submissions: tuple[Path, ...] = ()
    task: str | None = None
    trial: str | None = None
    session: Session | None = None
    file: Path | None = None
    refused: tuple[Problem, ...] = ()
    accepts_strangers: bool = False
    choices: Choices | None = None
    follows_links: bool = False

    def beside(self, is_open: Place | None) -> OpenRequest:
        """The same as an addition where its dataset ``is_open``: what is open stays so.

        Looks at the disk: a dataset may be named in several ways.
        """
        if is_open is None or self.dataset is None or not self.submissions:
            return self
        is_same = self.dataset.resolve() == is_open.path.resolve()
        return replace(self, dataset=None) if is_same else self

    def once_each(self) -> OpenRequest:
        """The same by full paths, each submission once, wherever it was named from."""
        return replace(
            self,
            dataset=None if self.dataset is None else self.dataset.absolute(),
            submissions=tuple(dict.fromkeys(path.absolute() for path in self.submissions)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Answering:
    """Submissions to one task, and where they came from."""

    submissions: tuple[Submission, ...] = ()
    places: tuple[Place, ...] = ()

    def beside(self, known: Answering) -> Answering:
        """These in front of known ones; one from the same place is there once, as it is here."""
        paths = {place.path for place in self.places}
        kept = [n for n, place in enumerate(known.places) if place.path not in paths]
        return Answering(
            (*self.submissions, *(known.submissions[n] for n in kept)),
            (*self.places, *(known.places[n] for n in kept)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """What was opened. ``dataset`` and ``verdicts`` are ``None`` where it was open before.

    ``elsewhere`` are the submissions to other tasks of the dataset, by the names of these.
    """

    request: OpenRequest
    dataset: Dataset | None
    task: Task
    submissions: tuple[Submission, ...]
    places: tuple[Place, ...]
    problems: tuple[Problem, ...]
    verdicts: VerdictBook | None = None
    elsewhere: Mapping[str, Answering] = field(default_factory=dict)
