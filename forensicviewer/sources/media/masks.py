"""Masks: system masks as scores, reference masks as exact colours or as bit planes.

Polarity is settled here. Inside the program a system mask holds *scores*: 255 is surely
manipulated, whatever the file means by black.
"""

from __future__ import annotations

from enum import Enum
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import PlaneImage, RgbImage, U8Image
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.files.media_file import open_media
from forensicviewer.sources.media import codecs
from forensicviewer.sources.media.decoding import (
    decode,
    decode_by_pillow,
    decode_deep_grey,
    decode_raw,
)
from forensicviewer.sources.media.formats import Format, Header
from forensicviewer.sources.media.headers import (
    MAX_PIXELS,
    parse_header,
    read_encoded,
    read_header,
    read_whole,
)
from forensicviewer.sources.media.jpeg2000 import read_components, read_grey, write_components
from forensicviewer.sources.media.npz import read_score_map
from forensicviewer.sources.media.png import encode_png
from forensicviewer.sources.media.tiff import decode_tiff, fine_values

_LAYERED_SUFFIXES = (".jp2", ".j2k", ".j2c", ".jpc", ".jpf", ".jpx")


class Polarity(Enum):
    """Which end of the grey scale of a system mask file means "manipulated"."""

    BLACK = "black"
    WHITE = "white"


@decoded_apart
def read_system_mask(
    path: Path, *, manipulated_is: Polarity, max_pixels: int = MAX_PIXELS
) -> U8Image:
    """A system mask as scores, read into grey levels exactly as NIST's scorer does.

    PNG, JPEG and TIFF go through OpenCV's grey mode: of 16 bits the high byte, alpha dropped,
    palettes and colours by the conversion of the format's library (libpng makes 76, 149 and 29 of
    pure red, green and blue). BMP goes through Pillow. JPEG 2000 must have one component. What
    OpenCV does not read has its own range of values stretched to 0..255.
    """
    grey = _grey(path, max_pixels=max_pixels)
    # NIST's files are black where manipulated and compare with "<= t"; scores compare with ">= t".
    # Both include the tie, so t here is 255 - t there.
    if manipulated_is is Polarity.BLACK:
        cv2.bitwise_not(grey, dst=grey)
    return grey


def _grey(path: Path, *, max_pixels: int) -> U8Image:
    with open_media(path) as stream:
        header = parse_header(stream, where=path)
        if header.format not in (Format.JPEG2000, Format.NPZ):
            encoded = read_whole(stream, header, max_pixels=max_pixels, where=path)
    match header.format:
        case Format.JPEG2000:
            return read_grey(path, max_pixels=max_pixels)
        case Format.NPZ:
            return read_score_map(path, max_pixels=max_pixels)
        case Format.BMP | Format.GIF:
            return _pillow_grey(decode_by_pillow(encoded, header, mode="RGB", where=path))
        case Format.RAW:
            colours = decode_raw(encoded, where=path, max_pixels=max_pixels).pixels
            return np.asarray(cv2.cvtColor(colours, cv2.COLOR_RGB2GRAY), np.uint8)
        case Format.HDF5 | Format.HEIC | Format.AVIF:
            raise _no_mask_format(header, path)
        case Format.TIFF:
            return decode_tiff(encoded, is_grey=True, where=path)
        case Format.ADDED:
            return codecs.decode_grey(encoded, where=path, max_pixels=max_pixels)
        case _:
            return decode(encoded, header, cv2.IMREAD_GRAYSCALE, where=path)


def _pillow_grey(colours: RgbImage) -> U8Image:
    """Grey as Pillow made it up to version 6, the last for Python 2: newer ones round."""
    weights = np.array([19595, 38470, 7471], np.uint32)
    return np.asarray((colours.astype(np.uint32) @ weights) >> 16, np.uint8)


def _no_mask_format(header: Header, path: Path) -> CodecError:
    return CodecError(
        f"{header.format.value} files cannot be the mask of one image",
        where=path,
        hint="write a grey PNG",
        rule="codec.wrong-format",
    )


