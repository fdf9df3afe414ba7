"""The structuring elements that dilate and erode regions, as in NIST's scorer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING

from forensicviewer.core.problem import UsageError

if TYPE_CHECKING:
    from forensicviewer.core.array import BoolImage, U8Image


class KernelShape(Enum):
    """The shape of a structuring element; the value is the word used on the command line."""

    BOX = "box"
    DISC = "disc"
    DIAMOND = "diamond"
    GAUSSIAN = "gaussian"
    LINE = "line"

    @classmethod
    def named(cls, name: str) -> KernelShape:
        """The shape with this name."""
        try:
            return cls(name)
        except ValueError as error:
            known = ", ".join(shape.value for shape in cls)
            raise UsageError(
                f"{name!r} is not a known kernel", hint=f"choose one of {known}"
            ) from error


# exp(-r²/(2·0.3²)) is still above zero in double precision for r² = 134 and no longer for 135.
_GAUSSIAN_REACH_SQUARED = 134


def odd_width(width_px: int) -> int:
    """The width that is used: kernels have a centre, so an even width becomes the next odd one."""
    return width_px + 1 if width_px > 0 and width_px % 2 == 0 else width_px


@dataclass(frozen=True, slots=True)
class Kernels:
    """Full widths in pixels of the three kernels and the shape they share; 0 skips an operation.

    The defaults are those of NIST's scorer, whose plans say 11 for the distraction.
    """

    shape: KernelShape = KernelShape.BOX
    erode_px: int = 15
    dilate_px: int = 11
    distraction_px: int = 15

    def __post_init__(self) -> None:
        if min(self.erode_px, self.dilate_px, self.distraction_px) < 0:
            raise ValueError("kernel widths cannot be negative")

    @property
    def even_widths(self) -> tuple[int, ...]:
        """The even widths, which have no centre; the next odd one is used instead."""
        widths = (self.erode_px, self.dilate_px, self.distraction_px)
        return tuple(dict.fromkeys(width for width in widths if odd_width(width) != width))

    @property
    def reach_px(self) -> int:
        """How far any kernel reaches from its centre."""
        return odd_width(max(self.erode_px, self.dilate_px, self.distraction_px)) // 2


@cache
def kernel(shape: KernelShape, width_px: int) -> U8Image:
    """Ones inside the shape of the given full, odd width and zeros outside (read-only)."""
    import cv2
    import numpy as np

    if width_px < 1 or width_px % 2 == 0:
        raise ValueError(f"{width_px} is not a valid kernel width: it must be odd")
    across = np.abs(np.arange(width_px) - width_px // 2)
    if shape is KernelShape.BOX:
        made = np.ones((width_px, width_px), np.uint8)
    elif shape is KernelShape.DISC:
        made = np.asarray(
            cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width_px, width_px)), np.uint8
        )
    elif shape is KernelShape.DIAMOND:
        made = (across[:, None] + across[None, :] <= width_px // 2).astype(np.uint8)
    elif shape is KernelShape.GAUSSIAN:
        squared = across[:, None] ** 2 + across[None, :] ** 2
        made = (squared <= _GAUSSIAN_REACH_SQUARED).astype(np.uint8)
    else:
        made = np.eye(width_px, dtype=np.uint8)
    made.setflags(write=False)
    return made


def eroded(area: BoolImage, shape: KernelShape, width_px: int) -> BoolImage:
    """The eroded area; the edge of the image does not erode. Width 0 does nothing."""
    import cv2

    return _morphed(area, cv2.MORPH_ERODE, shape, width_px)


def dilated(area: BoolImage, shape: KernelShape, width_px: int) -> BoolImage:
    """The dilated area; width 0 does nothing."""
    import cv2

    return _morphed(area, cv2.MORPH_DILATE, shape, width_px)


def _morphed(area: BoolImage, operation: int, shape: KernelShape, width_px: int) -> BoolImage:
    import cv2
    import numpy as np

    if width_px == 0 or area.size == 0:
        return area
    element = kernel(shape, odd_width(width_px))
    # The default border is neutral: it neither erodes nor dilates anything.
    return np.asarray(cv2.morphologyEx(area.view(np.uint8), operation, element)).view(np.bool_)
