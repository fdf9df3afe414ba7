"""What every panel around the images has in common: it listens to the workbench, and lets go.

A threshold that is dragged is followed in the same frame. Everything larger, another trial or
dataset, is followed one panel after another, each in a turn of the event loop of its own, so that
together they never keep the window. A panel nobody sees rests: it follows when it is shown again.
"""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState

_LARGE = (
    Change.DATASET
    | Change.SUBMISSIONS
    | Change.TRIAL
    | Change.LOADED
    | Change.SCORES
    | Change.SCORING
    | Change.PROBLEMS
)


class Panel(QWidget):
    """A panel that follows the state. Subclasses build themselves, then call :meth:`listen`."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.workbench = workbench
        self._stop_listening = _nothing
        self._is_listening = False
        self._is_resting = False
        self._is_due = False
        self._missed = Change(0)

    def listen(self) -> None:
        """Show the state as it is, and every change from now on."""
        self._stop_listening = self.workbench.subscribe(self._hear)
        self._is_listening = True
        self.follow(self.workbench.state, ~Change(0))

    def follow(self, state: ViewState, change: Change) -> None:
        """Show what changed."""

    def catch_up(self) -> None:
        """Show now what was not shown yet."""
        self._is_due = False
        missed, self._missed = self._missed, Change(0)
        if missed and self._is_listening:
            self.follow(self.workbench.state, missed)

    def rest(self) -> None:
        """Do not follow until :meth:`wake`; nobody looks."""
        self._is_resting = True

    def wake(self) -> None:
        self._is_resting = False
        self.catch_up()

    def let_go(self) -> None:
        """Stop listening; called once, before the window closes."""
        self._stop_listening()
        self._stop_listening = _nothing
        self._is_listening = False

    def _hear(self, _state: ViewState, change: Change) -> None:
        self._missed |= change
        if self._is_resting or self._is_due:
            return
        if change & _LARGE:
            self._is_due = True
            self.workbench.jobs.soon(self._catch_up_unless_resting)
        else:
            self.catch_up()

    def _catch_up_unless_resting(self) -> None:
        self._is_due = False
        if not self._is_resting:
            self.catch_up()


def _nothing() -> None:
    """What is left to stop once everything was stopped."""
