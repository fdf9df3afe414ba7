"""Tells how far the reading of several files is, from whichever thread it goes on."""

from __future__ import annotations

import threading

from forensicviewer.core.progress import Progress

MEGABYTE = 1 << 20


class Meter:
    """Counts bytes, tells megabytes.

    Telling may raise: nobody waits any more, and the counting stops.
    """

    def __init__(self, progress: Progress | None, total_bytes: int) -> None:
        self._progress = progress
        self._total = total_bytes
        self._done = 0
        self._counting = threading.Lock()

    def add(self, count: int) -> None:
        with self._counting:
            self._done = min(self._total, self._done + count)
            if self._progress is not None:
                self._progress(self._done // MEGABYTE, self._total // MEGABYTE)