@decoded_apart
def read_colour_reference(path: Path, *, max_pixels: int = MAX_PIXELS) -> RgbImage:
    """A reference mask with its exact colours; grey becomes three equal channels.

    Alpha is ignored, not composited: the colour under a transparent pixel counts.
    """
    encoded, header = read_encoded(path, max_pixels=max_pixels)
    match header.format:
        case Format.BMP | Format.GIF:
            return decode_by_pillow(encoded, header, mode="RGB", where=path)
        case Format.TIFF:
            return decode_tiff(encoded, is_grey=False, where=path)
        case Format.ADDED:
            return codecs.decode_colours(encoded, where=path, max_pixels=max_pixels)
        case Format.PNG | Format.JPEG | Format.WEBP:
            return decode(encoded, header, cv2.IMREAD_COLOR_RGB, where=path)
        case _:
            raise _no_mask_format(header, path)


@decoded_apart
def read_fine_grey(path: Path, *, max_pixels: int = MAX_PIXELS) -> NDArray[np.float32] | None:
    """The values of a grey PNG or TIFF image of more than 8 bits, from 0 to 1, all their bits.

    ``None`` for any other image: 8 bits tell all that is in it.
    """
    encoded, header = read_encoded(path, max_pixels=max_pixels)
    if header.format is Format.TIFF:
        return fine_values(encoded, where=path)
    if header.format is not Format.PNG or header.bit_depth != 16 or (header.channels or 3) > 2:
        return None
    samples = decode_deep_grey(encoded, header, where=path)
    return np.asarray(samples / np.float32(65535), np.float32)


def is_layered_name(name: str) -> bool:
    """Whether a mask is called like a JPEG 2000 file."""
    return name.strip().lower().endswith(_LAYERED_SUFFIXES)


def has_bit_planes(path: Path) -> bool:
    """Whether a mask is a JPEG 2000 file: by its name, else by its first bytes.

    MFC2019's plan asks for JPEG 2000 (2.1.6) and lists names that end in .jpg (3.6).
    """
    if is_layered_name(path.name) or path.suffix.lower() == ".png":
        return is_layered_name(path.name)
    return _format_of(path) is Format.JPEG2000


def has_lossy_colours(path: Path) -> bool:
    """Whether the colours of a mask are only nearly those that were painted."""
    return path.suffix.lower() != ".png" and _format_of(path) is Format.JPEG


def _format_of(path: Path) -> Format | None:
    try:
        return read_header(path).format
    except CodecError:
        return None


@decoded_apart
def read_bit_planes(path: Path, *, max_pixels: int = MAX_PIXELS) -> PlaneImage:
    """The bit planes of a JPEG 2000 reference mask, eight to a channel, in stored order.

    Plane b (from 1) is bit (b - 1) mod 8 of channel (b - 1) // 8. A single component of 16 bits
    becomes two channels, low byte first. Where several components have 16 bits, NIST's numbering
    reaches only the low bytes, so high bits there cannot be named and are refused.
    """
    components = read_components(path, max_pixels=max_pixels)
    if components.dtype == np.uint8:
        return np.ascontiguousarray(components, dtype=np.uint8)
    low = (components & 0xFF).astype(np.uint8)
    high = (components >> 8).astype(np.uint8)
    if components.shape[2] == 1:
        return np.concatenate((low, high), axis=2)
    if high.any():
        raise CodecError(
            "The bit-plane mask uses more than eight bits in several components",
            where=path,
            hint="NIST numbers eight planes per component",
            rule="codec.wrong-type",
        )
    return low


def write_grey(path: Path, levels: U8Image) -> None:
    """Write grey levels as PNG, as they are."""
    path.write_bytes(encode_png(levels))


def write_colour_reference(path: Path, colours: RgbImage) -> None:
    """Write exact colours as PNG."""
    path.write_bytes(encode_png(colours))


def write_bit_planes(path: Path, planes: PlaneImage) -> None:
    """Write channels of eight bit planes each as JPEG 2000 without loss."""
    write_components(path, planes)
