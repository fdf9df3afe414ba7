"""Images at every size a screen may ask for, and the part of them a screen shows.

A pyramid halves an image again and again; what a halved pixel holds of the four under it is the
choice of :class:`Reduce`. Only the visible window is ever sampled, at the screen's resolution, so
the cost of a frame depends on the screen and not on the image.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Rows, Size

_TINY = 1e-6  # of a screen pixel, so that rounding errors neither add nor drop one

Pixels = NDArray[np.uint8]  # (height, width) or (height, width, 3)


class Reduce(Enum):
    """How the four pixels under a halved pixel are combined."""

    MEAN = "mean"
    MAX = "max"
    MIN = "min"
    UNION = "union"  # of bits


@dataclass(frozen=True, slots=True)
class Window:
    """The view of a pane: ``size`` in screen pixels, image point of the corner, scale.

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

    def clipped(self, size: Size) -> Clip | None:
        """The part of the window an image of that size covers; ``None`` where it is elsewhere.

        A magnified image ends with the last screen pixel whose middle it covers. A minified one
        includes screen pixels it covers a little of: they are all that shows its last rows.
        """
        across = self._covered(self.left, self.size.width, size.width)
        down = self._covered(self.top, self.size.height, size.height)
        if across is None or down is None:
            return None
        left, top = self.image_point(across.start, down.start)
        covered = Size(across.stop - across.start, down.stop - down.start)
        return Clip(across.start, down.start, Window(left, top, self.scale, covered))

    def _covered(self, start: float, screen: int, image: int) -> slice | None:
        begins, ends = -start * self.scale, (image - start) * self.scale
        if self.scale >= 1:
            first, last = math.ceil(begins - 0.5 - _TINY), math.ceil(ends - 0.5 - _TINY)
        else:
            first, last = math.floor(begins + _TINY), math.ceil(ends - _TINY)
        first, last = max(0, first), min(screen, last)
        return slice(first, last) if first < last else None

    def image_point(self, x: float, y: float) -> tuple[float, float]:
        """The image point under a point of the screen."""
        return self.left + x / self.scale, self.top + y / self.scale

    def screen_point(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.left) * self.scale, (y - self.top) * self.scale


@dataclass(frozen=True, slots=True)
class Clip:
    """A part of a window, and its position on the screen."""

    x: int
    y: int
    window: Window


@dataclass(frozen=True, slots=True, eq=False)
class Pyramid:
    """An image at full size and repeatedly halved."""

    levels: tuple[Pixels, ...]
    reduce: Reduce

    @classmethod
    def of(cls, pixels: Pixels, reduce: Reduce) -> Pyramid:
        levels = [pixels]
        while max(levels[-1].shape[:2]) > 1:
            levels.append(_halved(levels[-1], reduce))
        return cls(tuple(levels), reduce)

    @property
    def size(self) -> Size:
        return Size.of(self.levels[0])

    @property
    def bytes_held(self) -> int:
        return sum(level.nbytes for level in self.levels)

    def combined(self, window: Window) -> Pixels:
        """One-channel pixels under a clipped window, every screen pixel telling of all under it.

        At 100 % and above that is one pixel. Below, the levels' pixels are at most as large as a
        screen pixel, and the one or two of them per axis that begin under it are reduced once more.
        So every pixel of the image counts (twice where it ends within a screen pixel).
        """
        if window.scale >= 1:
            return gathered(self.levels[0], window.rows(0), window.columns(0))
        level = self._level_within(window.scale)
        combine = _COMBINE[self.reduce]
        image = self.levels[level]
        upper, lower = _ends(window.top, window.scale, window.size.height, level, image.shape[0])
        left, right = _ends(window.left, window.scale, window.size.width, level, image.shape[1])
        crop = image[:, left[0] : right[-1] + 1]
        rows = combine(crop[upper], crop[lower])
        # Whole rows are copied many times faster than single pixels, so columns become rows.
        turned = _turned(rows)
        return _turned(combine(turned[left - left[0]], turned[right - left[0]]))

    def _level_within(self, scale: float) -> int:
        """The smallest level whose pixels are at most as large as a screen pixel."""
        level = 0
        while level < len(self.levels) - 1 and scale * 2 ** (level + 1) <= 1 + _TINY:
            level += 1
        return level

    def shown(self, window: Window) -> Pixels:
        """The pixels of a clipped window as they are shown: grey, or colour made opaque.

        At 100 % and above every image pixel is a sharp square; below, pixels are averaged.
        """
        if window.scale >= 1:
            return gathered(self.levels[0], window.rows(0), window.columns(0))
        return self._averaged(window)

    def _averaged(self, window: Window) -> Pixels:
        level = self._level_within(window.scale)
        image = self.levels[level]
        scale = window.scale * 2**level
        across = _span(window.left / 2**level, scale, window.size.width, image.shape[1])
        down = _span(window.top / 2**level, scale, window.size.height, image.shape[0])
        crop = np.ascontiguousarray(image[down.source, across.source])
        drawn = cv2.resize(crop, (across.length, down.length), interpolation=cv2.INTER_LINEAR)
        kept = np.asarray(drawn, np.uint8)[down.kept, across.kept]
        return kept if kept.ndim == 2 else opaque(kept)


