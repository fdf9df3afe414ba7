"""What a graph's canvas is made of: the one item of its scene, and the legend above it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from forensicviewer.ui.graphpainter import GraphPainter

LEGEND_PX = 30
_SHARPNESSES = tuple(2 ** (step / 2) for step in range(-7, 7))


class GraphItem(QGraphicsItem):
    """The whole graph as one item: thousands of items of Python would each be asked to draw."""

    def __init__(self, draw: Callable[[QPainter], None]) -> None:
        super().__init__()
        self._draw = draw
        self._bounds = QRectF()

    def set_bounds(self, bounds: QRectF) -> None:
        self.prepareGeometryChange()
        self._bounds = bounds

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(
        self,
        painter: QPainter,
        _option: QStyleOptionGraphicsItem,
        _widget: QWidget | None = None,
    ) -> None:
        self._draw(painter)


class GraphLegend:
    """The legend as pixels: it is the same in every frame."""

    def __init__(self) -> None:
        self._key: object = None
        self._drawn = QPixmap()

    def drawn(self, painter: GraphPainter, *, has_ghosts: bool, density: float) -> QPixmap:
        key = (painter, has_ghosts, density)
        if key != self._key:
            pixmap = QPixmap(QSize(900, LEGEND_PX) * density)
            pixmap.setDevicePixelRatio(density)
            pixmap.fill(Qt.GlobalColor.transparent)
            onto = QPainter(pixmap)
            painter.draw_legend(onto, QPointF(14, 6), has_ghosts=has_ghosts)
            onto.end()
            self._key, self._drawn = key, pixmap
        return self._drawn


def sharpness(scale: float) -> float:
    """The next of a few steps, so that cards are not drawn anew at every turn of the wheel."""
    return next((step for step in _SHARPNESSES if step >= scale), _SHARPNESSES[-1])
