"""Draws the lanes of a timeline in screen pixels, so that nothing blurs at any zoom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap, QPolygonF, QTransform
from PySide6.QtWidgets import QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.app.video.lanes import LaneKind, SoundOutline, Span, TimelineLane
from forensicviewer.core.array import Floats

ROW_PX = 18.0
_PADDING_PX = 3.0
_FAINT, _SOLID = 46, 225


@dataclass(frozen=True, slots=True, eq=False)
class LaneContents:
    """What the lanes show now."""

    lanes: tuple[TimelineLane, ...] = ()
    frames: int = 1
    strip_frames: Floats = field(default_factory=lambda: np.zeros(0))
    strip_mcc: Floats = field(default_factory=lambda: np.zeros(0))
    sound: SoundOutline | None = None

    @property
    def height(self) -> float:
        return max(1.0, sum(lane.height for lane in self.lanes))

    def rows(self) -> list[tuple[TimelineLane, float]]:
        """Every lane with where it begins."""
        tops = np.cumsum([0.0, *(lane.height for lane in self.lanes)])
        return list(zip(self.lanes, tops.tolist(), strict=False))

    def lane_at(self, y: float) -> TimelineLane | None:
        return next((lane for lane, top in self.rows() if top <= y < top + lane.height), None)

    def span_at(self, x: float, y: float, *, slack: float) -> Span | None:
        """The span under a point; narrow ones may be missed by ``slack`` frames."""
        lane = self.lane_at(y)
        if lane is None:
            return None
        hits = [span for span in lane.spans if span.start - slack <= x <= span.end + slack]
        return min(hits, key=lambda span: span.end - span.start, default=None)


class LaneItem(QGraphicsObject):
    """The item a plot shows; coordinates are frames across and rows down."""

    def __init__(self) -> None:
        super().__init__()
        self.contents = LaneContents()
        self.text = QColor(30, 30, 30)
        self.stripe = QColor(127, 127, 127, 22)
        self.accent = QColor(29, 95, 209)
        self._pictures: dict[str, tuple[tuple[object, ...], QPixmap]] = {}

    def show_contents(self, contents: LaneContents) -> None:
        if contents.height != self.contents.height or contents.frames != self.contents.frames:
            self.prepareGeometryChange()
        self.contents = contents
        self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(-1e6, -0.5, 3e6 + self.contents.frames, self.contents.height + 1)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002 - Qt's signature
        widget: QWidget | None = None,  # noqa: ARG002 - Qt's signature
    ) -> None:
        """Draw from images of the lanes that are made anew only when something changed.

        While a video plays the playhead crosses the lanes many times a second; they stay the same.
        """
        to_screen = painter.worldTransform()
        density = painter.device().devicePixelRatioF()
        area = QRect(0, 0, painter.device().width(), painter.device().height())
        if density != 1.0 and isinstance(painter.device(), QPixmap):
            # An image tells its size in device pixels, a widget in its own.
            area = QRect(0, 0, round(area.width() / density), round(area.height() / density))
        painter.save()
        painter.resetTransform()
        place = (to_screen.m11(), to_screen.dx(), to_screen.m22(), to_screen.dy(), area.size())
        look = (self.text.rgba(), self.accent.rgba(), density)
        contents = self.contents
        rows = tuple((lane.kind, lane.height) for lane in contents.lanes)
        for name, key, draw in (
            ("lanes", (contents.lanes, contents.frames, place, look), self._paint_lanes),
            ("sound", (contents.sound, rows, place, look), self._paint_sounds),
            ("strip", (id(contents.strip_mcc), rows, place, look), self._paint_strips),
        ):
            picture = self._picture(name, key, area, density, to_screen, draw)
            painter.drawPixmap(area.topLeft(), picture)
        painter.restore()

    def _picture(
        self,
        name: str,
        key: tuple[object, ...],
        area: QRect,
        density: float,
        to_screen: QTransform,
        draw: Callable[[QPainter, QTransform, QRectF], None],
    ) -> QPixmap:
        made = self._pictures.get(name)
        if made is None or made[0] != key:
            pixmap = QPixmap(area.size() * density)
            pixmap.setDevicePixelRatio(density)
            pixmap.fill(Qt.GlobalColor.transparent)
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw(painter, to_screen, QRectF(area))
            painter.end()
            made = self._pictures[name] = (key, pixmap)
        return made[1]

    def _paint_lanes(self, painter: QPainter, to_screen: QTransform, clip: QRectF) -> None:
        for number, (lane, top) in enumerate(self.contents.rows()):
            area = self._row(to_screen, top, lane.height, clip)
            if number % 2:
                painter.fillRect(area, self.stripe)
            for span in lane.spans:
                self._paint_span(painter, span, area, to_screen)
        self._paint_end(painter, to_screen, clip)

    def _paint_sounds(self, painter: QPainter, to_screen: QTransform, clip: QRectF) -> None:
        for lane, top in self.contents.rows():
            if lane.kind is LaneKind.SOUND:
                area = self._row(to_screen, top, lane.height, clip)
                self._paint_sound(painter, area, to_screen)

    def _paint_strips(self, painter: QPainter, to_screen: QTransform, clip: QRectF) -> None:
        for lane, top in self.contents.rows():
            if lane.kind is LaneKind.STRIP:
                area = self._row(to_screen, top, lane.height, clip)
                self._paint_strip(painter, area, to_screen)

    def _row(self, to_screen: QTransform, top: float, height: float, clip: QRectF) -> QRectF:
        upper = to_screen.map(QPointF(0, top)).y()
        lower = to_screen.map(QPointF(0, top + height)).y()
        return QRectF(clip.left(), upper, clip.width(), lower - upper)

    def _paint_span(
        self, painter: QPainter, span: Span, area: QRectF, to_screen: QTransform
    ) -> None:
        if span.start != span.start or span.end != span.end:
            return
        left, right = _across(to_screen, span.start), _across(to_screen, span.end)
        if right < area.left() or left > area.right():
            return
        left, right = max(left, area.left() - 4), min(right, area.right() + 4)
        # A single frame seen from far away would otherwise vanish.
        box = QRectF(left, area.top() + _PADDING_PX, max(right - left, 2.0), area.height())
        box.setHeight(area.height() - 2 * _PADDING_PX)
        color = QColor(*span.color)
        color.setAlpha(_FAINT if span.is_faint else _SOLID)
        outline = QColor(self.text)
        outline.setAlpha(60 if span.is_faint else 110)
        painter.setPen(QPen(outline, 1))
        painter.setBrush(color)
        painter.drawRoundedRect(box, 2, 2)
        if span.is_hatched:
            hatch = QColor(0, 0, 0, 120)
            painter.setBrush(QBrush(hatch, Qt.BrushStyle.BDiagPattern))
            painter.drawRect(box)
        self._say(painter, span, box)

    def _say(self, painter: QPainter, span: Span, box: QRectF) -> None:
        text = tr("⚠ beyond the end {label}", label=span.label) if span.is_beyond else span.label
        text = text.strip()
        if not text or painter.fontMetrics().horizontalAdvance(text) + 6 > box.width():
            return
        luminance = 0.3 * span.color[0] + 0.59 * span.color[1] + 0.11 * span.color[2]
        painter.setPen(QColor(10, 10, 10) if luminance > 120 else QColor(255, 255, 255))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_strip(self, painter: QPainter, area: QRectF, to_screen: QTransform) -> None:
        """A bar for each frame, as high as its MCC; a dot where there was nothing to find."""
        base, room = area.bottom() - _PADDING_PX, area.height() - 2 * _PADDING_PX
        faint = QColor(self.text)
        faint.setAlpha(50)
        painter.setPen(QPen(faint, 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(area.left(), base - room), QPointF(area.right(), base - room))
        painter.setPen(Qt.PenStyle.NoPen)
        width = max(1.0, _across(to_screen, 1.0) - _across(to_screen, 0.0))
        for x, value in self._strip_on(area, to_screen):
            if value != value:
                painter.setBrush(faint)
                painter.drawRect(QRectF(x - width / 2, base - 2, width, 2))
            else:
                painter.setBrush(_strip_color(value))
                height = max(2.0, abs(value) * room)
                painter.drawRect(QRectF(x - width / 2, base - height, width, height))

    def _strip_on(self, area: QRectF, to_screen: QTransform) -> Sequence[tuple[float, float]]:
        """(screen column, MCC): of several frames in one column the worst."""
        frames, values = self.contents.strip_frames, self.contents.strip_mcc
        columns = frames * to_screen.m11() + to_screen.dx()
        seen = (columns >= area.left() - 2) & (columns <= area.right() + 2)
        worst: dict[int, tuple[float, float]] = {}
        for x, value in zip(columns[seen].tolist(), values[seen].tolist(), strict=True):
            known = worst.get(int(x))
            if known is None or not known[1] <= value:
                worst[int(x)] = (x, value)
        return list(worst.values())

    def _paint_sound(self, painter: QPainter, area: QRectF, to_screen: QTransform) -> None:
        sound = self.contents.sound
        if sound is None:
            return
        columns = sound.places * to_screen.m11() + to_screen.dx()
        seen = (columns >= area.left() - 4) & (columns <= area.right() + 4)
        # One point for each column of the screen: more would only be drawn over each other.
        across, starts = np.unique(columns[seen].astype(int), return_index=True)
        if not len(across):
            return
        high = np.maximum.reduceat(sound.high[seen], starts)
        low = np.minimum.reduceat(sound.low[seen], starts)
        middle, room = area.center().y(), area.height() / 2 - _PADDING_PX
        tops, feet = (middle - high * room).tolist(), (middle - low * room).tolist()
        places = across.tolist()
        upper = [QPointF(x, y) for x, y in zip(places, tops, strict=True)]
        lower = [QPointF(x, y) for x, y in zip(places, feet, strict=True)]
        color = QColor(self.accent)
        color.setAlpha(170)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPolygon(QPolygonF([*upper, *reversed(lower)]))

    def _paint_end(self, painter: QPainter, to_screen: QTransform, clip: QRectF) -> None:
        """What lies beyond the last frame is hatched."""
        end = _across(to_screen, self.contents.frames + 1.0)
        for area in (
            QRectF(end, clip.top(), max(0.0, clip.right() - end), clip.height()),
            QRectF(clip.left(), clip.top(), _across(to_screen, 1.0) - clip.left(), clip.height()),
        ):
            if area.width() > 0:
                shade = QColor(self.text)
                shade.setAlpha(40)
                painter.fillRect(area, QBrush(shade, Qt.BrushStyle.BDiagPattern))


def _across(to_screen: QTransform, x: float) -> float:
    return to_screen.m11() * x + to_screen.dx()


def _strip_color(value: float) -> QColor:
    """From red over amber to green; height says the same, so colour is not needed to read it."""
    share = min(1.0, max(0.0, value))
    return QColor.fromHsvF(share * 0.36, 0.75, 0.85 - 0.15 * share)
