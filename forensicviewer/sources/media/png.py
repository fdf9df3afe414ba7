"""PNG files before they are decoded: whether every chunk is there, and which are worth decoding."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import cv2

from forensicviewer.core.array import RgbImage, U8Image
from forensicviewer.sources.media.headers import truncated

_START = 8  # bytes before the first chunk
_AROUND = 12  # bytes of a chunk around its content
# Texts and colour profiles are unpacked by decoders, each to megabytes, and change no pixel.
_WANTED = frozenset({b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"eXIf", b"IEND"})


def pixels_only(encoded: bytes, *, where: object) -> bytes:
    """The file without chunks that change no pixel; raises where a chunk is cut off."""
    chunks = list(_chunks(encoded, where))
    if all(kind in _WANTED for kind, _, _ in chunks):
        return encoded
    kept = (encoded[start:end] for kind, start, end in chunks if kind in _WANTED)
    return encoded[:_START] + b"".join(kept)


def _chunks(encoded: bytes, where: object) -> Iterator[tuple[bytes, int, int]]:
    """(kind, start, end) of every chunk up to the last; anything may follow that one."""
    at = _START
    while True:
        head = encoded[at : at + 8]
        if len(head) < 8:
            raise truncated(where)
        length, kind = struct.unpack(">I4s", head)
        end = at + _AROUND + length
        if end > len(encoded):
            raise truncated(where)
        yield kind, at, end
        if kind == b"IEND":
            return
        at = end


def encode_png(pixels: U8Image | RgbImage) -> bytes:
    """Grey levels or colours as a PNG file, exactly."""
    is_grey = pixels.ndim == 2
    _, encoded = cv2.imencode(
        ".png", pixels if is_grey else cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)
    )
    return encoded.tobytes()
