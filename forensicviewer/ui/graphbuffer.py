"""Keeps the drawn graph as pixels, so that moving it does not draw it anew."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPixmap

_MARGIN = 0.4  # of the view on each side: room to pan before anything must be drawn
_SETTLE_MS = 90
_MOST_PIXELS = 40_000_000

Draw = Callable[[QPainter, QRectF], None]


class GraphBuffer(QObject):
    """What is seen of a graph as one pixmap, a little larger while it is moved.

    While the view moves, the pixels there are stay on the screen, scaled if need be; once it rests,
    they are drawn sharply again.
    """

    def __init__(self, settled: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._pixmap: QPixmap | None = None
        self._area = QRectF()
        self._scale = 0.0
        self._margin = 0.0
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_SETTLE_MS)
        self._rest.timeout.connect(settled)

    @property
    def is_moving(self) -> bool:
        return self._rest.isActive()

    def forget(self) -> None:
        """Something looks different now; what lies beside the view is not drawn until it moves."""
        self._pixmap = None
        self._margin = 0.0

    def move(self) -> None:
        """The view is being moved: speed matters more than sharpness for a moment."""
        self._margin = _MARGIN
        self._rest.start()

    def let_go(self) -> None:
        self._rest.stop()

    def draw(
        self, painter: QPainter, area: QRectF, scale: float, *, sharply: Draw, roughly: Draw
    ) -> None:
        """Draw what lies in ``area`` (``scale`` device pixels per unit of the scene)."""
        fits = self._pixmap is not None and self._scale == scale and self._area.contains(area)
        if not fits and self.is_moving and self._pixmap is not None:
            if not self._area.contains(area):
                roughly(painter, area)
            self._show(painter)
            return
        if not fits:
            self._fill(area, scale, sharply)
        self._show(painter)

    def _show(self, painter: QPainter) -> None:
        assert self._pixmap is not None
        painter.drawPixmap(self._area, self._pixmap, QRectF(self._pixmap.rect()))

    def _fill(self, area: QRectF, scale: float, sharply: Draw) -> None:
        across, down = area.width() * self._margin, area.height() * self._margin
        wide = area.adjusted(-across, -down, across, down)
        size = QSize(round(wide.width() * scale), round(wide.height() * scale))
        if size.width() * size.height() > _MOST_PIXELS:
            wide, size = area, QSize(round(area.width() * scale), round(area.height() * scale))
        # Whole pixels, or the copy would be blurred.
        wide.setSize(size.toSizeF() / scale)
        pixmap = QPixmap(size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.scale(scale, scale)
        painter.translate(-wide.topLeft())
        sharply(painter, wide)
        painter.end()
        self._pixmap, self._area, self._scale = pixmap, wide, scale
