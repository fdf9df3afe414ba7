"""What the first bytes of a media file say: its format, and what that format's header declares."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from io import SEEK_CUR, BytesIO
from typing import BinaryIO

from forensicviewer.core.array import Size
from forensicviewer.sources.media.tiff_tags import Tag, read_tags

# Chunks, segments or boxes looked at before a header is given up; hostile files have millions.
_MAX_PARTS = 4000
_MOST_STRAY_BYTES = 1 << 16
_FILL_BYTES = 1 << 16
# What reading a header raises where bytes are missing or send it to places that do not exist.
BROKEN = (struct.error, IndexError, ValueError, OverflowError, OSError)


class Format(Enum):
    """The file formats that are recognised by their first bytes."""

    PNG = "PNG"
    JPEG = "JPEG"
    TIFF = "TIFF"
    BMP = "BMP"
    GIF = "GIF"
    WEBP = "WebP"
    JPEG2000 = "JPEG 2000"
    HEIC = "HEIC"
    AVIF = "AVIF"
    RAW = "camera RAW"
    NPZ = "NPZ"
    HDF5 = "HDF5"
    ADDED = "plug-in"  # what a codec of another package recognises


@dataclass(frozen=True, slots=True)
class Header:
    """What is declared: ``size`` as stored (before any EXIF rotation), samples, bits a sample."""

    format: Format
    size: Size | None = None
    channels: int | None = None
    bit_depth: int | None = None
    exif: bytes = b""
    orientation: int | None = None  # where the header gives it outside an EXIF block (TIFF)


def parse(stream: BinaryIO, format_: Format) -> Header:
    """The header of a file of this format; raises one of :data:`BROKEN`.

    A format that only its own library understands has a header that declares nothing.
    """
    parser = _PARSERS.get(format_)
    stream.seek(0)
    return Header(format_) if parser is None else parser(stream)


def is_whole(encoded: bytes, format_: Format) -> bool:
    """Whether a file has its end; always true where the format's decoder notices by itself."""
    return _END_TESTS.get(format_, bool)(encoded)


def least_bytes(encoded: bytes, header: Header) -> int:
    """What a file of this size must have at least; decoders make up what is missing, in grey."""
    if header.format is not Format.JPEG or header.size is None:
        return 0
    for marker, _ in jpeg_segments(BytesIO(encoded)):
        if marker in START_OF_FRAME:
            # Huffman codes spend a bit on every block of 8 by 8 pixels, arithmetic ones may not.
            is_huffman = marker in _HUFFMAN_FRAMES
            return header.size.width * header.size.height // 512 if is_huffman else 0
    return 0


@lru_cache(maxsize=8)  # every built-in codec asks the same of one file
def sniff(start: bytes) -> Format | None:
    """The format that a file beginning with ``start`` (at least 12 bytes) has."""
    for magic, format_ in _MAGICS:
        if start.startswith(magic):
            return format_
    if start[:4] == b"RIFF" and start[8:12] == b"WEBP":
        return Format.WEBP
    return _format_of_brands(start) if start[4:8] == b"ftyp" else None


def _format_of_brands(start: bytes) -> Format | None:
    """HEIC and AVIF files are the same container; their brands tell what is inside."""
    length = min(int.from_bytes(start[:4], "big"), len(start))
    brands = {start[8:12], *(start[at : at + 4] for at in range(16, length, 4))}
    if start[8:12] not in _HEIF_BRANDS | _AVIF_BRANDS:
        return None  # a video, whatever else it is compatible with
    return Format.AVIF if brands & _AVIF_BRANDS else Format.HEIC


_MAGICS: tuple[tuple[bytes, Format], ...] = (
    (b"\x89PNG\r\n\x1a\n", Format.PNG),
    (b"\xff\xd8\xff", Format.JPEG),
    (b"II*\x00", Format.TIFF),
    (b"MM\x00*", Format.TIFF),
    (b"II+\x00", Format.TIFF),
    (b"MM\x00+", Format.TIFF),
    (b"BM", Format.BMP),
    (b"GIF87a", Format.GIF),
    (b"GIF89a", Format.GIF),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", Format.JPEG2000),
    (b"\xff\x4f\xff\x51", Format.JPEG2000),
    (b"FUJIFILMCCD-RAW", Format.RAW),
    (b"PK\x03\x04", Format.NPZ),
    (b"\x89HDF\r\n\x1a\n", Format.HDF5),
)
_HEIF_BRANDS = frozenset({b"heic", b"heix", b"hevc", b"heim", b"heis", b"mif1", b"msf1"})
_AVIF_BRANDS = frozenset({b"avif", b"avis"})


def _unpack(stream: BinaryIO, layout: str) -> tuple[int, ...]:
    values: tuple[int, ...] = struct.unpack(layout, stream.read(struct.calcsize(layout)))
    return values


