"""A codec with bugs that certain pixels set off; a story loads it into decoders.

It stands for the next bug somebody finds in a library: files that crash today's libraries are
harmless with the next version of them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any

import cv2
import numpy as np


class Fault(Enum):
    """What the first pixel of an image makes of its decoder; read the same in RGB and BGR."""

    CRASH = (7, 1, 7)
    LOOP = (7, 2, 7)
    FILL = (7, 3, 7)


def _crash() -> None:
    ctypes.string_at(0)


def _loop_for_ever() -> None:
    while True:
        pass


def _fill_memory() -> None:
    np.ones(4 << 30, np.uint8).sum()


_DEEDS: dict[Fault, Callable[[], None]] = {
    Fault.CRASH: _crash,
    Fault.LOOP: _loop_for_ever,
    Fault.FILL: _fill_memory,
}


def mark(image: Path, fault: Fault) -> None:
    """Make an image file set off a fault."""
    pixels = cv2.imread(str(image))
    assert pixels is not None
    pixels[0, 0] = fault.value
    assert cv2.imwrite(str(image), pixels)


def install() -> None:
    """Give this process the bugs."""
    imdecode = cv2.imdecode

    def decode(encoded: Any, flags: int) -> Any:
        pixels = imdecode(encoded, flags)
        if pixels is not None and pixels.ndim == 3:
            for fault, deed in _DEEDS.items():
                if tuple(pixels[0, 0]) == fault.value:
                    deed()
        return pixels

    vars(cv2)["imdecode"] = decode
