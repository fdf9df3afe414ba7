"""The datasets that are open: one is shown, the others wait as they were left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.app.session.open_request import Answering, Opened
from forensicviewer.app.session.session_file import Place, Session
from forensicviewer.app.session.settled import Settled
from forensicviewer.core.model import Dataset, Submission, Task
from forensicviewer.core.problem import Problem

if TYPE_CHECKING:
    from forensicviewer.app.judging.verdict_log import VerdictBook


@dataclass(slots=True)
class OpenPlaces:
    """Where what is shown came from, and the review it is judged in."""

    dataset: Place | None = None
    submissions: list[Place] = field(default_factory=list)
    settled: Settled | None = None
    review: Path | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """What was read of a dataset; ``aside`` are the submissions to its other tasks."""

    dataset: Dataset
    task: Task
    submissions: tuple[Submission, ...]
    aside: Mapping[str, Answering]
    book: VerdictBook | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """An open dataset that is not shown, and how it was left.

    Without ``content`` it comes from a session and is read when it is chosen.
    """

    session: Session
    content: Content | None = None

    @classmethod
    def of(cls, opened: Opened) -> Waiting:
        """A dataset that was opened beside another one and was not looked at yet."""
        assert opened.dataset is not None
        session = Session(
            opened.places[0],
            task=opened.task.name,
            submissions=opened.places[1:],
            trial=opened.request.trial,
            settled=opened.request.settled,
            review=opened.request.review,
        )
        content = Content(
            opened.dataset,
            opened.task,
            opened.submissions,
            opened.elsewhere,
            opened.verdicts,
            opened.problems,
        )
        return cls(session, content)

    @property
    def path(self) -> Path:
        assert self.session.dataset is not None
        return self.session.dataset.path


class Shelf:
    """The waiting datasets, before and after the one that is shown, in the order of opening."""

    def __init__(self, waiting: tuple[Waiting, ...] = (), position: int = 0) -> None:
        self.before = waiting[:position]
        self.after = waiting[position:]

    @property
    def waiting(self) -> tuple[Waiting, ...]:
        return (*self.before, *self.after)

    @property
    def position(self) -> int:
        """The position of the shown one among all."""
        return len(self.before)

    @property
    def neighbour(self) -> Waiting | None:
        """The one to show when the shown one is closed."""
        return next(iter((*self.after, *reversed(self.before))), None)

    def at(self, path: Path | None) -> Waiting | None:
        return next((one for one in self.waiting if one.path == path), None)

    def make_room(self, path: Path, *, shown: Waiting | None) -> None:
        """Put what is shown back, and make room for the dataset at ``path``.

        It gets the place it had, or the last one.
        """
        every = [*self.before, *([] if shown is None else [shown]), *self.after]
        places = [one.path for one in every]
        position = places.index(path) if path in places else len(every)
        self.before, self.after = tuple(every[:position]), tuple(every[position + 1 :])

    def add_last(self, waiting: Waiting) -> None:
        """Let one wait behind all others; one from the same place makes way."""
        self.before = tuple(one for one in self.before if one.path != waiting.path)
        kept = (one for one in self.after if one.path != waiting.path)
        self.after = (*kept, waiting)

    def names(self, shown: Path) -> tuple[str, ...]:
        """What to call each dataset; folders tell apart those of one name."""
        places = [*(one.path for one in self.before), shown, *(one.path for one in self.after)]
        counts = Counter(path.name for path in places)
        return tuple(
            path.name if counts[path.name] == 1 else f"{path.name} ({path.parent.name})"
            for path in places
        )
