"""The rectangle a hand draws to zoom into, the same on every canvas."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

_LEAST_PX = 4
_FILL_ALPHA = 46


class RubberBand:
    """Begins where the mouse was pressed and follows it; Escape lets go of it."""

    def __init__(self) -> None:
        self._ends: tuple[QPointF, QPointF] | None = None

    @property
    def area(self) -> QRectF | None:
        return None if self._ends is None else QRectF(*self._ends).normalized()

    def begin(self, point: QPointF) -> None:
        self._ends = point, point

    def move(self, point: QPointF) -> None:
        if self._ends is not None:
            self._ends = self._ends[0], point

    def cancel(self) -> None:
        self._ends = None

    def finish(self) -> QRectF | None:
        """The area to zoom into; ``None`` for what is a click rather than a drag."""
        area, self._ends = self.area, None
        if area is None or area.width() < _LEAST_PX or area.height() < _LEAST_PX:
            return None
        return area

    def draw(self, painter: QPainter, accent: QColor, *, density: float = 1.0) -> None:
        """Light, dark and coloured at once, so that it shows on any image."""
        area = self.area
        if area is None:
            return
        area = QRectF(area.topLeft() * density, area.size() * density)
        inside = QColor(accent)
        inside.setAlpha(_FILL_ALPHA)
        painter.fillRect(area, inside)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for color, width in ((QColor(0, 0, 0, 140), 4), (QColor(255, 255, 255), 2.5)):
            painter.setPen(QPen(color, width * density, j=Qt.PenJoinStyle.MiterJoin))
            painter.drawRect(area)
        painter.setPen(QPen(accent, 1.5 * density, Qt.PenStyle.DashLine))
        painter.drawRect(area)
