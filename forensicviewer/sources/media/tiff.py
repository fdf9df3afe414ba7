"""TIFF: of any depth and kind of samples, by libtiff.

OpenCV reads the ordinary ones, as NIST's scorer does. It fills what it cannot decode with black
instead of failing, so imagecodecs decodes every file first: it fails.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.sources.media.faults import damaged, unsupported
from forensicviewer.sources.media.formats import Format
from forensicviewer.sources.media.headers import refuse_memory
from forensicviewer.sources.media.levels import (
    colours_of,
    grey_of,
    levels_of_floats,
    levels_of_integers,
    range_of_floats,
)
from forensicviewer.sources.media.orientation import turn_back, turn_upright
from forensicviewer.sources.media.tiff_tags import (
    Photometric,
    SampleFormat,
    Tag,
    TiffTags,
    read_tags,
)

# OpenCV has no other depths, and takes signed samples for unsigned ones.
_ORDINARY_BITS = (1, 8, 16)
_LAB = (Photometric.CIE_LAB, Photometric.ICC_LAB)
_GREY = (Photometric.WHITE_IS_ZERO, Photometric.BLACK_IS_ZERO)
_ORDINARY_FORMATS = (SampleFormat.UNSIGNED, SampleFormat.UNDEFINED)
# What libtiff says of files that are whole but not for it.
_NOT_FOR_LIBTIFF = ("not implemented", "not configured", "can not handle", "not supported")


def decode_tiff(encoded: bytes, *, is_grey: bool, where: object) -> NDArray[np.uint8]:
    """The first image upright, as (height, width) grey levels or (height, width, 3) colours."""
    tags = read_tags(BytesIO(encoded))
    # A tile is decoded as a whole, however little of it belongs to the image.
    tile = tags[Tag.TILE_WIDTH] * tags[Tag.TILE_HEIGHT]
    refuse_memory(tile * tags[Tag.SAMPLES] * ((tags[Tag.BITS] + 7) // 8), where=where)
    kind = tags[Tag.PHOTOMETRIC]
    if kind not in set(Photometric):
        raise unsupported(Format.TIFF, f"colours of kind {kind}", where)
    samples = _samples(encoded, tags, where)
    if kind in _LAB:
        upright = turn_upright(_from_lab(samples, tags, where), tags[Tag.ORIENTATION])
        return grey_of(upright) if is_grey else upright
    # libtiff multiplies colours by their opacity, which changes them; PNG files are shown without.
    has_opacity = kind == Photometric.RGB and tags[Tag.SAMPLES] > 3 and not is_grey
    is_ordinary = tags[Tag.BITS] in _ORDINARY_BITS and not has_opacity
    if is_ordinary and tags[Tag.SAMPLE_FORMAT] in _ORDINARY_FORMATS:
        flags = cv2.IMREAD_GRAYSCALE if is_grey else cv2.IMREAD_COLOR_RGB
        # OpenCV turns TIFF images upright whatever it is told.
        pixels = cv2.imdecode(np.frombuffer(encoded, dtype=np.uint8), flags)
        if pixels is not None:
            return np.asarray(pixels, dtype=np.uint8)
    levels, orientation = _levels(samples, tags, where), tags[Tag.ORIENTATION]
    if tags[Tag.PHOTOMETRIC] == Photometric.PALETTE:
        # Colours that libtiff makes are mirrored already, which is taken back first.
        levels = turn_back(levels, (orientation - 1) % 4 + 1)
    upright = turn_upright(levels, orientation)
    return grey_of(upright) if is_grey else colours_of(upright)


def fine_values(encoded: bytes, *, where: object) -> NDArray[np.float32] | None:
    """The values of an upright grey image of more than 8 bits, from 0 to 1; else ``None``."""
    tags = read_tags(BytesIO(encoded))
    is_upright = tags[Tag.ORIENTATION] in (0, 1)
    if tags[Tag.BITS] <= 8 or tags[Tag.PHOTOMETRIC] not in _GREY or not is_upright:
        return None
    samples = _samples(encoded, tags, where)
    grey = samples if samples.ndim == 2 else samples[:, :, 0]
    if grey.dtype.kind == "f":
        try:
            values = np.asarray(grey / grey.dtype.type(range_of_floats(grey)), np.float32)
        except ValueError as error:
            raise unsupported(Format.TIFF, str(error), where) from error
    elif grey.dtype.kind == "u":
        values = np.asarray(grey / np.float64((1 << tags[Tag.BITS]) - 1), np.float32)
    else:
        return None
    if tags[Tag.PHOTOMETRIC] == Photometric.WHITE_IS_ZERO:
        values = np.float32(1) - values
    return values


def _samples(encoded: bytes, tags: TiffTags, where: object) -> NDArray[Any]:
    """The samples as stored, as (height, width) or (height, width, samples)."""
    import imagecodecs

    # A palette is only applied to the colours libtiff makes itself.
    is_palette = tags[Tag.PHOTOMETRIC] == Photometric.PALETTE
    try:
        found = imagecodecs.tiff_decode(encoded, index=0, asrgb=is_palette)
    except (RuntimeError, ValueError, IndexError, TypeError, OverflowError) as error:
        said = str(error)
        if any(words in said for words in _NOT_FOR_LIBTIFF):
            raise unsupported(Format.TIFF, said.splitlines()[0].strip(), where) from error
        raise damaged(Format.TIFF, where) from error
    samples = np.asarray(found)
    size = (tags[Tag.HEIGHT], tags[Tag.WIDTH])
    if samples.ndim == 3 and samples.shape[:2] != size and samples.shape[1:] == size:
        samples = np.moveaxis(samples, 0, 2)  # stored plane by plane
    if samples.shape[:2] != size or samples.ndim > 3:
        raise unsupported(Format.TIFF, f"samples of shape {samples.shape}", where)
    return samples


def _from_lab(samples: NDArray[Any], tags: TiffTags, where: object) -> NDArray[np.uint8]:
    """CIE L*a*b* as sRGB, white of one as white of the other; libtiff makes white yellowish."""
    bits = tags[Tag.BITS]
    if bits not in (8, 16) or samples.ndim != 3 or samples.shape[2] < 3:
        raise unsupported(Format.TIFF, f"L*a*b* of shape {samples.shape} and {bits} bits", where)
    lightness, *opponents = np.moveaxis(samples[:, :, :3].astype(np.int32), 2, 0)
    half = 1 << (bits - 1)
    is_offset = tags[Tag.PHOTOMETRIC] == Photometric.ICC_LAB
    signed = [each - half if is_offset else (each + half) % (2 * half) - half for each in opponents]
    scaled = [lightness * (100 / (2 * half - 1)), *(each / (half / 128) for each in signed)]
    rgb = np.asarray(cv2.cvtColor(np.dstack(scaled).astype(np.float32), cv2.COLOR_Lab2RGB))
    return np.asarray(np.rint(rgb.clip(0, 1) * 255), np.uint8)


def _levels(samples: NDArray[Any], tags: TiffTags, where: object) -> NDArray[np.uint8]:
    kind = samples.dtype.kind
    if kind == "f":
        try:
            levels = levels_of_floats(samples)
        except ValueError as error:
            raise unsupported(Format.TIFF, str(error), where) from error
    elif kind == "b":
        levels = samples.astype(np.uint8) * np.uint8(255)
    elif kind in "ui":
        is_palette = tags[Tag.PHOTOMETRIC] == Photometric.PALETTE
        depth = 8 if is_palette else min(tags[Tag.BITS], 8 * samples.dtype.itemsize)
        levels = levels_of_integers(samples, depth, is_signed=kind == "i")
    else:
        raise unsupported(Format.TIFF, f"samples of type {samples.dtype}", where)
    is_white_zero = tags[Tag.PHOTOMETRIC] == Photometric.WHITE_IS_ZERO
    return np.asarray(cv2.bitwise_not(levels), np.uint8) if is_white_zero else levels
