"""TIFF files of every kind are shown right, or refused with the right word."""

from __future__ import annotations

import lzma
import zlib
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.images import image_size, read_image
from forensicviewer.sources.media.masks import Polarity, read_colour_reference, read_system_mask
from tests.mediafiles import packed, ramp, tiff

RAMP = ramp()
BYTES = (RAMP * 255).astype(np.uint8)
WORDS = (RAMP * 65535).astype("<u2")
COLOURS = np.dstack([BYTES, 255 - BYTES, np.full_like(BYTES, 77)])
SIXTEEN = [
    int(level) * 257
    for channel in range(3)
    for level in ([17 * n for n in range(16)] if channel < 2 else [77] * 16)
]
GREY = np.dstack([BYTES] * 3)


def grey(content: bytes, bits: int, **how: Any) -> bytes:
    return tiff(content, width=16, height=8, bits=bits, **how)


def colour(content: Any, bits: int, **how: Any) -> bytes:
    return tiff(content, width=16, height=8, bits=bits, samples=3, photometric=2, **how)


def stretched(bits: int) -> NDArray[np.uint8]:
    """What a ramp of few bits looks like."""
    top = 2**bits - 1
    levels = ((RAMP * top).astype(int) * 255 // top).astype(np.uint8)
    return np.dstack([levels] * 3)


FILES: dict[str, tuple[bytes, NDArray[np.uint8]]] = {
    "1 bit": (grey(packed((RAMP * 1).astype(int), 1), 1), stretched(1)),
    "2 bits": (grey(packed((RAMP * 3).astype(int), 2), 2), stretched(2)),
    "4 bits": (grey(packed((RAMP * 15).astype(int), 4), 4), stretched(4)),
    "4 bits, white is 0": (
        grey(packed((RAMP * 15).astype(int), 4), 4, photometric=0),
        255 - stretched(4),
    ),
    "10 bits": (grey(packed((RAMP * 1023).astype(int), 10), 10), GREY),
    "12 bits": (grey(packed((RAMP * 4095).astype(int), 12), 12), GREY),
    "8 bits": (grey(BYTES.tobytes(), 8), GREY),
    "16 bits": (grey(WORDS.tobytes(), 16), GREY),
    "16 bits, big-endian": (grey(WORDS.astype(">u2").tobytes(), 16, order=">"), GREY),
    "32 bits": (grey((RAMP * (2**32 - 1)).astype("<u4").tobytes(), 32), GREY),
    "8 bits with sign": (
        grey((BYTES.astype(int) - 128).astype("i1").tobytes(), 8, sample_format=2),
        GREY,
    ),
    "16 bits with sign": (
        grey((WORDS.astype(int) - 32768).astype("<i2").tobytes(), 16, sample_format=2),
        GREY,
    ),
    "float to 1": (grey(RAMP.astype("<f4").tobytes(), 32, sample_format=3), GREY),
    "float to 255": (grey((RAMP * 255).astype("<f4").tobytes(), 32, sample_format=3), GREY),
    "double": (grey(RAMP.astype("<f8").tobytes(), 64, sample_format=3), GREY),
    "half float": (grey(RAMP.astype("<f2").tobytes(), 16, sample_format=3), GREY),
    "BigTIFF": (grey(BYTES.tobytes(), 8, big=True), GREY),
    "BigTIFF, big-endian": (
        grey(WORDS.astype(">u2").tobytes(), 16, big=True, order=">"),
        GREY,
    ),
    "deflate": (grey(zlib.compress(BYTES.tobytes()), 8, compression=8), GREY),
    "LZMA": (grey(lzma.compress(BYTES.tobytes()), 8, compression=34925), GREY),
    "LZMA of 16 bits": (grey(lzma.compress(WORDS.tobytes()), 16, compression=34925), GREY),
    "Zstandard": (
        grey(bytes(imagecodecs.zstd_encode(BYTES.tobytes())), 8, compression=50000),
        GREY,
    ),
    "colours": (colour(COLOURS.tobytes(), 8), COLOURS),
    "colours of 12 bits": (
        colour(packed(COLOURS.astype(int) * 16, 12), 12),
        COLOURS,
    ),
    "colours as floats": (
        colour((COLOURS / 255).astype("<f4").tobytes(), 32, sample_format=3),
        COLOURS,
    ),
    "planes": (colour([COLOURS[:, :, n].tobytes() for n in range(3)], 8), COLOURS),
    "planes of floats": (
        colour(
            [(COLOURS[:, :, n] / 255).astype("<f4").tobytes() for n in range(3)],
            32,
            sample_format=3,
        ),
        COLOURS,
    ),
    "palette of 16": (
        grey(packed((RAMP * 15).astype(int), 4), 4, photometric=3, fields=[(320, SIXTEEN)]),
        np.dstack([stretched(4)[:, :, :2], np.full_like(BYTES, 77)]),
    ),
    "palette of 16 in LZMA": (
        grey(
            lzma.compress(packed((RAMP * 15).astype(int), 4)),
            4,
            photometric=3,
            compression=34925,
            fields=[(320, SIXTEEN)],
        ),
        np.dstack([stretched(4)[:, :, :2], np.full_like(BYTES, 77)]),
    ),
}


# L*, a*, b* → sRGB, by the published formulas (IEC 61966-2-1, CIE 15).
LAB = {
    (0, 0, 0): (0, 0, 0),
    (50, 0, 0): (119, 119, 119),
    (100, 0, 0): (255, 255, 255),
    (40, 20, -30): (101, 85, 143),
    (70, -30, 40): (140, 184, 96),
}


def lab_stored(lab: tuple[int, int, int], bits: int, *, is_offset: bool) -> NDArray[Any]:
    """As the TIFF specification stores it: section 23 with sign, Adobe's note with an offset."""
    top, unit = 2**bits - 1, 2 ** (bits - 8)
    offset = 2 ** (bits - 1) if is_offset else 0
    values = [round(lab[0] * top / 100), *((each * unit + offset) & top for each in lab[1:])]
    return np.full((8, 16, 3), values).astype(f"<u{bits // 8}")


@pytest.mark.parametrize("lab", LAB)
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("photometric", [8, 9])
@pytest.mark.parametrize("compression", [1, 34925])
def test_lab_is_shown_in_its_colours(
    lab: tuple[int, int, int], bits: int, photometric: int, compression: int, tmp_path: Path
) -> None:
    content = lab_stored(lab, bits, is_offset=photometric == 9).tobytes()
    content = content if compression == 1 else lzma.compress(content)
    path = tmp_path / "lab.tif"
    how: dict[str, Any] = {"photometric": photometric, "compression": compression}
    path.write_bytes(tiff(content, width=16, height=8, bits=bits, samples=3, **how))

    assert np.abs(read_image(path).pixels[3, 5].astype(int) - LAB[lab]).max() <= 2


@pytest.mark.parametrize("photometric", [4, 10, 32803, 32844, 34892])
def test_colours_nobody_shows_right_are_not_supported(photometric: int, tmp_path: Path) -> None:
    path = tmp_path / "p.tif"
    path.write_bytes(grey(BYTES.tobytes(), 8, photometric=photometric))

    with pytest.raises(CodecError) as caught:
        read_image(path)

    assert caught.value.rule == "codec.unsupported"


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_samples_is_shown_as_it_is(name: str, tmp_path: Path) -> None:
    content, expected = FILES[name]
    path = tmp_path / "p.tif"
    path.write_bytes(content)

    pixels = read_image(path).pixels

    # Libraries round or cut halves of a level.
    assert np.abs(pixels.astype(int) - expected).max() <= 1
    assert image_size(path).width == 16


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["ordinary", "float", "palette"])
def test_every_kind_is_turned_upright(kind: str, orientation: int, tmp_path: Path) -> None:
    turn = [(274, [orientation])]
    content = {
        "ordinary": grey(BYTES.tobytes(), 8, fields=turn),
        "float": grey(RAMP.astype("<f4").tobytes(), 32, sample_format=3, fields=turn),
        "palette": grey(
            lzma.compress(packed((RAMP * 15).astype(int), 4)),
            4,
            photometric=3,
            compression=34925,
            fields=[*turn, (320, SIXTEEN)],
        ),
    }[kind]
    (tmp_path / "p.tif").write_bytes(content)

    image = read_image(tmp_path / "p.tif")

    # The ramp begins dark at the stored top left and ends bright at the stored bottom right.
    stored = image.as_stored()
    assert stored.shape[:2] == (8, 16)
    assert stored[0, 0, 0] == 0
    assert stored[-1, -1, 0] == 255
    assert stored[0, -1, 0] < 40 < stored[-1, 0, 0]


