"""JPEG files of unusual processes, and those that take for ever."""

from __future__ import annotations

import io
from pathlib import Path

import imagecodecs
import numpy as np
import pytest
from PIL import Image

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.images import read_image, thumbnail
from forensicviewer.sources.media.jpeg import refuse_many_scans
from forensicviewer.sources.media.masks import Polarity, read_system_mask

CHANCE = np.random.default_rng(3)
GREY = CHANCE.integers(0, 256, (24, 40), dtype=np.uint8)


def test_a_lossless_jpeg_has_its_own_pixels(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(imagecodecs.jpeg8_encode(GREY, lossless=True, predictor=1))

    shown = read_image(path).pixels

    assert shown.shape == (24, 40, 3)
    assert (shown == GREY[:, :, np.newaxis]).all()
    assert (read_system_mask(path, manipulated_is=Polarity.WHITE) == GREY).all()


@pytest.mark.parametrize("bits", [8, 12])
def test_red_stays_red_in_image_and_thumbnail_of_an_unusual_jpeg(bits: int, tmp_path: Path) -> None:
    red = np.zeros((40, 60, 3), np.uint16 if bits > 8 else np.uint8)
    red[:, :, 0] = (1 << bits) - 1
    path = tmp_path / "a.jpg"
    path.write_bytes(imagecodecs.jpeg8_encode(red, lossless=True, predictor=1, bitspersample=bits))

    for pixels in (read_image(path).pixels, thumbnail(path, edge_px=20)):
        assert pixels[10, 10].tolist() == [255, 0, 0]


def test_a_process_nobody_reads_is_not_called_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(imagecodecs.jpegls_encode(GREY))

    with pytest.raises(CodecError, match=r"not supported \(JPEG-LS\)") as caught:
        read_image(path)
    assert caught.value.rule == "codec.unsupported"


def progressive(scans: int) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(np.dstack([GREY] * 3)).save(stream, "JPEG", progressive=True)
    whole = stream.getvalue()
    start = whole.index(b"\xff\xda")
    return whole[:start] + whole[start:-2] * scans + whole[-2:]


def test_an_image_of_very_many_scans_is_refused(tmp_path: Path) -> None:
    """Each is a pass over the image: 3 MB of them kept a decoder busy for its whole minute."""
    path = tmp_path / "a.jpg"
    path.write_bytes(progressive(1))
    assert read_image(path).pixels.shape == (24, 40, 3)
    path.write_bytes(progressive(50))

    with pytest.raises(CodecError, match="more than 100 scans"):
        read_image(path)


def test_what_follows_the_image_is_no_scan() -> None:
    refuse_many_scans(progressive(1) + b"\xff\xda\x00\x02" * 5000, where="a.jpg")
