"""Quantization tables of JPEG files, as another library reads them."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from forensicviewer.core.lens.compression import jpeg_quality
from forensicviewer.sources.media.images import read_image
from forensicviewer.sources.media.jpeg_tables import jpeg_tables


def encoded(**options: object) -> bytes:
    pixels = np.random.default_rng(1).integers(0, 256, (24, 40, 3)).astype(np.uint8)
    saved = io.BytesIO()
    Image.fromarray(pixels).save(saved, "JPEG", **options)
    return saved.getvalue()


@pytest.mark.parametrize("options", [{"quality": 83}, {"quality": 5}, {"progressive": True}])
def test_tables_are_those_another_library_reads(options: dict[str, object]) -> None:
    data = encoded(**options)

    found = jpeg_tables(data)

    wanted = JpegImageFile(io.BytesIO(data)).quantization
    assert found is not None
    assert [list(table) for table in found.tables] == [list(wanted[n]) for n in sorted(wanted)]
    assert found.used == (0, 1, 1)


def test_the_quality_is_found_and_tables_of_its_own_are_told_apart() -> None:
    standard, own = encoded(quality=83), encoded(qtables=[[7] * 64, [9] * 64])

    first, second = jpeg_tables(standard), jpeg_tables(own)

    assert first is not None
    assert second is not None
    assert (jpeg_quality(first).quality, jpeg_quality(first).is_exact) == (83, True)
    assert not jpeg_quality(second).is_exact


@pytest.mark.parametrize("length", [2, 30, 60, 100, 180])
def test_a_file_cut_off_before_its_picture_has_no_tables(length: int) -> None:
    assert jpeg_tables(encoded(quality=83)[:length]) is None


def test_steps_of_zero_are_not_believed() -> None:
    data = encoded(quality=83)
    place = data.index(b"\xff\xdb") + 5

    assert jpeg_tables(data[:place] + b"\x00" + data[place + 1 :]) is None


def test_images_know_the_tables_of_their_files(tmp_path: Path) -> None:
    file = tmp_path / "probe.jpg"
    file.write_bytes(encoded(quality=71))
    Image.open(file).save(tmp_path / "probe.png")

    tables = read_image(file).facts.jpeg

    assert tables is not None
    assert jpeg_quality(tables).quality == 71
    assert read_image(tmp_path / "probe.png").facts.jpeg is None
