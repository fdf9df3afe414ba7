"""Probe, donor and world images: pixels upright, and what the file says about itself."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np

from forensicviewer.core.array import RgbImage, Size
from forensicviewer.core.lens.lens import JpegTables
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.files.media_file import open_media
from forensicviewer.sources.media import codecs
from forensicviewer.sources.media.decoding import (
    Rendered,
    avif_size,
    decode,
    decode_avif,
    decode_by_pillow,
    decode_heic,
    decode_raw,
    heic_size,
    raw_size,
)
from forensicviewer.sources.media.exif import exif_fields, orientation_of
from forensicviewer.sources.media.formats import Format, Header
from forensicviewer.sources.media.headers import (
    MAX_PIXELS,
    read_encoded,
    read_header,
)
from forensicviewer.sources.media.jpeg2000 import read_colours
from forensicviewer.sources.media.jpeg_tables import jpeg_tables
from forensicviewer.sources.media.orientation import turn_back, turn_upright
from forensicviewer.sources.media.tiff import decode_tiff


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """What an image's file says about itself.

    ``size`` is that of the rendered, upright image, which is what the indexes of the
    evaluations declare; ``stored_size`` is that of the pixels in the file. ``orientation`` is
    EXIF's number (1 = stored upright). ``jpeg`` are the tables of a JPEG file.
    """

    format: str
    size: Size
    stored_size: Size
    orientation: int = 1
    bit_depth: int = 8
    channels: int = 3
    byte_count: int = 0
    exif: Mapping[str, str] = field(default_factory=dict)
    jpeg: JpegTables | None = None

    @property
    def is_turned(self) -> bool:
        return self.orientation != 1


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """Decoded, upright pixels and the facts of their file."""

    pixels: RgbImage
    facts: ImageFacts

    def as_stored(self) -> RgbImage:
        """The pixels the way they lie in the file, without the EXIF rotation."""
        return turn_back(self.pixels, self.facts.orientation)

    def fitting(self, size: Size) -> RgbImage:
        """The pixels upright or as stored, whichever has the size of a mask.

        Masks were made with tools that knew nothing of EXIF, so one may fit only the stored
        orientation; where neither or both fit, upright wins.
        """
        if Size.of(self.pixels) != size and self.facts.stored_size == size:
            return self.as_stored()
        return self.pixels


@decoded_apart
def read_image(path: Path, *, max_pixels: int = MAX_PIXELS) -> Picture:
    """Decode an image to 8 bits a channel and turn it upright."""
    encoded, header = read_encoded(path, max_pixels=max_pixels)
    decoder = _DECODERS.get(header.format)
    if decoder is None:
        raise CodecError(
            f"{header.format.value} files are not images",
            where=path,
            hint="check the file name in the table",
            rule="codec.wrong-format",
        )
    return decoder(encoded, header, path, max_pixels)


@decoded_apart
def image_size(path: Path) -> Size:
    """The size of the upright image, from the header alone where the format allows it."""
    header = read_header(path)
    if header.size is None:
        return _size_without_header(path, header)
    turned = _orientation(header) >= 5
    return Size(header.size.height, header.size.width) if turned else header.size


@decoded_apart
def thumbnail(path: Path, *, edge_px: int) -> RgbImage:
    """The image shrunk until its longer edge is ``edge_px``; never enlarged."""
    pixels = _reduced(path, edge_px=edge_px)
    scale = edge_px / max(pixels.shape[:2])
    if scale >= 1:
        return pixels
    shape = (max(1, round(pixels.shape[1] * scale)), max(1, round(pixels.shape[0] * scale)))
    return np.asarray(cv2.resize(pixels, shape, interpolation=cv2.INTER_AREA), np.uint8)


def digest(path: Path) -> str:
    """The SHA-256 of the file's bytes, in hexadecimal."""
    with open_media(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _reduced(path: Path, *, edge_px: int) -> RgbImage:
    """The image, decoded by the JPEG library at a fraction of its size if that suffices."""
    if read_header(path).format is not Format.JPEG:
        return read_image(path).pixels
    encoded, header = read_encoded(path, max_pixels=MAX_PIXELS)
    longer = max(header.size.width, header.size.height) if header.size else 0
    flags = next((flag for n, flag in _REDUCTIONS if longer >= n * edge_px), cv2.IMREAD_COLOR)
    bgr = decode(encoded, header, flags | cv2.IMREAD_IGNORE_ORIENTATION, where=path)
    rgb = np.asarray(cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB, dst=bgr), np.uint8)
    return turn_upright(rgb, _orientation(header))


