"""The one item of a graph's scene, and how sharp its cards are drawn."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

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


def sharpness(scale: float) -> float:
    """The next of a few steps, so that cards are not drawn anew at every turn of the wheel."""
    return next((step for step in _SHARPNESSES if step >= scale), _SHARPNESSES[-1])
