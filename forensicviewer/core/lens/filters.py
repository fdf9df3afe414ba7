"""Lenses that look at a pixel and its neighbours: edges and high-pass residuals."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import RgbImage, U8Image
from forensicviewer.core.lens.lens import Lens, LensImage, Parameter, Values

GAIN = Parameter("gain", "Gain", 4, 1, 50)

# The three high-pass filters of the spatial rich model that Zhou et al., "Learning Rich Features
# for Image Manipulation Detection" (CVPR 2018), chose, with their divisors.
_SRM = (
    (((-1, 2, -1), (2, -4, 2), (-1, 2, -1)), 4),
    (
        (
            (-1, 2, -2, 2, -1),
            (2, -6, 8, -6, 2),
            (-2, 8, -12, 8, -2),
            (2, -6, 8, -6, 2),
            (-1, 2, -2, 2, -1),
        ),
        12,
    ),
    (((0, 0, 0), (1, -2, 1), (0, 0, 0)), 2),
)


def luma(pixels: RgbImage) -> U8Image:
    """The brightness as JPEG computes it."""
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8)


def sobel(image: LensImage, values: Values) -> U8Image:
    """The slope of the brightness in grey levels a pixel, amplified."""
    grey = luma(image.pixels)
    across = cv2.Sobel(grey, cv2.CV_32F, 1, 0)
    down = cv2.Sobel(grey, cv2.CV_32F, 0, 1)
    # The kernel's weights add up to eight times the slope.
    slope = cv2.magnitude(across, down)
    return np.asarray(cv2.convertScaleAbs(slope, alpha=values["gain"] / 8), np.uint8)


def rich_model(image: LensImage, values: Values) -> RgbImage:
    """The residual of each channel after one filter of the spatial rich model."""
    weights, divisor = _SRM[values["filter"] - 1]
    scaled = np.asarray(np.divide(weights, divisor), np.float32)
    return _residual(image.pixels, scaled, values["gain"])


def constrained(image: LensImage, values: Values) -> RgbImage:
    """How far each pixel is from what its neighbours predict."""
    return _residual(image.pixels, prediction_error(values["size"]), values["gain"])


def prediction_error(size: int) -> NDArray[np.float32]:
    """A filter with the constraint of Bayar and Stamm: -1 in the middle, the others add up to 1.

    A network learns the others; without one they fall with the distance.
    """
    steps = np.arange(size) - size // 2
    distance = np.hypot(*np.meshgrid(steps, steps))
    weights = np.divide(1, distance, out=np.zeros_like(distance), where=distance > 0)
    weights /= weights.sum()
    weights[size // 2, size // 2] = -1
    return weights.astype(np.float32)


def noise(image: LensImage, values: Values) -> RgbImage:
    """What a median filter removes, amplified: noise and very fine detail."""
    smooth = cv2.medianBlur(image.pixels, values["size"])
    difference = cv2.absdiff(image.pixels, smooth)
    return np.asarray(cv2.convertScaleAbs(difference, alpha=values["gain"]), np.uint8)


def _residual(pixels: RgbImage, weights: NDArray[np.float32], gain: int) -> RgbImage:
    """The size of what a high-pass filter leaves, amplified.

    Not its sign: averaged for a small view, rises and falls would cancel and nothing be seen.
    """
    filtered = cv2.filter2D(pixels, cv2.CV_16S, weights * gain, borderType=cv2.BORDER_REFLECT_101)
    return np.asarray(cv2.convertScaleAbs(filtered), np.uint8)


_SIZE = Parameter("size", "Window", 5, 3, 5, step=2)
_STRONG_GAIN = Parameter("gain", "Gain", 10, 1, 50)

SOBEL = Lens(
    "sobel",
    "Sobel edges",
    "How steeply the brightness rises or falls. Pasted edges are often sharper or softer "
    "than the edges around them.",
    sobel,
    (GAIN,),
    reach_px=1,
)
RICH_MODEL = Lens(
    "srm",
    "SRM residual",
    "The residual of each channel after a high-pass filter of the spatial rich model (SRM). "
    "Regions whose noise differs from their surroundings stand out.",
    rich_model,
    (Parameter("filter", "Filter", 2, 1, 3), _STRONG_GAIN),
    reach_px=2,
)
CONSTRAINED = Lens(
    "bayar",
    "Bayar-style residual",
    "The difference between each pixel and the value its neighbours predict, with weights "
    "that fall with distance instead of learned weights.",
    constrained,
    (_SIZE, _STRONG_GAIN),
    reach_px=2,
)
NOISE = Lens(
    "noise",
    "Noise residual",
    "What a median filter removes, amplified. Smoothed or pasted regions have less or more "
    "noise than the rest.",
    noise,
    (Parameter("size", "Window", 3, 3, 5, step=2), _STRONG_GAIN),
    reach_px=2,
)
