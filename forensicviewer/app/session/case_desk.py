"""Case files on the desk: opened in the background, checked, and shown as they were shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Lane, Ticket
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import PlaceKind, RecentPlaces
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.core.rules import RULE_SETS

if TYPE_CHECKING:
    from forensicviewer.app.cases.opening import OpenedCase
    from forensicviewer.app.session.session_file import Session

_LANE = Lane("case", is_far=True)


class Cases:
    """The case file that was opened last, and what checking it found."""

    def __init__(
        self,
        workbench: Workbench,
        recent: RecentPlaces,
        *,
        show: Callable[[OpenRequest], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        self.opened: OpenedCase | None = None
        self._workbench, self._recent, self._show, self._fail = workbench, recent, show, fail
        self._listeners: list[Callable[[OpenedCase], None]] = []

    def subscribe(self, listener: Callable[[OpenedCase], None]) -> None:
        """Tell ``listener`` whenever a case was opened."""
        self._listeners.append(listener)

    def is_case(self, path: Path) -> bool:
        from forensicviewer.app.cases.manifest import SUFFIX

        return path.suffix.lower() == SUFFIX

    def open(self, path: Path, *, refused: Sequence[Problem] = ()) -> None:
        """Unpack a case file, compute its numbers again, and show it."""
        self._workbench.jobs.submit_long(
            _LANE,
            partial(_open, path),
            partial(self._take, refused=refused),
            title=tr("Opening {name}", name=path.name),
            on_error=self._fail,
        )

    def _take(
        self, found: tuple[OpenedCase, OpenRequest], *, refused: Sequence[Problem] = ()
    ) -> None:
        opened, request = found
        self.opened = opened
        self._recent.add(opened.origin, PlaceKind.CASE)
        session = request.session
        rules = next((one for one in RULE_SETS if session and one.name == session.rules), None)
        if rules is not None:
            self._workbench.set_rules(rules)
        problems = (*refused, *_problems(opened))
        # Told once the dataset is shown: it puts away what was told about the one before.
        self._show(replace(request, refused=problems))
        for listener in self._listeners:
            listener(opened)


def _open(path: Path, ticket: Ticket) -> tuple[OpenedCase, OpenRequest]:
    # Imported here, in the background: it brings the scorers along.
    from forensicviewer.app.cases.opening import open_case
    from forensicviewer.app.session.session_file import read_view

    opened = open_case(path, progress=ticket.report)
    manifest = opened.manifest
    if opened.view is not None:
        session = read_view(opened.view, opened.dataset, opened.submissions)
        session = replace(session, task=manifest.task, trial=manifest.trial)
        return opened, OpenRequest.resuming(session)
    return opened, OpenRequest(
        opened.dataset, opened.submissions, task=manifest.task, trial=manifest.trial
    )


def _problems(opened: OpenedCase) -> Iterable[Problem]:
    """What differs is an error; what could not be checked is a note."""
    for one in opened.findings:
        if not one.is_same:
            severity = Severity.ERROR if one.is_different else Severity.NOTE
            rule = "case.differs" if one.is_different else "case.unchecked"
            yield Problem(severity, f"{one.what}: {one.words}", str(opened.origin), rule=rule)


def view_of(session: Session, *, has_rival: bool) -> Callable[[Path], None]:
    """Writes how a session looks at its trial; the shown submission is the first of the case.

    The rival, where it goes along, is the second.
    """
    from forensicviewer.app.session.session_file import write_view

    ordered = replace(session, system=0, rival=1 if has_rival else None)
    return partial(write_view, ordered)
