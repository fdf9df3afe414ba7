"""The small map in the corner of a zoomed pane."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from forensicviewer.app.workbench.snapping import threshold_on
from forensicviewer.app.workbench.state import Layer, Pane, ViewState
from forensicviewer.core.array import Size
from forensicviewer.core.pyramid import Window
from forensicviewer.ui.panes.drawing import PaneColors, draw_outline, fitted, side_size, window_at
from forensicviewer.ui.panes.layers import LayerDrawing, layer_facts

EDGE_PX = 150.0
_MARGIN_PX = 12.0


class Minimap:
    """Shows the whole layer and a frame around what is visible; absent when all is visible."""

    def __init__(self) -> None:
        self.area = QRectF()
        self._drawing = LayerDrawing()
        self._image: QImage | None = None
        self._key: object = None

    def draw(
        self, painter: QPainter, state: ViewState, pane: Pane, window: Window, colors: PaneColors
    ) -> None:
        size = side_size(state, pane)
        visible = self._visible(window, size)
        if visible is None or layer_facts(state, pane).size is None:
            self.area = QRectF()
            return
        self.area = self._placed(window, size, colors)
        image = self._drawn(state, pane, size)
        painter.drawImage(self.area, image)
        draw_outline(painter, self.area, QColor(0, 0, 0, 160), colors.density)
        scale = self.area.width() / size.width
        frame = QRectF(
            self.area.left() + visible.left() * scale,
            self.area.top() + visible.top() * scale,
            max(3.0, visible.width() * scale),
            max(3.0, visible.height() * scale),
        )
        draw_outline(painter, frame, colors.accent, 2 * colors.density)

    def image_point(self, point: QPointF, size: Size) -> tuple[float, float]:
        """The image point under a point of the map (device pixels)."""
        scale = self.area.width() / max(1, size.width)
        return (point.x() - self.area.left()) / scale, (point.y() - self.area.top()) / scale

    def _visible(self, window: Window, size: Size) -> QRectF | None:
        """The visible part of the image, unless that is all of it."""
        whole = QRectF(0, 0, size.width, size.height)
        shown = QRectF(
            window.left,
            window.top,
            window.size.width / window.scale,
            window.size.height / window.scale,
        )
        # Half an image pixel of rounding must not bring up a map of everything.
        if shown.adjusted(-1, -1, 1, 1).contains(whole):
            return None
        return shown.intersected(whole)

    def _placed(self, window: Window, size: Size, colors: PaneColors) -> QRectF:
        edge = min(EDGE_PX * colors.density, window.size.width / 3, window.size.height / 3)
        scale = edge / max(size.width, size.height)
        width, height = size.width * scale, size.height * scale
        margin = _MARGIN_PX * colors.density
        return QRectF(
            window.size.width - width - margin, window.size.height - height - margin, width, height
        )

    def _drawn(self, state: ViewState, pane: Pane, size: Size) -> QImage:
        screen = Size(max(1, round(self.area.width())), max(1, round(self.area.height())))
        # The comparison follows the threshold, everything else stays as it is.
        follows = pane.layer in (Layer.COMPARISON, Layer.SYSTEM)
        threshold = threshold_on(state, pane.side, system=pane.system) if follows else None
        chosen = state.scoring.selected
        key = (state.loaded, pane, screen, state.look, chosen, threshold, state.drawn_lenses)
        if self._image is None or key != self._key:
            self._image = QImage(
                screen.width, screen.height, QImage.Format.Format_ARGB32_Premultiplied
            )
            self._image.fill(QColor(128, 128, 128))
            painter = QPainter(self._image)
            self._drawing.draw(painter, state, pane, window_at(fitted(size, screen), screen))
            painter.end()
            self._key = key
        return self._image
