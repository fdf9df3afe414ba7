"""A plot that is painted once and kept, with a playhead that moves over it.

While a video plays, the playhead moves many times a second and everything under it stays. Painting
a scene of pyqtgraph takes ten milliseconds, drawing its image and one line a fraction of one.
"""

from __future__ import annotations

from collections.abc import Callable

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from forensicviewer.ui.widgets.rubber_band import RubberBand

_LINE_PX = 2.0
_HANDLE_PX = 6.0


class StillPlot(pg.GraphicsLayoutWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """Shows its scene from an image that is made anew only when the scene has changed."""

    def __init__(
        self, soon: Callable[[Callable[[], None]], None], parent: QWidget | None = None
    ) -> None:
        self._soon = soon
        self._picture: QPixmap | None = None
        self._is_outdated = False
        self._is_gone = False
        self._playhead = QRectF()
        self.rubber = RubberBand()
        self.accent = QColor(29, 95, 209)
        super().__init__(parent)
        self.scene().changed.connect(self._outdate)

    def let_go(self) -> None:
        """Make no more images; called before the page goes."""
        self._is_gone = True

    def show_playhead(self, x: float, top: float, bottom: float) -> None:
        """Draw the playhead there; only what it leaves and where it goes is painted."""
        moved = QRectF(x, top, 0, bottom - top)
        if moved != self._playhead:
            before, self._playhead = self._playhead, moved
            for place in (before, moved):
                self.viewport().update(_reach(place))

    def bring_up_to_date(self) -> None:
        """Have the next painting show the scene as it is then, whatever it takes."""
        self._picture = None

    def repaint_scene(self) -> None:
        """Paint everything anew: colours or letters are others."""
        self._outdate()

    def _outdate(self, _regions: object = None) -> None:
        """Make another image in a separate turn; until then the old one is shown."""
        if not self._is_outdated:
            self._is_outdated = True
            self._soon(self._renew)

    def _renew(self) -> None:
        self._is_outdated = False
        if not self._is_gone and self.isVisible():
            self._made()
            self.viewport().update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._picture is None:
            self._picture = QPixmap()
        self._outdate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._outdate()

    def paintEvent(self, event: QPaintEvent) -> None:
        picture = self._made() if self._picture is None else self._picture
        painter = QPainter(self.viewport())
        area, density = event.rect(), picture.devicePixelRatioF()
        source = QRectF(QPointF(area.topLeft()) * density, area.size().toSizeF() * density)
        if picture.size() == self.viewport().size() * density:
            painter.drawPixmap(QRectF(area), picture, source)
        else:
            painter.fillRect(area, self.backgroundBrush())
            painter.drawPixmap(QPointF(), picture)
        self._draw_playhead(painter)
        self.rubber.draw(painter, self.accent)
        painter.end()

    def _made(self) -> QPixmap:
        density = self.devicePixelRatioF()
        picture = QPixmap(self.viewport().size() * density)
        picture.setDevicePixelRatio(density)
        # As pyqtgraph does before it paints: plots settle their ranges then.
        self.scene().prepareForPaint()
        painter = QPainter(picture)
        self.render(painter, QRectF(self.viewport().rect()), self.viewport().rect())
        painter.end()
        self._picture = picture
        return picture

    def _draw_playhead(self, painter: QPainter) -> None:
        line = self._playhead
        if line.height() <= 0:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.accent, _LINE_PX))
        painter.drawLine(line.topLeft(), line.bottomLeft())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.accent)
        x, top = line.x(), line.top()
        corners = [(x - _HANDLE_PX, top - _HANDLE_PX), (x + _HANDLE_PX, top - _HANDLE_PX), (x, top)]
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))


def _reach(line: QRectF) -> QRect:
    """Everything the playhead covers, with its handle."""
    return line.adjusted(-_HANDLE_PX - 2, -_HANDLE_PX - 2, _HANDLE_PX + 2, 2).toAlignedRect()
