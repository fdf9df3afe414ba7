"""Every lens against a second, plain computation, and in strips against the whole image."""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from forensicviewer.core.array import RgbImage
from forensicviewer.core.lens.built_in import LENSES
from forensicviewer.core.lens.compression import ERROR_LEVEL, TABLE_MISFIT, standard_table
from forensicviewer.core.lens.filters import (
    CONSTRAINED,
    NOISE,
    RICH_MODEL,
    SOBEL,
    luma,
    prediction_error,
)
from forensicviewer.core.lens.frequency import BLOCK_DCT, FFT
from forensicviewer.core.lens.lens import Lens, LensError, LensImage, Parameter

BY_NAME = {lens.name: lens for lens in LENSES}


def noisy(height: int, width: int, seed: int = 1) -> RgbImage:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3)).astype(np.uint8)


def clipped(values: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(np.minimum(np.abs(values), 255)).astype(np.int64)


def neighbours(channel: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """All shifts of an image whose edge is mirrored, by place in the window."""
    half = size // 2
    padded = np.pad(channel, half, mode="reflect")
    height, width = channel.shape
    return np.stack(
        [padded[y : y + height, x : x + width] for y in range(size) for x in range(size)]
    )


def close(found: NDArray[np.uint8], wanted: NDArray[np.int64]) -> bool:
    return bool(np.abs(found.astype(int) - wanted).max() <= 1)


def test_sobel_tells_the_slope_of_a_ramp() -> None:
    ramp = np.repeat(np.arange(0, 60, 3, dtype=np.uint8)[None, :], 9, axis=0)
    image = LensImage(np.dstack([ramp] * 3))

    slope = SOBEL.draw(image, {"gain": 5})

    assert (slope[:, 1:-1] == 15).all()


@pytest.mark.parametrize(
    ("number", "weights"),
    [
        (1, [[-1, 2, -1], [2, -4, 2], [-1, 2, -1]]),
        (3, [[0, 0, 0], [1, -2, 1], [0, 0, 0]]),
    ],
)
def test_srm_is_its_filter_over_its_divisor(number: int, weights: list[list[int]]) -> None:
    pixels = noisy(20, 30)
    divisor = {1: 4, 3: 2}[number]

    found = RICH_MODEL.draw(LensImage(pixels), {"filter": number, "gain": 2})

    shifts = neighbours(pixels[..., 1].astype(float), 3)
    wanted = np.tensordot(np.ravel(weights), shifts, 1) / divisor * 2
    assert close(found[..., 1], clipped(wanted))


def test_the_constraint_of_the_bayar_filter_holds() -> None:
    for size in (3, 5):
        weights = prediction_error(size)
        assert weights[size // 2, size // 2] == -1
        assert weights.sum() == pytest.approx(0, abs=1e-6)
    pixels = noisy(20, 30)

    found = CONSTRAINED.draw(LensImage(pixels), {"size": 3, "gain": 1})

    shifts = neighbours(pixels[..., 0].astype(float), 3)
    wanted = np.tensordot(prediction_error(3).ravel().astype(float), shifts, 1)
    assert close(found[..., 0], clipped(wanted))


def test_the_noise_residual_is_the_distance_from_the_median() -> None:
    pixels = noisy(20, 30)

    found = NOISE.draw(LensImage(pixels), {"size": 3, "gain": 1})

    median = np.median(neighbours(pixels[..., 2].astype(float), 3), axis=0)
    inside = np.s_[1:-1, 1:-1]
    assert (found[..., 2][inside] == np.abs(pixels[..., 2] - median)[inside]).all()


def test_the_block_transform_keeps_frequencies_from_one_on() -> None:
    pixels = noisy(16, 24)
    grey = luma(pixels).astype(float)
    n = np.arange(8)
    basis = np.array([np.cos(np.pi * k * (2 * n + 1) / 16) / 2 for k in range(8)])
    basis[0] = np.sqrt(1 / 8)

    found = BLOCK_DCT.draw(LensImage(pixels), {"first": 3, "gain": 1})

    block = grey[8:16, 8:16]
    coefficients = basis @ block @ basis.T
    coefficients[:3, :3] = 0
    assert close(found[8:16, 8:16], clipped(basis.T @ coefficients @ basis))


def test_the_transform_of_the_whole_leaves_out_the_low_frequencies() -> None:
    pixels = noisy(48, 64)
    grey = luma(pixels).astype(float)

    found = FFT.draw(LensImage(pixels), {"cut": 25, "gain": 1})

    spectrum = np.fft.fft2(grey)
    rows = np.abs(np.fft.fftfreq(48, 1 / 48)) < 6
    columns = np.abs(np.fft.fftfreq(64, 1 / 64)) < 8
    spectrum[np.ix_(rows, columns)] = 0
    assert close(found, clipped(np.fft.ifft2(spectrum).real))


def test_the_error_level_is_that_of_another_jpeg_library() -> None:
    pixels = np.asarray(Image.fromarray(noisy(6, 8)).resize((64, 48), Image.Resampling.BICUBIC))
    saved = io.BytesIO()
    Image.fromarray(pixels).save(saved, "JPEG", quality=70)

    found = ERROR_LEVEL.draw(LensImage(pixels), {"quality": 70, "gain": 1})

    again = np.asarray(Image.open(saved)).astype(int)
    assert close(found, np.abs(pixels.astype(int) - again))


def saved_as_jpeg(pixels: RgbImage, quality: int) -> RgbImage:
    saved = io.BytesIO()
    Image.fromarray(pixels).save(saved, "JPEG", quality=quality, subsampling=0)
    return np.asarray(Image.open(saved).convert("RGB"))


def test_blocks_off_the_grid_of_a_jpeg_stand_out() -> None:
    texture = np.repeat(noisy(96, 96)[..., :1], 3, axis=2)
    soft = np.asarray(Image.fromarray(texture).resize((192, 192), Image.Resampling.BICUBIC))
    pixels = saved_as_jpeg(soft, 75).copy()
    pixels[64:128, 64:128] = pixels[67:131, 61:125]  # moved off the grid

    found = TABLE_MISFIT.draw(LensImage(pixels), {"quality": 75})

    moved = found[72:120, 72:120].mean()
    assert moved > 3 * found[:56].mean()
    assert found[:56].mean() < 40


def test_the_grid_of_a_turned_image_is_found() -> None:
    texture = np.repeat(noisy(50, 61)[..., :1], 3, axis=2)
    stored = saved_as_jpeg(
        np.asarray(Image.fromarray(texture).resize((122, 101), Image.Resampling.BICUBIC)), 60
    )
    upright = np.ascontiguousarray(stored[::-1, ::-1])

    found = TABLE_MISFIT.draw(LensImage(upright, blocks_at=(122 % 8, 101 % 8)), {"quality": 60})
    other = TABLE_MISFIT.draw(LensImage(upright), {"quality": 60})

    assert found[24:72, 24:72].mean() * 3 < other[24:72, 24:72].mean()


def test_tables_are_needed_to_test_those_of_the_file() -> None:
    with pytest.raises(LensError, match="not a JPEG"):
        TABLE_MISFIT.draw(LensImage(noisy(16, 16)), {})
    with pytest.raises(LensError, match="too small"):
        TABLE_MISFIT.draw(LensImage(noisy(16, 16)), {"quality": 100})


@pytest.mark.parametrize("quality", [1, 10, 49, 50, 75, 90, 99, 100])
def test_standard_tables_are_those_of_another_jpeg_library(quality: int) -> None:
    saved = io.BytesIO()
    Image.fromarray(noisy(8, 8)).save(saved, "JPEG", quality=quality)

    # Pillow lists the steps by rows, as the standard prints them.
    assert tuple(JpegImageFile(io.BytesIO(saved.getvalue())).quantization[0]) == standard_table(
        quality
    )


@pytest.mark.parametrize("lens", LENSES, ids=lambda lens: lens.name)
@pytest.mark.parametrize("shape", [(1100, 40), (513, 33), (7, 5), (1, 1)])
def test_a_lens_in_strips_is_the_lens_of_the_whole(lens: Lens, shape: tuple[int, int]) -> None:
    image = LensImage(noisy(*shape), blocks_at=(3, 5))
    values = lens.values({"quality": 60})

    drawn = lens.draw(image, values)

    assert drawn.dtype == np.uint8
    assert drawn.shape[:2] == shape
    assert (drawn == lens.apply(image, values)).all()


def test_a_lens_that_returns_something_else_is_refused() -> None:
    odd = Lens("odd", "Odd", "", lambda image, _: image.pixels[1:])

    with pytest.raises(LensError, match="did not return 8-bit pixels of size 30×20"):  # noqa: RUF001
        odd.draw(LensImage(noisy(20, 30)), {})


def test_values_out_of_range_are_brought_into_it() -> None:
    window = Parameter("size", "Window", 5, 3, 5, step=2)

    assert [window.nearest(value) for value in (0, 3, 4, 5, 99)] == [3, 3, 3, 5, 5]
    assert ERROR_LEVEL.values({"quality": 400, "unknown": 1}) == {"quality": 100, "gain": 15}


def test_the_work_between_strips_can_be_called_off() -> None:
    def check() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        SOBEL.draw(LensImage(noisy(20, 30)), {}, check=check)
