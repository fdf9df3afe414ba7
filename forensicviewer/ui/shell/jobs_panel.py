"""The panel of jobs: what runs in the background, how far it is, and a way to stop it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import decimal, tr, whole
from forensicviewer.app.runtime.jobs import Jobs, JobStatus, Lane
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.plain_text import PlainLabel

_REFRESH_MS = 250
_TWO_LINES_PX = 560


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


class JobLine(QWidget):
    """One job: what it does, how far it is, and a button to stop it; two lines where narrow."""

    def __init__(self, cancel: Callable[[], None]) -> None:
        super().__init__()
        self._title, self._time = ElidedLabel(), PlainLabel()
        self._time.setProperty("role", "muted")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._cancel = QPushButton(tr("Cancel"))
        self._cancel.clicked.connect(lambda: cancel())
        self._rows = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        for widgets in ((self._title, self._time), (self._bar, self._cancel)):
            row = QHBoxLayout()
            row.setSpacing(12)
            row.addWidget(widgets[0], stretch=1)
            row.addWidget(widgets[1])
            self._rows.addLayout(row, stretch=1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = event.size().width() < _TWO_LINES_PX
        direction = QBoxLayout.Direction
        self._rows.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)
        self._rows.setSpacing(4 if is_narrow else 12)

    def tell(self, status: JobStatus) -> None:
        self._title.setText(status.title)
        self._bar.setAccessibleName(status.title)
        self._bar.setRange(0, status.total)
        self._bar.setValue(status.done)
        self._time.setText(time_left(status))
        self._cancel.setAccessibleName(tr("Cancel: {job}", job=status.title))


def time_left(status: JobStatus) -> str:
    """How long it has run; from ten seconds on also how long it will take."""
    if not status.is_running:
        return tr("waiting")
    if status.elapsed_s < 10 or not status.done or not status.total:
        return f"{decimal(status.elapsed_s, 0)} s"
    remaining_s = status.elapsed_s / status.done * (status.total - status.done)
    return tr(
        "{done} of {total}, about {time} left",
        done=whole(status.done),
        total=whole(status.total),
        time=_spoken(remaining_s),
    )


def _spoken(seconds: float) -> str:
    return f"{decimal(seconds, 0)} s" if seconds < 90 else f"{decimal(seconds / 60, 0)} min"
