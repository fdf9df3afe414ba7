"""A large button with a title and a line about it, as the start page offers things with."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QIcon, QPaintEvent, QPalette
from PySide6.QtWidgets import QCommandLinkButton, QStyle, QStyleOptionButton, QStylePainter

_LEFT_PX = 8
_TOP_PX = 10
_GAP_PX = 8
_UNLIMITED_PX = 10_000
_WRAPPED = Qt.TextFlag.TextWordWrap


class Offer(QCommandLinkButton):
    """Written in the window's size of text; Qt would use the same small one at every size.

    As high as its words need at the width it gets: they are longer in some languages.
    """

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        room = self._room(width).width()
        words = self._height(self._bold(), self.text(), room)
        words += self._height(self.font(), self.description(), room)
        return max(words, self.iconSize().height()) + 2 * _TOP_PX

    def sizeHint(self) -> QSize:
        left = self._room(0).left()
        title = QFontMetrics(self._bold()).horizontalAdvance(self.text())
        about = self.fontMetrics().horizontalAdvance(self.description())
        width = left + max(title, about) + _LEFT_PX + 1
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        least = self._room(0).left() + self.fontMetrics().averageCharWidth() * 20
        return QSize(least, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text, option.icon = "", QIcon()
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        edge = self.iconSize()
        self.icon().paint(painter, QRect(_LEFT_PX, _TOP_PX, edge.width(), edge.height()))
        room, bold = self._room(self.width()), self._bold()
        painter.setPen(self.palette().color(QPalette.ColorRole.ButtonText))
        painter.setFont(bold)
        painter.drawText(room, _WRAPPED, self.text())
        painter.setFont(self.font())
        room.setTop(room.top() + self._height(bold, self.text(), room.width()))
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(room, _WRAPPED, self.description())
        painter.end()

    def _room(self, width: int) -> QRect:
        """Where the words stand: beside the icon."""
        left = _LEFT_PX + self.iconSize().width() + _GAP_PX
        return QRect(left, _TOP_PX, max(1, width - left - _LEFT_PX), _UNLIMITED_PX)

    def _bold(self) -> QFont:
        font = QFont(self.font())
        font.setBold(True)
        return font

    @staticmethod
    def _height(font: QFont, text: str, room_px: int) -> int:
        area = QRect(0, 0, room_px, _UNLIMITED_PX)
        return QFontMetrics(font).boundingRect(area, _WRAPPED, text).height()
