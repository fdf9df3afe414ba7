"""Writes TIFF files of kinds no library at hand writes: any depth, sample format, BigTIFF."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LETTERS = {3: "H", 4: "I"}


def tiff(
    strips: bytes | Sequence[bytes],
    *,
    width: int,
    height: int,
    bits: int,
    samples: int = 1,
    photometric: int = 1,
    compression: int = 1,
    sample_format: int = 1,
    order: str = "<",
    big: bool = False,
    fields: Sequence[tuple[int, Sequence[int]]] = (),
) -> bytes:
    """A file of one image; one strip, or with several strips one for each plane."""
    parts = [strips] if isinstance(strips, bytes) else list(strips)
    short, long = 3, 4
    entries: list[tuple[int, int, Sequence[int]]] = [
        (256, long, [width]),
        (257, long, [height]),
        (258, short, [bits] * samples),
        (259, short, [compression]),
        (262, short, [photometric]),
        (277, short, [samples]),
        (278, long, [height]),
        (279, long, [len(part) for part in parts]),
        (284, short, [1 if len(parts) == 1 else 2]),
        (339, short, [sample_format] * samples),
        *((tag, short, values) for tag, values in fields),
        (273, long, [0] * len(parts)),
    ]
    entries.sort()
    head = 16 if big else 8
    after = head + (8 if big else 2) + len(entries) * (20 if big else 12) + (8 if big else 4)
    content = b""
    offsets = []
    for part in parts:
        offsets.append(after + len(content))
        content += part + b"\0" * (len(part) % 2)
    directory = struct.pack(order + ("Q" if big else "H"), len(entries))
    for tag, kind, values in entries:
        given = offsets if tag == 273 else values
        raw = struct.pack(order + _LETTERS[kind] * len(given), *given)
        directory += struct.pack(order + ("HHQ" if big else "HHI"), tag, kind, len(given))
        room = 8 if big else 4
        if len(raw) > room:
            directory += struct.pack(order + ("Q" if big else "I"), after + len(content))
            content += raw + b"\0" * (len(raw) % 2)
        else:
            directory += raw.ljust(room, b"\0")
    mark = b"II" if order == "<" else b"MM"
    start = struct.pack(order + "HHHQ", 43, 8, 0, 16) if big else struct.pack(order + "HI", 42, 8)
    return mark + start + directory + bytes(8 if big else 4) + content


def packed(values: NDArray[Any], bits: int) -> bytes:
    """Rows of samples of any number of bits; each row must fill whole bytes."""
    text = "".join(format(int(value), f"0{bits}b") for value in values.ravel())
    return int(text, 2).to_bytes(len(text) // 8, "big")


def ramp(height: int = 8, width: int = 16) -> NDArray[np.float64]:
    """0 in the first pixel to 1 in the last."""
    return np.linspace(0, 1, width * height).reshape(height, width)
