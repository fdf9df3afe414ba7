"""The one door from worker threads back into the window."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot

from forensicviewer.ui.widgets.watch import ANSWER, WATCH

# Answers that come together are shared out among turns: keys, mouse and painting go in between.
_TURN_S = 0.008


class MainThreadBridge(QObject):
    """Runs callables on the thread it was made on.

    It lives as long as the application, so no worker ever owns a QObject.
    """

    _posted = Signal()
    _turned = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[Callable[[], None]] = deque()
        self._put_off = 0
        self._spent_s = 0.0  # in this turn of the event loop
        self._is_turning = False
        self._posted.connect(self._run, Qt.ConnectionType.QueuedConnection)
        self._turned.connect(self._begin_turn, Qt.ConnectionType.QueuedConnection)

    def post(self, thunk: Callable[[], None]) -> None:
        """Run ``thunk`` soon, on this object's thread; may be called from any thread."""
        self._waiting.append(thunk)
        self._posted.emit()

    @Slot()
    def _run(self) -> None:
        if self._spent_s >= _TURN_S:
            self._put_off += 1
            return
        started_s = time.perf_counter()
        try:
            with WATCH.timing(ANSWER):
                self._waiting.popleft()()
        finally:
            self._spent_s += time.perf_counter() - started_s
            if not self._is_turning:
                self._is_turning = True
                self._turned.emit()

    @Slot()
    def _begin_turn(self) -> None:
        self._is_turning, self._spent_s = False, 0.0
        put_off, self._put_off = self._put_off, 0
        for _ in range(put_off):
            self._posted.emit()
