"""What the first directory of a TIFF or BigTIFF file says about its image."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import BinaryIO


class Tag(IntEnum):
    """The fields that decide how the image is decoded."""

    WIDTH = 256
    HEIGHT = 257
    BITS = 258
    COMPRESSION = 259
    PHOTOMETRIC = 262
    ORIENTATION = 274
    SAMPLES = 277
    PLANAR = 284
    TILE_WIDTH = 322
    TILE_HEIGHT = 323
    SAMPLE_FORMAT = 339


class Photometric(IntEnum):
    """What the samples mean, where it matters here."""

    WHITE_IS_ZERO = 0
    BLACK_IS_ZERO = 1
    RGB = 2
    PALETTE = 3
    CMYK = 5
    YCBCR = 6
    CIE_LAB = 8
    ICC_LAB = 9


class SampleFormat(IntEnum):
    """What kind of numbers the samples are."""

    UNSIGNED = 1
    SIGNED = 2
    FLOAT = 3
    UNDEFINED = 4


# Type → (bytes, struct letter) of the types these fields are written in.
_TYPES = {1: (1, "B"), 3: (2, "H"), 4: (4, "I"), 16: (8, "Q")}
_MOST_ENTRIES = 4096
_DEFAULTS = {
    Tag.BITS: 1,
    Tag.COMPRESSION: 1,
    Tag.PHOTOMETRIC: Photometric.BLACK_IS_ZERO,
    Tag.ORIENTATION: 1,
    Tag.SAMPLES: 1,
    Tag.PLANAR: 1,
    Tag.TILE_WIDTH: 0,
    Tag.TILE_HEIGHT: 0,
    Tag.SAMPLE_FORMAT: SampleFormat.UNSIGNED,
}


@dataclass(frozen=True, slots=True)
class TiffTags:
    """The first value of each field."""

    values: Mapping[int, int]

    def __getitem__(self, tag: Tag) -> int:
        found = self.values.get(tag)
        return _DEFAULTS[tag] if found is None else found


def read_tags(stream: BinaryIO) -> TiffTags:
    """Read the first directory; raises ValueError or struct.error where it is broken."""
    stream.seek(0)
    start = stream.read(16)
    order = "<" if start[:2] == b"II" else ">"
    big = struct.unpack(order + "H", start[2:4])[0] == 43
    offset_letter = "Q" if big else "I"
    (offset,) = struct.unpack(order + offset_letter, start[8:16] if big else start[4:8])
    stream.seek(offset)
    count_letter = "Q" if big else "H"
    size = struct.calcsize(order + count_letter)
    (count,) = struct.unpack(order + count_letter, stream.read(size))
    values: dict[int, int] = {}
    for _ in range(min(count, _MOST_ENTRIES)):
        entry = stream.read(20 if big else 12)
        tag, kind = struct.unpack(order + "HH", entry[:4])
        if tag in iter(Tag) and kind in _TYPES and tag not in values:
            values[tag] = _first_value(stream, entry, order, *_TYPES[kind])
    if Tag.WIDTH not in values or Tag.HEIGHT not in values:
        raise ValueError("no size")
    return TiffTags(values)


def _first_value(stream: BinaryIO, entry: bytes, order: str, bytes_: int, letter: str) -> int:
    """The first value of a directory entry, which stands in the entry or where it points to."""
    big = len(entry) == 20
    count: int = struct.unpack(order + ("Q" if big else "I"), entry[4 : 12 if big else 8])[0]
    field = entry[12:] if big else entry[8:]
    if count * bytes_ > len(field):
        here = stream.tell()
        stream.seek(struct.unpack(order + ("Q" if big else "I"), field)[0])
        field = stream.read(bytes_)
        stream.seek(here)
    value: int = struct.unpack(order + letter, field[:bytes_])[0]
    return value
