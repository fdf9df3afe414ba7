"""Writes images that no library at hand can write: HEIC, camera RAW (DNG), TIFF of any kind."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import RgbImage

_LETTERS = {3: "H", 4: "I"}


def write_heic(path: Path, pixels: RgbImage, *, quarter_turns: int = 0) -> None:
    """An HEIC file around one HEVC picture (ISO/IEC 23008-12); edges must be multiples of 8.

    ``quarter_turns`` counter-clockwise are left to the reader, as telephones do.
    """
    units = _hevc_units(pixels)
    parameters = [unit for unit in units if _kind(unit) in (32, 33, 34)]
    picture = b"".join(struct.pack(">I", len(unit)) + unit for unit in units if _kind(unit) < 32)
    height, width = pixels.shape[:2]
    properties = [
        _full_box(b"ispe", struct.pack(">II", width, height)),
        _box(b"hvcC", _decoder_configuration(parameters)),
        _box(b"irot", bytes([quarter_turns])),
    ]
    # hvcC and irot must be understood to show the picture, which the high bit says.
    used = _full_box(b"ipma", struct.pack(">IHB3B", 1, 1, 3, 1, 0x82, 0x83))
    start = _box(b"ftyp", b"heic" + bytes(4) + b"mif1heic")
    meta = _meta(properties, used, offset=0, length=len(picture))
    offset = len(start) + len(meta) + 8
    meta = _meta(properties, used, offset=offset, length=len(picture))
    path.write_bytes(start + meta + _box(b"mdat", picture))


def _meta(properties: list[bytes], used: bytes, *, offset: int, length: int) -> bytes:
    entry = _full_box(b"infe", struct.pack(">HH4s", 1, 0, b"hvc1") + b"\0", version=2)
    return _full_box(
        b"meta",
        _full_box(b"hdlr", bytes(4) + b"pict" + bytes(13))
        + _full_box(b"pitm", struct.pack(">H", 1))
        + _full_box(b"iinf", struct.pack(">H", 1) + entry)
        + _full_box(b"iloc", struct.pack(">BBHHHHII", 0x44, 0, 1, 1, 0, 1, offset, length))
        + _box(b"iprp", _box(b"ipco", b"".join(properties)) + used),
    )


def _box(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(body), kind) + body


def _full_box(kind: bytes, body: bytes, *, version: int = 0) -> bytes:
    return _box(kind, bytes([version, 0, 0, 0]) + body)


def _hevc_units(pixels: RgbImage) -> list[bytes]:
    """The units of a single intra picture, without start codes."""
    codec = av.CodecContext.create("libx265", "w")
    assert isinstance(codec, av.VideoCodecContext)
    codec.width, codec.height = pixels.shape[1], pixels.shape[0]
    codec.pix_fmt = "yuv420p"
    codec.time_base = Fraction(1, 25)
    codec.options = {"x265-params": "log-level=none:crf=4:pools=none:frame-threads=1"}
    frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
    packets = [*codec.encode(frame), *codec.encode(None)]
    stream = b"".join(bytes(packet) for packet in packets).replace(b"\0\0\0\1", b"\0\0\1")
    return [unit for unit in stream.split(b"\0\0\1") if unit]


def _kind(unit: bytes) -> int:
    return unit[0] >> 1 & 0x3F


def _decoder_configuration(parameters: list[bytes]) -> bytes:
    """The hvcC record (ISO/IEC 14496-15, 8.3.3.1) for 8-bit 4:2:0."""
    profile = next(unit for unit in parameters if _kind(unit) == 33)[3:15]
    head = b"\x01" + profile + b"\xf0\x00\xfc\xfd\xf8\xf8\x00\x00\x0f"
    arrays = b"".join(
        bytes([0x80 | _kind(unit)]) + struct.pack(">HH", 1, len(unit)) + unit for unit in parameters
    )
    return head + bytes([len(parameters)]) + arrays


def write_dng(path: Path, pixels: RgbImage, *, orientation: int = 1) -> None:
    """A DNG file with an uncompressed red-green-green-blue mosaic of 16 bits."""
    height, width = pixels.shape[:2]
    mosaic = np.empty((height, width), dtype="<u2")
    for row, column, channel in ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 2)):
        chosen = pixels[row::2, column::2, channel].astype(np.uint16)
        mosaic[row::2, column::2] = chosen * 257
    strip = mosaic.tobytes()
    identity = [value for i in range(9) for value in (int(i % 4 == 0), 1)]
    fields: list[tuple[int, int, int, bytes]] = [
        (254, 4, 1, struct.pack("<I", 0)),
        (256, 4, 1, struct.pack("<I", width)),
        (257, 4, 1, struct.pack("<I", height)),
        (258, 3, 1, struct.pack("<H", 16)),
        (259, 3, 1, struct.pack("<H", 1)),
        (262, 3, 1, struct.pack("<H", 32803)),
        (271, 2, 8, b"Pinhole\0"),
        (272, 2, 10, b"Pinhole 1\0"),
        (273, 4, 1, b""),
        (274, 3, 1, struct.pack("<H", orientation)),
        (277, 3, 1, struct.pack("<H", 1)),
        (278, 4, 1, struct.pack("<I", height)),
        (279, 4, 1, struct.pack("<I", len(strip))),
        (33421, 3, 2, struct.pack("<HH", 2, 2)),
        (33422, 1, 4, bytes([0, 1, 1, 2])),
        (50706, 1, 4, bytes([1, 4, 0, 0])),
        (50708, 2, 10, b"Pinhole 1\0"),
        (50721, 10, 9, struct.pack("<18i", *identity)),
        (50728, 5, 3, struct.pack("<6I", 1, 1, 1, 1, 1, 1)),
        (50778, 3, 1, struct.pack("<H", 21)),
    ]
    path.write_bytes(_tiff(fields, strip))


def _tiff(fields: list[tuple[int, int, int, bytes]], strip: bytes) -> bytes:
    """A little-endian TIFF file; the empty value is the offset of the strip."""
    after = 8 + 2 + 12 * len(fields) + 4
    overflow = b"".join(value + b"\0" * (len(value) % 2) for *_, value in fields if len(value) > 4)
    strip_offset = struct.pack("<I", after + len(overflow))
    entries, at = b"", after
    for tag, kind, count, value in fields:
        stored = value or strip_offset
        entries += struct.pack("<HHI", tag, kind, count)
        if len(stored) > 4:
            entries += struct.pack("<I", at)
            at += len(stored) + len(stored) % 2
        else:
            entries += stored.ljust(4, b"\0")
    directory = struct.pack("<H", len(fields)) + entries + bytes(4)
    return b"II*\0" + struct.pack("<I", 8) + directory + overflow + strip


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