def _parse_png(stream: BinaryIO) -> Header:
    stream.seek(16)
    width, height, depth, colour = _unpack(stream, ">IIBB")
    # A palette decodes to three channels, so it counts as three.
    channels = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}.get(colour)
    return Header(Format.PNG, Size(width, height), channels, depth, _png_exif(stream))


def _png_exif(stream: BinaryIO) -> bytes:
    """The eXIf chunk; looked for before and after the pixels, chunk headers only."""
    stream.seek(8)
    for _ in range(_MAX_PARTS):
        head = stream.read(8)
        if len(head) < 8:
            break
        length, kind = struct.unpack(">I4s", head)
        if kind == b"eXIf":
            return stream.read(min(length, 1 << 20))
        if kind == b"IEND":
            break
        stream.seek(length + 4, 1)
    return b""


# The last is that of JPEG-LS, which begins in the same way.
START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC} | {0xF7}
_HUFFMAN_FRAMES = frozenset({0xC0, 0xC1, 0xC2, 0xC3})


def _parse_jpeg(stream: BinaryIO) -> Header:
    exif = b""
    for marker, length in jpeg_segments(stream):
        if marker in START_OF_FRAME:
            depth, height, width, channels = _unpack(stream, ">BHHB")
            return Header(Format.JPEG, Size(width, height), channels, depth, exif)
        if marker == 0xE1 and not exif:
            body = stream.read(length)
            exif = body[6:] if body.startswith(b"Exif\x00\x00") else b""
    raise ValueError("no start of frame")


def jpeg_segments(stream: BinaryIO) -> Iterator[tuple[int, int]]:
    """(marker, length of its body) of each segment up to the first scan, inclusive.

    The stream stands at the body when a segment is handed out.
    """
    stream.seek(2)
    for _ in range(_MAX_PARTS):
        marker = _next_marker(stream)
        if marker == 0x01 or 0xD0 <= marker <= 0xD7:
            continue
        (length,) = _unpack(stream, ">H")
        if length < 2:
            raise ValueError("a segment shorter than its own length")
        body = stream.tell()
        yield marker, length - 2
        if marker in (0xDA, 0xD9):
            return
        stream.seek(body + length - 2)
    raise ValueError("more segments than an image has")


def _next_marker(stream: BinaryIO) -> int:
    """The next marker; bytes that belong to no segment are passed over, as decoders do."""
    passed = 0
    while passed < _MOST_STRAY_BYTES:
        (byte,) = _unpack(stream, ">B")
        while byte == 0xFF:  # fill bytes may come before the marker
            (byte,) = _unpack(stream, ">B")
            if byte not in (0x00, 0xFF):
                return byte
            if byte == 0xFF:
                _pass_fill_bytes(stream)
        passed += 1
    raise ValueError("no marker where one must be")


def _pass_fill_bytes(stream: BinaryIO) -> None:
    """Pass over all fill bytes at once: a file may have millions of them."""
    while part := stream.read(_FILL_BYTES):
        if rest := part.lstrip(b"\xff"):
            stream.seek(-len(rest), SEEK_CUR)
            return
    raise ValueError("nothing but fill bytes")


def _parse_tiff(stream: BinaryIO) -> Header:
    """The first directory of a TIFF or BigTIFF file."""
    tags = read_tags(stream)
    return Header(
        Format.TIFF,
        Size(tags[Tag.WIDTH], tags[Tag.HEIGHT]),
        tags[Tag.SAMPLES],
        tags[Tag.BITS],
        orientation=tags[Tag.ORIENTATION],
    )


def _parse_bmp(stream: BinaryIO) -> Header:
    stream.seek(14)
    (length,) = _unpack(stream, "<I")
    if length == 12:
        width, height, _, bits = _unpack(stream, "<HHHH")
    else:
        width, height, _, bits = _unpack(stream, "<iiHH")
    size = Size(abs(width), abs(height))
    return Header(Format.BMP, size, 1 if bits <= 8 else bits // 8, min(bits, 8))


def _parse_gif(stream: BinaryIO) -> Header:
    stream.seek(6)
    width, height = _unpack(stream, "<HH")
    return Header(Format.GIF, Size(width, height), 1, 8)


def _parse_webp(stream: BinaryIO) -> Header:
    stream.seek(12)
    kind = stream.read(4)
    stream.seek(20)
    if kind == b"VP8X":
        flags, width, width_high, height, height_high = _unpack(stream, "<I HB HB")
        size = Size(1 + width + (width_high << 16), 1 + height + (height_high << 16))
        return Header(Format.WEBP, size, 4 if flags & 16 else 3, 8, _webp_exif(stream))
    if kind == b"VP8L":
        _, bits = _unpack(stream, "<BI")
        return Header(Format.WEBP, Size(1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)), 4, 8)
    stream.seek(26)
    width, height = _unpack(stream, "<HH")
    return Header(Format.WEBP, Size(width & 0x3FFF, height & 0x3FFF), 3, 8)


