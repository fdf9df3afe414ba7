"""Labels and boxes that shorten their text to the room there is."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from forensicviewer.ui.widgets.plain_text import PlainLabel

_LEAST_LETTERS = 6


class ElidedLabel(PlainLabel):
    """One line of plain text; where it is too long, an ellipsis, and the whole in the tool tip.

    ``tip`` is what the tool tip says instead where there is more to say.
    """

    elide = Qt.TextElideMode.ElideRight
    tip = ""

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        least = self.fontMetrics().averageCharWidth() * _LEAST_LETTERS
        return QSize(min(hint.width(), least), hint.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        area = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), self.elide, area.width())
        self.setToolTip(self.tip or (self.text() if shown != self.text() else ""))
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        painter.drawText(area, self.alignment() | Qt.TextFlag.TextSingleLine, shown)
        painter.end()


class WrappedLabel(PlainLabel):
    """Lines of plain text as wide as there is room; paths go on in the next line, too."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setWordWrap(True)

    def setText(self, text: str) -> None:
        # A path is one long word to Qt, and a label at least as wide as its longest word.
        super().setText(re.sub(r"([/\\_.-])(?=\w)", "\\1\u200b", text))
        self.setToolTip(text)

    def text(self) -> str:
        return super().text().replace("\u200b", "")

    def minimumSizeHint(self) -> QSize:
        least = self.fontMetrics().averageCharWidth() * _LEAST_LETTERS
        return QSize(least, super().minimumSizeHint().height())


class ElidedBox(QComboBox):
    """A box whose text loses its middle where it does not fit; its list shows the whole of it."""

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        metrics, text = self.fontMetrics(), self.currentText()
        if metrics.horizontalAdvance(text) > field.width():
            option.currentText = metrics.elidedText(
                text, Qt.TextElideMode.ElideMiddle, field.width() - 4
            )
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()
