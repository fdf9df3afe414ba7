"""Images other programs show without a word: stray bytes, many bits, AVIF, broken EXIF blocks."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import cv2
import imagecodecs
import numpy as np
import pytest
from PIL import Image

from forensicviewer.core.array import Size
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.images import image_size, read_image
from forensicviewer.sources.media.masks import Polarity, read_system_mask

HALVES = np.full((48, 64, 3), (200, 100, 50), np.uint8)
HALVES[:, :32] = (10, 20, 30)
ROTATED = 6  # EXIF: turn clockwise to see it upright


def a_jpeg() -> bytes:
    written, encoded = cv2.imencode(".jpg", HALVES[:, :, ::-1])
    assert written
    return encoded.tobytes()


def an_avif(*, orientation: int = 1) -> bytes:
    stream = BytesIO()
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(HALVES).save(stream, "AVIF", quality=100, subsampling="4:4:4", exif=exif)
    return stream.getvalue()


def test_stray_bytes_between_the_segments_of_a_jpeg_are_passed_over(tmp_path: Path) -> None:
    whole = a_jpeg()
    at = whole.index(b"\xff\xdb")  # the first table, after the first segment
    path = tmp_path / "p.jpg"
    path.write_bytes(whole[:at] + b"\x00\x01\x02\xff\x00junk" + whole[at:])

    image = read_image(path)

    assert image_size(path) == Size(64, 48)
    assert np.abs(image.pixels.astype(int) - HALVES)[:, 40:].max() <= 3


def test_a_jpeg_of_stray_bytes_only_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.jpg"
    path.write_bytes(b"\xff\xd8\xff\xe0\x00\x02" + bytes(200_000))

    with pytest.raises(CodecError):
        read_image(path)


def test_a_jpeg_of_twelve_bits_shows_its_high_ones(tmp_path: Path) -> None:
    path = tmp_path / "p.jpg"
    levels = np.full((48, 64), 2000, np.uint16)
    path.write_bytes(imagecodecs.jpeg8_encode(levels, level=98, bitspersample=12))

    assert np.abs(read_image(path).pixels.astype(int) - 125).max() <= 1
    scores = read_system_mask(path, manipulated_is=Polarity.WHITE)
    assert np.abs(scores.astype(int) - 125).max() <= 1


@pytest.mark.parametrize("brand", [b"avif", b"mif1"])
def test_an_avif_image_is_shown(brand: bytes, tmp_path: Path) -> None:
    path = tmp_path / "p.avif"
    encoded = an_avif()
    path.write_bytes(encoded[:8] + brand + encoded[12:])

    image = read_image(path)

    assert image.facts.format == "AVIF"
    assert np.abs(image.pixels.astype(int) - HALVES)[:, 40:].max() <= 3


def test_an_avif_image_is_turned_upright(tmp_path: Path) -> None:
    path = tmp_path / "p.avif"
    path.write_bytes(an_avif(orientation=ROTATED))

    image = read_image(path)

    assert image_size(path) == image.facts.size == Size(48, 64)
    assert np.abs(image.pixels[:20].astype(int) - (10, 20, 30)).max() <= 3
    assert np.abs(image.as_stored().astype(int) - HALVES)[:, 40:].max() <= 3


def test_half_an_avif_image_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "p.avif"
    encoded = an_avif()
    path.write_bytes(encoded[: len(encoded) // 2])

    with pytest.raises(CodecError, match="The AVIF file is damaged"):
        read_image(path)


def test_an_avif_image_of_too_many_pixels_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.avif"
    path.write_bytes(an_avif())

    with pytest.raises(CodecError, match="the limit is"):
        read_image(path, max_pixels=1000)


@pytest.mark.parametrize(
    "exif", [b"MM\x00*\x00\x00\x00\x08", b"II*\x00\xff\xff\xff\xff", b"MM\x00*"]
)
def test_a_broken_exif_block_does_not_hide_the_image(exif: bytes, tmp_path: Path) -> None:
    whole = a_jpeg()
    body = b"Exif\x00\x00" + exif
    segment = b"\xff\xe1" + (len(body) + 2).to_bytes(2, "big") + body
    path = tmp_path / "p.jpg"
    path.write_bytes(whole[:2] + segment + whole[2:])

    image = read_image(path)

    assert image.facts.orientation == 1
    assert np.abs(image.pixels.astype(int) - HALVES)[:, 40:].max() <= 3
