"""Writes the values of pixels into them, once they are large enough on the screen."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter

from forensicviewer.app.state import Layer, Pane, ViewState
from forensicviewer.core.array import Size
from forensicviewer.core.frame import crop_of
from forensicviewer.core.overlay import Outcome, outcome_of
from forensicviewer.core.pyramid import Pyramid, Window

_COLOURED = (Layer.PICTURE, Layer.BASE)
ROOM_FOR_NUMBER_PX = 26.0
ROOM_FOR_COLOUR_PX = 44.0


def draw_pixel_values(
    painter: QPainter, state: ViewState, pane: Pane, window: Window, font: QFont
) -> None:
    """Write what each visible pixel of the pane's layer holds, if there is room for it."""
    room = window.scale * 10 / max(1, font.pixelSize())
    needed = ROOM_FOR_COLOUR_PX if pane.layer in _COLOURED else ROOM_FOR_NUMBER_PX
    pyramid = _values(state, pane)
    if pyramid is None or room < needed:
        return
    clip = window.clipped(pyramid.size)
    if clip is None:
        return
    painter.setFont(font)
    left, top = int(clip.window.left), int(clip.window.top)
    size = Size(
        int(clip.window.size.width / window.scale) + 2,
        int(clip.window.size.height / window.scale) + 2,
    )
    crop = crop_of(pyramid, left=left, top=top, size=size)
    for row in range(crop.shape[0]):
        for column in range(crop.shape[1]):
            text, is_bright = _text(state, pane, left + column, top + row, crop[row, column])
            painter.setPen(QColor(0, 0, 0) if is_bright else QColor(255, 255, 255))
            x, y = window.screen_point(left + column, top + row)
            cell = QRectF(x, y, window.scale, window.scale)
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)


def _values(state: ViewState, pane: Pane) -> Pyramid | None:
    if state.loaded is None:
        return None
    side = state.loaded.on(pane.side)
    if pane.layer is Layer.PICTURE:
        return side.pictures
    if pane.layer is Layer.BASE:
        return side.base
    if pane.layer is Layer.REFERENCE:
        return side.operations
    system = state.loaded.system(pane.side, pane.system)
    return None if system is None else system.means


def _text(state: ViewState, pane: Pane, x: int, y: int, value: object) -> tuple[str, bool]:
    """What to write, and whether the pixel is so bright that it must be written in black."""
    if pane.layer in _COLOURED:
        parts = [int(part) for part in value]  # type: ignore[attr-defined]  # a pixel of three
        return "\n".join(str(part) for part in parts), sum(parts) > 380
    number = int(value)  # type: ignore[call-overload]  # a pixel of one
    if pane.layer is Layer.REFERENCE:
        return ("" if number == 0 else "?" if number == 255 else str(number)), True
    if pane.layer is Layer.SYSTEM:
        shown = 255 - number if state.speaks_nist else number
        return str(shown), shown > 127
    return _outcome_text(state, pane, x, y, number)


def _outcome_text(state: ViewState, pane: Pane, x: int, y: int, score: int) -> tuple[str, bool]:
    system = None if state.loaded is None else state.loaded.system(pane.side, pane.system)
    if system is None or system.regions is None or y >= system.regions.codes.shape[0]:
        return "", True
    if x >= system.regions.codes.shape[1]:
        return "", True
    region = int(system.regions.codes[y, x])
    outcome = outcome_of(region, score, state.threshold(pane.system))
    return outcome.short, outcome in (Outcome.BOUNDARY, Outcome.UNSELECTED, Outcome.HIT)
