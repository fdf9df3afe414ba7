"""How a video's header wants its frames turned: quarter turns and mirrors, or something odd."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from av import VideoFrame
    from av.sidedata.sidedata import SideData

# (a, b, c, d) of x' = ax + cy, y' = bx + dy, y downwards → the EXIF orientation that does the same.
_ORIENTATIONS = {
    (1, 0, 0, 1): 1,
    (-1, 0, 0, 1): 2,
    (-1, 0, 0, -1): 3,
    (1, 0, 0, -1): 4,
    (0, 1, 1, 0): 5,
    (0, 1, -1, 0): 6,
    (0, -1, -1, 0): 7,
    (0, -1, 1, 0): 8,
}
_TOLERANCE = 0.05  # about 3 degrees: headers written by sensors are not exact
# Clockwise turn of the orientations without a mirror, and of those with one after it.
_DEGREES = {1: 0, 2: 0, 3: 180, 4: 180, 5: 90, 6: 90, 7: 270, 8: 270}


@dataclass(frozen=True, slots=True)
class Turn:
    """``orientation`` is EXIF's; ``is_odd`` says that the header wants another one, not shown."""

    orientation: int = 1
    is_odd: bool = False

    @property
    def degrees(self) -> int:
        """Clockwise; mirrored frames are mirrored after the turn."""
        return _DEGREES[self.orientation]

    @property
    def is_mirrored(self) -> bool:
        return self.orientation in (2, 4, 5, 7)

    @property
    def swaps_edges(self) -> bool:
        return self.orientation >= 5


def turn_of(frame: VideoFrame) -> Turn:
    """What the display matrix of a frame says (ISO/IEC 14496-12, 8.2.2.3, numbers of 16.16)."""
    from av.sidedata.sidedata import Type

    # A sequence, whatever its types say.
    every = cast("Iterable[SideData]", frame.side_data)
    matrix = next((bytes(each) for each in every if each.type is Type.DISPLAYMATRIX), b"")
    if len(matrix) < 36:
        return Turn()
    a, b, _, c, d = struct.unpack("=5i", matrix[:20])
    return _turn(a / 65536, b / 65536, c / 65536, d / 65536)


def _turn(a: float, b: float, c: float, d: float) -> Turn:
    size = math.sqrt(abs(a * d - b * c))
    if size == 0:
        return Turn(is_odd=True)
    given = (a / size, b / size, c / size, d / size)
    for known, orientation in _ORIENTATIONS.items():
        if max(abs(x - y) for x, y in zip(given, known, strict=True)) <= _TOLERANCE:
            return Turn(orientation)
    return Turn(is_odd=True)
