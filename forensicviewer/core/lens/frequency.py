"""Lenses that leave out the low frequencies of an image, of blocks or of all of it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import U8Image
from forensicviewer.core.lens.filters import GAIN, luma
from forensicviewer.core.lens.lens import Lens, LensError, LensImage, Parameter, Values

BLOCK = 8
_PORTION = 2048
_MOST_PIXELS = 150_000_000  # of a transform at once: four times four bytes each


def cosine_basis() -> NDArray[np.float32]:
    """The discrete cosine transform of eight values as JPEG defines it, one frequency a row."""
    frequency, place = np.mgrid[:BLOCK, :BLOCK]
    basis = np.sqrt(2 / BLOCK) * np.cos(np.pi * frequency * (2 * place + 1) / (2 * BLOCK))
    basis[0] = np.sqrt(1 / BLOCK)
    return np.asarray(basis, np.float32)


def block_high_pass(image: LensImage, values: Values) -> U8Image:
    """The frequencies of each block of 8 by 8 from one on, in either direction."""
    low = cosine_basis()[: values["first"]]
    # Leaving out the low corner of the transform is leaving out a projection: no need to go there.
    project = low.T @ low
    grey = in_blocks(luma(image.pixels), image.blocks_at)
    smooth = transformed(project, grey, project)
    drawn = cv2.convertScaleAbs(cv2.subtract(grey, smooth), alpha=values["gain"])
    return out_of_blocks(np.asarray(drawn, np.uint8), image)


def transformed(
    left: NDArray[np.float32], pixels: NDArray[np.float32], right: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Each block multiplied by a matrix from either side.

    In portions too small for the library to share them among threads: of matrices this thin that
    takes ten times as long, and more where other programs run.
    """
    height, width = pixels.shape
    rows = np.empty_like(pixels).reshape(-1, BLOCK, width)
    for start in range(0, width, _PORTION):
        part = np.s_[:, :, start : start + _PORTION]
        np.matmul(left, pixels.reshape(rows.shape)[part], out=rows[part])
    columns = np.matmul(rows.reshape(-1, width // BLOCK, BLOCK), right)
    return np.asarray(columns, np.float32).reshape(height, width)


def in_blocks(grey: U8Image, blocks_at: tuple[int, int]) -> NDArray[np.float32]:
    """The image with its edges repeated until it consists of whole blocks."""
    left, top = (-place % BLOCK for place in blocks_at)
    right, bottom = -(left + grey.shape[1]) % BLOCK, -(top + grey.shape[0]) % BLOCK
    whole = cv2.copyMakeBorder(grey, top, bottom, left, right, cv2.BORDER_REPLICATE)
    return np.asarray(whole, np.float32)


def out_of_blocks(blocks: U8Image, image: LensImage) -> U8Image:
    """The part of whole blocks that is the image."""
    left, top = (-place % BLOCK for place in image.blocks_at)
    height, width = image.pixels.shape[:2]
    return blocks[top : top + height, left : left + width]


def high_pass(image: LensImage, values: Values) -> U8Image:
    """The image without the low frequencies: those below a share of the highest in each axis."""
    grey = luma(image.pixels)
    height, width = grey.shape
    if height * width > _MOST_PIXELS:
        raise LensError(
            f"The transform of {width} by {height} pixels needs too much memory",
            hint=f"at most {_MOST_PIXELS // 1_000_000} megapixels can be transformed",
        )
    # Sizes with large prime factors take many times longer; mirroring adds no edge of its own.
    down, right = (_good_size(n) - n for n in (height, width))
    whole = cv2.copyMakeBorder(grey, 0, down, 0, right, cv2.BORDER_REFLECT_101)
    spectrum = np.asarray(cv2.dft(np.asarray(whole, np.float32)), np.float32)
    _leave_out(spectrum, *(int(values["cut"] * n / 200) for n in whole.shape))
    left = cv2.idft(spectrum, flags=cv2.DFT_SCALE)
    drawn = cv2.convertScaleAbs(left[:height, :width], alpha=values["gain"])
    return np.asarray(drawn, np.uint8)


def _good_size(length: int) -> int:
    # Half the length is factored, so that the whole is even: the packing of odd ones differs.
    return 2 * cv2.getOptimalDFTSize((length + 1) // 2)


def _leave_out(spectrum: NDArray[np.float32], rows: int, columns: int) -> None:
    """Zero the frequencies whose number is smaller in both axes, in OpenCV's packed order.

    Real and imaginary parts of frequency ``k`` stand in columns ``2k - 1`` and ``2k``, with all
    vertical frequencies below one another, negative ones last. Column 0 has the horizontal
    frequency 0, packed in the same way from top to bottom.
    """
    if rows == 0 or columns == 0:
        return
    spectrum[: 2 * rows - 1, 0] = 0
    last = 2 * columns - 1
    spectrum[:rows, 1:last] = 0
    spectrum[spectrum.shape[0] - rows + 1 :, 1:last] = 0


BLOCK_DCT = Lens(
    "dct",
    "Block DCT high-pass",
    "Each 8 by 8 block without its low frequencies. Blocks that were compressed more "
    "strongly, or on another grid, look different.",
    block_high_pass,
    (Parameter("first", "Lowest frequency", 3, 1, 7), GAIN),
    reach_px=BLOCK,
)
FFT = Lens(
    "fft",
    "FFT high-pass",
    "The whole image without its low frequencies. Periodic traces of resampling and of "
    "generators remain.",
    high_pass,
    (Parameter("cut", "Cut-off (%)", 10, 1, 90), GAIN),
)