def _webp_exif(stream: BinaryIO) -> bytes:
    stream.seek(12)
    for _ in range(_MAX_PARTS):
        head = stream.read(8)
        if len(head) < 8:
            break
        kind, length = struct.unpack("<4sI", head)
        if kind == b"EXIF":
            body = stream.read(min(length, 1 << 20))
            return body.removeprefix(b"Exif\x00\x00")
        stream.seek(length + (length & 1), 1)
    return b""


@dataclass(frozen=True, slots=True)
class Component:
    """One component of a JPEG 2000 image; every ``dx`` columns and ``dy`` rows have a sample."""

    depth: int
    is_signed: bool
    dx: int
    dy: int


def _parse_jpeg2000(stream: BinaryIO) -> Header:
    size, components = jpeg2000_components(stream)
    depth = max((component.depth for component in components), default=None)
    return Header(Format.JPEG2000, size, len(components), depth)


def jpeg2000_components(stream: BinaryIO) -> tuple[Size, tuple[Component, ...]]:
    """Size and components of the codestream itself; the boxes around it may say anything."""
    stream.seek(jpeg2000_codestream(stream))
    if stream.read(4) != b"\xff\x4f\xff\x51":
        raise ValueError("no codestream")
    _, _, x_end, y_end, x_start, y_start = _unpack(stream, ">HHIIII")
    stream.seek(16, 1)
    (count,) = _unpack(stream, ">H")
    described = (_unpack(stream, ">BBB") for _ in range(count))
    components = tuple(
        Component(1 + (depth & 0x7F), bool(depth & 0x80), dx, dy) for depth, dx, dy in described
    )
    return Size(max(0, x_end - x_start), max(0, y_end - y_start)), components


def jpeg2000_codestream(stream: BinaryIO) -> int:
    """Where the codestream begins: at once, or inside the ``jp2c`` box."""
    stream.seek(0)
    if stream.read(2) == b"\xff\x4f":
        return 0
    for kind, at, _ in jpeg2000_boxes(stream):
        if kind == b"jp2c":
            return at
    raise ValueError("no codestream box")


def jpeg2000_boxes(stream: BinaryIO) -> Iterator[tuple[bytes, int, int]]:
    """(kind, place and length of the content) of each box up to the codestream.

    Of boxes that hold others, the others follow.
    """
    at = 0
    for _ in range(_MAX_PARTS):
        stream.seek(at)
        start = stream.read(8)
        if len(start) < 8:
            return
        length, kind = struct.unpack(">I4s", start)
        head = 8
        if length == 1:
            (length,), head = _unpack(stream, ">Q"), 16
        if kind != b"jp2c" and length < head:
            return
        yield kind, at + head, length - head
        if kind == b"jp2c":
            return
        at += head if kind == b"jp2h" else length


_PARSERS: Mapping[Format, Callable[[BinaryIO], Header]] = {
    Format.PNG: _parse_png,
    Format.JPEG: _parse_jpeg,
    Format.TIFF: _parse_tiff,
    Format.BMP: _parse_bmp,
    Format.GIF: _parse_gif,
    Format.WEBP: _parse_webp,
    Format.JPEG2000: _parse_jpeg2000,
}


def _has_jpeg_end(encoded: bytes) -> bool:
    stream = BytesIO(encoded)
    for _ in jpeg_segments(stream):
        pass
    # Not simply anywhere: the thumbnail inside the EXIF block has an end of its own.
    return encoded.find(b"\xff\xd9", stream.tell()) > 0


def _has_jpeg2000_end(encoded: bytes) -> bool:
    start = jpeg2000_codestream(BytesIO(encoded))
    return encoded.rfind(b"\xff\xd9", start) > 0 and _has_all_tiles(encoded, start)


def _has_all_tiles(encoded: bytes, start: int) -> bool:
    """Whether every tile of a codestream has data; true where that cannot be told."""
    edges = struct.unpack_from(">8I", encoded, start + 8)
    (width, height), (left, top) = edges[:2], edges[6:]
    across, down = edges[4:6]
    if not across or not down:
        return True
    declared = -(-(width - left) // across) * -(-(height - top) // down)
    at = encoded.find(b"\xff\x90\x00\x0a", start)
    found = set()
    while at >= 0 and encoded[at : at + 4] == b"\xff\x90\x00\x0a":
        tile, length = struct.unpack_from(">HI", encoded, at + 4)
        found.add(tile)
        at = at + length if length else -1
    return encoded[at : at + 2] != b"\xff\xd9" or len(found) >= declared


_END_TESTS: Mapping[Format, Callable[[bytes], bool]] = {
    Format.JPEG: _has_jpeg_end,
    Format.JPEG2000: _has_jpeg2000_end,
}
