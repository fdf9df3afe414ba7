"""How nodes and links of a provenance graph look: NIST's colours, and line styles beside them.

Correct is green and solid, missing dim grey and dashed, a false alarm red and dotted; the probe has
a thick border. What the journal holds beside that does not count: its cards are low, its lines thin
and broken by dots. Colour never tells anything alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPalette, QPen

from forensicviewer.app.language.words import to_translate
from forensicviewer.core.graph.provenance import Match

CARD = QRectF(-98, -38, 196, 76)
UNSCORED_CARD = QRectF(-98, -20, 196, 40)
THUMBNAIL = QRectF(-92, -32, 64, 64)
THUMBNAIL_PX = 128  # twice the size on the card: cards are zoomed into, and screens are dense
PROBE_WIDTH = 5.0  # NIST's pen width for the probe

WORDS = {
    Match.MATCHED: to_translate("Correct"),
    Match.MISSED: to_translate("Missing"),
    Match.INVENTED: to_translate("False alarm"),
}

NOT_SCORED = to_translate("Journal only, not scored")

_PATTERNS: dict[Match | None, tuple[float, ...]] = {
    Match.MATCHED: (),
    Match.MISSED: (5.0, 3.0),
    Match.INVENTED: (1.2, 2.2),
    None: (6.0, 2.0, 1.0, 2.0),
}


@dataclass(frozen=True, slots=True)
class GraphColors:
    """The colours of one theme."""

    background: QColor
    card: QColor
    text: QColor
    muted: QColor
    accent: QColor
    halo: QColor
    found: QColor
    matched: QColor
    missed: QColor
    invented: QColor
    unscored: QColor

    def of(self, match: Match | None) -> QColor:
        """The colour of an outcome; without one, of what does not count."""
        if match is None:
            return self.unscored
        if match is Match.MATCHED:
            return self.matched
        return self.missed if match is Match.MISSED else self.invented

    def tint(self, match: Match | None, *, share: float = 0.085) -> QColor:
        """A card's colour: its background with a breath of what became of it."""
        color = self.of(match)
        mixed = (
            round(a * share + b * (1 - share))
            for a, b in (
                (color.red(), self.card.red()),
                (color.green(), self.card.green()),
                (color.blue(), self.card.blue()),
            )
        )
        return QColor(*mixed)


LIGHT = GraphColors(
    background=QColor("#ffffff"),
    card=QColor("#ffffff"),
    text=QColor("#14181f"),
    muted=QColor("#566072"),
    accent=QColor("#1d5fd1"),
    halo=QColor(255, 255, 255, 225),
    found=QColor("#f5b301"),
    matched=QColor("#008000"),
    missed=QColor("#696969"),
    invented=QColor("#d00000"),
    unscored=QColor("#5b76b8"),
)
DARK = GraphColors(
    background=QColor("#14171c"),
    card=QColor("#1d222a"),
    text=QColor("#e9ecf1"),
    muted=QColor("#a2acbb"),
    accent=QColor("#7fb0ff"),
    halo=QColor(20, 23, 28, 225),
    found=QColor("#ffcf4d"),
    matched=QColor("#4fc46b"),
    missed=QColor("#a0a0a0"),
    invented=QColor("#ff7b72"),
    unscored=QColor("#8aa2dc"),
)


def pen_for(match: Match | None, color: QColor, width: float) -> QPen:
    """The pen of a link or border; patterns keep their length until lines become very wide."""
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pattern = _PATTERNS[match]
    if pattern:
        reach = 2.0 * max(1.0, width / 2.6)
        pen.setDashPattern([length * reach / width for length in pattern])
    return pen


def font_of(base: QFont, points: float, *, bold: bool = False) -> QFont:
    """The window's font in a size of the drawing (scene units are pixels at 100 %)."""
    font = QFont(base)
    font.setPixelSize(max(1, round(points * 4 / 3)))
    font.setBold(bold)
    return font


def rgb_of(color: QColor) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()


def for_ground(color: QColor, palette: QPalette) -> QColor:
    """A curve's colour, lighter where the window is dark."""
    is_dark = palette.color(QPalette.ColorRole.Window).lightness() < 128
    return color.lighter(165) if is_dark else color
