"""How long the list of entries of a ZIP file is, before Python reads it into memory."""

from __future__ import annotations

import struct
from typing import BinaryIO

_END, _END_64, _LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_LONGEST_COMMENT = 1 << 16
_END_BYTES, _LOCATOR_BYTES = 22, 20
_IN_64 = 0xFFFFFFFF


def directory_bytes(stream: BinaryIO) -> int:
    """Bytes of the central directory as the file declares them; 0 where it declares none."""
    size = stream.seek(0, 2)
    start = max(0, size - _LONGEST_COMMENT - _END_BYTES - _LOCATOR_BYTES)
    stream.seek(start)
    tail = stream.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_BYTES:
        return 0
    (bytes_,) = struct.unpack_from("<I", tail, at + 12)
    locator = at - _LOCATOR_BYTES
    if locator < 0 or tail[locator : locator + 4] != _LOCATOR_64:
        return int(bytes_)
    (place,) = struct.unpack_from("<Q", tail, locator + 8)
    if place > size:
        return int(bytes_)
    stream.seek(place)
    end = stream.read(56)
    if len(end) < 56 or end[:4] != _END_64:
        return int(bytes_)
    (bytes_64,) = struct.unpack_from("<Q", end, 40)
    return int(bytes_64 if bytes_ == _IN_64 else max(bytes_, bytes_64))
