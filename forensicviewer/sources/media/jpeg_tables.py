"""The quantization tables of a JPEG file, as its markers say."""

from __future__ import annotations

import struct
from io import BytesIO

from forensicviewer.core.lens.lens import JpegTables
from forensicviewer.sources.media.formats import BROKEN, START_OF_FRAME, jpeg_segments

_DEFINE_TABLES = 0xDB


def _zigzag() -> tuple[int, ...]:
    """For each place in the file, its place in rows: diagonals, every other one upwards."""

    def order(place: int) -> tuple[int, int]:
        row, column = divmod(place, 8)
        diagonal = row + column
        return diagonal, row if diagonal % 2 else column

    return tuple(sorted(range(64), key=order))


_ZIGZAG = _zigzag()


def jpeg_tables(encoded: bytes) -> JpegTables | None:
    """The tables in force at the first scan; ``None`` where they are damaged or missing."""
    found: dict[int, tuple[int, ...]] = {}
    used: tuple[int, ...] = ()
    stream = BytesIO(encoded)
    try:
        for marker, length in jpeg_segments(stream):
            if marker == _DEFINE_TABLES:
                found |= _defined(stream.read(length))
            elif marker in START_OF_FRAME:
                used = _used(stream.read(length))
    except BROKEN:
        return None
    numbers = sorted(found)
    if not used or not set(used) <= found.keys():
        return None
    return JpegTables(
        tuple(found[number] for number in numbers),
        tuple(numbers.index(number) for number in used),
    )


def _defined(body: bytes) -> dict[int, tuple[int, ...]]:
    """Table number to steps by rows; ITU-T T.81, B.2.4.1."""
    found, at = {}, 0
    while at < len(body):
        precision, number = divmod(body[at], 16)
        form = ">64H" if precision else ">64B"
        steps = struct.unpack_from(form, body, at + 1)
        by_rows = [0] * 64
        for step, place in zip(steps, _ZIGZAG, strict=True):
            by_rows[place] = step
        if 0 in by_rows:
            raise ValueError("a quantization step of 0")
        found[number] = tuple(by_rows)
        at += 1 + struct.calcsize(form)
    return found


def _used(body: bytes) -> tuple[int, ...]:
    """The table number of each component; ITU-T T.81, B.2.2."""
    return tuple(body[6 + 3 * n + 2] for n in range(body[5]))
