"""The panel of jobs: what runs in the background, how far it is, and a way to stop it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.jobs import Jobs, Lane
from forensicviewer.ui.widgets.job_line import JobLine
from forensicviewer.ui.widgets.plain_text import PlainLabel

_REFRESH_MS = 250


class JobsPanel(QWidget):
    """One line per job with a title; short nameless work is not worth a line."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._lines: dict[Lane, JobLine] = {}
        self._empty = PlainLabel(tr("Nothing is running"))
        self._empty.setProperty("role", "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        inside = QWidget()
        inside.setProperty("role", "surface")
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(12, 12, 12, 12)
        self._column.addWidget(self._empty)
        self._column.addStretch()
        area = QScrollArea()
        area.setWidgetResizable(True)
        # The buttons in it take the focus, and scroll into view.
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inside)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(area)
        # Progress is read, not told: workers share nothing with the window but numbers.
        self._timer = QTimer(self, interval=_REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        self._timer.start()
        self.refresh()
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)

    def refresh(self) -> None:
        statuses = {status.lane: status for status in self._jobs.statuses() if status.title}
        for lane in self._lines.keys() - statuses.keys():
            line = self._lines.pop(lane)
            line.hide()
            line.deleteLater()
        for lane, status in statuses.items():
            if lane not in self._lines:
                self._lines[lane] = JobLine(partial(self._jobs.call_off, lane))
                self._column.insertWidget(self._column.count() - 1, self._lines[lane])
            self._lines[lane].tell(status)
        self._empty.setVisible(not statuses)
