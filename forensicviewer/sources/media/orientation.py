"""EXIF's eight orientations: what makes an image upright, and what takes that back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels: TypeAlias = NDArray[np.uint8]  # (height, width) or (height, width, channels)


def turn_upright(pixels: Pixels, orientation: int) -> Pixels:
    """The pixels the way they are meant to be seen; an unknown orientation counts as upright."""
    return _turned(pixels, _APPLY.get(orientation, ()))


def turn_back(pixels: Pixels, orientation: int) -> Pixels:
    """The pixels the way they lie in the file."""
    return _turned(pixels, _UNDO.get(orientation, ()))


def _turned(pixels: Pixels, steps: tuple[Callable[[Pixels], Pixels], ...]) -> Pixels:
    for step in steps:
        pixels = step(pixels)
    return pixels


def _mirror(pixels: Pixels) -> Pixels:
    return np.asarray(cv2.flip(pixels, 1), np.uint8)


def _half_turn(pixels: Pixels) -> Pixels:
    return np.asarray(cv2.rotate(pixels, cv2.ROTATE_180), np.uint8)


def _clockwise(pixels: Pixels) -> Pixels:
    return np.asarray(cv2.rotate(pixels, cv2.ROTATE_90_CLOCKWISE), np.uint8)


def _counterclockwise(pixels: Pixels) -> Pixels:
    return np.asarray(cv2.rotate(pixels, cv2.ROTATE_90_COUNTERCLOCKWISE), np.uint8)


_APPLY: Mapping[int, tuple[Callable[[Pixels], Pixels], ...]] = {
    1: (),
    2: (_mirror,),
    3: (_half_turn,),
    4: (_half_turn, _mirror),
    5: (_clockwise, _mirror),
    6: (_clockwise,),
    7: (_counterclockwise, _mirror),
    8: (_counterclockwise,),
}
_UNDO: Mapping[int, tuple[Callable[[Pixels], Pixels], ...]] = {
    1: (),
    2: (_mirror,),
    3: (_half_turn,),
    4: (_mirror, _half_turn),
    5: (_mirror, _counterclockwise),
    6: (_counterclockwise,),
    7: (_mirror, _clockwise),
    8: (_clockwise,),
}
