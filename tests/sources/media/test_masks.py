"""Masks of every format: written by real codecs, read back exactly, polarity settled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cv2
import glymur
import numpy as np
import pytest
from PIL import Image

from forensicviewer.core.array import U8Image
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media import jpeg2000
from forensicviewer.sources.media.masks import (
    Polarity,
    read_bit_planes,
    read_colour_reference,
    read_system_mask,
    write_bit_planes,
    write_colour_reference,
    write_grey,
)
from tests.mediafiles import write_dng, write_heic


@pytest.fixture
def levels() -> U8Image:
    return np.random.default_rng(5).integers(0, 256, (31, 47), dtype=np.uint8)


def test_black_masks_are_turned_into_scores(tmp_path: Path, levels: U8Image) -> None:
    write_grey(tmp_path / "m.png", levels)

    scores = read_system_mask(tmp_path / "m.png", manipulated_is=Polarity.BLACK)

    assert scores.dtype == np.uint8
    np.testing.assert_array_equal(scores, 255 - levels)


@pytest.mark.parametrize("polarity", Polarity)
@pytest.mark.parametrize("name", ["m.png", "m.npz"])
def test_a_system_mask_is_read_by_its_polarity(
    tmp_path: Path, levels: U8Image, polarity: Polarity, name: str
) -> None:
    if name.endswith(".npz"):
        np.savez_compressed(tmp_path / name, mask=levels)
    else:
        write_grey(tmp_path / name, levels)

    scores = read_system_mask(tmp_path / name, manipulated_is=polarity)

    np.testing.assert_array_equal(255 - scores if polarity is Polarity.BLACK else scores, levels)


@pytest.mark.parametrize("name", ["m.tif", "m.bmp", "m.webp", "m.png"])
def test_every_lossless_grey_format_gives_its_levels(
    tmp_path: Path, levels: U8Image, name: str
) -> None:
    Image.fromarray(levels).save(tmp_path / name, lossless=True)

    scores = read_system_mask(tmp_path / name, manipulated_is=Polarity.WHITE)

    np.testing.assert_array_equal(scores, levels)


def test_pure_colours_become_the_grey_of_libpng(tmp_path: Path) -> None:
    colours = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255]]], dtype=np.uint8)
    write_colour_reference(tmp_path / "m.png", colours)

    scores = read_system_mask(tmp_path / "m.png", manipulated_is=Polarity.WHITE)

    assert scores.tolist() == [[76, 149, 29]]


def test_colours_of_a_bmp_become_the_grey_of_the_pillow_nist_used(tmp_path: Path) -> None:
    colours = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255], [7, 7, 7]]], dtype=np.uint8)
    Image.fromarray(colours).save(tmp_path / "m.bmp")

    scores = read_system_mask(tmp_path / "m.bmp", manipulated_is=Polarity.WHITE)

    # Not rounded, as today's Pillow does it, which makes 150 of green.
    assert scores.tolist() == [[76, 149, 29, 7]]


def test_a_palette_is_resolved_before_it_becomes_grey(tmp_path: Path) -> None:
    image = Image.new("P", (3, 1))
    image.putpalette([255, 0, 0, 0, 255, 0, 0, 0, 255])
    image.putdata([2, 1, 0])
    image.save(tmp_path / "m.png", transparency=0)

    scores = read_system_mask(tmp_path / "m.png", manipulated_is=Polarity.WHITE)

    assert scores.tolist() == [[29, 149, 76]]


def test_of_sixteen_bits_the_high_byte_counts(tmp_path: Path) -> None:
    deep = np.array([[0, 255, 256, 65535, 0x80FF]], dtype=np.uint16)
    cv2.imwrite(str(tmp_path / "m.png"), deep)

    scores = read_system_mask(tmp_path / "m.png", manipulated_is=Polarity.WHITE)

    assert scores.tolist() == [[0, 0, 1, 255, 128]]


def test_alpha_is_dropped_and_not_composited(tmp_path: Path) -> None:
    Image.fromarray(np.array([[[40, 0], [90, 255]]], dtype=np.uint8), "LA").save(tmp_path / "m.png")

    scores = read_system_mask(tmp_path / "m.png", manipulated_is=Polarity.WHITE)

    assert scores.tolist() == [[40, 90]]


def test_one_bit_becomes_black_and_white(tmp_path: Path) -> None:
    Image.fromarray(np.array([[True, False]])).save(tmp_path / "m.png")

    scores = read_system_mask(tmp_path / "m.png", manipulated_is=Polarity.WHITE)

    assert scores.tolist() == [[255, 0]]


def test_colours_of_a_reference_are_exact(tmp_path: Path) -> None:
    colours = np.random.default_rng(1).integers(0, 256, (9, 12, 3), dtype=np.uint8)
    write_colour_reference(tmp_path / "r.png", colours)

    np.testing.assert_array_equal(read_colour_reference(tmp_path / "r.png"), colours)


def test_the_colour_under_a_transparent_pixel_counts(tmp_path: Path) -> None:
    pixels = np.array([[[10, 20, 30, 0], [40, 50, 60, 255]]], dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "r.png")

    assert read_colour_reference(tmp_path / "r.png").tolist() == [[[10, 20, 30], [40, 50, 60]]]


def test_a_grey_reference_has_three_equal_channels(tmp_path: Path, levels: U8Image) -> None:
    write_grey(tmp_path / "r.png", levels)

    colours = read_colour_reference(tmp_path / "r.png")

    np.testing.assert_array_equal(colours, np.repeat(levels[:, :, np.newaxis], 3, axis=2))


@pytest.mark.parametrize("components", [1, 2, 3, 4, 5, 8, 12])
def test_bit_planes_survive_with_any_number_of_components(tmp_path: Path, components: int) -> None:
    planes = np.random.default_rng(2).integers(0, 256, (33, 50, components), dtype=np.uint8)
    write_bit_planes(tmp_path / "r.jp2", planes)

    np.testing.assert_array_equal(read_bit_planes(tmp_path / "r.jp2"), planes)


@pytest.mark.parametrize("decoder", ["glymur", "imagecodecs"])
@pytest.mark.parametrize("components", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("suffix", [".jp2", ".j2k"])
def test_both_decoders_read_what_glymur_wrote(
    tmp_path: Path, decoder: str, components: int, dtype: type, suffix: str
) -> None:
    top = np.iinfo(dtype).max
    stored = np.random.default_rng(3).integers(0, top, (40, 36, components), dtype=dtype)
    path = tmp_path / f"r{suffix}"
    glymur.Jp2k(path, data=stored if components > 1 else stored[:, :, 0])

    if decoder == "glymur":
        assert jpeg2000.has_openjpeg()
        read = jpeg2000.read_components(path)
    else:
        read = jpeg2000._by_imagecodecs(path.read_bytes(), path).reshape(stored.shape)

    assert read.dtype == dtype
    np.testing.assert_array_equal(read, stored)


def test_without_an_openjpeg_library_imagecodecs_reads_the_planes(tmp_path: Path) -> None:
    planes = np.random.default_rng(8).integers(0, 256, (40, 50, 6), dtype=np.uint8)
    write_bit_planes(tmp_path / "r.jp2", planes)
    (tmp_path / "glymur").mkdir()
    # glymur's own setting for where the library is: a place where there is none.
    setting = f"[library]\nopenjp2: {tmp_path / 'absent.so'}\n"
    (tmp_path / "glymur" / "glymurrc").write_text(setting)
    program = (
        "import sys, pathlib, numpy\n"
        "from forensicviewer.sources.media import jpeg2000, masks\n"
        "planes = masks.read_bit_planes(pathlib.Path(sys.argv[1]))\n"
        "assert not jpeg2000.has_openjpeg()\n"
        "numpy.save(sys.argv[2], planes)\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "r.jp2", tmp_path / "read.npy"],
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "read.npy"), planes)


def test_a_single_deep_component_holds_sixteen_planes(tmp_path: Path) -> None:
    stored = np.array([[1, 256], [32768, 257]], dtype=np.uint16).repeat(32, 0).repeat(32, 1)
    glymur.Jp2k(tmp_path / "r.jp2", data=stored)

    planes = read_bit_planes(tmp_path / "r.jp2")

    assert planes[::32, ::32].tolist() == [[[1, 0], [0, 1]], [[0, 128], [1, 1]]]


def test_high_bits_of_several_deep_components_are_refused(tmp_path: Path) -> None:
    glymur.Jp2k(tmp_path / "r.jp2", data=np.full((64, 64, 2), 256, dtype=np.uint16))

    with pytest.raises(CodecError, match="more than eight bits") as caught:
        read_bit_planes(tmp_path / "r.jp2")

    assert caught.value.rule == "codec.wrong-type"


def test_a_jpeg_2000_system_mask_has_one_component(tmp_path: Path, levels: U8Image) -> None:
    write_bit_planes(tmp_path / "one.jp2", levels[:, :, np.newaxis])
    write_bit_planes(tmp_path / "two.jp2", np.dstack((levels, levels)))

    scores = read_system_mask(tmp_path / "one.jp2", manipulated_is=Polarity.BLACK)
    with pytest.raises(CodecError) as caught:
        read_system_mask(tmp_path / "two.jp2", manipulated_is=Polarity.BLACK)

    np.testing.assert_array_equal(scores, 255 - levels)
    assert caught.value.rule == "codec.wrong-shape"


def test_a_raw_mask_is_developed_and_turned_grey(tmp_path: Path) -> None:
    scene = np.full((64, 64, 3), 10, dtype=np.uint8)
    scene[:, 32:] = 200
    write_dng(tmp_path / "m.dng", scene)

    scores = read_system_mask(tmp_path / "m.dng", manipulated_is=Polarity.WHITE)

    assert scores.shape == (64, 64)
    assert scores[:, :28].mean() < scores[:, 36:].mean()


def test_a_photograph_is_no_mask(tmp_path: Path) -> None:
    write_heic(tmp_path / "m.heic", np.zeros((64, 64, 3), np.uint8))

    with pytest.raises(CodecError) as caught:
        read_system_mask(tmp_path / "m.heic", manipulated_is=Polarity.BLACK)

    assert caught.value.rule == "codec.wrong-format"


@pytest.mark.parametrize("name", ["r.bmp", "r.gif", "r.tif"])
def test_references_in_other_formats_keep_their_colours(tmp_path: Path, name: str) -> None:
    colours = np.full((8, 9, 3), 255, dtype=np.uint8)
    colours[2:5, 3:6] = (0, 247, 250)
    Image.fromarray(colours).save(tmp_path / name)

    np.testing.assert_array_equal(read_colour_reference(tmp_path / name), colours)


def test_low_bytes_of_several_deep_components_are_planes(tmp_path: Path) -> None:
    glymur.Jp2k(tmp_path / "r.jp2", data=np.full((64, 64, 2), 129, dtype=np.uint16))

    planes = read_bit_planes(tmp_path / "r.jp2")

    assert planes.dtype == np.uint8
    assert planes.shape == (64, 64, 2)
    assert set(np.unique(planes)) == {129}
