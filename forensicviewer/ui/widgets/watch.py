"""Watches how long the window takes: named work always, waiting while somebody looks."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from forensicviewer.app.language.words import to_translate

ANSWER = to_translate("Result of a background job")
COMMAND = to_translate("Command")
WAITING = to_translate("Waiting for the window")
_KEPT = 500
_BEAT_MS = 4


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

    @contextmanager
    def timing(self, name: str) -> Iterator[None]:
        """Record how long the block takes, whether it succeeds or not."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.record(name, (time.perf_counter() - started) * 1000)

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
        """The longest anything took."""
        return max((timing.worst_ms for timing in self.timings()), default=0.0)


# One for the program, as there is one window and one thread that draws it.
WATCH = Watch()


class Pulse(QObject):
    """Tells a watch how long the window keeps its user waiting, as long as the pulse exists.

    A timer beats often; how much later than due a beat comes is what a key press at that moment
    would have waited. Not a filter on every event: that runs Python some thousand times while a
    window is laid out, and each time the worker threads may go first.
    """

    def __init__(self, watch: Watch, parent: QObject) -> None:
        super().__init__(parent)
        self._watch = watch
        self._last_s = time.perf_counter()
        self._timer = QTimer(self, interval=_BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def _beat(self) -> None:
        now_s = time.perf_counter()
        waited_ms = (now_s - self._last_s) * 1000 - _BEAT_MS
        self._last_s = now_s
        self._watch.record(WAITING, max(0.0, waited_ms))


class WatchedApplication(QApplication):
    """The application, with the watch of its window."""

    @property
    def watch(self) -> Watch:
        return WATCH
