"""How large a dialog opens: as its text needs, and never larger than the screen."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontInfo, QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

# Of the text that sizes are said for.
_TEXT_PX = 12
# The title bar and borders a window manager adds.
_FRAME_PX = QSize(16, 48)


def open_in(dialog: QWidget, width_px: int, height_px: int) -> None:
    """Give a dialog the size it needs at the usual text size, and more where the text is larger."""
    scale = text_scale()
    wanted = QSize(round(width_px * scale), round(height_px * scale))
    screen = dialog.screen() or QGuiApplication.primaryScreen()
    dialog.resize(wanted.boundedTo(screen.availableGeometry().size() - _FRAME_PX))


def text_scale() -> float:
    """How many times as large as usual the program's text is; at least one."""
    return max(1.0, QFontInfo(QApplication.font()).pixelSize() / _TEXT_PX)
