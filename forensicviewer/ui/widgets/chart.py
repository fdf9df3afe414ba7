"""A small chart: curves, areas and bands over two axes, with marks that move cheaply.

Everything but the marks is drawn once into a pixmap; a step of the threshold only copies it and
draws a line. (pyqtgraph's widgets take longer to make than the window may stand still.)

Every call into Qt lets other threads go first, so what is drawn asks Qt for little: colours and
places are found once, and the points of a curve are handed over all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from PySide6.QtCore import QByteArray, QDataStream, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QWidget

from forensicviewer.core.array import Floats

_LEFT, _TOP, _RIGHT, _BOTTOM = 40.0, 8.0, 10.0, 34.0
_BESIDE_NAME = 34.0  # the sign of a curve before its name, and the room between two
_TICK = 4.0
_MOST_POINTS = 4000
_LOW_PX = 100
_GROUND_ALPHA = 215


@dataclass(frozen=True, slots=True)
class Axis:
    """The range of an axis, what is written along it, and where."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...] = ()
    label: str = ""

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)

    def value(self, share: float) -> float:
        return self.low + share * (self.high - self.low)


class SeriesShape(Enum):
    """How a series is drawn."""

    LINE = "line"
    AREA = "area"
    BAND = "band"


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Points in order of x. A band lies between ``y`` and ``other``; an area above 0.

    A blank name stays out of the key.
    """

    name: str
    x: Floats
    y: Floats
    color: QColor
    shape: SeriesShape = SeriesShape.LINE
    other: Floats | None = None
    width: float = 2.0
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class ChartMark:
    """A vertical line, or with ``y`` a dot, that may move without a redraw of the chart.

    The label is beside the line where it hides least.
    """

    x: float
    color: QColor
    label: str = ""
    y: float | None = None
    width: float = 1.0
    dotted: bool = False


class Chart(QWidget):
    """Draws series and marks; knows which point of the axes lies under the mouse."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._x = Axis(0, 1)
        self._y = Axis(0, 1)
        self._series: tuple[Series, ...] = ()
        self._marks: tuple[ChartMark, ...] = ()
        self._drawn: QPixmap | None = None
        self._drawn_for: object = None
        self._labels: dict[tuple[float, str], QRectF] = {}
        self.has_x_labels = True
        self.has_key_below = False
        self.setMinimumHeight(80)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def sizeHint(self) -> QSize:
        return QSize(320, 170)

    def show_series(self, x: Axis, y: Axis, series: Sequence[Series]) -> None:
        self._x, self._y, self._series = x, y, tuple(series)
        self._drawn = None
        self.update()

    def show_marks(self, marks: Sequence[ChartMark]) -> None:
        if tuple(marks) != self._marks:
            self._marks = tuple(marks)
            named = {(mark.x, mark.label) for mark in marks if mark.label}
            if named != self._labels.keys():
                self._labels.clear()
            self.update()

    @property
    def marks(self) -> tuple[ChartMark, ...]:
        return self._marks

    @property
    def series(self) -> tuple[Series, ...]:
        return self._series

    def plot_area(self) -> QRectF:
        """The area inside the axes."""
        bottom = _BOTTOM if self.has_x_labels else 8.0
        # The names of the curves stand above them, where they hide nothing.
        rows = 0 if self.has_key_below else len(self._key_rows())
        top = _TOP + rows * self.fontMetrics().height()
        return QRectF(self.rect()).adjusted(_LEFT, top, -_RIGHT, -bottom)

    def value_at(self, point: QPointF) -> tuple[float, float]:
        """The values of both axes under a point of the widget."""
        area = self.plot_area()
        across = (point.x() - area.left()) / max(1.0, area.width())
        down = (point.y() - area.top()) / max(1.0, area.height())
        return self._x.value(across), self._y.value(1 - down)

    def point_of(self, x: float, y: float) -> QPointF:
        """Where a pair of values lies on the widget."""
        area = self.plot_area()
        return QPointF(
            area.left() + self._x.share(x) * area.width(),
            area.bottom() - self._y.share(y) * area.height(),
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        palette = self.palette()
        key = (self.size(), self.devicePixelRatioF(), palette.cacheKey())
        if self._drawn is None or key != self._drawn_for:
            self._drawn, self._drawn_for = self._draw_ground(), key
            self._labels.clear()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._drawn)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for mark in self._marks:
            self._draw_mark(painter, mark)
        # Over all lines: no line strikes out the name of another.
        for mark in self._marks:
            if mark.label and mark.y is None:
                self._draw_label(painter, mark)
        if self.hasFocus():
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Highlight), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()

    def _draw_ground(self) -> QPixmap:
        density = self.devicePixelRatioF()
        pixmap = QPixmap(self.size() * density)
        pixmap.setDevicePixelRatio(density)
        pixmap.fill(self.palette().color(QPalette.ColorRole.Base))
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_axes(painter)
        painter.save()
        painter.setClipRect(self.plot_area().adjusted(-1, -2, 1, 2))
        for series in self._series:
            self._draw_series(painter, series)
        painter.restore()
        self._draw_key(painter)
        painter.end()
        return pixmap

    def _ink(self, alpha: int) -> QColor:
        ink = QColor(self.palette().color(QPalette.ColorRole.WindowText))
        ink.setAlpha(alpha)
        return ink

    def _draw_axes(self, painter: QPainter) -> None:
        area = self.plot_area()
        grid, ink = QPen(self._ink(28), 1), self._ink(190)
        font = painter.font()
        font.setPointSizeF(max(6.0, font.pointSizeF() * 0.85))
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        for value, text in self._y.ticks:
            y = area.bottom() - self._y.share(value) * area.height()
            painter.setPen(grid)
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(ink)
            box = QRectF(0, y - 8, area.left() - _TICK - 2, 16)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        painter.setPen(QPen(self._ink(110), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        if self.has_x_labels:
            self._draw_x_labels(painter, metrics)
        if self._y.label:
            painter.save()
            painter.setPen(ink)
            painter.translate(2, area.center().y())
            painter.rotate(-90)
            # The label may be longer than a low plot is high; it then reaches beyond both ends.
            length = max(area.height(), metrics.horizontalAdvance(self._y.label) + 2)
            box = QRectF(-length / 2, 0, length, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._y.label)
            painter.restore()

    def _draw_x_labels(self, painter: QPainter, metrics: QFontMetricsF) -> None:
        area, width_px = self.plot_area(), self.width()
        tick, ink = QPen(self._ink(110), 1), self._ink(190)
        for value, text in self._x.ticks:
            x = area.left() + self._x.share(value) * area.width()
            painter.setPen(tick)
            painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + _TICK))
            painter.setPen(ink)
            width = metrics.horizontalAdvance(text) + 4
            left = min(max(0.0, x - width / 2), width_px - width)
            box = QRectF(left, area.bottom() + _TICK, width, metrics.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        if self._x.label:
            box = QRectF(area.left(), self.height() - metrics.height() - 1, area.width(), 16)
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, self._x.label)

    def points_of(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Where pairs of values lie on the widget: how far across, and how far down."""
        area = self.plot_area()
        across = area.left() + (x - self._x.low) / (self._x.high - self._x.low) * area.width()
        down = area.bottom() - (y - self._y.low) / (self._y.high - self._y.low) * area.height()
        return across, down

    def _points(self, x: Floats, y: Floats) -> Floats:
        """(points, 2): where pairs of values lie, some left out where there are very many."""
        if len(x) > _MOST_POINTS:
            kept = np.linspace(0, len(x) - 1, _MOST_POINTS).round().astype(np.intp)
            x, y = x[kept], y[kept]
        return np.stack(self.points_of(x, y), axis=1)

    def _draw_series(self, painter: QPainter, series: Series) -> None:
        if len(series.x) == 0:
            return
        line = self._points(series.x, series.y)
        if series.shape is SeriesShape.LINE:
            style = Qt.PenStyle.DashLine if series.dashed else Qt.PenStyle.SolidLine
            painter.setPen(QPen(series.color, series.width, style))
            painter.drawPolyline(_polygon(line))
            return
        base = np.zeros_like(series.y) if series.other is None else series.other
        back = self._points(series.x[::-1], base[::-1])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(series.color)
        painter.drawPolygon(_polygon(np.concatenate([line, back])))

    def _draw_mark(self, painter: QPainter, mark: ChartMark) -> None:
        area = self.plot_area()
        if mark.y is not None:
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Base), 2))
            painter.setBrush(mark.color)
            painter.drawEllipse(self.point_of(mark.x, mark.y), 6, 6)
            return
        x = self.point_of(mark.x, self._y.low).x()
        if mark.dotted:
            painter.setPen(QPen(mark.color, mark.width, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        else:
            # A filled bar is drawn many times faster than a line with a wide pen.
            bar = QRectF(x - mark.width / 2, area.top(), mark.width, area.height())
            painter.fillRect(bar, mark.color)

    def _draw_label(self, painter: QPainter, mark: ChartMark) -> None:
        font = painter.font()
        font.setPointSizeF(max(6.0, self.font().pointSizeF() * 0.8))
        painter.setFont(font)
        box = self._labels.get((mark.x, mark.label))
        if box is None:
            # Found once: a threshold that is dragged leaves labels where they are.
            box = self._labels[mark.x, mark.label] = self._place_label(mark, QFontMetricsF(font))
        # A curve that runs behind the words would strike them out.
        ground = QColor(self.palette().color(QPalette.ColorRole.Base))
        ground.setAlpha(_GROUND_ALPHA)
        painter.fillRect(box, ground)
        painter.setPen(self._ink(200))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, mark.label)

    def _place_label(self, mark: ChartMark, metrics: QFontMetricsF) -> QRectF:
        """The highest place beside a line where no curve, bar or other label is."""
        area, x = self.plot_area(), self.point_of(mark.x, self._y.low).x()
        width, height = metrics.horizontalAdvance(mark.label) + 6, metrics.height()
        lefts = [left for left in (x + 3, x - width - 3) if area.left() <= left]
        fitting = [left for left in lefts if left + width <= area.right()] or [x + 3]
        rows = max(1, int((area.height() - height) / (height / 2)) + 1)
        boxes = [
            QRectF(left, area.top() + row * height / 2, width, height)
            for row in range(rows)
            for left in fitting
        ]
        lines = [self.point_of(other.x, 0).x() for other in self._marks if other.label]
        uncut = [box for box in boxes if not any(box.left() < at < box.right() for at in lines)]
        return next((box for box in (*uncut, *boxes) if self._is_free(box)), boxes[0])

    def _is_free(self, box: QRectF) -> bool:
        if any(box.intersects(other) for other in self._labels.values()):
            return False
        for series in self._series:
            across, down = self.points_of(series.x, series.y)
            first, last = np.searchsorted(across, (box.left(), box.right()))
            # The line comes from the point before and goes on to the one after.
            met = down[max(0, first - 1) : last + 1]
            lowest = met.max(initial=-np.inf) if series.shape is SeriesShape.LINE else np.inf
            half = series.width / 2
            if met.min(initial=np.inf) - half < box.bottom() and lowest + half > box.top():
                return False
        return True

    def _key_rows(self) -> list[list[Series]]:
        """The named curves, in as many rows as their names need."""
        measure, room = self.fontMetrics().horizontalAdvance, self.width() - _RIGHT
        rows: list[list[Series]] = []
        used = 0.0
        for series in self._series:
            width = measure(series.name) + _BESIDE_NAME
            if series.name and rows and used + width <= room:
                rows[-1].append(series)
                used += width
            elif series.name:
                rows.append([series])
                used = width
        return rows

    def _draw_key(self, painter: QPainter) -> None:
        area, height = self.plot_area(), self.fontMetrics().height()
        rows = self._key_rows()
        top = area.bottom() - 6 if self.has_key_below else area.top() - 2
        top -= height * len(rows)
        for i, row in enumerate(rows):
            self._draw_key_row(painter, row, top + i * height)

    def _draw_key_row(self, painter: QPainter, row: Sequence[Series], top: float) -> None:
        metrics = QFontMetricsF(painter.font())
        x = self.plot_area().right()
        ink = self._ink(210)
        for series in reversed(row):
            x -= metrics.horizontalAdvance(series.name) + 6
            painter.setPen(ink)
            painter.drawText(QPointF(x, top + metrics.ascent()), series.name)
            x -= 20
            middle = top + metrics.ascent() / 2 + 2
            if series.shape is SeriesShape.LINE:
                style = Qt.PenStyle.DashLine if series.dashed else Qt.PenStyle.SolidLine
                painter.setPen(QPen(series.color, series.width, style))
                painter.drawLine(QPointF(x, middle), QPointF(x + 16, middle))
            else:
                painter.fillRect(QRectF(x + 4, middle - 5, 10, 10), series.color)
            x -= 8


class LowChart(Chart):
    """A chart that asks for little height: beside a text that wraps Qt grants no less than that."""

    def sizeHint(self) -> QSize:
        return QSize(320, _LOW_PX)


def _polygon(points: Floats) -> QPolygonF:
    """A polygon of points (n, 2), handed over as the bytes Qt itself writes a polygon in."""
    polygon = QPolygonF()
    count = len(points).to_bytes(4, "big")
    QDataStream(QByteArray(count + points.astype(">f8").tobytes())) >> polygon
    return polygon
