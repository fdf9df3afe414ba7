"""The small map of a graph that does not fit on the screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.core.array import Size
from forensicviewer.core.graph.raster import Inks, raster
from forensicviewer.core.graph.threshold_table import OUTCOMES
from forensicviewer.ui.graph.geometry import GraphGeometry
from forensicviewer.ui.graph.style import GraphColors, rgb_of
from forensicviewer.ui.graph.tile_buffer import image_of

_SIZE = QSize(190, 128)
_MARGIN_PX = 12
_INNER_PX = 6.0
_NO_LINES = np.zeros((0, 2, 2))
_NO_CODES = np.zeros(0, dtype=np.int8)


@dataclass(frozen=True, slots=True)
class Mapped:
    """What the map asks its canvas: the graph, what is seen of it, and to move there."""

    picture: Callable[[], GraphGeometry | None]
    visible_area: Callable[[], QRectF]
    colors: Callable[[], GraphColors]
    show_point: Callable[[QPointF], None]


class GraphMinimap(QWidget):
    """Every node as a dot, and a frame around what is seen; pressing moves the view there."""

    def __init__(self, mapped: Mapped, parent: QWidget) -> None:
        super().__init__(parent)
        self._mapped = mapped
        self._drawn: QPixmap | None = None
        self._seen = QRectF()
        self.setFixedSize(_SIZE)
        self.setAccessibleName(tr("Overview of the graph; press to move the view"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.place()

    def place(self) -> None:
        """Stand in the lower right corner of the canvas."""
        canvas = self.parentWidget()
        assert canvas is not None
        corner = canvas.rect().bottomRight()
        self.move(corner.x() - _SIZE.width() - _MARGIN_PX, corner.y() - _SIZE.height() - _MARGIN_PX)

    def forget(self) -> None:
        """Draw the dots anew at the next chance."""
        self._drawn = None
        self.update()

    def follow(self) -> None:
        """Draw the frame anew where the view has moved.

        Only then: the canvas lies below and is drawn again with every drawing of the map.
        """
        seen = self._mapped.visible_area()
        if seen != self._seen:
            self._seen = seen
            self.update()

    @property
    def is_needed(self) -> bool:
        picture = self._mapped.picture()
        return picture is not None and not self._mapped.visible_area().contains(picture.bounds())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.is_needed:
            return
        colors = self._mapped.colors()
        painter = QPainter(self)
        if self._drawn is None:
            self._drawn = self._draw_dots()
        painter.setOpacity(0.94)
        painter.fillRect(self.rect(), colors.card)
        painter.drawPixmap(0, 0, self._drawn)
        painter.setOpacity(1.0)
        painter.setPen(QPen(colors.muted, 1))
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setClipRect(self.rect())
        painter.setPen(QPen(colors.accent, 2))
        painter.setBrush(QColor(colors.accent.red(), colors.accent.green(), 255, 26))
        painter.drawRect(self._frame())

    def _scale(self) -> tuple[float, QPointF]:
        """Map pixels per scene unit, and where the scene's corner lies on the map."""
        picture = self._mapped.picture()
        assert picture is not None
        bounds = picture.bounds()
        room = QRectF(self.rect()).adjusted(_INNER_PX, _INNER_PX, -_INNER_PX, -_INNER_PX)
        scale = min(room.width() / bounds.width(), room.height() / bounds.height())
        corner = room.center() - bounds.center() * scale
        return scale, corner

    def _frame(self) -> QRectF:
        scale, corner = self._scale()
        seen = self._mapped.visible_area()
        return QRectF(seen.topLeft() * scale + corner, seen.size() * scale)

    def _draw_dots(self) -> QPixmap:
        picture = self._mapped.picture()
        assert picture is not None
        scale, corner = self._scale()
        dense = self.devicePixelRatioF()
        size = Size(round(self.width() * dense), round(self.height() * dense))
        strokes = replace(picture.strokes(), segments=_NO_LINES, segment_codes=_NO_CODES)
        colors = self._mapped.colors()
        inks = tuple(rgb_of(colors.of(match)) for match in OUTCOMES)
        pixels = raster(
            strokes,
            Inks(paper=rgb_of(colors.card), lines=(), boxes=(*inks, *inks)),
            size=size,
            scale=scale * dense,
            corner=(-corner.x() / scale, -corner.y() / scale),
        )
        drawn = QPixmap.fromImage(image_of(pixels).copy())
        drawn.setDevicePixelRatio(dense)
        return drawn

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def _go(self, event: QMouseEvent) -> None:
        if self.is_needed:
            scale, corner = self._scale()
            self._mapped.show_point((event.position() - corner) / scale)
