"""The legend of a provenance graph: what its colours, lines, borders and arrows mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen, QPixmap

from forensicviewer.app.language.words import tr
from forensicviewer.core.graph.provenance import Match
from forensicviewer.ui.graph.link_curve import ARROW
from forensicviewer.ui.graph.style import NOT_SCORED, WORDS, GraphColors, pen_for

_ROW_PX = 22.0
_CORNER = QPointF(14, 6)
_LINE_PX = 34.0
_BEFORE_PX, _BETWEEN_PX = 7.0, 22.0  # between a sign and its word, and before the next sign
_NO_END = 1e9


@dataclass(frozen=True, slots=True)
class _Entry:
    """A sign and its word; ``draw`` puts the sign at the left end of a line's middle."""

    word: str
    sign_px: float
    draw: Callable[[QPainter, QPointF], None]


class GraphLegend:
    """Signs and words in one row, or in more where the room ends."""

    def __init__(self, colors: GraphColors, font: QFont) -> None:
        self._colors = colors
        self._font = font
        self._metrics = QFontMetricsF(font)
        self._key: object = None
        self._drawn = QPixmap()

    def height(self, *, has_unscored: bool, room: float) -> int:
        """What it takes of the height, in pixels."""
        rows = self._rows(has_unscored=has_unscored, room=room)
        return round(len(rows) * _ROW_PX + _CORNER.y() + 2)

    def pixmap(self, *, has_unscored: bool, room: float, density: float) -> QPixmap:
        """The legend as pixels: it is the same in every frame."""
        key = (has_unscored, room, density)
        if key != self._key:
            size = QSize(max(1, round(room)), self.height(has_unscored=has_unscored, room=room))
            pixmap = QPixmap(size * density)
            pixmap.setDevicePixelRatio(density)
            pixmap.fill(Qt.GlobalColor.transparent)
            onto = QPainter(pixmap)
            self.draw(onto, _CORNER, has_unscored=has_unscored, room=room)
            onto.end()
            self._key, self._drawn = key, pixmap
        return self._drawn

    def draw(
        self, painter: QPainter, corner: QPointF, *, has_unscored: bool, room: float = _NO_END
    ) -> None:
        """Draw it with its upper left at ``corner``."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._font)
        top = corner.y()
        for row in self._rows(has_unscored=has_unscored, room=room):
            width = sum(map(self._width, row))
            painter.fillRect(QRectF(corner.x() - 8, top - 4, width, _ROW_PX + 4), self._colors.halo)
            place = QPointF(corner.x(), top + 9)
            for entry in row:
                entry.draw(painter, place)
                painter.setPen(self._colors.text)
                painter.drawText(place + QPointF(entry.sign_px + _BEFORE_PX, 4), entry.word)
                place += QPointF(self._width(entry), 0)
            top += _ROW_PX

    def _width(self, entry: _Entry) -> float:
        word_px = self._metrics.horizontalAdvance(entry.word)
        return entry.sign_px + _BEFORE_PX + word_px + _BETWEEN_PX

    def _rows(self, *, has_unscored: bool, room: float) -> list[list[_Entry]]:
        rows: list[list[_Entry]] = []
        right = room - _CORNER.x() + _BETWEEN_PX
        for entry in self._entries(has_unscored=has_unscored):
            if rows and sum(map(self._width, (*rows[-1], entry))) <= right:
                rows[-1].append(entry)
            else:
                rows.append([entry])
        return rows

    def _entries(self, *, has_unscored: bool) -> list[_Entry]:
        lines: list[tuple[Match | None, str]] = list(WORDS.items())
        lines += [(None, NOT_SCORED)] if has_unscored else []
        return [
            *(_Entry(tr(word), _LINE_PX, self._line_of(match)) for match, word in lines),
            _Entry(tr("Probe"), 25, self._draw_probe),
            _Entry(tr("Donor"), 33, self._draw_donor),
        ]

    def _line_of(self, match: Match | None) -> Callable[[QPainter, QPointF], None]:
        pen = pen_for(match, self._colors.of(match), 1.4 if match is None else 2.4)

        def draw(painter: QPainter, left: QPointF) -> None:
            painter.setPen(pen)
            painter.drawLine(left, left + QPointF(_LINE_PX, 0))

        return draw

    def _draw_probe(self, painter: QPainter, left: QPointF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._colors.text, 3.4))
        painter.drawRoundedRect(QRectF(left.x() + 2, left.y() - 7, 22, 14), 3, 3)

    def _draw_donor(self, painter: QPainter, left: QPointF) -> None:
        painter.setPen(QPen(self._colors.text, 1.6))
        painter.drawLine(left, left + QPointF(22, 0))
        painter.setBrush(self._colors.card)
        painter.drawPolygon(ARROW.translated(left + QPointF(32, 0)))
