"""Writes the values of pixels into them, once they are large enough on the screen.

A screen can hold thousands of them, so texts are drawn once each and then stamped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter

from forensicviewer.app.workbench.lens_work import drawn_lens
from forensicviewer.app.workbench.loaded_trial import LoadedSide
from forensicviewer.app.workbench.snapping import threshold_on
from forensicviewer.app.workbench.state import Layer, OverlayStyle, Pane, ViewState
from forensicviewer.core.array import Size
from forensicviewer.core.layer_pixels import crop_of
from forensicviewer.core.mask import UNKNOWN_OPERATION
from forensicviewer.core.overlay import ColorTable, color_of, takes_black
from forensicviewer.core.palette import Outcome
from forensicviewer.core.pyramid import Pyramid, Window
from forensicviewer.ui.panes.layers import layer_facts, reference_table, system_table

ROOM_FOR_NUMBER_PX = 28.0
ROOM_FOR_COLOUR_PX = 46.0
_COLOURED = (
    Layer.PICTURE,
    Layer.BASE,
    Layer.LENS,
    Layer.CONTROL,
    Layer.EXAMPLE,
    Layer.EXTRA,
    Layer.DIFFERENCE,
)
_OUTCOMES = tuple(Outcome)

WrittenPixel = tuple[
    int, int, tuple[str, ...], bool
]  # column, row, lines, whether to write in black


def draw_pixel_values(
    painter: QPainter, state: ViewState, pane: Pane, window: Window, font: QFont
) -> None:
    """Write what each visible pixel of the pane's layer holds, if there is room for it."""
    room = window.scale * 10 / max(1, font.pixelSize())
    needed = ROOM_FOR_COLOUR_PX if pane.layer in _COLOURED else ROOM_FOR_NUMBER_PX
    size = layer_facts(state, pane).size
    clip = None if size is None else window.clipped(size)
    if size is None or clip is None or room < needed:
        return
    left, top = int(clip.window.left), int(clip.window.top)
    columns = int(clip.window.size.width / window.scale) + 2
    rows = int(clip.window.size.height / window.scale) + 2
    shown = Size(min(columns, size.width - left), min(rows, size.height - top))
    line_px = QFontMetrics(font).height()
    for column, row, lines, is_dark in cells(state, pane, Window(left, top, 1.0, shown)):
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


def cells(state: ViewState, pane: Pane, part: Window) -> Iterator[WrittenPixel]:
    """What to write into each pixel; pixels without anything to say are left out."""
    if state.loaded is None:
        return
    side = state.loaded.on(pane.side)
    if pane.layer is Layer.COMPARISON:
        yield from _outcome_cells(state, pane, side, part)
    elif pane.layer is Layer.REFERENCE:
        yield from _number_cells(side.operations, part, reference_table(state, side), _operation)
    elif pane.layer is Layer.SYSTEM:
        system = state.loaded.system(pane.side, pane.system)
        means = None if system is None else system.means
        says = _nist_level if state.speaks_nist else str
        yield from _number_cells(means, part, system_table(state, pane), says)
    elif pane.layer is Layer.LENS:
        drawn = drawn_lens(state, pane)
        yield from _picture_cells(None if drawn is None else drawn.pixels, part)
    else:
        yield from _picture_cells(side.image_of(pane.image_key), part)


def _picture_cells(pixels: Pyramid | None, part: Window) -> Iterator[WrittenPixel]:
    for column, row, value in _crop(pixels, part):
        parts = (value,) if isinstance(value, int) else tuple(value)
        red, green, blue = parts * 3 if len(parts) == 1 else parts
        yield column, row, tuple(map(str, parts)), takes_black((red, green, blue))


def _number_cells(
    numbers: Pyramid | None, part: Window, table: ColorTable, says: Callable[[int], str]
) -> Iterator[WrittenPixel]:
    on_black = [takes_black(color_of(table, number)) for number in range(256)]
    for column, row, number in _crop(numbers, part):
        if says(number):
            yield column, row, (says(number),), on_black[number]


def _operation(number: int) -> str:
    if number == 0:
        return ""
    return "?" if number == UNKNOWN_OPERATION else str(number)


def _nist_level(score: int) -> str:
    return str(255 - score)


def _outcome_cells(
    state: ViewState, pane: Pane, side: LoadedSide, part: Window
) -> Iterator[WrittenPixel]:
    """The outcomes that are coloured, and correct rejections; what is hidden stays unsaid."""
    look, system = (
        state.look,
        side.systems[pane.system] if pane.system < len(side.systems) else None,
    )
    if system is None or system.outcomes is None or not look.has_overlays:
        return
    threshold = threshold_on(state, pane.side, system=pane.system)
    kinds = system.outcomes.view(part, hatched=False).outcomes(threshold).tolist()
    greys = {(column, row): grey for column, row, grey in _crop(side.greys, part)}
    for row, values in enumerate(kinds):
        for column, kind in enumerate(values):
            outcome = _OUTCOMES[kind]
            if outcome is not Outcome.OUTSIDE and outcome not in look.hidden:
                is_dark = _is_dark_on(outcome, state, greys.get((column, row)))
                yield column, row, (outcome.short,), is_dark


def _is_dark_on(outcome: Outcome, state: ViewState, grey: int | None) -> bool:
    """Whether black is read on an outcome that lies over a grey pixel, or over none."""
    look, color = state.look, state.colors[outcome]
    if grey is None:
        return takes_black(color)
    is_bare = outcome is Outcome.CORRECT_REJECTION or look.overlay is OverlayStyle.CONTOUR
    opacity = 0.0 if is_bare else look.opacity
    return takes_black(color, opacity=opacity, over=grey)


def _crop(pyramid: Pyramid | None, part: Window) -> Iterator[tuple[int, int, Any]]:
    """Column, row and value of the stored pixels of a part."""
    if pyramid is not None:
        found = crop_of(pyramid, left=int(part.left), top=int(part.top), size=part.size)
        for row, values in enumerate(found.tolist()):
            for column, value in enumerate(values):
                yield column, row, value
