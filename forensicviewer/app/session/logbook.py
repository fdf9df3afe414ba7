"""The log of a run: what was opened and what was wrong, with the time; to read and to send.

Kept in memory, and in a file once it is given one. The file begins anew when it has grown large;
the one before stays beside it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from forensicviewer import __version__
from forensicviewer.app.language.words import in_english
from forensicviewer.app.runtime.folders import state_folder
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session import announcement
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.model import Submission
from forensicviewer.core.problem import Problem

_LOG_LANE = Lane("log")

_KEPT_LINES = 5_000
_LARGEST_BYTES = 1_000_000


def log_path() -> Path:
    return state_folder() / "log" / "forensicviewer.log"


class Logbook:
    """Follows a workbench and writes down what happened."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self._unwritten: deque[str] = deque()
        self._path: Path | None = None
        self._logged: frozenset[Problem] = frozenset()
        self._submissions: tuple[Submission, ...] = ()
        self._unsubscribe = workbench.subscribe(self._follow)
        self.add("info", f"forensicviewer {__version__} begins")
        self._tell_problems(workbench.state)

    @property
    def text(self) -> str:
        return "\n".join(self._lines)

    @property
    def count(self) -> int:
        return len(self._lines)

    def keep_in(self, path: Path) -> None:
        """Write everything so far, and all that follows, into a file as well."""
        self._path = path
        self._unwritten.extend(self._lines)
        self._write_later()

    def add(self, level: str, message: str) -> None:
        at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%SZ")
        line = f"{at} {level:7} " + " | ".join(message.splitlines())
        self._lines.append(line)
        if self._path is not None:
            self._unwritten.append(line)
            self._write_later()

    def let_go(self) -> None:
        self._unsubscribe()

    def _follow(self, state: ViewState, change: Change) -> None:
        if change & (Change.DATASET | Change.SUBMISSIONS):
            with in_english():
                opened = announcement.opened(state, change, self._submissions)
            self._submissions = state.submissions
            self.add("info", "Everything closed" if opened is None else f"Opened {opened.text}")
        if change & Change.PROBLEMS:
            self._tell_problems(state)

    def _tell_problems(self, state: ViewState) -> None:
        for problem in state.problems:
            if problem not in self._logged:
                text = str(problem).removeprefix(f"{problem.severity.value}: ")
                self.add(problem.severity.value, text)
        self._logged = frozenset(state.problems)

    def _write_later(self) -> None:
        path, unwritten = self._path, self._unwritten
        assert path is not None
        # A newer job takes the place of one that waits; the lines wait for whichever comes.
        self._workbench.jobs.submit(_LOG_LANE, lambda: _append(path, _drained(unwritten)), _nothing)


def _drained(lines: deque[str]) -> Iterable[str]:
    while lines:
        yield lines.popleft()


def _append(path: Path, lines: Iterable[str]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _LARGEST_BYTES:
            path.replace(path.with_suffix(".old.log"))
        with path.open("a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.writelines(f"{line}\n" for line in lines)
    except OSError:
        # A log that cannot be written must not disturb the work it tells of.
        return


def _nothing(_answer: object) -> None:
    """Close without waiting for the log."""
