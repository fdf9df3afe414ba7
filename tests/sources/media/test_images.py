"""Pictures of every format, written by real encoders and read back upright."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from forensicviewer.core.array import RgbImage, Size
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.images import digest, image_size, read_image, thumbnail
from forensicviewer.sources.media.masks import write_bit_planes
from tests.mediafiles import write_dng, write_heic


@pytest.fixture
def colours() -> RgbImage:
    """A picture no rotation of which looks like itself, smooth enough for lossy formats."""
    y, x = np.mgrid[0:48, 0:64]
    return np.dstack((x * 4, y * 5, 255 - x * 2 - y)).astype(np.uint8)


@pytest.mark.parametrize("name", ["p.png", "p.tif", "p.bmp", "p.webp"])
def test_lossless_pictures_read_back_exactly(tmp_path: Path, colours: RgbImage, name: str) -> None:
    Image.fromarray(colours).save(tmp_path / name, lossless=True)

    picture = read_image(tmp_path / name)

    np.testing.assert_array_equal(picture.pixels, colours)
    assert picture.facts.size == Size(64, 48) == image_size(tmp_path / name)
    assert picture.facts.byte_count == (tmp_path / name).stat().st_size


@pytest.mark.parametrize("name", ["p.jpg", "p.gif"])
def test_lossy_pictures_read_back_nearly(tmp_path: Path, colours: RgbImage, name: str) -> None:
    Image.fromarray(colours).save(tmp_path / name, quality=97)

    picture = read_image(tmp_path / name)

    assert np.abs(picture.pixels.astype(int) - colours).mean() < 6
    assert image_size(tmp_path / name) == Size(64, 48)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("name", ["p.tif", "p.png", "p.webp", "p.jpg"])
def test_the_exif_orientation_is_applied_said_and_undone(
    tmp_path: Path, colours: RgbImage, orientation: int, name: str
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x0110] = "Pinhole 1"
    Image.fromarray(colours).save(tmp_path / name, exif=exif.tobytes(), lossless=True)
    Image.fromarray(colours).save(tmp_path / f"plain-{name}", lossless=True)

    picture = read_image(tmp_path / name)

    stored = read_image(tmp_path / f"plain-{name}").pixels
    assert picture.facts.orientation == orientation
    assert picture.facts.stored_size == Size(64, 48)
    assert picture.facts.size == Size.of(picture.pixels) == image_size(tmp_path / name)
    assert picture.facts.size == (Size(48, 64) if orientation >= 5 else Size(64, 48))
    assert picture.facts.exif["Model"] == "Pinhole 1"
    np.testing.assert_array_equal(picture.pixels, expected_upright(stored, orientation))
    np.testing.assert_array_equal(picture.as_stored(), stored)


def expected_upright(stored: RgbImage, orientation: int) -> RgbImage:
    """EXIF 2.3, tag 274, in array terms."""
    transposed = stored.transpose(1, 0, 2)
    return {
        1: stored,
        2: stored[:, ::-1],
        3: stored[::-1, ::-1],
        4: stored[::-1],
        5: transposed,
        6: transposed[:, ::-1],
        7: transposed[::-1, ::-1],
        8: transposed[::-1],
    }[orientation]


def test_a_mask_of_the_stored_size_gets_the_stored_pixels(
    tmp_path: Path, colours: RgbImage
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(colours).save(tmp_path / "p.png", exif=exif.tobytes())
    picture = read_image(tmp_path / "p.png")

    assert Size.of(picture.fitting(Size(64, 48))) == Size(64, 48)
    assert Size.of(picture.fitting(Size(48, 64))) == Size(48, 64)
    assert Size.of(picture.fitting(Size(9, 9))) == Size(48, 64)


def test_a_thumbnail_has_the_edge_asked_for_and_is_upright(
    tmp_path: Path, colours: RgbImage
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 8
    large = Image.fromarray(colours).resize((640, 480))
    large.save(tmp_path / "p.jpg", exif=exif.tobytes())
    large.save(tmp_path / "p.png", exif=exif.tobytes())

    for name in ("p.jpg", "p.png"):
        small = thumbnail(tmp_path / name, edge_px=80)
        assert Size.of(small) == Size(60, 80)
        whole = np.asarray(Image.fromarray(read_image(tmp_path / name).pixels).resize((60, 80)))
        assert np.abs(small.astype(int) - whole).mean() < 6


def test_a_small_picture_is_not_enlarged(tmp_path: Path, colours: RgbImage) -> None:
    Image.fromarray(colours).save(tmp_path / "p.png")

    assert Size.of(thumbnail(tmp_path / "p.png", edge_px=300)) == Size(64, 48)


def test_deep_and_grey_pictures_become_eight_bit_colour(tmp_path: Path) -> None:
    Image.fromarray(np.full((4, 5), 0x1234, dtype=np.uint16)).save(tmp_path / "p.png")

    picture = read_image(tmp_path / "p.png")

    assert picture.pixels.tolist() == np.full((4, 5, 3), 0x12).tolist()
    assert (picture.facts.bit_depth, picture.facts.channels) == (16, 1)


def test_the_digest_is_that_of_the_file(tmp_path: Path, colours: RgbImage) -> None:
    Image.fromarray(colours).save(tmp_path / "p.png")

    expected = hashlib.sha256((tmp_path / "p.png").read_bytes()).hexdigest()
    assert digest(tmp_path / "p.png") == expected


@pytest.mark.parametrize(("turns", "orientation"), [(0, 1), (1, 8), (2, 3), (3, 6)])
def test_heic_pictures_are_upright_and_say_how_they_were_stored(
    tmp_path: Path, colours: RgbImage, turns: int, orientation: int
) -> None:
    write_heic(tmp_path / "p.heic", colours, quarter_turns=turns)

    picture = read_image(tmp_path / "p.heic")

    assert picture.facts.format == "HEIC"
    assert picture.facts.orientation == orientation
    assert picture.facts.stored_size == Size(64, 48)
    assert picture.facts.size == Size.of(picture.pixels) == image_size(tmp_path / "p.heic")
    assert np.abs(picture.pixels.astype(int) - np.rot90(colours, turns)).mean() < 3
    assert np.abs(picture.as_stored().astype(int) - colours).mean() < 3


def test_a_heic_picture_stays_what_it_was_while_others_are_read(tmp_path: Path) -> None:
    write_heic(tmp_path / "grey.heic", np.full((48, 64, 3), 90, dtype=np.uint8))
    write_heic(tmp_path / "white.heic", np.full((48, 64, 3), 255, dtype=np.uint8))

    picture = read_image(tmp_path / "grey.heic")
    for _ in range(20):
        read_image(tmp_path / "white.heic")

    assert np.abs(picture.pixels.astype(int) - 90).max() < 3


@pytest.mark.parametrize(("orientation", "turns"), [(1, 0), (3, 2), (6, 3), (8, 1)])
def test_raw_pictures_are_developed_and_upright(
    tmp_path: Path, orientation: int, turns: int
) -> None:
    scene = np.full((96, 128, 3), 40, dtype=np.uint8)
    scene[10:30, 80:120] = 220
    write_dng(tmp_path / "p.dng", scene, orientation=orientation)

    picture = read_image(tmp_path / "p.dng")

    assert picture.facts.format == "camera RAW"
    assert picture.facts.bit_depth == 16
    assert picture.facts.exif["Model"] == "Pinhole 1"
    assert picture.facts.orientation == orientation
    assert picture.facts.stored_size == Size(128, 96)
    assert picture.facts.size == Size.of(picture.pixels) == image_size(tmp_path / "p.dng")
    bright = picture.pixels.min(axis=2) > 128
    expected = np.rot90(scene[:, :, 0] > 128, turns)
    assert (bright ^ expected).mean() < 0.02


def test_a_raw_file_is_known_by_its_name_although_it_looks_like_tiff(tmp_path: Path) -> None:
    write_dng(tmp_path / "p.NEF", np.full((64, 64, 3), 99, dtype=np.uint8))

    assert read_image(tmp_path / "p.NEF").facts.format == "camera RAW"


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_jpeg_2000_pictures_are_shown_in_colour(tmp_path: Path, channels: int) -> None:
    stored = np.random.default_rng(7).integers(0, 256, (40, 50, channels), dtype=np.uint8)
    write_bit_planes(tmp_path / "p.jp2", stored)

    picture = read_image(tmp_path / "p.jp2")

    picked = [0, 1, 2] if channels >= 3 else [0, 0, 0]
    np.testing.assert_array_equal(picture.pixels, stored[:, :, picked])
    assert picture.facts.channels == channels


def test_a_score_map_is_no_picture(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "p.npz", mask=np.zeros((4, 4), np.uint8))

    for read in (read_image, image_size):
        with pytest.raises(CodecError) as caught:
            read(tmp_path / "p.npz")
        assert caught.value.rule == "codec.wrong-format"


def test_a_damaged_exif_block_does_not_hide_the_picture(tmp_path: Path, colours: RgbImage) -> None:
    Image.fromarray(colours).save(tmp_path / "p.jpg", exif=b"Exif\0\0II*\0\xff\xff\xff\xff")

    picture = read_image(tmp_path / "p.jpg")

    assert picture.facts.orientation == 1
    assert picture.facts.exif == {}
    assert not picture.facts.is_turned


def test_an_orientation_that_does_not_exist_is_ignored(tmp_path: Path, colours: RgbImage) -> None:
    exif = Image.Exif()
    exif[0x0112] = 77
    Image.fromarray(colours).save(tmp_path / "p.png", exif=exif.tobytes())

    assert read_image(tmp_path / "p.png").facts.orientation == 1


@pytest.mark.parametrize("name", ["p.heic", "p.dng"])
def test_the_limit_holds_for_formats_that_only_their_library_understands(
    tmp_path: Path, colours: RgbImage, name: str
) -> None:
    write = write_heic if name == "p.heic" else write_dng
    write(tmp_path / name, colours)

    with pytest.raises(CodecError) as caught:
        read_image(tmp_path / name, max_pixels=1000)

    assert caught.value.rule == "codec.too-many-pixels"
