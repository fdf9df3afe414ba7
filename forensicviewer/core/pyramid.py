"""Images at every size a screen may ask for, and the part of them a screen shows.

A pyramid halves an image again and again; what a halved pixel holds of the four under it is the
choice of :class:`Reduce`. Only the visible window is ever sampled, at the screen's resolution, so
the cost of a frame depends on the screen and not on the image.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Rows, Size

SMALLEST_EDGE_PX = 64

Pixels = NDArray[np.uint8]  # (height, width) or (height, width, 3)


class Reduce(Enum):
    """What a halved pixel tells of the four pixels under it."""

    MEAN = "mean"
    MAX = "max"
    MIN = "min"
    UNION = "union"  # of bits


@dataclass(frozen=True, slots=True)
class Window:
    """What a pane shows: ``size`` screen pixels, the corner's image point, screen per image pixel.

    Screen pixel (i, j) shows the image point (left + (i + ½)/scale, top + (j + ½)/scale).
    """

    left: float
    top: float
    scale: float
    size: Size

    def columns(self, level: int) -> Rows:
        """For each screen column, the column of a pyramid level it shows (may lie outside)."""
        return _under(self.left, self.scale, self.size.width, level)

    def rows(self, level: int) -> Rows:
        return _under(self.top, self.scale, self.size.height, level)

    def image_point(self, x: float, y: float) -> tuple[float, float]:
        """The image point under a point of the screen."""
        return self.left + x / self.scale, self.top + y / self.scale

    def screen_point(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.left) * self.scale, (y - self.top) * self.scale


@dataclass(frozen=True, slots=True, eq=False)
class Pyramid:
    """An image and its halvings, the full size first."""

    levels: tuple[Pixels, ...]
    reduce: Reduce

    @classmethod
    def of(cls, pixels: Pixels, reduce: Reduce) -> Pyramid:
        levels = [pixels]
        while max(levels[-1].shape[:2]) > SMALLEST_EDGE_PX:
            levels.append(_halved(levels[-1], reduce))
        return cls(tuple(levels), reduce)

    @property
    def size(self) -> Size:
        return Size.of(self.levels[0])

    @property
    def bytes_held(self) -> int:
        return sum(level.nbytes for level in self.levels)

    def covering_level(self, scale: float) -> int:
        """The level whose pixels are each met by at least one screen pixel.

        Its pixels are at least as large as a screen pixel, so none is skipped: what a level's
        pixels tell (the worst outcome, say) is on the screen.
        """
        level = 0
        while level < len(self.levels) - 1 and scale * 2**level < 1:
            level += 1
        return level

    def nearest(self, window: Window, *, outside: int = 0) -> Pixels:
        """One-channel pixels under a window, without interpolation; ``outside`` beyond the image.

        Beyond the smallest level pixels are skipped; the image is then a few pixels wide.
        """
        level = self.covering_level(window.scale)
        return gathered(
            self.levels[level], window.rows(level), window.columns(level), outside=outside
        )

    def shown(self, window: Window, out: Pixels) -> None:
        """Draw the window into ``out`` (height, width, 4: blue, green, red, opaque or not).

        At 100 % and above every image pixel is a sharp square; below, pixels are averaged. Outside
        the image ``out`` stays transparent.
        """
        out[...] = 0
        if window.scale >= 1:
            self._draw_squares(window, out)
        else:
            self._draw_averages(window, out)

    def _draw_squares(self, window: Window, out: Pixels) -> None:
        image = self.levels[0]
        rows, columns = window.rows(0), window.columns(0)
        across, down = _inside(columns, image.shape[1]), _inside(rows, image.shape[0])
        if across is None or down is None:
            return
        first_row, first_column = rows[down.start], columns[across.start]
        crop = image[
            first_row : rows[down.stop - 1] + 1, first_column : columns[across.stop - 1] + 1
        ]
        packed = opaque(crop).view(np.uint32)[..., 0]
        packed = packed.take(rows[down] - first_row, axis=0)
        out.view(np.uint32)[down, across, 0] = packed.take(columns[across] - first_column, axis=1)

    def _draw_averages(self, window: Window, out: Pixels) -> None:
        level = 0
        while level < len(self.levels) - 1 and window.scale * 2 ** (level + 1) <= 1:
            level += 1
        image = self.levels[level]
        scale = window.scale * 2**level
        across = _span(window.left / 2**level, scale, window.size.width, image.shape[1])
        down = _span(window.top / 2**level, scale, window.size.height, image.shape[0])
        if across is None or down is None:
            return
        crop = image[down.source, across.source]
        drawn = cv2.resize(crop, (across.length, down.length), interpolation=cv2.INTER_LINEAR)
        visible = np.asarray(drawn, np.uint8)[down.kept, across.kept]
        out[down.target, across.target] = opaque(visible)


def gathered(image: Pixels, rows: Rows, columns: Rows, *, outside: int) -> Pixels:
    """The one-channel pixels at the crossings of rows and columns."""
    across, down = _inside(columns, image.shape[1]), _inside(rows, image.shape[0])
    if across is None or down is None:
        return np.full((len(rows), len(columns)), outside, np.uint8)
    found = image.take(rows[down], axis=0).take(columns[across], axis=1)
    if found.shape == (len(rows), len(columns)):
        return np.asarray(found, np.uint8)
    framed = np.full((len(rows), len(columns)), outside, np.uint8)
    framed[down, across] = found
    return framed


def opaque(pixels: Pixels) -> Pixels:
    """Grey or red-green-blue pixels as blue, green, red, 255."""
    code = cv2.COLOR_GRAY2BGRA if pixels.ndim == 2 else cv2.COLOR_RGB2BGRA
    return np.asarray(cv2.cvtColor(np.ascontiguousarray(pixels), code), np.uint8)


def _under(start: float, scale: float, length: int, level: int) -> Rows:
    points = (start + (np.arange(length) + 0.5) / scale) / 2**level
    return np.asarray(np.floor(points), np.intp)


def _inside(positions: Rows, length: int) -> slice | None:
    """The part of rising positions that lies within 0 … length - 1."""
    first, last = np.searchsorted(positions, [0, length])
    return slice(int(first), int(last)) if first < last else None


@dataclass(frozen=True, slots=True)
class _Span:
    """One axis of a scaled drawing: source pixels → ``length`` screen pixels, some of them kept."""

    source: slice
    length: int
    kept: slice
    target: slice


def _span(start: float, scale: float, screen: int, image: int) -> _Span | None:
    # Whole source pixels, a margin of one for the interpolation; the drawing is placed to the
    # nearest screen pixel, so a minified picture lies at most half a screen pixel off its overlay.
    first = max(0, int(np.floor(start)) - 1)
    last = min(image, int(np.ceil(start + screen / scale)) + 1)
    if first >= last:
        return None
    length = max(1, round((last - first) * scale))
    offset = round((first - start) * scale)
    begin, end = max(0, offset), min(screen, offset + length)
    if begin >= end:
        return None
    return _Span(slice(first, last), length, slice(begin - offset, end - offset), slice(begin, end))


def _halved(pixels: Pixels, reduce: Reduce) -> Pixels:
    even = _evened(pixels)
    if reduce is Reduce.MEAN:
        half = (even.shape[1] // 2, even.shape[0] // 2)
        return np.asarray(cv2.resize(even, half, interpolation=cv2.INTER_AREA), np.uint8)
    combine = _COMBINE[reduce]
    rows = combine(even[0::2], even[1::2])
    return np.asarray(combine(rows[:, 0::2], rows[:, 1::2]), np.uint8)


_COMBINE: dict[Reduce, Callable[[Pixels, Pixels], NDArray[Any]]] = {
    Reduce.MAX: np.maximum,
    Reduce.MIN: np.minimum,
    Reduce.UNION: np.bitwise_or,
}


def _evened(pixels: Pixels) -> Pixels:
    """The image with its last row and column repeated where their number is odd."""
    down, right = pixels.shape[0] % 2, pixels.shape[1] % 2
    if not down and not right:
        return pixels
    padded = cv2.copyMakeBorder(pixels, 0, down, 0, right, cv2.BORDER_REPLICATE)
    return np.asarray(padded, np.uint8)
