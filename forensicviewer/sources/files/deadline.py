"""How long work on one file may take, and whether it was cancelled."""

from __future__ import annotations

import time
from collections.abc import Callable

from forensicviewer.core.problem import CodecError, ForensicViewerError


class CalledOffError(ForensicViewerError):
    """Raised when the answer is no longer wanted."""


def never() -> bool:
    """For work that is never cancelled."""
    return False


class Deadline:
    """Counts from its making or the last sign of life; ask it between two steps of the work."""

    def __init__(self, seconds: float, *, is_called_off: Callable[[], bool] = never) -> None:
        self.seconds = seconds
        self.is_called_off = is_called_off
        self._end_s = time.monotonic() + seconds

    def renew(self) -> None:
        """Count anew: something came of the work, so it does not hang."""
        self._end_s = time.monotonic() + self.seconds

    def check(self, *, where: object) -> None:
        """Raise when time is up or the work was cancelled."""
        if self.is_called_off():
            raise CalledOffError("The work was cancelled", where=where)
        if time.monotonic() > self._end_s:
            raise CodecError(
                f"Decoding took longer than {self.seconds:g} s",
                where=where,
                hint="the file is damaged or far larger than it looks",
                rule="video-too-slow",
            )
