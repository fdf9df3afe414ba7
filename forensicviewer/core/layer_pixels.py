"""Frames: the visible pixels of one layer, coloured into a buffer the screen can draw.

Sampling depends on where a pane looks, colouring on thresholds and palettes. A frame keeps the two
apart, so that a step of the threshold touches no more than the pixels of the screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

import cv2
import numpy as np

from forensicviewer.core.array import BoolImage, Size, U8Image
from forensicviewer.core.mask import UNKNOWN_OPERATION
from forensicviewer.core.overlay import BandColors, ColorTable, Packed, color_table, on_rims
from forensicviewer.core.palette import Rgb
from forensicviewer.core.pyramid import Pixels, Pyramid, Reduce, Window, opaque

DIMMED_SHARE = 0.22
_EDGE_PX = 2
UNEXPLAINED_COLOR: Rgb = (128, 128, 128)
_DISTINCT: tuple[Rgb, ...] = (
    (230, 97, 0),
    (93, 58, 155),
    (0, 146, 146),
    (219, 109, 0),
    (182, 109, 255),
    (0, 109, 219),
    (146, 73, 0),
    (36, 160, 36),
    (219, 58, 128),
    (73, 0, 146),
)


def new_buffer(size: Size) -> Packed:
    """A buffer for a frame, one 32-bit colour a pixel, transparent."""
    return np.zeros((size.height, size.width), np.int32)


def paint_picture(pyramid: Pyramid, window: Window, out: Packed) -> None:
    """Draw an image, in colour or grey."""
    pixels = pyramid.shown(window)
    out[...] = (opaque(pixels) if pixels.ndim == 2 else pixels).view(np.int32)[..., 0]


class IndexFrame:
    """A layer of numbers 0..255 coloured by a table."""

    def __init__(self, indices: Pixels) -> None:
        self._indices = np.ascontiguousarray(indices)
        self._colors = BandColors(self._indices.shape)

    @classmethod
    def averaged(cls, pyramid: Pyramid, window: Window) -> IndexFrame:
        """A frame of values that may be averaged, such as scores."""
        return cls(pyramid.shown(window))

    @classmethod
    def exact(cls, pyramid: Pyramid, window: Window) -> IndexFrame:
        """A frame of values that are names or must not get lost when minified."""
        return cls(pyramid.combined(window))

    @classmethod
    def outlined(cls, pyramid: Pyramid, window: Window) -> IndexFrame:
        """A frame of values that are names, 0 inside each area: only the boundaries remain.

        The edge of the image is a boundary, too: a mask that covers all of it would show nothing.
        """
        indices = pyramid.combined(window)
        rims = on_rims(indices)
        right, bottom = window.image_point(window.size.width, window.size.height)
        slack = 1 / window.scale
        if window.left < slack:
            rims[:, :_EDGE_PX] = True
        if window.top < slack:
            rims[:_EDGE_PX] = True
        if right > pyramid.size.width - slack:
            rims[:, -_EDGE_PX:] = True
        if bottom > pyramid.size.height - slack:
            rims[-_EDGE_PX:] = True
        return cls(indices * rims.view(np.uint8))

    def bands(self, table: ColorTable) -> Iterator[tuple[int, Packed]]:
        """Every pixel coloured, as (first row, some rows); they are valid until the next ones."""
        for band in self._colors.bands():
            yield band.start, self._colors.of(self._indices[band], table)


@cache
def grey_table(*, manipulated_is_black: bool) -> ColorTable:
    """Scores as the grey levels of the submitted file."""
    levels = range(255, -1, -1) if manipulated_is_black else range(256)
    return color_table([(level, level, level) for level in levels])


@cache
def heat_table() -> ColorTable:
    """Scores from black through red to yellow, perceptually even."""
    ramp = np.arange(256, dtype=np.uint8).reshape(-1, 1)
    colors = np.asarray(cv2.applyColorMap(ramp, cv2.COLORMAP_INFERNO)).reshape(256, 3)
    return color_table([(int(c[2]), int(c[1]), int(c[0])) for c in colors])


@cache
def threshold_table(threshold: int, *, manipulated_is_black: bool) -> ColorTable:
    """Scores from the threshold on in one colour, lower scores in another."""
    called, kept = (0, 255) if manipulated_is_black else (255, 0)
    levels = [called if score >= threshold else kept for score in range(256)]
    return color_table([(level, level, level) for level in levels])


def operation_color(number: int, color: Rgb | None) -> Rgb:
    """The journal's colour, or one of our own where the journal has none."""
    return _DISTINCT[number % len(_DISTINCT)] if color is None else color


@lru_cache(maxsize=64)
def operations_table(
    colors: tuple[Rgb, ...],
    *,
    selected: frozenset[int] | None,
    highlighted: int | None,
    ground: Rgb = (255, 255, 255),
) -> ColorTable:
    """The colours of an operation index on its background; unselected operations are dimmed.

    While an operation is highlighted everything else is dimmed. Number 255 is what no operation
    of the journal explains.
    """
    table: list[Rgb] = [ground] * 256
    table[UNKNOWN_OPERATION] = UNEXPLAINED_COLOR
    for number, color in enumerate(colors[:254]):
        is_chosen = selected is None or number in selected
        stands_out = is_chosen if highlighted is None else number == highlighted
        table[number + 1] = color if stands_out else _dimmed(color)
    return color_table(table)


def highlight_table(indices: Sequence[int], color: Rgb, *, opacity: float) -> ColorTable:
    """Some indices in one colour, to draw over any image; the rest is transparent."""
    table = np.zeros((1, 256), np.int32)
    table[0, list(indices)] = color_table([color], opacity=opacity)[0, 0]
    return table


def area_pyramid(area: BoolImage) -> Pyramid:
    """An area at every size: 1 where any of its pixels is set."""
    return Pyramid.of(np.ascontiguousarray(area).view(np.uint8), Reduce.MAX)


@lru_cache(maxsize=64)
def marks_table(colors: tuple[Rgb, ...], *, opacity: float) -> ColorTable:
    """The colours of an operation index, to draw over an image; the rest is transparent."""
    table = np.zeros((1, 256), np.int32)
    for number, color in enumerate(colors[:254]):
        table[0, number + 1] = color_table([color], opacity=opacity)[0, 0]
    return table


def _dimmed(color: Rgb) -> Rgb:
    red, green, blue = (round(255 - (255 - part) * DIMMED_SHARE) for part in color)
    return red, green, blue


def level_at(pyramid: Pyramid, x: int, y: int) -> tuple[int, ...] | None:
    """The stored value of one pixel; ``None`` outside the image."""
    size = pyramid.size
    if not (0 <= x < size.width and 0 <= y < size.height):
        return None
    return tuple(int(part) for part in np.atleast_1d(pyramid.levels[0][y, x]))


def crop_of(pyramid: Pyramid, *, left: int, top: int, size: Size) -> U8Image:
    """Some stored pixels, for printing their values."""
    return pyramid.levels[0][top : top + size.height, left : left + size.width]
