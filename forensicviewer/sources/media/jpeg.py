"""JPEG files before they are decoded: by which process, and in how many scans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.formats import START_OF_FRAME, jpeg_segments

LOSSLESS = 0xC3
# The processes that OpenCV decodes: baseline, extended and progressive, Huffman and arithmetic.
_ORDINARY = frozenset({0xC0, 0xC1, 0xC2, 0xC9, 0xCA})
_NAMES = {LOSSLESS: "lossless", 0xF7: "JPEG-LS"}
# Each takes a pass over the whole image, however few bytes it has; encoders write about ten.
_MOST_SCANS = 100
_SCAN, _END = 0xDA, 0xD9
# A marker among coded data: neither a stuffed byte, a restart nor fill bytes.
_MARKER = re.compile(rb"\xff([^\x00\xd0-\xd7\xff])")


def process_of(encoded: bytes) -> int:
    """The marker of the frame's header, which says how it is coded."""
    segments = jpeg_segments(BytesIO(encoded))
    return next((marker for marker, _ in segments if marker in START_OF_FRAME), 0)


def unusual_process(encoded: bytes) -> str:
    """What to call a process that OpenCV does not decode; blank for the others."""
    process = process_of(encoded)
    return "" if process in _ORDINARY else _NAMES.get(process, f"process {process & 0x0F}")


def refuse_many_scans(encoded: bytes, *, where: object) -> None:
    for count, _ in enumerate(_scans(encoded), start=1):
        if count > _MOST_SCANS:
            raise CodecError(
                f"The JPEG file has more than {_MOST_SCANS} scans",
                where=where,
                hint="the file is damaged or hostile",
                rule="codec.too-many-scans",
            )


def _scans(encoded: bytes) -> Iterator[int]:
    """Where each scan begins, up to the end of the image; anything may follow that one."""
    stream = BytesIO(encoded)
    at = 0
    for marker, length in jpeg_segments(stream):
        at = stream.tell() + length
        if marker == _SCAN:
            yield at
    while (found := _MARKER.search(encoded, at)) is not None and found[1][0] != _END:
        at = found.end() + int.from_bytes(encoded[found.end() : found.end() + 2], "big")
        if found[1][0] == _SCAN:
            yield at
