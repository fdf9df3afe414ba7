"""Offers what was open when the program was cut off, in the free part of the toolbar.

It covers nothing there, and so it can wait: until it is taken, closed, or the user works on.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QToolBar,
    QWidget,
)

from forensicviewer.app.language.words import tr
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.recent import PlaceKind
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.ui.shell.notices import close_button
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.theme import current_theme, icon


class RescueOffer(QFrame):
    """A line with a button; once it is gone, the session is still among the recent places."""

    def __init__(
        self, toolbar: QToolBar, desk: Desk, session: Path, *, say: Callable[[str], None]
    ) -> None:
        super().__init__()
        self._toolbar, self._desk, self._session, self._say = toolbar, desk, session, say
        self._is_open = True
        self._begun = _whereabouts(desk.workbench.state)
        self._desk.recent.add(session, PlaceKind.SESSION)
        self.text = ElidedLabel(
            tr("forensicviewer did not exit cleanly. Your last session was saved.")
        )
        self.setAccessibleName(self.text.text())
        self.take = QPushButton(tr("Restore session"))
        self.take.clicked.connect(self._continue)
        self._build()
        self._places = _put_at_the_end(toolbar, self)
        self._unsubscribe = self._desk.workbench.subscribe(self._follow)

    def _build(self) -> None:
        picture = PlainLabel()
        picture.setPixmap(icon("note", color=current_theme().accent).pixmap(20, 20))
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 0, 4, 0)
        row.setSpacing(8)
        for widget in (picture, self.text, self.take, close_button(self.dismiss)):
            row.addWidget(widget)
        self.setProperty("role", "notice")

    def dismiss(self) -> bool:
        """Close it; whether it was there."""
        was_open, self._is_open = self._is_open, False
        if was_open:
            self._unsubscribe()
            for place in self._places:
                self._toolbar.removeAction(place)
                place.deleteLater()
        return was_open

    def _continue(self) -> None:
        self.dismiss()
        self._desk.open_session(self._session)

    def _follow(self, state: ViewState, change: Change) -> None:
        """Make way for work: another trial, another dataset, a change of the view."""
        if self._begun is None:
            # Until the first trial is there, it is the program that chooses.
            self._begun = _whereabouts(state)
            return
        has_edited = Change.HISTORY in change and self._desk.workbench.undo_label is not None
        if has_edited or _whereabouts(state) not in (self._begun, None):
            self.dismiss()
            self._say(tr("Your last session is under File ▸ Recent"))


def _whereabouts(state: ViewState) -> tuple[str, str] | None:
    """What is looked at; ``None`` before anything is."""
    if state.dataset is None or state.loaded is None or state.trial_id is None:
        return None
    return str(state.dataset.root), state.trial_id


def _put_at_the_end(toolbar: QToolBar, widget: QWidget) -> tuple[QAction, QAction]:
    room = QWidget()
    room.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    return toolbar.addWidget(room), toolbar.addWidget(widget)
