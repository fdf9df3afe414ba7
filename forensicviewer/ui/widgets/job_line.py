"""One line about a job: what it does, how far it is, and a way to stop it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QProgressBar, QPushButton, QWidget

from forensicviewer.app.language.words import decimal, tr, whole
from forensicviewer.app.runtime.jobs import Jobs, JobStatus, Lane
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.plain_text import PlainLabel

_TWO_LINES_PX = 560
_REFRESH_MS = 200


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


class LaneLine(JobLine):
    """The job of one lane, shown while there is one and somebody waits for it."""

    def __init__(self, jobs: Jobs, lane: Lane) -> None:
        super().__init__(partial(jobs.call_off, lane))
        self._jobs, self._lane = jobs, lane
        self._timer = QTimer(self, interval=_REFRESH_MS)
        self._timer.timeout.connect(self._look)
        self.hide()

    def start(self) -> None:
        """Look for the job from now on; what is done soon is not shown at all."""
        self._timer.start()

    def rest(self) -> None:
        self._timer.stop()
        self.hide()

    def _look(self) -> None:
        status = next((job for job in self._jobs.statuses() if job.lane is self._lane), None)
        self.setVisible(status is not None)
        if status is not None:
            self.tell(status)


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
