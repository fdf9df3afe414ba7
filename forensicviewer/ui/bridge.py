"""The one door from worker threads back into the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot

from forensicviewer.ui.watch import ANSWER, WATCH


class MainThreadBridge(QObject):
    """Runs callables on the thread it was made on.

    It lives as long as the application, so no worker ever owns a QObject.
    """

    _posted = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._posted.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def post(self, thunk: Callable[[], None]) -> None:
        """Run ``thunk`` soon, on this object's thread; may be called from any thread."""
        self._posted.emit(thunk)

    @Slot(object)
    def _run(self, thunk: Callable[[], None]) -> None:
        with WATCH.timing(ANSWER):
            thunk()
