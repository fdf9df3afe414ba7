"""What the commands of marks and of the checklist do: begin a mark, ask for its text, keep it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.examination import MarkShape
from forensicviewer.ui.shell.window_frame import Frame
from forensicviewer.ui.widgets.page import Handler
from forensicviewer.ui.widgets.plain_text import PlainInputDialog

if TYPE_CHECKING:
    from forensicviewer.ui.panes.grid import PaneGrid


_HOW = {
    MarkShape.RECTANGLE: to_translate(
        "Point at the opposite corner (Alt+arrows) and press Enter or click; Escape cancels"
    ),
    MarkShape.POLYGON: to_translate(
        "Press Q or click to add a corner, Enter to finish, Backspace to remove a corner, "
        "Escape to cancel"
    ),
}


class MarkCommands:
    """The handlers of one window."""

    def __init__(self, window: Frame) -> None:
        self._window = window
        self._examining = window.desk.judging.examining
        self._is_asking = False
        window.desk.workbench.subscribe(self._follow)

    def handlers(self) -> dict[str, Handler]:
        shapes = (MarkShape.PIN, MarkShape.RECTANGLE, MarkShape.POLYGON)
        return {
            **{f"mark.{shape.value}": Handler(partial(self._begin, shape)) for shape in shapes},
            "mark.stretch": Handler(self._begin_stretch),
            "verdict.checklist": Handler(self._check),
        }

    def _check(self) -> None:
        self._window.show_panel("checklist")
        self._window.docks.checklist.begin()

    def _begin(self, shape: MarkShape) -> None:
        panes = self._panes()
        if panes is None:
            return
        panes.active_canvas.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._examining.begin(shape)
        state = self._window.desk.workbench.state
        if shape in _HOW and state.drawn is not None and not state.is_drawn:
            self._window.notice.tell(tr(_HOW[shape]))

    def _panes(self) -> PaneGrid | None:
        from forensicviewer.ui.panes.grid import PaneGrid

        page: QWidget | None = self._window.page
        panes = None if page is None else page.findChild(PaneGrid)
        return panes if isinstance(panes, PaneGrid) else None

    def _begin_stretch(self) -> None:
        if not self._examining.begin_stretch():
            self._window.notice.tell(tr("The video has not been read yet"))

    def _follow(self, state: ViewState, change: Change) -> None:
        if change & Change.MARKS and state.is_drawn and not self._is_asking:
            # Not within the change: others are still to hear of it.
            self._is_asking = True
            self._window.desk.jobs.soon(self._ask)

    def _ask(self) -> None:
        state, window = self._window.desk.workbench.state, self._window
        if not state.is_drawn:
            self._is_asking = False
            return
        dialog = PlainInputDialog(window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(tr("Mark"))
        dialog.setLabelText(tr("What is here?"))
        # Not ``textValueSelected``: it comes after ``finished``.
        dialog.finished.connect(lambda result: self._asked(dialog.textValue() if result else None))
        dialog.open()

    def _asked(self, text: str | None) -> None:
        self._is_asking = False
        if text is not None:
            self._examining.keep(text)
        elif self._window.desk.workbench.state.is_drawn:
            self._window.desk.workbench.draw_mark(None)
