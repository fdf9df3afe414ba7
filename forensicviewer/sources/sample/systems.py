"""Systems of different quality that answer the sample's questions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np

from forensicviewer.core.array import BoolImage, U8Image
from forensicviewer.sources.sample.noise import Field


class Quality(Enum):
    """How well a system does."""

    GOOD = "good"
    NOISY = "noisy"
    INVERTED = "inverted"  # finds everything, but writes white where it should write black
    PARTIAL = "partial"  # answers only some trials
    CAREFUL = "careful"  # opts out of what it is not sure of


OPT_OUT_LEVEL = 200  # the level a careful system writes where it does not want to be judged


@dataclass(frozen=True, slots=True)
class System:
    """A system: its name as submissions spell it, and how well it does."""

    name: str
    quality: Quality

    def levels(self, area: BoolImage, *, seed: int) -> U8Image:
        """The mask file's grey levels: black where the system thinks of a manipulation."""
        random = np.random.default_rng([seed, len(self.name), 17])
        scores = _scores(area, random, self.quality)
        stored = scores if self.quality is Quality.INVERTED else 1 - scores
        # Few levels keep the files small; NIST's systems rarely use all 256 either.
        levels = np.asarray(np.rint(stored * 51) * 5, np.uint8)
        if self.quality is Quality.CAREFUL:
            levels[levels == OPT_OUT_LEVEL] -= 5
            border = max(4, area.shape[0] // 16)
            levels[:border] = OPT_OUT_LEVEL
            levels[-border:] = OPT_OUT_LEVEL
        return levels

    def confidence(self, *, is_target: bool, seed: int) -> float:
        """How sure the system is that a trial is a target, 0..1."""
        random = np.random.default_rng([seed, len(self.name), 23])
        apart, spread = (0.12, 0.24) if self.quality is Quality.NOISY else (0.2, 0.17)
        middle = 0.5 + apart if is_target else 0.5 - apart
        return round(float(np.clip(random.normal(middle, spread), 0.01, 0.99)), 4)


def _scores(area: BoolImage, random: np.random.Generator, quality: Quality) -> Field:
    """0..1, soft like the heat maps of real detectors: a little off, patchy, with false blobs.

    Computed at half the size, as such detectors do, too.
    """
    height, width = area.shape
    softness, noise, false, missed = {
        Quality.NOISY: (0.020, 0.60, 0.95, 0.75),
        Quality.GOOD: (0.008, 0.20, 0.62, 0.45),
    }.get(quality, (0.010, 0.28, 0.70, 0.55))
    shape = (height // 2, width // 2)
    small = cv2.resize(area.astype(np.float32), shape[::-1], interpolation=cv2.INTER_AREA)
    reach = max(1, width // 240)
    moved = np.roll(small, tuple(random.integers(-reach, reach + 1, size=2)), axis=(0, 1))
    found = cv2.GaussianBlur(moved, (0, 0), max(1.0, softness * width / 2))
    certainty = 1 - missed * _field(random, shape, 6)
    texture = _field(random, shape, max(2, height // 14))
    blob = _field(random, shape, 5)
    wrong = false * random.uniform(0.5, 1.0) * np.clip((blob - 0.72) * 4, 0, 1)
    scores = np.clip(found * certainty + wrong + noise * (texture - 0.42), 0, 1)
    return np.asarray(cv2.resize(scores.astype(np.float32), (width, height)), np.float32)


def _field(random: np.random.Generator, shape: tuple[int, int], cells: int) -> Field:
    """Smooth noise, 0..1, with about ``cells`` bumps from top to bottom."""
    height, width = shape
    grid = random.random((cells, max(2, cells * width // height)), dtype=np.float32)
    smooth = cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(np.clip(smooth, 0, 1), np.float32)
