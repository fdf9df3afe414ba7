"""What is to be opened together: a dataset, its task and submissions to it, and what was opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.app.session.settled import Settled
from forensicviewer.core.model import Dataset, Submission, Task
from forensicviewer.core.problem import Problem

if TYPE_CHECKING:
    from forensicviewer.app.judging.verdict_log import VerdictBook
    from forensicviewer.app.session.session_file import Place, Session


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """What to open together. ``session`` says how it is then looked at.

    ``file`` is one of the trial to show first, where that is not named itself; ``refused`` is what
    was asked for at the same time and is not opened. Submissions that answer no trial of the
    dataset are opened only where it ``accepts_strangers``: the user was asked. So it is with links
    that lead out of the dataset, which are read only where it ``follows_links``. ``settled`` says
    how images find their masks. ``others`` are further datasets, opened behind the first one;
    everything that was open makes way where it ``replaces``. ``review`` is where its verdicts are
    kept, if not with the program's own files.
    """

    dataset: Path | None = None
    submissions: tuple[Path, ...] = ()
    task: str | None = None
    trial: str | None = None
    session: Session | None = None
    file: Path | None = None
    refused: tuple[Problem, ...] = ()
    accepts_strangers: bool = False
    settled: Settled | None = None
    follows_links: bool = False
    others: tuple[Path, ...] = ()
    replaces: bool = False
    review: Path | None = None

    @classmethod
    def resuming(cls, session: Session) -> OpenRequest:
        """The request that continues a session."""
        assert session.dataset is not None
        return cls(
            dataset=session.dataset.path,
            submissions=tuple(place.path for place in session.submissions),
            task=session.task,
            trial=session.trial,
            session=session,
            settled=session.settled,
            review=session.review,
        )

    def beside(self, is_open: Place | None, waiting: Sequence[Path] = ()) -> OpenRequest:
        """The same as an addition where its dataset ``is_open``: what is open stays so.

        One that is ``waiting`` behind it is named as it was opened. Looks at the disk: a dataset
        may be named in several ways.
        """
        if self.dataset is None or self.others:
            return self
        real = self.dataset.resolve()
        if is_open is not None and self.submissions and real == is_open.path.resolve():
            return replace(self, dataset=None)
        known = next((path for path in waiting if path.resolve() == real), None)
        return self if known is None else replace(self, dataset=known)

    @property
    def is_about_one(self) -> bool:
        """Whether it names one dataset and nothing new about it."""
        return (
            self.session is None
            and self.settled is None
            and self.review is None
            and not self.others
        )

    def with_more(self, asked: OpenRequest) -> OpenRequest:
        """The same with what else is asked for."""
        return replace(
            self,
            submissions=tuple(dict.fromkeys((*self.submissions, *asked.submissions))),
            task=asked.task or self.task,
            trial=asked.trial or self.trial,
            refused=asked.refused,
        )

    def once_each(self) -> OpenRequest:
        """The same by full paths, each submission once, wherever it was named from."""
        return replace(
            self,
            dataset=None if self.dataset is None else self.dataset.absolute(),
            submissions=tuple(dict.fromkeys(path.absolute() for path in self.submissions)),
            others=tuple(dict.fromkeys(path.absolute() for path in self.others)),
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
