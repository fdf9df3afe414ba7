"""Finds what changed in a probe: from its base image, or from the agreement of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import BoolImage, RgbImage, U8Image

ChangeMap = NDArray[np.float32]  # (height, width), 0 = as before, 1 = surely changed

GAIN = 4
_STEP_LEVELS = 24  # from the noise of the whole image to a sure change
_LEAST_LEVELS = 1
_SURE = 0.5
_AROUND_PX = 9


@dataclass(frozen=True, slots=True, eq=False)
class ProbeChange:
    """Where a probe changed. ``source`` says who says so: the base, or systems.

    ``is_exact`` where single pixels can be believed: systems are never that sharp.
    """

    values: ChangeMap
    source: str
    is_exact: bool

    @property
    def sure(self) -> BoolImage:
        return np.asarray(self.values >= _SURE)

    @property
    def is_quiet(self) -> bool:
        """Whether no pixel changed clearly, so that no place can be named."""
        return not self.sure.any()

    @property
    def around(self) -> ChangeMap:
        """How much changed in the neighbourhood of each pixel: noise is far below 0.05."""
        return np.asarray(cv2.blur(self.values, (_AROUND_PX, _AROUND_PX)), np.float32)


def difference(probe: RgbImage, base: RgbImage) -> U8Image:
    """|probe - base|, of the three channels the largest."""
    return np.asarray(cv2.absdiff(probe, base).max(axis=2), np.uint8)


def bright_difference(probe: RgbImage, base: RgbImage) -> RgbImage:
    """|probe - base|, channel by channel and :data:`GAIN` times as bright, to be looked at."""
    return np.asarray(cv2.convertScaleAbs(cv2.absdiff(probe, base), alpha=GAIN), np.uint8)


def change_from_base(probe: RgbImage, base: RgbImage) -> ProbeChange | None:
    """Where a probe differs from its base more than the image as a whole.

    ``None`` where the two cannot be laid over each other: of other sizes, or changed everywhere.
    """
    if probe.shape != base.shape:
        return None
    levels = difference(probe, base)
    sample = levels[::3, ::3]
    # A mask may cover most of an image, so the quiet fifth of it tells the noise.
    noise = float(np.percentile(sample, 20)) * 2 + float(np.median(sample)) * 0.5
    low = _LEAST_LEVELS + noise
    scaled = (levels.astype(np.float32) - np.float32(low)) / np.float32(_STEP_LEVELS)
    values = np.asarray(np.clip(scaled, 0, 1), np.float32)
    if noise > _STEP_LEVELS:
        return None
    return ProbeChange(values, "base", is_exact=True)


def agreement(maps: Sequence[U8Image]) -> ProbeChange | None:
    """The agreement of systems: the mean of their scores; ``None`` without systems."""
    if not maps:
        return None
    mean = np.mean([scores.astype(np.float32) for scores in maps], axis=0) / np.float32(255)
    return ProbeChange(np.asarray(mean, np.float32), "systems", is_exact=False)
