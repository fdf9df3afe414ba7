"""What every panel around the pictures has in common: it listens to the workbench, and lets go."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from forensicviewer.app.state import Change, ViewState
from forensicviewer.app.workbench import Workbench


class Panel(QWidget):
    """A panel that follows the state. Subclasses build themselves, then call :meth:`listen`."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.workbench = workbench
        self._stop_listening = _nothing

    def listen(self) -> None:
        """Show the state as it is, and every change from now on."""
        self._stop_listening = self.workbench.subscribe(self.follow)
        self.follow(self.workbench.state, ~Change(0))

    def follow(self, state: ViewState, change: Change) -> None:
        """Show what changed."""

    def let_go(self) -> None:
        """Stop listening; called once, before the window closes."""
        self._stop_listening()
        self._stop_listening = _nothing


def _nothing() -> None:
    """What is left to stop once everything was stopped."""
