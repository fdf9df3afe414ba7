"""A lens: a pure function from the pixels of an image to pixels aligned with them.

A lens always sees full-size pixels. One that says how far a pixel of it reaches is computed some
rows at a time, which bounds its memory and lets the work be cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from forensicviewer.core.array import RgbImage, Size, U8Image
from forensicviewer.core.problem import ForensicViewerError

# Of the blocks of JPEG with halved colours: rows are cut where such blocks end.
BLOCK_PX = 16
_STRIP_ROWS = 32 * BLOCK_PX

LensPixels: TypeAlias = U8Image | RgbImage
Values: TypeAlias = Mapping[str, int]


class LensError(ForensicViewerError):
    """A lens cannot be computed for this image."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A whole number that a user can set, in steps from the least on."""

    name: str
    title: str
    default: int
    least: int
    most: int
    step: int = 1

    def nearest(self, value: int) -> int:
        """The nearest value that can be set."""
        within = min(self.most, max(self.least, value))
        return within - (within - self.least) % self.step


@dataclass(frozen=True, slots=True)
class JpegTables:
    """The quantization tables of a JPEG file, by rows of vertical frequency, 64 steps each.

    ``used`` has the number of its table for each component; the first component is the luma.
    """

    tables: tuple[tuple[int, ...], ...]
    used: tuple[int, ...]

    @property
    def luma(self) -> tuple[int, ...]:
        return self.tables[self.used[0]]

    def turned(self) -> JpegTables:
        """The tables of the image with rows and columns swapped."""
        swapped = (np.reshape(table, (8, 8)).T.ravel().tolist() for table in self.tables)
        return replace(self, tables=tuple(tuple(table) for table in swapped))


@dataclass(frozen=True, slots=True, eq=False)
class LensImage:
    """The input of a lens: pixels and, for a JPEG file, its tables and block grid.

    ``blocks_at`` is the column and row, each below 8, at which the first whole block begins.
    """

    pixels: RgbImage
    jpeg: JpegTables | None = None
    blocks_at: tuple[int, int] = (0, 0)

    def rows(self, top: int, bottom: int) -> LensImage:
        """Some rows as a separate image; ``top`` is a multiple of 16."""
        return replace(self, pixels=self.pixels[top:bottom])


@dataclass(frozen=True, slots=True)
class Lens:
    """A named filter. ``apply`` gets an image and a value for every parameter.

    It returns 8-bit pixels of the image's width and height, grey or red-green-blue. ``reach_px`` is
    how many rows away a pixel can still matter; ``None`` where every pixel depends on all.
    """

    name: str
    title: str
    about: str
    apply: Callable[[LensImage, Values], LensPixels]
    parameters: tuple[Parameter, ...] = ()
    reach_px: int | None = None

    def values(self, chosen: Values) -> dict[str, int]:
        """A value for every parameter: the chosen one within its range, or the default."""
        return {
            each.name: each.nearest(int(chosen.get(each.name, each.default)))
            for each in self.parameters
        }

    def draw(
        self, image: LensImage, chosen: Values, *, check: Callable[[], None] = lambda: None
    ) -> LensPixels:
        """The whole image through the lens; ``check`` is called between strips and may raise."""
        values = self.values(chosen)
        if self.reach_px is None:
            return self._checked(image, values)
        height = image.pixels.shape[0]
        margin = -(-self.reach_px // BLOCK_PX) * BLOCK_PX
        strips = []
        for top in range(0, height, _STRIP_ROWS):
            check()
            begin, end = max(0, top - margin), min(height, top + _STRIP_ROWS + margin)
            drawn = self._checked(image.rows(begin, end), values)
            strips.append(drawn[top - begin : top - begin + _STRIP_ROWS])
        return strips[0] if len(strips) == 1 else np.concatenate(strips)

    def _checked(self, image: LensImage, values: Values) -> LensPixels:
        drawn = self.apply(image, values)
        size = Size.of(image.pixels)
        is_pixels = isinstance(drawn, np.ndarray) and drawn.dtype == np.uint8
        if not is_pixels or drawn.shape not in (image.pixels.shape, image.pixels.shape[:2]):
            raise LensError(
                f"The lens {self.name} did not return 8-bit pixels of size {size}",
                hint="report this to the authors of the lens",
                rule="lens.wrong-result",
            )
        return drawn
