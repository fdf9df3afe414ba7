"""Draws a graph as pixels at a small scale: links as lines, nodes as boxes."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Size
from forensicviewer.core.overlay import Packed

Codes = NDArray[np.int8]
_FRACTION = 4  # bits below the pixel that lines are drawn with


@dataclass(frozen=True, slots=True, eq=False)
class Strokes:
    """Everything to draw, in scene units; ``-1`` as a code leaves a thing out.

    ``segments`` are (n, 2, 2): from point to point. ``halves`` are half the width and height of
    each box.
    """

    segments: NDArray[np.float64]
    segment_codes: Codes
    points: NDArray[np.float64]
    halves: NDArray[np.float64]
    point_codes: Codes


@dataclass(frozen=True, slots=True, eq=False)
class Inks:
    """Colours by code, and the paper; codes are drawn in the order they are listed in."""

    paper: tuple[int, int, int]
    lines: tuple[tuple[int, int, int], ...]
    boxes: tuple[tuple[int, int, int], ...]


def raster(
    strokes: Strokes, inks: Inks, *, size: Size, scale: float, corner: tuple[float, float]
) -> Packed:
    """The part right of and below ``corner``, at ``scale`` pixels per scene unit."""
    packed: Packed = np.full((size.height, size.width), _packed(inks.paper), dtype=np.int32)
    image = packed.view(np.uint8).reshape(size.height, size.width, 4)
    segments = (strokes.segments - corner) * scale
    near = _meets(segments, size)
    for code, color in enumerate(inks.lines):
        chosen = segments[near & (strokes.segment_codes == code)]
        if len(chosen):
            fixed = np.round(chosen * (1 << _FRACTION)).astype(np.int32)
            ink = (*color[::-1], 255)
            cv2.polylines(
                image, fixed, isClosed=False, color=ink, lineType=cv2.LINE_AA, shift=_FRACTION
            )
    low = (strokes.points - strokes.halves - corner) * scale
    high = (strokes.points + strokes.halves - corner) * scale
    for code, color in enumerate(inks.boxes):
        chosen_boxes = strokes.point_codes == code
        _fill(packed, low[chosen_boxes], high[chosen_boxes], _packed(color))
    return packed


def _packed(color: tuple[int, int, int]) -> int:
    red, green, blue = color
    return int(np.array([blue, green, red, 255], dtype=np.uint8).view(np.int32)[0])


def _meets(segments: NDArray[np.float64], size: Size) -> NDArray[np.bool_]:
    first, last = segments[:, 0], segments[:, 1]
    low, high = np.minimum(first, last), np.maximum(first, last)
    inside: NDArray[np.bool_] = (
        (high[:, 0] >= 0)
        & (low[:, 0] <= size.width)
        & (high[:, 1] >= 0)
        & (low[:, 1] <= size.height)
    )
    return inside


def _fill(
    image: Packed,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    color: int,
) -> None:
    """Fill boxes of whole pixels, at least two wide and high."""
    height, width = image.shape
    first = np.round(low).astype(np.int64)
    last = np.maximum(np.round(high).astype(np.int64), first + 2)
    seen = (last[:, 0] > 0) & (first[:, 0] < width) & (last[:, 1] > 0) & (first[:, 1] < height)
    first, last = first[seen], last[seen]
    if len(first) and (last - first).max(axis=0).prod() <= _SMALL_PX:
        _fill_alike(image, first, last, color)
        return
    for (left, top), (right, bottom) in zip(
        np.maximum(first, 0).tolist(), last.tolist(), strict=True
    ):
        image[top:bottom, left:right] = color


# Up to here, setting the same pixel of all boxes at once is quicker than one box after the other.
_SMALL_PX = 24


def _fill_alike(
    image: Packed,
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    color: int,
) -> None:
    height, width = image.shape
    extents = last - first
    for across in range(int(extents[:, 0].max())):
        for down in range(int(extents[:, 1].max())):
            x, y = first[:, 0] + across, first[:, 1] + down
            inside = (across < extents[:, 0]) & (down < extents[:, 1])
            inside &= (x >= 0) & (x < width) & (y >= 0) & (y < height)
            image[y[inside], x[inside]] = color
