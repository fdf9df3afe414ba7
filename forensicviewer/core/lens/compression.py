"""Lenses about JPEG compression: error level, and how well blocks fit quantization tables."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import RgbImage, U8Image
from forensicviewer.core.lens.filters import luma
from forensicviewer.core.lens.frequency import (
    BLOCK,
    cosine_basis,
    in_blocks,
    out_of_blocks,
    transformed,
)
from forensicviewer.core.lens.lens import (
    BLOCK_PX,
    JpegTables,
    Lens,
    LensError,
    LensImage,
    Parameter,
    Values,
)

# ITU-T T.81, table K.1; the quality scales it as the library of the Independent JPEG Group does.
_LUMA = (
    *(16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55),
    *(14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51, 87, 80, 62),
    *(18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92),
    *(49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99),
)
_FINEST = 3  # smaller steps drown in the rounding of decoded pixels


@dataclass(frozen=True, slots=True)
class JpegQuality:
    """The quality from 1 to 100 with the nearest table, and whether the tables are equal."""

    quality: int
    is_exact: bool


def standard_table(quality: int) -> tuple[int, ...]:
    """The luma table of a quality from 1 to 100."""
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    return tuple(min(255, max(1, (step * scale + 50) // 100)) for step in _LUMA)


def jpeg_quality(tables: JpegTables) -> JpegQuality:
    """The quality a luma table was probably made for."""
    found = np.asarray(tables.luma)
    apart = [int(np.abs(found - standard_table(q)).sum()) for q in range(1, 101)]
    # Several qualities may have one table: the highest of them is what people choose.
    nearest = 100 - int(np.argmin(apart[::-1]))
    return JpegQuality(nearest, is_exact=apart[nearest - 1] == 0)


def error_level(image: LensImage, values: Values) -> RgbImage:
    """The difference between an image and itself saved again as JPEG, amplified."""
    blue_first = cv2.cvtColor(image.pixels, cv2.COLOR_RGB2BGR)
    _, saved = cv2.imencode(".jpg", blue_first, [cv2.IMWRITE_JPEG_QUALITY, values["quality"]])
    again = cv2.imdecode(saved, cv2.IMREAD_COLOR)
    assert again is not None
    difference = cv2.cvtColor(cv2.absdiff(blue_first, again), cv2.COLOR_BGR2RGB)
    return np.asarray(cv2.convertScaleAbs(difference, alpha=values["gain"]), np.uint8)


def table_misfit(image: LensImage, values: Values) -> U8Image:
    """How far the coefficients of each block are from multiples of the table's steps.

    Black is on them, white as far from them as chance puts them. Coefficients that the table would
    make zero say nothing and are left out.
    """
    steps = _steps(image, values["quality"])
    grey = in_blocks(luma(image.pixels), image.blocks_at) - 128
    basis = cosine_basis()
    coefficients = transformed(basis, grey, basis.T)
    height, width = coefficients.shape
    blocks = height // BLOCK, width // BLOCK
    # What is too fine to be counted becomes zero, as if it had been quantized away.
    inverse = np.where(steps >= _FINEST, 1 / steps, 0).astype(np.float32)
    ratios = coefficients * np.tile(inverse, blocks)
    nearest = np.rint(ratios)
    counted = np.asarray(nearest != 0, np.float32)
    away = cv2.absdiff(ratios, nearest) * counted
    found = _of_blocks(counted)
    misfit = _of_blocks(away) / np.maximum(found, 1e-6)
    drawn = np.minimum(255, 4 * 255 * misfit).astype(np.uint8)
    return out_of_blocks(np.repeat(np.repeat(drawn, BLOCK, 0), BLOCK, 1), image)


def _steps(image: LensImage, quality: int) -> NDArray[np.float32]:
    if quality == 0 and image.jpeg is None:
        raise LensError(
            "The file has no quantization tables because it is not a JPEG",
            hint="choose a quality to test",
        )
    table = image.jpeg.luma if quality == 0 and image.jpeg else standard_table(max(1, quality))
    steps = np.asarray(table, np.float32).reshape(BLOCK, BLOCK)
    steps[0, 0] = 1  # the mean of a block; its step is found in almost any image
    if steps.max() < _FINEST:
        raise LensError(
            "The quantization steps are too small to distinguish from rounding",
            hint="choose a lower quality to test",
        )
    return steps


def _of_blocks(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The mean of each block."""
    size = values.shape[1] // BLOCK, values.shape[0] // BLOCK
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), np.float32)


ERROR_LEVEL = Lens(
    "ela",
    "Error level (ELA)",
    "The difference between the image and a copy of it saved again as JPEG. Regions that "
    "were saved a different number of times stand out; in every image, edges and texture do "
    "so, too.",
    error_level,
    (Parameter("quality", "Quality", 90, 1, 100), Parameter("gain", "Gain", 15, 1, 50)),
    reach_px=BLOCK_PX,
)
TABLE_MISFIT = Lens(
    "jpeg",
    "JPEG table misfit",
    "How badly each 8 by 8 block fits the quantization table of the file, or of the quality "
    "to test. Black blocks fit; white blocks fit no better than chance, as after pasting, "
    "moving off the grid, or editing after compression.",
    table_misfit,
    (Parameter("quality", "Quality (0: from the file)", 0, 0, 100),),
    reach_px=BLOCK,
)
