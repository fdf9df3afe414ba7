"""Draws the marks of a judge over the pane: pins, rectangles and polygons with number and text."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen

from forensicviewer.app.workbench.state import Layer, Pane, ViewState
from forensicviewer.core.examination import Mark, MarkShape
from forensicviewer.core.pyramid import Window

_INK, _EDGE = QColor(255, 196, 0), QColor(20, 20, 20)
_PIN_PX = 9.0
_WIDEST_TEXT = 0.4  # of the pane


def draw_marks(
    painter: QPainter, state: ViewState, pane: Pane, window: Window, font: QFont, density: float
) -> None:
    """Draw what was marked on this side of the trial, and what is being drawn."""
    if state.loaded is None or pane.layer is Layer.EXAMPLE:
        return
    frame = None if state.moment is None else state.moment.frame
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(font)
    named: list[QRectF] = []
    for number, mark in enumerate(state.marks, start=1):
        if mark.side is pane.side and mark.points and mark.is_at(frame):
            _draw(painter, mark, window, density)
            _name(painter, mark, f"{number} {mark.text}".strip(), window, density, named)
    drawn = state.drawn
    if drawn is not None and drawn.side is pane.side and drawn.points:
        _draw(painter, _followed(drawn, state), window, density, is_begun=True)
    painter.restore()


def _followed(drawn: Mark, state: ViewState) -> Mark:
    """A mark that is drawn, as it would be with the pixel pointed at."""
    is_here = state.cursor is not None and state.cursor_side is drawn.side
    if not is_here or state.cursor is None or drawn.shape is MarkShape.PIN:
        return drawn
    if drawn.shape is MarkShape.RECTANGLE:
        return replace(drawn, points=(drawn.points[0], state.cursor))
    return replace(drawn, points=(*drawn.points, state.cursor))


def _draw(
    painter: QPainter, mark: Mark, window: Window, density: float, *, is_begun: bool = False
) -> None:
    path = _outline(mark, window, density)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    # Dark below and bright above: seen on any image.
    style = Qt.PenStyle.DashLine if is_begun else Qt.PenStyle.SolidLine
    for color, width in ((_EDGE, 4.5), (_INK, 2.0)):
        painter.setPen(QPen(color, width * density, style))
        painter.drawPath(path)


def _outline(mark: Mark, window: Window, density: float) -> QPainterPath:
    path = QPainterPath()
    if mark.shape is MarkShape.PIN:
        at, reach = _middle(mark.points[0], window), _PIN_PX * density
        path.addEllipse(at, reach * 0.6, reach * 0.6)
        for across, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            path.moveTo(at + QPointF(across, down) * reach * 0.6)
            path.lineTo(at + QPointF(across, down) * reach * 1.4)
    elif mark.shape is MarkShape.RECTANGLE:
        path.addRect(_area(mark, window))
    else:
        path.moveTo(_middle(mark.points[0], window))
        for point in mark.points[1:]:
            path.lineTo(_middle(point, window))
        path.closeSubpath()
    return path


def _area(mark: Mark, window: Window) -> QRectF:
    """The whole pixels of a mark on the screen."""
    left, top, right, bottom = mark.box or (0, 0, 0, 0)
    corner = QPointF(*window.screen_point(left, top))
    return QRectF(corner, QPointF(*window.screen_point(right + 1, bottom + 1)))


def _middle(point: tuple[int, int], window: Window) -> QPointF:
    return QPointF(*window.screen_point(point[0] + 0.5, point[1] + 0.5))


def _name(
    painter: QPainter,
    mark: Mark,
    text: str,
    window: Window,
    density: float,
    named: list[QRectF],
) -> None:
    """Number and text beside the mark, inside the pane and clear of those ``named`` before."""
    metrics, pad = painter.fontMetrics(), 4 * density
    shown = metrics.elidedText(
        " ".join(text.split()), Qt.TextElideMode.ElideRight, round(window.size.width * _WIDEST_TEXT)
    )
    width, height = metrics.horizontalAdvance(shown) + 2 * pad, metrics.height() + pad
    area = _area(mark, window)
    reach = 1.5 * _PIN_PX * density if mark.shape is MarkShape.PIN else 0.0
    x = min(max(0.0, area.left() + reach), max(0.0, window.size.width - width))
    y = area.top() - height - 2 * density
    if y < 0:
        y = min(max(0.0, area.bottom() + 2 * density), window.size.height - height)
    box = QRectF(x, y, width, height)
    while any(box.intersects(other) for other in named) and box.bottom() < window.size.height:
        box.translate(0, height)
    named.append(box)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_EDGE)
    painter.drawRoundedRect(box, 3 * density, 3 * density)
    painter.setPen(_INK)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)
