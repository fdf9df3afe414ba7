"""Dropping files anywhere on the window: a sheet over it says what letting go will do."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDropEvent, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from forensicviewer.ui.widgets.heading import Title

_VEIL_ALPHA = 228
_CORNER_PX = 14


class DropSheet(QFrame):
    """The highlight over the window while something is dragged over it."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setProperty("role", "drop")
        self.label = Title()
        self.label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.label.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.addWidget(self.label)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Veil the window, so that it is seen what something is dropped on."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        veil = self.palette().color(QPalette.ColorRole.Shadow)
        veil.setAlpha(_VEIL_ALPHA)
        painter.setBrush(veil)
        painter.drawRoundedRect(self.rect(), _CORNER_PX, _CORNER_PX)
        painter.end()
        super().paintEvent(event)

    def say(self, text: str) -> None:
        self.label.setText(text)
        self.setGeometry(self._window.rect().adjusted(12, 12, -12, -12))
        self.show()
        self.raise_()


def accept_copy(event: QDropEvent) -> None:
    """Take nothing away: who offers files to be moved may delete them once they were taken."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def dropped_paths(dropped: QMimeData) -> list[Path]:
    """The local files and folders of a drop."""
    return [Path(url.toLocalFile()) for url in dropped.urls() if url.isLocalFile()]
