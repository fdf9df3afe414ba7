"""The array types of the project, with their shapes in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

U8Image: TypeAlias = NDArray[np.uint8]  # (height, width)
BoolImage: TypeAlias = NDArray[np.bool_]  # (height, width)
RgbImage: TypeAlias = NDArray[np.uint8]  # (height, width, 3), red first
PlaneImage: TypeAlias = NDArray[np.uint8]  # (height, width, components)
Counts: TypeAlias = NDArray[np.int64]  # one count per threshold or level
Floats: TypeAlias = NDArray[np.float64]  # (n,)
Rows: TypeAlias = NDArray[np.intp]  # (n,) row numbers
Flags: TypeAlias = NDArray[np.bool_]  # (n,)


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height in pixels, so that nobody swaps them."""

    width: int
    height: int

    @classmethod
    def of(cls, pixels: NDArray[np.generic]) -> Size:
        return cls(width=int(pixels.shape[1]), height=int(pixels.shape[0]))

    def __str__(self) -> str:
        return f"{self.width}×{self.height}"  # noqa: RUF001 - the sign people read, not the letter
