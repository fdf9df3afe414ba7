"""A dialog about what is open: works in the background, follows the state, and ends both."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton, QWidget

from forensicviewer.app.runtime.jobs import Lane, Ticket
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.ui.widgets.job_line import LaneLine

_T = TypeVar("_T")


class WorkDialog(QDialog):
    """Asks one thing at a time on its lane; an answer to what is no longer asked is dropped."""

    def __init__(
        self, workbench: Workbench, lane: Lane, *, title: str, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self._bench, self._lane = workbench, lane
        self._asked: object = None
        self._stop_listening: Callable[[], object] | None = None
        self.progress = LaneLine(workbench.jobs, lane)
        self.buttons: dict[str, QPushButton] = {}

    def listen(self) -> None:
        """Follow the state from now on."""
        self._stop_listening = self._bench.subscribe(self._follow)

    def _follow(self, state: ViewState, change: Change) -> None:
        raise NotImplementedError

    def _say_failed(self, error: ForensicViewerError) -> None:
        raise NotImplementedError

    def _say_cancelled(self) -> None:
        """Nothing is said where the user sees that nothing came."""

    def _button_box(self, *buttons: tuple[str, str, str, Callable[[], object]]) -> QDialogButtonBox:
        """Buttons (name, text, explanation, deed) beside the one that closes the dialog."""
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        for name, text, tip, act in buttons:
            button = self.buttons[name] = QPushButton(text)
            button.setToolTip(tip)
            button.setAutoDefault(False)
            button.clicked.connect(lambda _checked=False, act=act: act())
            box.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.close)
        return box

    def _begin(
        self, work: Callable[[Ticket], _T], show: Callable[[_T], None], *, title: str
    ) -> None:
        asked = self._asked = object()
        self.progress.start()

        def show_wanted(found: _T) -> None:
            if self._asked is asked:
                self.progress.rest()
                show(found)

        self._bench.jobs.submit_long(
            self._lane,
            work,
            show_wanted,
            title=title,
            on_error=self._fail,
            on_cancel=self._give_up,
        )

    def _drop_question(self) -> None:
        """Nothing is asked any more."""
        self._asked = None
        self._bench.jobs.cancel(self._lane)
        self.progress.rest()

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            raise error
        self.progress.rest()
        self._say_failed(error)

    def _give_up(self) -> None:
        self.progress.rest()
        self._asked = None
        self._say_cancelled()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._drop_question()
        if self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None
        super().closeEvent(event)
