"""Writes the values of pixels into them, once they are large enough on the screen.

A screen can hold thousands of them, so texts are drawn once each and then stamped.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter

from forensicviewer.app.snapping import threshold_on
from forensicviewer.app.state import Layer, Pane, ViewState
from forensicviewer.app.trialview import LoadedSystem
from forensicviewer.core.array import Size
from forensicviewer.core.frame import crop_of
from forensicviewer.core.mask import UNKNOWN_OPERATION, Region
from forensicviewer.core.overlay import OUTSIDE_CODE, Outcome, outcome_of
from forensicviewer.core.pyramid import Pyramid, Window

ROOM_FOR_NUMBER_PX = 28.0
ROOM_FOR_COLOUR_PX = 46.0
_MIDDLE_GREY = 118  # where black and white are read equally well
_COLOURED = (Layer.PICTURE, Layer.BASE)
_DARK_ON = (Outcome.BOUNDARY, Outcome.UNSELECTED, Outcome.HIT)

Cell = tuple[int, int, tuple[str, ...], bool]  # column, row, lines, whether to write in black


def draw_pixel_values(
    painter: QPainter, state: ViewState, pane: Pane, window: Window, font: QFont
) -> None:
    """Write what each visible pixel of the pane's layer holds, if there is room for it."""
    room = window.scale * 10 / max(1, font.pixelSize())
    needed = ROOM_FOR_COLOUR_PX if pane.layer in _COLOURED else ROOM_FOR_NUMBER_PX
    pyramid = _values(state, pane)
    clip = None if pyramid is None else window.clipped(pyramid.size)
    if pyramid is None or clip is None or room < needed:
        return
    left, top = int(clip.window.left), int(clip.window.top)
    size = Size(
        int(clip.window.size.width / window.scale) + 2,
        int(clip.window.size.height / window.scale) + 2,
    )
    crop = crop_of(pyramid, left=left, top=top, size=size).tolist()
    line_px = QFontMetrics(font).height()
    for column, row, lines, is_dark in _cells(state, pane, crop, left, top):
        x, y = window.screen_point(left + column + 0.5, top + row + 0.5)
        y -= line_px * len(lines) / 2
        for line in lines:
            stamp = _stamp(line, font.pixelSize(), is_dark=is_dark)
            painter.drawImage(QPointF(round(x - stamp.width() / 2), round(y)), stamp)
            y += line_px


@lru_cache(maxsize=4096)
def _stamp(text: str, size_px: int, *, is_dark: bool) -> QImage:
    font = QFont()
    font.setPixelSize(size_px)
    metrics = QFontMetrics(font)
    area = QRect(0, 0, max(1, metrics.horizontalAdvance(text) + 2), metrics.height())
    image = QImage(area.size(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setFont(font)
    painter.setPen(QColor(0, 0, 0) if is_dark else QColor(255, 255, 255))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
    painter.end()
    return image


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


def _cells(
    state: ViewState, pane: Pane, crop: list[list[object]], left: int, top: int
) -> Iterator[Cell]:
    """What to write into each pixel; pixels without anything to say are left out."""
    system = None if state.loaded is None else state.loaded.system(pane.side, pane.system)
    greys = None if state.loaded is None else state.loaded.on(pane.side).greys
    for row, values in enumerate(crop):
        codes = _codes(system, pane, left, top + row, len(values))
        below = _row_of(greys, left, top + row, len(values))
        for column, value in enumerate(values):
            if isinstance(value, list):
                yield column, row, tuple(map(str, value)), sum(value) > 380
                continue
            assert isinstance(value, int)
            text, is_dark = _text(state, pane, value, codes[column] if codes else OUTSIDE_CODE)
            if text == Outcome.CORRECT_REJECTION.short and column < len(below):
                # Nothing lies over the grey picture there, so that decides.
                is_dark = below[column] > _MIDDLE_GREY
            if text:
                yield column, row, (text,), is_dark


def _row_of(pyramid: Pyramid | None, left: int, row: int, number: int) -> list[int]:
    if pyramid is None or row >= pyramid.size.height:
        return []
    found: list[int] = crop_of(pyramid, left=left, top=row, size=Size(number, 1))[0].tolist()
    return found


def _codes(system: LoadedSystem | None, pane: Pane, left: int, row: int, number: int) -> list[int]:
    """The region codes under a row of pixels of a comparison."""
    if pane.layer is not Layer.COMPARISON or system is None:
        return []
    regions = system.regions
    if regions is None and system.alarms:
        # Nothing is manipulated there, so every pixel is background.
        return [Region.BACKGROUND] * number
    if regions is None or row >= regions.size.height:
        return []
    found: list[int] = regions.codes[row, left : left + number].tolist()
    return found + [OUTSIDE_CODE] * (number - len(found))


def _text(state: ViewState, pane: Pane, value: int, code: int) -> tuple[str, bool]:
    """What to write, and whether in black."""
    if pane.layer is Layer.REFERENCE:
        name = "?" if value == UNKNOWN_OPERATION else str(value)
        return ("" if value == 0 else name), True
    if pane.layer is Layer.SYSTEM:
        shown = 255 - value if state.speaks_nist else value
        return str(shown), shown > 127
    system = None if state.loaded is None else state.loaded.system(pane.side, pane.system)
    score = 0 if system is not None and system.is_scored_as_empty else value
    outcome = outcome_of(code, score, threshold_on(state, pane.side, system=pane.system))
    return ("" if outcome is Outcome.OUTSIDE else outcome.short), outcome in _DARK_ON
