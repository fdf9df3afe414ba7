"""Labels larger than other text, and digits below each other, in every size the user gives text.

Not by the style sheet: a size it names stays as it was when the sheet was read, and reading another
takes Qt half a second.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase, QShowEvent
from PySide6.QtWidgets import QApplication, QTableWidget, QWidget

from forensicviewer.ui.widgets.plain_text import PlainLabel

_TITLE_SCALE = 2.4
_HEADING_SCALE = 1.2


class Heading(PlainLabel):
    """What stands over a part of a page; as many times as large as other text as ``scale`` says."""

    def __init__(
        self, text: str = "", parent: QWidget | None = None, *, scale: float = _HEADING_SCALE
    ) -> None:
        super().__init__(text, parent)
        self._scale = scale
        self.take_size()

    def showEvent(self, event: QShowEvent) -> None:
        self.take_size()
        super().showEvent(event)

    def take_size(self) -> None:
        """Be so many times as large as other text is now.

        Qt tells nobody who has a size of their own that the size of other text has changed.
        """
        font = QFont()
        font.setPointSizeF(QApplication.font().pointSizeF() * self._scale)
        font.setWeight(QFont.Weight.DemiBold)
        self.setFont(font)


class Title(Heading):
    """The largest words of a page."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent, scale=_TITLE_SCALE)


def align_titles(table: QTableWidget, numbers: Iterable[int]) -> None:
    """Let the titles of a table stand over what is below them: on the right over numbers."""
    middle = Qt.AlignmentFlag.AlignVCenter
    table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | middle)
    for column in numbers:
        title = table.horizontalHeaderItem(column)
        assert title is not None
        title.setTextAlignment(Qt.AlignmentFlag.AlignRight | middle)


def digits_font() -> QFont:
    """Digits of one width. It names no size: that of the widget it is given to is kept."""
    font = QFont()
    font.setFamilies(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families())
    font.setStyleHint(QFont.StyleHint.Monospace)
    return font


def bold_font() -> QFont:
    """Heavier letters of whatever size the widget has."""
    font = QFont()
    font.setBold(True)
    return font
