"""Small squares of colour, hatched where the image is hatched."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QIcon, QPainter, QPen, QPixmap

from forensicviewer.core.palette import NO_SCORE, Outcome, Palette, Rgb

_HATCHES = {
    Outcome.BOUNDARY: Qt.BrushStyle.BDiagPattern,
    Outcome.UNSELECTED: Qt.BrushStyle.FDiagPattern,
    Outcome.OPT_OUT: Qt.BrushStyle.DiagCrossPattern,
    Outcome.OUTSIDE: Qt.BrushStyle.Dense6Pattern,
}


def draw_swatch(
    painter: QPainter, area: QRectF, color: Rgb, *, hatch: Qt.BrushStyle | None = None
) -> None:
    """A square with a thin boundary, so that white shows on white."""
    painter.setPen(QPen(QColor(110, 110, 110), max(1.0, area.width() / 16)))
    painter.setBrush(QColor(*color))
    painter.drawRect(area)
    if hatch is not None:
        ink = QColor(0, 0, 0, 170) if sum(color) > 330 else QColor(255, 255, 255, 200)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(ink, hatch))
        painter.drawRect(area)


def outcome_hatch(outcome: Outcome, colors: Palette | None = None) -> Qt.BrushStyle | None:
    """How an outcome is hatched where it is drawn in these colours."""
    if outcome is Outcome.BOUNDARY and colors is not None and colors.is_crossed:
        return Qt.BrushStyle.DiagCrossPattern
    return _HATCHES[outcome] if outcome in NO_SCORE else None


@lru_cache(maxsize=256)
def color_icon(color: Rgb | None, *, hatch: Qt.BrushStyle | None = None) -> QIcon:
    """A swatch as an icon; without a colour only the room for one."""
    icon = QIcon()
    for edge_px in (14, 28):
        pixmap = QPixmap(edge_px, edge_px)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        inset = edge_px / 14
        area = QRectF(0, 0, edge_px, edge_px).adjusted(inset, inset, -inset, -inset)
        if color is not None:
            draw_swatch(painter, area, color, hatch=hatch)
        painter.end()
        icon.addPixmap(pixmap)
    return icon


def outcome_icon(outcome: Outcome, colors: Palette) -> QIcon:
    return color_icon(colors[outcome], hatch=outcome_hatch(outcome, colors))
