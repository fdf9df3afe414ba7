"""JPEG 2000 images of any depth, colour space and sampling; the boxes are written by hand."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pytest
from numpy.typing import NDArray

from forensicviewer.core.array import Size
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.images import image_size, read_image
from forensicviewer.sources.media.jpeg2000 import write_components
from forensicviewer.sources.media.masks import Polarity, read_bit_planes, read_system_mask

WIDTH, HEIGHT = 32, 24
SRGB, GREY, SYCC, CMYK = 16, 17, 18, 12


def box(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(body), kind) + body


def jp2(
    pixels: NDArray[Any], *, colours: int, depth: int = 8, boxes: bytes = b"", subsampling: int = 1
) -> bytes:
    """A file of one colour space; ``subsampling`` declares so many pixels for each sample."""
    code = bytearray(
        imagecodecs.jpeg2k_encode(
            np.ascontiguousarray(pixels),
            level=0,
            reversible=True,
            codecformat="j2k",
            planar=False,
            mct=False,
            bitspersample=depth,
        )
    )
    count = 1 if pixels.ndim == 2 else pixels.shape[2]
    for at in (8, 12, 24, 28):  # the edges of the image and of its one tile
        edge = struct.unpack(">I", code[at : at + 4])[0]
        code[at : at + 4] = struct.pack(">I", edge * subsampling)
    for component in range(count):
        at = 42 + 3 * component
        code[at + 1 : at + 3] = bytes([subsampling, subsampling])
    height, width = (edge * subsampling for edge in pixels.shape[:2])
    header = box(b"ihdr", struct.pack(">IIHBBBB", height, width, count, depth - 1, 7, 0, 0))
    space = box(b"colr", b"\x01\0\0" + struct.pack(">I", colours))
    return (
        box(b"jP  ", b"\r\n\x87\n")
        + box(b"ftyp", b"jp2 \0\0\0\0jp2 ")
        + box(b"jp2h", header + boxes + space)
        + box(b"jp2c", bytes(code))
    )


def filled(*levels: int, dtype: Any = np.uint8) -> NDArray[Any]:
    shape = (HEIGHT, WIDTH) if len(levels) == 1 else (HEIGHT, WIDTH, len(levels))
    return np.full(shape, levels[0] if len(levels) == 1 else levels, dtype)


PALETTE = box(
    b"pclr", struct.pack(">HB", 2, 3) + b"\x07\x07\x07" + bytes([1, 2, 3, 200, 100, 50])
) + box(b"cmap", b"".join(struct.pack(">HBB", 0, 1, column) for column in range(3)))
BLUE_FIRST = box(
    b"cdef",
    struct.pack(">H", 3)
    + b"".join(
        struct.pack(">HHH", channel, 0, colour) for channel, colour in ((0, 3), (1, 2), (2, 1))
    ),
)

FILES: dict[str, tuple[bytes, tuple[int, int, int]]] = {
    "1 bit": (jp2(filled(1), colours=GREY, depth=1), (255, 255, 255)),
    "4 bits": (jp2(filled(9), colours=GREY, depth=4), (153, 153, 153)),
    "12 bits": (jp2(filled(2000, dtype=np.uint16), colours=GREY, depth=12), (125, 125, 125)),
    "16 bits": (jp2(filled(32896, dtype=np.uint16), colours=GREY, depth=16), (128, 128, 128)),
    "20 bits": (jp2(filled(524288, dtype=np.uint32), colours=GREY, depth=20), (128, 128, 128)),
    "8 bits with sign": (jp2(filled(-100, dtype=np.int8), colours=GREY), (28, 28, 28)),
    "colours of 12 bits": (
        jp2(filled(2000, 0, 4095, dtype=np.uint16), colours=SRGB, depth=12),
        (125, 0, 255),
    ),
    "YCC": (jp2(filled(100, 90, 200), colours=SYCC), (200, 62, 33)),
    "CMYK": (jp2(filled(10, 200, 30, 40), colours=CMYK), (206, 46, 189)),
    "palette": (jp2(filled(1), colours=SRGB, boxes=PALETTE), (200, 100, 50)),
    "blue first": (jp2(filled(50, 100, 200), colours=SRGB, boxes=BLUE_FIRST), (200, 100, 50)),
    "grey with alpha": (jp2(filled(100, 0), colours=GREY), (100, 100, 100)),
}


@pytest.mark.parametrize("name", FILES)
def test_every_kind_is_shown_in_its_colours(name: str, tmp_path: Path) -> None:
    content, colour = FILES[name]
    path = tmp_path / "p.jp2"
    path.write_bytes(content)

    pixels = read_image(path).pixels

    assert pixels.shape == (HEIGHT, WIDTH, 3)
    assert np.abs(pixels.astype(int) - colour).max() <= 1


def test_an_image_with_fewer_samples_than_pixels_has_its_full_size(tmp_path: Path) -> None:
    path = tmp_path / "p.jp2"
    halves = filled(200, 100, 50)
    halves[:, : WIDTH // 2] = (10, 20, 30)
    path.write_bytes(jp2(halves, colours=SRGB, subsampling=2))

    pixels = read_image(path).pixels

    assert image_size(path) == Size(2 * WIDTH, 2 * HEIGHT)
    assert pixels.shape == (2 * HEIGHT, 2 * WIDTH, 3)
    assert (pixels[:, : WIDTH - 1] == (10, 20, 30)).all()
    assert (pixels[:, WIDTH + 1 :] == (200, 100, 50)).all()


def test_a_mask_with_fewer_samples_than_pixels_is_not_supported(tmp_path: Path) -> None:
    path = tmp_path / "m.jp2"
    path.write_bytes(jp2(filled(1), colours=GREY, subsampling=2))

    with pytest.raises(CodecError, match="not supported"):
        read_bit_planes(path)


@pytest.mark.parametrize(("depth", "level", "score"), [(1, 1, 255), (4, 9, 153), (12, 2000, 125)])
def test_a_system_mask_of_any_depth_has_levels_up_to_255(
    depth: int, level: int, score: int, tmp_path: Path
) -> None:
    path = tmp_path / "m.jp2"
    dtype = np.uint16 if depth > 8 else np.uint8
    path.write_bytes(jp2(filled(level, dtype=dtype), colours=GREY, depth=depth))

    scores = read_system_mask(path, manipulated_is=Polarity.WHITE)

    assert (scores == score).all()


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("count", [5, 6, 9])
def test_a_few_rows_of_many_components_keep_their_axes(
    rows: int, count: int, tmp_path: Path
) -> None:
    path = tmp_path / "m.jp2"
    written = np.arange(rows * 7 * count, dtype=np.uint8).reshape(rows, 7, count)

    write_components(path, written)

    assert image_size(path) == Size(7, rows)
    assert np.array_equal(read_bit_planes(path), written)


def test_an_image_without_one_of_its_tiles_is_truncated(tmp_path: Path) -> None:
    """OpenJPEG shows black where a tile is missing."""
    import glymur

    path = tmp_path / "a.jp2"
    pixels = np.random.default_rng(5).integers(0, 256, (64, 64), dtype=np.uint8)
    glymur.Jp2k(str(path), data=pixels, tilesize=(32, 32), numres=2)
    assert (read_image(path).pixels[:, :, 0] == pixels).all()
    whole = path.read_bytes()

    path.write_bytes(whole[: whole.rindex(b"\xff\x90\x00\x0a")] + whole[-2:])

    with pytest.raises(CodecError, match="truncated"):
        read_image(path)
