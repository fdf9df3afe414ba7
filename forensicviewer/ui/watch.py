"""Watches how long the window takes: every event it handles, and named work."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass
from statistics import median

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

_KEPT = 500
_NAMES = {
    QEvent.Type.Paint: "Painting",
    QEvent.Type.UpdateRequest: "Frame",
    QEvent.Type.MouseMove: "Mouse move",
    QEvent.Type.Wheel: "Wheel",
    QEvent.Type.KeyPress: "Key",
    QEvent.Type.Resize: "Resize",
    QEvent.Type.MetaCall: "Answer of a job",
    QEvent.Type.Timer: "Timer",
}


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one kind of thing took, in milliseconds."""

    name: str
    times: int
    median_ms: float
    worst_ms: float
    last_ms: float


class Watch:
    """Durations by name; the last few hundred of each."""

    def __init__(self) -> None:
        self._durations: dict[str, deque[float]] = {}
        self._counts: dict[str, int] = {}

    def record(self, name: str, elapsed_ms: float) -> None:
        self._durations.setdefault(name, deque(maxlen=_KEPT)).append(elapsed_ms)
        self._counts[name] = self._counts.get(name, 0) + 1

    def clear(self) -> None:
        self._durations.clear()
        self._counts.clear()

    def timings(self) -> list[Timing]:
        """Every kind, the one with the worst case first."""
        found = [
            Timing(name, self._counts[name], median(kept), max(kept), kept[-1])
            for name, kept in self._durations.items()
        ]
        return sorted(found, key=lambda timing: -timing.worst_ms)

    @property
    def longest_ms(self) -> float:
        """The longest the window was busy with one event."""
        return max((timing.worst_ms for timing in self.timings()), default=0.0)


class WatchedApplication(QApplication):
    """An application that measures how long each event keeps it."""

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self.watch = Watch()
        self._depth = 0

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        # Events inside events are part of the outer one; only the outer one blocks the user.
        if self._depth:
            return super().notify(receiver, event)
        self._depth += 1
        kind = event.type()
        started = time.perf_counter()
        try:
            return super().notify(receiver, event)
        finally:
            self._depth -= 1
            name = _NAMES.get(kind)
            if name is not None:
                self.watch.record(name, (time.perf_counter() - started) * 1000)
