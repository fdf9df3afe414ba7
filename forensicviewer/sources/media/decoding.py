"""Encoded bytes → pixels: which library decodes which format, and how its failures are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import RgbImage, Size
from forensicviewer.sources.media.exif import orientation_of
from forensicviewer.sources.media.faults import damaged, unsupported
from forensicviewer.sources.media.formats import Format, Header
from forensicviewer.sources.media.headers import refuse_truncation, too_many_pixels
from forensicviewer.sources.media.jpeg import refuse_many_scans, unusual_process
from forensicviewer.sources.media.levels import colours_of, grey_of, levels_of_integers
from forensicviewer.sources.media.orientation import turn_upright
from forensicviewer.sources.media.png import pixels_only

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

# Every failure is told by a CodecError; OpenCV's own words on standard error would only repeat it.
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """Pixels whose decoder turned them upright by itself, and how they are stored."""

    pixels: RgbImage
    orientation: int
    bit_depth: int
    exif: bytes = b""


def decode(encoded: bytes, header: Header, flags: int, *, where: object) -> NDArray[np.uint8]:
    """Pixels by OpenCV, in the order of channels that ``flags`` say."""
    refuse_truncation(encoded, header, where=where)
    if header.format is Format.PNG:
        encoded = pixels_only(encoded, where=where)
    if header.format is Format.JPEG:
        refuse_many_scans(encoded, where=where)
        unusual = "" if header.bit_depth == 8 else f"{header.bit_depth} bits a sample"
        if unusual := unusual or unusual_process(encoded):
            return _decode_unusual_jpeg(encoded, header, unusual, flags, where=where)
    return np.asarray(_by_opencv(encoded, header, flags, where), dtype=np.uint8)


def decode_deep_grey(encoded: bytes, header: Header, *, where: object) -> NDArray[np.uint16]:
    """The grey samples of a PNG file of 16 bits, all their bits; alpha is dropped."""
    refuse_truncation(encoded, header, where=where)
    encoded = pixels_only(encoded, where=where)
    return np.asarray(_by_opencv(encoded, header, cv2.IMREAD_ANYDEPTH, where), dtype=np.uint16)


def _by_opencv(encoded: bytes, header: Header, flags: int, where: object) -> NDArray[Any]:
    try:
        # Not cv2.imread: on Windows it cannot open names outside the ANSI code page.
        pixels = cv2.imdecode(np.frombuffer(encoded, dtype=np.uint8), flags)
    except cv2.error as error:
        raise damaged(header.format, where) from error
    if pixels is None:
        raise damaged(header.format, where)
    return np.asarray(pixels)


def _decode_unusual_jpeg(
    encoded: bytes, header: Header, unusual: str, flags: int, *, where: object
) -> NDArray[np.uint8]:
    """A JPEG file of 12 or 16 bits or without loss, which OpenCV does not read."""
    import imagecodecs

    try:
        samples = np.asarray(imagecodecs.jpeg8_decode(encoded))
    except (RuntimeError, ValueError) as error:
        raise unsupported(header.format, unusual, where) from error
    levels = levels_of_integers(samples, header.bit_depth or 8)
    if flags & cv2.IMREAD_COLOR_RGB:
        return colours_of(levels)
    if flags & cv2.IMREAD_COLOR:
        return np.ascontiguousarray(colours_of(levels)[:, :, ::-1])
    return grey_of(levels)


def decode_by_pillow(
    encoded: bytes, header: Header, *, mode: str, where: object
) -> NDArray[np.uint8]:
    """The first frame of a BMP or GIF file in Pillow's ``mode``."""
    from PIL import BmpImagePlugin, GifImagePlugin, Image  # with them Pillow costs time at start

    # The plug-in itself, not Image.open: our own limit on pixels has already been applied, and
    # Pillow's would turn large but allowed images away.
    opener: Callable[[BytesIO], ImageFile] = (
        BmpImagePlugin.BmpImageFile if header.format is Format.BMP else GifImagePlugin.GifImageFile
    )
    try:
        with opener(BytesIO(encoded)) as image:
            return np.array(image.convert(mode), dtype=np.uint8)
    except (
        Image.DecompressionBombError,  # a frame larger than the picture it belongs to
        OSError,
        SyntaxError,
        ValueError,
        EOFError,
        IndexError,
        OverflowError,  # a negative width
    ) as error:
        if header.format is Format.BMP and encoded[30:34] in _FILES_IN_BMP:
            raise unsupported(header.format, "another file inside", where) from error
        raise damaged(header.format, where) from error


_FILES_IN_BMP = (b"\x04\0\0\0", b"\x05\0\0\0")  # the compressions JPEG and PNG


