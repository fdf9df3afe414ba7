"""The curve of a link from card to card, its arrow and the place of its words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF, QTransform

from forensicviewer.core.cached import cached_property

ARROW = QPolygonF([QPointF(0, 0), QPointF(-10, -4.5), QPointF(-7.5, 0), QPointF(-10, 4.5)])
_LEAST_REACH = 24.0


class LinkCurve:
    """One link's way; what Qt draws is made when it is first drawn."""

    def __init__(self, points: Sequence[QPointF], *, is_curved: bool) -> None:
        self._points = points
        self._is_curved = is_curved

    @cached_property
    def path(self) -> QPainterPath:
        """The curve as it is drawn: level where it leaves, bends and arrives."""
        path = QPainterPath(self._points[0])
        for a, b in pairwise(self._points):
            self._draw_on(path, a, b)
        return path

    def _draw_on(self, path: QPainterPath, a: QPointF, b: QPointF) -> None:
        if self._is_curved:
            path.cubicTo(*self._pulls(a, b), b)
        else:
            path.lineTo(b)

    @cached_property
    def parts(self) -> list[tuple[QPainterPath, QRectF]]:
        """The curve from bend to bend: of a long one only what is seen need be drawn."""
        found = []
        for a, b in pairwise(self._points):
            part = QPainterPath(a)
            self._draw_on(part, a, b)
            found.append((part, part.controlPointRect().adjusted(-3, -3, 3, 3)))
        return found

    @cached_property
    def arrow(self) -> QPolygonF:
        last = QLineF(self._points[-2], self._points[-1])
        angle = -last.angle()
        if self._is_curved:
            angle = 0.0 if last.dx() >= 0 else 180.0
        return QTransform().translate(last.x2(), last.y2()).rotate(angle).map(ARROW)

    @cached_property
    def arrow_area(self) -> QRectF:
        return self.arrow.boundingRect().adjusted(-2, -2, 2, 2)

    def point_at(self, share: float) -> QPointF:
        """A point on the way, by the share of its pieces that lie behind it."""
        pieces = len(self._points) - 1
        piece = min(int(share * pieces), pieces - 1)
        a, b = self._points[piece], self._points[piece + 1]
        t = share * pieces - piece
        if not self._is_curved:
            return a + (b - a) * t
        first, second = self._pulls(a, b)
        u = 1 - t
        return a * u**3 + first * (3 * u * u * t) + second * (3 * u * t * t) + b * t**3

    def _pulls(self, a: QPointF, b: QPointF) -> tuple[QPointF, QPointF]:
        """Where a curve is drawn to on its way: level with both ends."""
        reach = max(abs(b.x() - a.x()) / 2, _LEAST_REACH)
        level = QPointF(reach if b.x() >= a.x() else -reach, 0)
        return a + level, b - level

    def distance(self, point: QPointF) -> float:
        """From a point to the nearest of the short lines the curve is drawn with."""
        flat = [QPointF(at) for each in self.path.toSubpathPolygons() for at in each.toList()]
        return min(
            (_distance_to_line(QLineF(a, b), point) for a, b in pairwise(flat)),
            default=float("inf"),
        )


class Loop(LinkCurve):
    """A link of a card to itself: out of its side, round a corner and in from above."""

    def __init__(self, card: QRectF) -> None:
        corner = card.topRight()
        super().__init__([corner + QPointF(0, 20), corner - QPointF(36, 0)], is_curved=True)

    def _pulls(self, a: QPointF, b: QPointF) -> tuple[QPointF, QPointF]:
        return a + QPointF(80, -6), b + QPointF(16, -80)

    @cached_property
    def arrow(self) -> QPolygonF:
        end = self._points[-1]
        last = QLineF(self.point_at(0.85), end)
        return QTransform().translate(end.x(), end.y()).rotate(-last.angle()).map(ARROW)


def straight(source: QRectF, target: QRectF) -> LinkCurve:
    """From border to border of two cards."""
    ends = [_on_border(source, target.center()), _on_border(target, source.center())]
    return LinkCurve(ends, is_curved=False)


def _on_border(card: QRectF, toward: QPointF) -> QPointF:
    """Where the line from one card's middle to another's leaves the card."""
    apart = toward - card.center()
    if apart.isNull():
        return card.center()
    across = card.width() / 2 / abs(apart.x()) if apart.x() else float("inf")
    along = card.height() / 2 / abs(apart.y()) if apart.y() else float("inf")
    return card.center() + apart * min(across, along)


def _distance_to_line(line: QLineF, point: QPointF) -> float:
    along = QPointF(line.dx(), line.dy())
    length = QPointF.dotProduct(along, along)
    share = QPointF.dotProduct(point - line.p1(), along) / length if length else 0.0
    nearest = line.pointAt(min(1.0, max(0.0, share)))
    return QLineF(point, nearest).length()
