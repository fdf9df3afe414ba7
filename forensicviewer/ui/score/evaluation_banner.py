"""A line in the toolbar that says when the numbers on screen are not the evaluation's."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QToolBar, QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.evaluation import differences
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.theme import current_theme, icon

_WATCHED = (
    Change.DATASET | Change.SUBMISSIONS | Change.SCORING | Change.RULES | Change.THRESHOLD
) | Change.TRIAL


class EvaluationBanner(QFrame):
    """Names what differs, with a button back; in the toolbar, where it moves no image."""

    def __init__(self, toolbar: QToolBar, workbench: Workbench, back: QAction) -> None:
        super().__init__()
        self._back = back
        self.text = ElidedLabel()
        self.button = QPushButton(tr("Back to the evaluation's"))
        self.button.clicked.connect(back.trigger)
        picture = PlainLabel()
        picture.setPixmap(icon("warning", color=current_theme().warning).pixmap(18, 18))
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 0, 4, 0)
        row.setSpacing(8)
        for widget in (picture, self.text, self.button):
            row.addWidget(widget)
        self.setProperty("role", "notice-warning")
        room = QWidget()
        room.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        toolbar.addWidget(room)
        self._place = toolbar.addWidget(self)
        self._place.setVisible(False)
        self._stop: Callable[[], None] = workbench.subscribe(self._follow)
        self._follow(workbench.state, _WATCHED)

    @property
    def is_shown(self) -> bool:
        return self._place.isVisible()

    def _follow(self, state: ViewState, change: Change) -> None:
        if not change & _WATCHED:
            return
        found = differences(state)
        if found:
            text = tr("Different from the evaluation's settings: {what}", what=", ".join(found))
            self.text.setText(text)
            self.setAccessibleName(text)
            keys = self._back.shortcut().toString()
            self.button.setToolTip(f"{self._back.toolTip()} ({keys})" if keys else "")
        if bool(found) != self._place.isVisible():
            self._place.setVisible(bool(found))

    def let_go(self) -> None:
        self._stop()