def test_masks_of_every_kind_have_the_same_levels(tmp_path: Path) -> None:
    for name in ("8 bits", "16 bits", "12 bits", "float to 1", "float to 255", "LZMA", "BigTIFF"):
        (tmp_path / "m.tif").write_bytes(FILES[name][0])

        scores = read_system_mask(tmp_path / "m.tif", manipulated_is=Polarity.WHITE)
        assert np.abs(scores.astype(int) - BYTES).max() <= 1, name
        colours = read_colour_reference(tmp_path / "m.tif")
        assert np.abs(colours.astype(int) - GREY).max() <= 1, name


DAMAGED = {
    "cut compressed strip": grey(zlib.compress(BYTES.tobytes())[:20], 8, compression=8),
    "strip outside the file": grey(BYTES.tobytes(), 8)[:-40],
    "LZMA of something else": grey(b"not compressed at all" * 4, 8, compression=34925),
}
UNSUPPORTED = {
    "unknown compression": grey(BYTES.tobytes(), 8, compression=12345),
    "floats without a range": grey((RAMP * 1e9).astype("<f4").tobytes(), 32, sample_format=3),
    "not a number": grey(
        np.where(RAMP > 0.5, np.nan, RAMP).astype("<f4").tobytes(), 32, sample_format=3
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_what_is_damaged_is_never_shown_in_part(name: str, tmp_path: Path) -> None:
    (tmp_path / "p.tif").write_bytes(DAMAGED[name])

    with pytest.raises(CodecError, match="The TIFF file is damaged"):
        read_image(tmp_path / "p.tif")


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_is_whole_but_unknown_is_not_called_damaged(name: str, tmp_path: Path) -> None:
    (tmp_path / "p.tif").write_bytes(UNSUPPORTED[name])

    with pytest.raises(CodecError, match="This kind of TIFF file is not supported") as caught:
        read_image(tmp_path / "p.tif")
    assert caught.value.rule == "codec.unsupported"


def test_opacity_does_not_change_the_colours(tmp_path: Path) -> None:
    """As in a PNG file; libtiff multiplies colours by an opacity that is not part of them yet."""
    path = tmp_path / "a.tif"
    shown = np.full((8, 16, 4), (200, 100, 50, 255), np.uint8)
    shown[:, 8:, 3] = 0
    Image.fromarray(shown).save(path)

    pixels = read_image(path).pixels

    assert pixels[4, 2].tolist() == pixels[4, 12].tolist() == [200, 100, 50]
