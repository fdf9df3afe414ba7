"""Headers of real and hand-made files: size, depth and channels without decoding."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from forensicviewer.core.array import Size
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media import headers
from forensicviewer.sources.media.formats import Format, Header
from forensicviewer.sources.media.headers import parse_header, read_encoded, read_header
from forensicviewer.sources.media.masks import write_bit_planes

PIXELS = np.random.default_rng(2).integers(0, 256, (21, 34, 3), dtype=np.uint8)
SIZE = Size(34, 21)


def header_of(content: bytes) -> Header:
    return parse_header(io.BytesIO(content), where="made by hand")


@pytest.mark.parametrize(
    ("mode", "channels", "depth"), [("RGB", 3, 8), ("L", 1, 8), ("1", 1, 1), ("LA", 2, 8)]
)
def test_png_headers_say_what_pillow_wrote(
    tmp_path: Path, mode: str, channels: int, depth: int
) -> None:
    Image.fromarray(PIXELS).convert(mode).save(tmp_path / "p.png")

    header = read_header(tmp_path / "p.png")

    assert header == Header(Format.PNG, SIZE, channels, depth)


@pytest.mark.parametrize(
    "options",
    [{}, {"lossless": True}, {"lossless": True, "exif": Image.Exif().tobytes()}],
    ids=["lossy", "lossless", "extended"],
)
def test_the_three_kinds_of_webp_say_their_size(options: dict[str, object]) -> None:
    stream = io.BytesIO()
    Image.fromarray(PIXELS).save(stream, format="WEBP", **options)

    assert header_of(stream.getvalue()).size == SIZE


def test_a_webp_with_alpha_says_so() -> None:
    stream = io.BytesIO()
    rgba = np.dstack((PIXELS, PIXELS[:, :, :1]))
    Image.fromarray(rgba).save(stream, format="WEBP", exif=Image.Exif().tobytes())

    assert header_of(stream.getvalue()).channels == 4


@pytest.mark.parametrize("mode", ["RGB", "L", "1"])
def test_bmp_headers_of_any_depth_say_their_size(tmp_path: Path, mode: str) -> None:
    Image.fromarray(PIXELS).convert(mode).save(tmp_path / "p.bmp")

    assert read_header(tmp_path / "p.bmp").size == SIZE


def test_the_oldest_bmp_header_is_understood() -> None:
    content = b"BM" + bytes(12) + struct.pack("<IHHHH", 12, 34, 21, 1, 24)

    assert header_of(content).size == SIZE


@pytest.mark.parametrize("order", ["<", ">"])
def test_big_tiff_is_understood_in_both_byte_orders(order: str) -> None:
    mark = b"II" if order == "<" else b"MM"
    content = mark + struct.pack(order + "HHHQ", 43, 8, 0, 16) + struct.pack(order + "Q", 4)
    values = ((256, 34), (257, 21), (258, 16), (277, 1))
    for tag, value in values:
        content += struct.pack(order + "HHQ", tag, 4, 1)
        content += struct.pack(order + "I", value) + bytes(4)

    assert header_of(content) == Header(Format.TIFF, SIZE, 1, 16, orientation=1)


def test_colour_tiff_says_the_depth_that_stands_elsewhere(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "p.tif"), PIXELS.astype(np.uint16) * 257)

    header = read_header(tmp_path / "p.tif")

    assert (header.size, header.channels, header.bit_depth) == (SIZE, 3, 16)


def test_a_tiff_without_a_size_is_no_picture() -> None:
    with pytest.raises(CodecError) as caught:
        header_of(b"II*\0" + struct.pack("<IH", 8, 0) + bytes(4))

    assert caught.value.rule == "codec.truncated"


def jpeg(*segments: bytes) -> bytes:
    return b"\xff\xd8" + b"".join(segments)


FRAME = b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, 21, 34, 3) + bytes(9)
FRAME_AFTER = {
    "nothing": b"",
    "fill bytes": b"\xff\xff\xff",
    "a marker without a body": b"\xff\x01",
    "a comment": b"\xff\xfe\x00\x06note",
    "metadata that is not EXIF": b"\xff\xe1\x00\x0chttp://ns/",
}


@pytest.mark.parametrize("name", FRAME_AFTER)
def test_the_frame_of_a_jpeg_is_found_behind(name: str) -> None:
    assert header_of(jpeg(FRAME_AFTER[name], FRAME)).size == SIZE


def test_the_thumbnail_inside_exif_is_not_taken_for_the_picture() -> None:
    thumbnail = jpeg(b"\xff\xc0" + struct.pack(">HBHHB", 17, 8, 7, 9, 3) + bytes(9))
    body = b"Exif\0\0" + thumbnail

    header = header_of(jpeg(b"\xff\xe1" + struct.pack(">H", 2 + len(body)) + body, FRAME))

    assert header.size == SIZE
    assert header.exif == thumbnail


@pytest.mark.parametrize(
    "content",
    [
        jpeg(b"\xff\xe1\x00\x01"),
        jpeg(b"\xff\xfe\x00\x02" * 5000),
        jpeg(b"\xff\xfe\x00\x02\x00\x00\x00"),
        jpeg(b"\xff\xda\x00\x02"),
    ],
    ids=["too short a segment", "endless segments", "no marker", "pixels before their frame"],
)
def test_a_jpeg_without_a_frame_is_given_up(content: bytes) -> None:
    with pytest.raises(CodecError) as caught:
        header_of(content)

    assert caught.value.rule == "codec.truncated"


def test_a_codestream_is_found_behind_boxes_with_long_lengths(tmp_path: Path) -> None:
    write_bit_planes(tmp_path / "m.jp2", PIXELS)
    content = (tmp_path / "m.jp2").read_bytes()
    at = content.index(b"jp2c") - 4
    long_box = struct.pack(">I4sQ", 1, b"free", 20) + bytes(4)

    header = header_of(content[:at] + long_box + content[at:])

    assert header == Header(Format.JPEG2000, SIZE, 3, 8)


def test_boxes_without_a_codestream_are_given_up(tmp_path: Path) -> None:
    write_bit_planes(tmp_path / "m.jp2", PIXELS)
    content = (tmp_path / "m.jp2").read_bytes()

    for damaged in (content.replace(b"jp2c", b"free"), content.replace(b"\xff\x4f", b"\0\0")):
        with pytest.raises(CodecError):
            header_of(damaged)


def test_a_box_that_leads_beyond_all_files_is_given_up(tmp_path: Path) -> None:
    write_bit_planes(tmp_path / "m.jp2", PIXELS)
    content = (tmp_path / "m.jp2").read_bytes()
    endless = struct.pack(">I4sQ", 1, b"free", 2**63 - 1)
    (tmp_path / "m.jp2").write_bytes(content[:12] + endless + content[12:])

    with pytest.raises(CodecError) as caught:
        read_header(tmp_path / "m.jp2")

    assert caught.value.rule == "codec.truncated"


def test_a_file_larger_than_any_mask_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Image.fromarray(PIXELS).save(tmp_path / "p.png")
    monkeypatch.setattr(headers, "MAX_BYTES", 100)

    with pytest.raises(CodecError) as caught:
        read_encoded(tmp_path / "p.png", max_pixels=1000)

    assert caught.value.rule == "codec.too-many-bytes"


def test_a_file_that_may_not_be_read_says_so(tmp_path: Path) -> None:
    with pytest.raises(CodecError) as caught:
        read_header(tmp_path / ("n" * 300))

    assert caught.value.rule == "codec.unopenable"


def test_the_limit_is_the_last_size_that_is_read(tmp_path: Path) -> None:
    Image.fromarray(PIXELS).save(tmp_path / "p.png")
    pixels = SIZE.width * SIZE.height

    _, header = read_encoded(tmp_path / "p.png", max_pixels=pixels)
    with pytest.raises(CodecError) as caught:
        read_encoded(tmp_path / "p.png", max_pixels=pixels - 1)

    assert header.size == SIZE
    assert caught.value.rule == "codec.too-many-pixels"
