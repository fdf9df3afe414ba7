"""Files that take gigabytes or minutes to decode are refused by their first bytes."""

from __future__ import annotations

import io
import struct
import time
import zipfile
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.images import read_image
from forensicviewer.sources.media.masks import Polarity, read_bit_planes, read_system_mask
from forensicviewer.sources.media.npz import read_score_map
from tests.mediafiles import tiff

GREY = np.full((16, 16), 77, np.uint8)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def a_png() -> bytes:
    return cv2.imencode(".png", GREY)[1].tobytes()


def an_npy(header: bytes, content: bytes = b"", *, version: int = 1) -> bytes:
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + content


def an_npz(path: Path, member: bytes, name: str = "mask.npy") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, member)
    return path


def refused(path: Path) -> CodecError:
    started_s = time.monotonic()
    with pytest.raises(CodecError) as caught:
        read_system_mask(path, manipulated_is=Polarity.WHITE)
    assert time.monotonic() - started_s < 10
    return caught.value


def test_a_png_chunk_longer_than_the_file_is_refused(tmp_path: Path) -> None:
    content = a_png()
    at = content.index(b"IDAT") - 4
    (tmp_path / "m.png").write_bytes(
        content[:at] + struct.pack(">I", 0xFFFF0000) + content[at + 4 :]
    )

    assert refused(tmp_path / "m.png").rule == "codec.truncated"


def test_texts_of_a_png_are_never_unpacked(tmp_path: Path) -> None:
    content = a_png()
    at = content.index(b"IDAT") - 4
    bomb = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(4_000_000), 9))
    (tmp_path / "m.png").write_bytes(content[:at] + bomb * 1000 + content[at:])

    started_s = time.monotonic()
    scores = read_system_mask(tmp_path / "m.png", manipulated_is=Polarity.WHITE)

    assert time.monotonic() - started_s < 5
    assert (scores == 77).all()


def test_transparency_and_palette_of_a_png_stay(tmp_path: Path) -> None:
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 1, 8, 3, 0, 0, 0))
    palette = chunk(b"PLTE", bytes([10, 20, 30, 200, 100, 50]))
    pixels = chunk(b"IDAT", zlib.compress(bytes([0, 0, 1, 1, 0])))
    end = chunk(b"IEND", b"")
    text = chunk(b"tEXt", b"Title\0x")
    signature = b"\x89PNG\r\n\x1a\n"
    transparent = chunk(b"tRNS", b"\x00\x80")
    (tmp_path / "p.png").write_bytes(
        signature + header + text + palette + transparent + pixels + text + end
    )

    pixels_shown = read_image(tmp_path / "p.png").pixels

    assert pixels_shown[0].tolist() == [[10, 20, 30], [200, 100, 50], [200, 100, 50], [10, 20, 30]]


def test_a_jpeg_2000_needs_four_bytes_a_sample(tmp_path: Path) -> None:
    """So many pixels of one byte would fit; OpenJPEG takes four more for each."""
    import imagecodecs

    code = bytearray(imagecodecs.jpeg2k_encode(GREY, level=0, reversible=True, codecformat="j2k"))
    for at in (8, 12, 24, 28):
        code[at : at + 4] = struct.pack(">I", 22_000)
    path = tmp_path / "m.jp2"
    path.write_bytes(code)

    assert refused(path).rule == "codec.too-much-memory"
    with pytest.raises(CodecError, match="raise “Memory for decoding a file”"):
        read_bit_planes(path)


HEADERS = {
    "a header of gigabytes": an_npy(b"", version=2)[:8]
    + struct.pack("<I", 3_500_000_000)
    + b" " * 99,
    "code that does not compile": an_npy(b"  x\n y\n"),
    "brackets without end": an_npy(b"{{{{((((\n          "),
    "a deep expression": an_npy(b"-" * 9000 + b"1"),
    "a shape of a thousand edges": an_npy(
        b"{'descr': '|u1', 'fortran_order': False, 'shape': (" + b"1, " * 1000 + b"), }"
    ),
    "code in the shape": an_npy(
        b"{'descr': '|u1', 'fortran_order': False, 'shape': (__import__('os'), 1), }"
    ),
}


@pytest.mark.parametrize("name", HEADERS)
def test_an_npz_header_is_never_run_as_code(name: str, tmp_path: Path) -> None:
    error = refused(an_npz(tmp_path / "m.npz", HEADERS[name]))

    assert error.rule == "codec.unreadable"
    assert "damaged header" in error.message


def test_an_npz_array_of_huge_items_is_refused(tmp_path: Path) -> None:
    header = b"{'descr': '|V2000000000', 'fortran_order': False, 'shape': (1, 1), }\n"

    assert refused(an_npz(tmp_path / "m.npz", an_npy(header))).rule == "codec.too-much-memory"


def test_an_encrypted_npz_is_called_encrypted(tmp_path: Path) -> None:
    stream = io.BytesIO()
    np.save(stream, GREY)
    path = an_npz(tmp_path / "m.npz", stream.getvalue())
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    content[6] |= 1
    path.write_bytes(content)

    assert refused(path).rule == "codec.encrypted"


def test_an_npz_that_lists_too_many_arrays_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as archive:
        for number in range(20_000):
            archive.writestr(f"{number}.npy", b"")

    assert refused(tmp_path / "m.npz").rule == "codec.too-many-bytes"


def test_arrays_of_other_kinds_do_not_hide_the_mask(tmp_path: Path) -> None:
    records = np.zeros(3, [("name", "S4"), ("score", "f4")])
    np.savez(tmp_path / "m.npz", mask=GREY, records=records, word=np.array("text"))

    np.testing.assert_array_equal(read_score_map(tmp_path / "m.npz"), GREY)


def test_a_tiff_of_one_huge_tile_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.tif"
    path.write_bytes(
        tiff(
            GREY.tobytes(),
            width=16,
            height=16,
            bits=8,
            fields=[(322, [65_520]), (323, [65_520])],
        )
    )

    assert refused(path).rule == "codec.too-much-memory"


def test_a_bmp_of_negative_width_is_damaged(tmp_path: Path) -> None:
    content = bytearray(cv2.imencode(".bmp", GREY)[1].tobytes())
    content[18:22] = struct.pack("<i", -208)
    (tmp_path / "m.bmp").write_bytes(content)

    assert refused(tmp_path / "m.bmp").rule == "codec.unreadable"
