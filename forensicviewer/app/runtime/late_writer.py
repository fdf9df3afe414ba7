"""Writes a file in the background: only the newest content, and never less."""

from __future__ import annotations

import threading
from collections.abc import Callable

from forensicviewer.app.runtime.jobs import Jobs, Lane
from forensicviewer.core.problem import Problem

Writing = Callable[[], Problem | None]


class LateWriter:
    """Keeps slow disks from blocking the window when small files are saved.

    Each write is of the whole file, so one that has not begun is replaced by the next. Until
    :meth:`use` is called, everything is written at once.
    """

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._jobs: Jobs | None = None
        self._unwritten: Writing | None = None
        # The end of the program may come while a worker writes; an older content must not win.
        self._writing = threading.Lock()
        self.on_problem: Callable[[Problem], None] = lambda _: None

    def use(self, jobs: Jobs) -> None:
        """Write in the background from now on."""
        self._jobs = jobs

    def write(self, work: Writing) -> None:
        """Let ``work`` write the file soon; it must own its data."""
        if self._jobs is None:
            self.finish(work)
        else:
            self._unwritten = work
            self._jobs.submit(self._lane, self._write_newest, self._tell)

    def finish(self, work: Writing | None = None) -> None:
        """Write ``work`` or the pending content now; called before the program ends."""
        if work is not None:
            self._unwritten = work
        self._tell(self._write_newest())

    def _write_newest(self) -> Problem | None:
        with self._writing:
            work, self._unwritten = self._unwritten, None
            return None if work is None else work()

    def _tell(self, problem: Problem | None) -> None:
        if problem is not None:
            self.on_problem(problem)