_REDUCTIONS = (
    (8, cv2.IMREAD_REDUCED_COLOR_8),
    (4, cv2.IMREAD_REDUCED_COLOR_4),
    (2, cv2.IMREAD_REDUCED_COLOR_2),
)


def _decode_plain(encoded: bytes, header: Header, path: Path, max_pixels: int) -> Picture:
    del max_pixels  # already checked against the header
    flags = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
    rgb = decode(encoded, header, flags, where=path)
    pixels = turn_upright(rgb, _orientation(header))
    return Picture(pixels, _facts(pixels, header, encoded, exif=header.exif))


def _decode_tiff(encoded: bytes, header: Header, path: Path, max_pixels: int) -> Picture:
    del max_pixels
    rgb = decode_tiff(encoded, is_grey=False, where=path)
    return Picture(rgb, _facts(rgb, header, encoded, exif=encoded))


def _decode_paletted(encoded: bytes, header: Header, path: Path, max_pixels: int) -> Picture:
    del max_pixels
    rgb = decode_by_pillow(encoded, header, mode="RGB", where=path)
    return Picture(rgb, _facts(rgb, header, encoded))


def _decode_jpeg2000(encoded: bytes, header: Header, path: Path, max_pixels: int) -> Picture:
    del max_pixels
    rgb = read_colours(encoded, header, where=path)
    return Picture(rgb, _facts(rgb, header, encoded))


def _decode_avif(encoded: bytes, header: Header, path: Path, max_pixels: int) -> Picture:
    return _rendered(decode_avif(encoded, where=path, max_pixels=max_pixels), header, encoded)


def _decode_heic(encoded: bytes, header: Header, path: Path, max_pixels: int) -> Picture:
    return _rendered(decode_heic(encoded, where=path, max_pixels=max_pixels), header, encoded)


def _decode_raw(encoded: bytes, header: Header, path: Path, max_pixels: int) -> Picture:
    rendered = decode_raw(encoded, where=path, max_pixels=max_pixels)
    # Most RAW files are TIFF files as far as their EXIF fields go.
    exif = encoded if encoded[:2] in (b"II", b"MM") else b""
    return _rendered(replace(rendered, exif=exif), header, encoded)


def _decode_added(encoded: bytes, header: Header, path: Path, max_pixels: int) -> Picture:
    rgb = codecs.decode_colours(encoded, where=path, max_pixels=max_pixels)
    return Picture(rgb, _facts(rgb, header, encoded))


_DECODERS: Mapping[Format, Callable[[bytes, Header, Path, int], Picture]] = {
    Format.PNG: _decode_plain,
    Format.JPEG: _decode_plain,
    Format.TIFF: _decode_tiff,
    Format.WEBP: _decode_plain,
    Format.BMP: _decode_paletted,
    Format.GIF: _decode_paletted,
    Format.JPEG2000: _decode_jpeg2000,
    Format.AVIF: _decode_avif,
    Format.HEIC: _decode_heic,
    Format.RAW: _decode_raw,
    Format.ADDED: _decode_added,
}


def _rendered(rendered: Rendered, header: Header, encoded: bytes) -> Picture:
    described = replace(
        header, orientation=rendered.orientation, bit_depth=rendered.bit_depth, channels=3
    )
    return Picture(rendered.pixels, _facts(rendered.pixels, described, encoded, exif=rendered.exif))


def _facts(upright: RgbImage, header: Header, encoded: bytes, *, exif: bytes = b"") -> ImageFacts:
    size = Size.of(upright)
    orientation = _orientation(header)
    return ImageFacts(
        format=header.format.value,
        size=size,
        stored_size=Size(size.height, size.width) if orientation >= 5 else size,
        orientation=orientation,
        bit_depth=header.bit_depth or 8,
        channels=header.channels or 3,
        byte_count=len(encoded),
        exif=exif_fields(exif),
        jpeg=jpeg_tables(encoded) if header.format is Format.JPEG else None,
    )


def _orientation(header: Header) -> int:
    given = header.orientation
    if given is None:
        return orientation_of(header.exif)
    return given if 1 <= given <= 8 else 1


def _size_without_header(path: Path, header: Header) -> Size:
    if header.format is Format.AVIF:
        return avif_size(read_encoded(path, max_pixels=MAX_PIXELS)[0], where=path)
    if header.format is Format.HEIC:
        return heic_size(read_encoded(path, max_pixels=MAX_PIXELS)[0], where=path)
    if header.format is Format.ADDED:
        return Size.of(read_image(path).pixels)
    if header.format is Format.RAW:
        return raw_size(read_encoded(path, max_pixels=MAX_PIXELS)[0], where=path)
    raise CodecError(
        f"{header.format.value} files are not images",
        where=path,
        hint="check the file name in the table",
        rule="codec.wrong-format",
    )