def decode_heic(encoded: bytes, *, where: object, max_pixels: int) -> Rendered:
    """An HEIC image; libheif itself turns it upright."""
    container, size = _open_heic(encoded, where=where)
    if size.width * size.height > max_pixels:
        raise too_many_pixels(size, max_pixels=max_pixels, where=where)
    try:
        # Copied while the container lives: the array it offers points into libheif's own memory,
        # which goes with the container.
        pixels = np.array(container, dtype=np.uint8, copy=True)
    except (ValueError, OSError, RuntimeError, EOFError, SyntaxError) as error:
        raise damaged(Format.HEIC, where) from error
    colours = colours_of(pixels)
    exif = bytes(container.info.get("exif") or b"").removeprefix(b"Exif\x00\x00")
    depth = int(container.info.get("bit_depth", 8))
    return Rendered(colours, _heic_orientation(encoded), depth, exif)


# Quarter turns counter-clockwise that the container asks for → the EXIF orientation they are.
_ORIENTATION_OF_TURNS = {0: 1, 1: 8, 2: 3, 3: 6}


def _heic_orientation(encoded: bytes) -> int:
    """What the container's rotation property does; libheif applies it but does not tell."""
    at = encoded.find(b"\x00\x00\x00\x09irot", 0, 1 << 16)
    return _ORIENTATION_OF_TURNS[encoded[at + 8] & 3] if at >= 0 else 1


def heic_size(encoded: bytes, *, where: object) -> Size:
    return _open_heic(encoded, where=where)[1]


def _open_heic(encoded: bytes, *, where: object) -> tuple[Any, Size]:
    """The container with its headers read and its pixels not, and its main image's size."""
    import pi_heif

    try:
        container = pi_heif.open_heif(BytesIO(encoded), convert_hdr_to_8bit=True)
        return container, Size(*container.size)
    except (ValueError, OSError, RuntimeError, EOFError, IndexError, SyntaxError) as error:
        raise damaged(Format.HEIC, where) from error


def decode_avif(encoded: bytes, *, where: object, max_pixels: int) -> Rendered:
    """The first image of an AVIF file, upright."""
    with _opened_avif(encoded, where=where) as image:
        if image.width * image.height > max_pixels:
            raise too_many_pixels(Size(*image.size), max_pixels=max_pixels, where=where)
        # Pillow says what the container asks for as an EXIF orientation, and does not apply it.
        orientation = orientation_of(_exif_of(image))
        stored = np.array(image.convert("RGB"), dtype=np.uint8)
        return Rendered(turn_upright(stored, orientation), orientation, 8, _exif_of(image))


def avif_size(encoded: bytes, *, where: object) -> Size:
    with _opened_avif(encoded, where=where) as image:
        size = Size(*image.size)
        is_turned = orientation_of(_exif_of(image)) >= 5
        return Size(size.height, size.width) if is_turned else size


def _exif_of(image: ImageFile) -> bytes:
    return bytes(image.info.get("exif") or b"").removeprefix(b"Exif\x00\x00")


@contextmanager
def _opened_avif(encoded: bytes, *, where: object) -> Iterator[ImageFile]:
    from PIL import AvifImagePlugin, features

    if not features.check("avif"):
        raise unsupported(Format.AVIF, "Pillow was built without it", where)
    try:
        with AvifImagePlugin.AvifImageFile(BytesIO(encoded)) as image:
            yield image
    except (OSError, SyntaxError, ValueError, RuntimeError, EOFError, IndexError) as error:
        raise damaged(Format.AVIF, where) from error


# LibRaw's flip → the EXIF orientation that describes it.
_ORIENTATION_OF_FLIP = {0: 1, 3: 3, 5: 8, 6: 6}


def decode_raw(encoded: bytes, *, where: object, max_pixels: int) -> Rendered:
    """A camera RAW image with LibRaw's default development, as NIST's scorer reads it."""
    with _opened_raw(encoded, where=where) as raw:
        size = _size_of_raw(raw)
        if size.width * size.height > max_pixels:
            raise too_many_pixels(size, max_pixels=max_pixels, where=where)
        pixels = colours_of(np.asarray(raw.postprocess(), np.uint8))
        depth = max(1, int(raw.white_level or 255).bit_length())
        return Rendered(pixels, _ORIENTATION_OF_FLIP.get(int(raw.sizes.flip), 1), depth)


def raw_size(encoded: bytes, *, where: object) -> Size:
    with _opened_raw(encoded, where=where) as raw:
        return _size_of_raw(raw)


def _size_of_raw(raw: Any) -> Size:
    """The size after development; LibRaw gives it before turning the image upright."""
    width, height = int(raw.sizes.iwidth), int(raw.sizes.iheight)
    return Size(height, width) if int(raw.sizes.flip) in (5, 6) else Size(width, height)


@contextmanager
def _opened_raw(encoded: bytes, *, where: object) -> Iterator[Any]:
    import rawpy

    try:
        with rawpy.imread(BytesIO(encoded)) as raw:
            yield raw
    except (rawpy.LibRawError, ValueError, OSError) as error:
        raise damaged(Format.RAW, where) from error