def gathered(image: Pixels, rows: Rows, columns: Rows) -> Pixels:
    """The pixels at the crossings of rising rows and columns; positions outside show the edge.

    Colour comes out as :func:`opaque` makes it.
    """
    rows = np.clip(rows, 0, image.shape[0] - 1)
    columns = np.clip(columns, 0, image.shape[1] - 1)
    crop = image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    rows, columns = rows - rows[0], columns - columns[0]
    if image.ndim == 2:
        return _turned(_turned(crop[rows])[columns])
    # Four bytes move as one number, three do not.
    packed = opaque(crop).view(np.int32)[..., 0]
    across = np.asarray(cv2.transpose(packed[rows]))[columns]
    found = np.asarray(cv2.transpose(across))
    return found.view(np.uint8).reshape(len(rows), len(columns), 4)


def _turned(pixels: Pixels) -> Pixels:
    return np.asarray(cv2.transpose(pixels), np.uint8)


def opaque(pixels: Pixels) -> Pixels:
    """Grey or red-green-blue pixels as blue, green, red, 255."""
    code = cv2.COLOR_GRAY2BGRA if pixels.ndim == 2 else cv2.COLOR_RGB2BGRA
    return np.asarray(cv2.cvtColor(np.ascontiguousarray(pixels), code), np.uint8)


def _under(start: float, scale: float, length: int, level: int) -> Rows:
    points = (start + (np.arange(length) + 0.5) / scale) / 2**level
    return np.asarray(np.floor(points), np.intp)


def _ends(start: float, scale: float, screen: int, level: int, length: int) -> tuple[Rows, Rows]:
    """For each screen pixel the first and the last pixel of a level that begins under it."""
    edges = (start + np.arange(screen + 1) / scale) / 2**level
    firsts = np.ceil(edges - _TINY).astype(np.intp)
    # The image's first pixel begins before the first screen pixel when that shows its inside.
    firsts[0] = int(np.floor(edges[0] + _TINY))
    first = np.clip(firsts[:-1], 0, length - 1)
    last = np.clip(firsts[1:] - 1, 0, length - 1)
    return first, np.maximum(first, last)


@dataclass(frozen=True, slots=True)
class _Span:
    """One axis of a scaled drawing: source pixels → ``length`` screen pixels, some of them kept."""

    source: slice
    length: int
    kept: slice


def _span(start: float, scale: float, screen: int, image: int) -> _Span:
    # Whole source pixels with a margin for the interpolation; the drawing is placed to the nearest
    # screen pixel, so a minified image lies at most half a screen pixel off its overlay.
    first = max(0, int(np.floor(start)) - 2)
    last = min(image, int(np.ceil(start + screen / scale)) + 2)
    length = max(1, round((last - first) * scale))
    offset = min(max(0, round((start - first) * scale)), max(0, length - screen))
    # At the very edge rounding can leave the drawing a pixel short: stretch it over the screen.
    length = max(length, screen)
    return _Span(slice(first, last), length, slice(offset, offset + screen))


def _halved(pixels: Pixels, reduce: Reduce) -> Pixels:
    even = _evened(pixels)
    if reduce is Reduce.MEAN:
        half = (even.shape[1] // 2, even.shape[0] // 2)
        return np.asarray(cv2.resize(even, half, interpolation=cv2.INTER_AREA), np.uint8)
    combine = _COMBINE_WHOLE[reduce]
    rows = np.asarray(combine(even[0::2], even[1::2]), np.uint8)
    # Neighbours as two channels: taken apart they are combined as whole rows, not byte by byte.
    left, right = cv2.split(rows.reshape(rows.shape[0], -1, 2))
    return np.asarray(combine(np.asarray(left, np.uint8), np.asarray(right, np.uint8)), np.uint8)


_COMBINE: dict[Reduce, Callable[[Pixels, Pixels], NDArray[Any]]] = {
    Reduce.MAX: np.maximum,
    Reduce.MIN: np.minimum,
    Reduce.UNION: np.bitwise_or,
}

_COMBINE_WHOLE: dict[Reduce, Callable[[Pixels, Pixels], Any]] = {
    Reduce.MAX: cv2.max,
    Reduce.MIN: cv2.min,
    Reduce.UNION: cv2.bitwise_or,
}


def _evened(pixels: Pixels) -> Pixels:
    """The image with its last row and column repeated where their number is odd."""
    down, right = pixels.shape[0] % 2, pixels.shape[1] % 2
    if not down and not right:
        return pixels
    padded = cv2.copyMakeBorder(pixels, 0, down, 0, right, cv2.BORDER_REPLICATE)
    return np.asarray(padded, np.uint8)
