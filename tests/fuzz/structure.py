"""Where the parts and the numbers of a file lie, so that they can be changed one by one."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple


class Number(NamedTuple):
    """An integer in a file: a size, a count, an offset, a kind."""

    offset: int
    size: int
    order: str = ">"


@dataclass
class Structure:
    """``parts`` are pieces that can be left out or repeated; ``numbers`` what they declare."""

    parts: list[tuple[int, int]] = field(default_factory=list)
    numbers: list[Number] = field(default_factory=list)

    def add_part(self, start: int, stop: int) -> None:
        if stop > start:
            self.parts.append((start, stop))

    def add_body(self, start: int, stop: int, order: str, *, most: int = 48) -> None:
        """Declare the first bytes of a part as numbers of every size."""
        for offset in range(start, min(stop, start + most)):
            self.numbers.append(Number(offset, 1, order))
            if (offset - start) % 2 == 0 and offset + 2 <= stop:
                self.numbers.append(Number(offset, 2, order))
            if (offset - start) % 4 == 0 and offset + 4 <= stop:
                self.numbers.append(Number(offset, 4, order))


_MOST_PARTS = 400
_Parser = Callable[[bytes, Structure], None]


@lru_cache(maxsize=256)  # every seed is looked at for very many inputs
def structure_of(content: bytes, kind: str) -> Structure:
    """What can be found in a file of this kind; broken files have less of it."""
    found = Structure()
    # What was found before the damage can be changed.
    with suppress(struct.error, IndexError, ValueError):
        _PARSERS.get(kind, _any)(content, found)
    if not found.numbers:
        _any(content, found)
    return found


def repair(content: bytes, kind: str) -> bytes:
    """Make checksums right again, so that a change reaches what lies behind them."""
    mend = _REPAIRS.get(kind)
    return content if mend is None else mend(content)


def _any(content: bytes, found: Structure) -> None:
    found.add_body(0, len(content), "<", most=160)
    step = max(16, len(content) // 40)
    for start in range(0, len(content), step):
        found.add_part(start, min(start + step, len(content)))


def _chunks_of_png(content: bytes) -> Iterator[tuple[int, int]]:
    at = 8
    for _ in range(_MOST_PARTS):
        if at + 12 > len(content):
            return
        (length,) = struct.unpack_from(">I", content, at)
        stop = at + 12 + length
        if stop > len(content):
            return
        yield at, stop
        at = stop


def _png(content: bytes, found: Structure) -> None:
    for start, stop in _chunks_of_png(content):
        found.add_part(start, stop)
        found.numbers.append(Number(start, 4))
        found.add_body(start + 8, stop - 4, ">", most=26)


def _repair_png(content: bytes) -> bytes:
    mended = bytearray(content)
    for start, stop in _chunks_of_png(content):
        struct.pack_into(">I", mended, stop - 4, zlib.crc32(content[start + 4 : stop - 4]))
    return bytes(mended)


def _segments(content: bytes, found: Structure, at: int) -> None:
    """Markers with lengths, as JPEG and JPEG 2000 codestreams have them."""
    for _ in range(_MOST_PARTS):
        if at + 4 > len(content) or content[at] != 0xFF:
            return
        (length,) = struct.unpack_from(">H", content, at + 2)
        stop = min(at + 2 + length, len(content))
        found.add_part(at, stop)
        found.numbers += [Number(at + 1, 1), Number(at + 2, 2)]
        found.add_body(at + 4, stop, ">")
        if content[at + 1] in (0xDA, 0x93):
            return
        at = stop


def _jpeg(content: bytes, found: Structure) -> None:
    _segments(content, found, 2)


_CONTAINERS = {
    *(b"moov", b"trak", b"mdia", b"minf", b"stbl", b"dinf", b"edts", b"udta", b"moof", b"traf"),
    *(b"jp2h", b"res ", b"uinf", b"iprp", b"ipco", b"meta", b"mvex"),
}


def _boxes(content: bytes, found: Structure, at: int = 0, stop: int | None = None) -> None:
    """Boxes of ISO files (MP4, HEIC, AVIF, JPEG 2000), those within others too."""
    stop = len(content) if stop is None else stop
    while at + 8 <= stop and len(found.parts) < _MOST_PARTS:
        length, kind = struct.unpack_from(">I4s", content, at)
        end = at + length if length >= 8 else stop
        end = min(end, stop)
        found.add_part(at, end)
        found.numbers.append(Number(at, 4))
        found.add_body(at + 8, end, ">", most=64)
        if kind in _CONTAINERS:
            _boxes(content, found, at + (12 if kind == b"meta" else 8), end)
        if kind == b"jp2c":
            _segments(content, found, at + 10)
        at = end


def _jp2(content: bytes, found: Structure) -> None:
    if content[:2] == b"\xff\x4f":
        _segments(content, found, 2)
    else:
        _boxes(content, found)


def _tiff(content: bytes, found: Structure) -> None:
    order = "<" if content[:2] == b"II" else ">"
    is_big = struct.unpack_from(order + "H", content, 2)[0] == 43
    head, count_size, entry = (16, 8, 20) if is_big else (8, 2, 12)
    found.add_body(2, head, order)
    offset_size = 8 if is_big else 4
    (at,) = struct.unpack_from(order + ("Q" if is_big else "I"), content, head - offset_size)
    for _ in range(8):
        if not at or at + count_size > len(content):
            return
        (count,) = struct.unpack_from(order + ("Q" if is_big else "H"), content, at)
        found.numbers.append(Number(at, count_size, order))
        at += count_size
        for _ in range(min(count, 60)):
            found.add_part(at, at + entry)
            found.numbers += [Number(at, 2, order), Number(at + 2, 2, order)]
            found.numbers += [Number(at + 4, offset_size, order)] * 2
            found.numbers += [Number(at + 4 + offset_size, offset_size, order)] * 4
            at += entry
        found.numbers.append(Number(at, offset_size, order))
        (at,) = struct.unpack_from(order + ("Q" if is_big else "I"), content, at)


def _riff(content: bytes, found: Structure, at: int = 0, stop: int | None = None) -> None:
    stop = len(content) if stop is None else stop
    while at + 8 <= stop and len(found.parts) < _MOST_PARTS:
        kind, length = struct.unpack_from("<4sI", content, at)
        end = min(at + 8 + length + length % 2, stop)
        found.add_part(at, end)
        found.numbers.append(Number(at + 4, 4, "<"))
        if kind in (b"RIFF", b"LIST"):
            _riff(content, found, at + 12, end)
        else:
            found.add_body(at + 8, end, "<", most=60)
        at = max(end, at + 8)


def _ebml(content: bytes, found: Structure, at: int = 0, stop: int | None = None) -> None:
    """Elements of Matroska; those that hold others are entered."""
    stop = len(content) if stop is None else stop
    while at + 2 <= stop and len(found.parts) < _MOST_PARTS:
        id_size = 9 - content[at].bit_length()
        if id_size > 4:
            return
        length_at = at + id_size
        length_size = 9 - content[length_at].bit_length()
        if length_size > 8:
            return
        raw = int.from_bytes(content[length_at : length_at + length_size], "big")
        length = raw & ((1 << (7 * length_size)) - 1)
        body = length_at + length_size
        end = min(body + length, stop)
        found.add_part(at, end)
        found.numbers += [Number(at, 1), Number(length_at, length_size)]
        if content[at:length_at] in _EBML_MASTERS:
            _ebml(content, found, body, end)
        else:
            found.add_body(body, end, ">", most=12)
        at = max(end, at + 1)


_EBML_MASTERS = {
    bytes.fromhex(name)
    for name in ("1A45DFA3", "18538067", "1549A966", "1654AE6B", "AE", "E0", "1F43B675", "A0")
} | {bytes.fromhex(name) for name in ("1C53BB6B", "BB", "B7", "114D9B74", "4DBB", "E1")}


def _zip(content: bytes, found: Structure) -> None:
    marks = [match.start() for match in re.finditer(rb"PK[\x01\x03\x05\x06\x07]", content)]
    for start, stop in zip(marks[:_MOST_PARTS], [*marks[1:], len(content)], strict=False):
        found.add_part(start, stop)
        found.add_body(start + 4, min(stop, start + 50), "<", most=46)


def _tar(content: bytes, found: Structure) -> None:
    for start in range(0, min(len(content), 512 * _MOST_PARTS), 512):
        found.add_part(start, min(start + 512, len(content)))
    for offset in (0, 100, 108, 116, 124, 128, 135, 136, 148, 156, 157, 257, 329, 337, 345):
        for start in range(0, min(len(content), 512 * 12), 512):
            found.numbers.append(Number(start + offset, 1))


def _repair_tar(content: bytes) -> bytes:
    mended = bytearray(content)
    for at in range(0, len(content) - 511, 512):
        if content[at + 257 : at + 262] == b"ustar":
            mended[at + 148 : at + 156] = b" " * 8
            mended[at + 148 : at + 156] = b"%06o\0 " % sum(mended[at : at + 512])
    return bytes(mended)


def _hdf5(content: bytes, found: Structure) -> None:
    """Signatures mark parts; every aligned value below the file's size may be a place in it."""
    marks = [match.start() for match in re.finditer(rb"TREE|HEAP|SNOD|GCOL|OHDR|FRHP", content)]
    for start, stop in zip(marks, [*marks[1:], len(content)], strict=False):
        found.add_part(start, min(stop, start + 600))
    for offset in range(0, min(len(content), 8000) - 8, 8):
        (value,) = struct.unpack_from("<Q", content, offset)
        if 0 < value <= 4 * len(content):
            found.numbers.append(Number(offset, 8, "<"))
    found.add_body(8, min(len(content), 96), "<", most=88)
    for start in (*marks[:20], *range(96, min(len(content), 4000), 232)):
        found.add_body(start, min(len(content), start + 40), "<", most=40)


_PARSERS: dict[str, _Parser] = {
    "png": _png,
    "jpeg": _jpeg,
    "jp2": _jp2,
    "tiff": _tiff,
    "raw": _tiff,
    "webp": _riff,
    "heic": _boxes,
    "avif": _boxes,
    "npz": _zip,
    "zip": _zip,
    "tar": _tar,
    "hdf5": _hdf5,
    "mp4": _boxes,
    "mov": _boxes,
    "avi": _riff,
    "mkv": _ebml,
    "webm": _ebml,
}
_REPAIRS: dict[str, Callable[[bytes], bytes]] = {"png": _repair_png, "tar": _repair_tar}
