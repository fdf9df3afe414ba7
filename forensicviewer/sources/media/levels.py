"""Samples of any kind → the 256 levels that are shown and compared."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

# Floats have no range of their own: the smallest of these that holds them all is taken.
_FLOAT_RANGES = (1.0, 255.0, 65535.0)


def levels_of_integers(
    values: NDArray[Any], depth: int, *, is_signed: bool = False
) -> NDArray[np.uint8]:
    """Integers of ``depth`` bits: of more than 8 the high ones, fewer stretched to 0..255."""
    if is_signed:
        # Without a sign it cannot overflow, whatever the depth.
        values = values.astype(np.int64).view(np.uint64) + np.uint64(1 << (depth - 1))
    if depth > 8:
        return np.asarray(values >> (depth - 8)).astype(np.uint8)
    if depth == 8:
        return values.astype(np.uint8)
    return (values.astype(np.uint16) * 255 // ((1 << depth) - 1)).astype(np.uint8)


def levels_of_floats(values: NDArray[Any], *, most: float = _FLOAT_RANGES[-1]) -> NDArray[np.uint8]:
    """Floats from 0 to 1, 255 or 65535, whichever holds them, rounded to levels.

    Raises ValueError for anything else, and for what is above ``most``.
    """
    return np.rint(values * (255 / range_of_floats(values, most=most))).astype(np.uint8)


def range_of_floats(values: NDArray[Any], *, most: float = _FLOAT_RANGES[-1]) -> float:
    """What is white among floats: 1, 255 or 65535; ValueError where they are none of these."""
    lowest, highest = float(values.min()), float(values.max())
    if not (np.isfinite(lowest) and np.isfinite(highest)):
        raise ValueError("not all values are numbers")
    fitting = [top for top in _FLOAT_RANGES if highest <= top <= most]
    if lowest < 0 or not fitting:
        raise ValueError(f"values from {lowest:g} to {highest:g}")
    return fitting[0]


def grey_of(levels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """One grey level a pixel; alpha is dropped."""
    if levels.ndim == 2:
        return np.ascontiguousarray(levels)
    if levels.shape[2] < 3:
        return np.ascontiguousarray(levels[:, :, 0])
    colours = np.ascontiguousarray(levels[:, :, :3])
    return np.asarray(cv2.cvtColor(colours, cv2.COLOR_RGB2GRAY), np.uint8)


def colours_of(levels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Three colours a pixel; grey becomes three equal ones, alpha is dropped."""
    if levels.ndim == 3 and levels.shape[2] >= 3:
        return np.ascontiguousarray(levels[:, :, :3])
    grey = levels if levels.ndim == 2 else levels[:, :, 0]
    return np.repeat(grey[:, :, np.newaxis], 3, axis=2)
