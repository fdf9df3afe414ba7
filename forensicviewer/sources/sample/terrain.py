"""A landscape's ground: a map of heights and materials, looked at in perspective."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Size
from forensicviewer.sources.sample.noise import (
    Colours,
    Field,
    fractal,
    mix,
    ridged,
    sample,
    smoothstep,
)

MAP_EDGE = 1024  # cells of the map across; it repeats sideways
_STEPS = 360  # depths at which the ground is looked at
_NEAR, _FAR = 4.0, 900.0
_FIELD_OF_VIEW = 1.15


class Land(Enum):
    """What kind of landscape is painted."""

    COAST = "coast"
    HILLS = "hills"
    MOUNTAINS = "mountains"
    DESERT = "desert"


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A map: heights, colours in white light, and how much sun falls on each cell from the right.

    ``water`` is the level below which there is a lake; ``scale`` says how tall the land is.
    """

    height: Field
    colours: Colours
    slope: Field
    detail: Field
    water: float
    scale: float


@lru_cache(maxsize=8)
def ground_of(land: Land, variant: int) -> Ground:
    """The map of a kind of land; it is shared by many views, because it takes long to make."""
    random = np.random.default_rng([sum(land.value.encode()), variant])
    height, water, scale = _heights(random, land)
    slope_x = cv2.Sobel(height, cv2.CV_32F, 1, 0, ksize=3, borderType=cv2.BORDER_REFLECT)
    slope_y = cv2.Sobel(height, cv2.CV_32F, 0, 1, ksize=3, borderType=cv2.BORDER_REFLECT)
    steep = np.asarray(np.hypot(slope_x, slope_y) * 14 * scale, np.float32)
    slope = np.asarray((0.5 * slope_y - slope_x) * 24 * scale, np.float32)
    colours = _materials(random, land, height, steep)
    detail = fractal(random, MAP_EDGE, cells=48, octaves=5, roughness=0.8)
    return Ground(height, colours, slope, detail, water, scale)


def _heights(random: np.random.Generator, land: Land) -> tuple[Field, float, float]:
    base = fractal(random, MAP_EDGE, cells=5, octaves=8, roughness=0.42)
    crests = ridged(random, MAP_EDGE, cells=6, octaves=7)
    away = np.linspace(0, 1, MAP_EDGE, dtype=np.float32)[:, np.newaxis]
    match land:
        case Land.COAST:
            bowl = np.abs(away - 0.16) * 0.9
            land_behind = 0.5 * crests * smoothstep(0.3, 0.8, np.broadcast_to(away, base.shape))
            return np.asarray(0.42 * base + 0.22 * bowl + land_behind, np.float32), 0.245, 1.2
        case Land.HILLS:
            return np.asarray(0.6 * base + 0.25 * away, np.float32), -1.0, 1.1
        case Land.MOUNTAINS:
            rise = smoothstep(0.10, 0.6, np.broadcast_to(away, base.shape))
            return np.asarray(0.25 * base + 0.95 * crests * rise, np.float32), 0.125, 2.3
        case Land.DESERT:
            dunes = np.abs(2 * fractal(random, MAP_EDGE, cells=11, octaves=2, roughness=0.3) - 1)
            return np.asarray(0.5 * (1 - dunes) + 0.06 * base + 0.1 * away, np.float32), -1.0, 0.6


_GRASS, _MEADOW = (0.30, 0.42, 0.17), (0.58, 0.58, 0.27)
_ROCK, _SNOW = (0.46, 0.43, 0.40), (0.97, 0.98, 1.0)
_SAND, _DUNE = (0.86, 0.79, 0.62), (0.93, 0.75, 0.52)


def colour(values: tuple[float, float, float]) -> Colours:
    return np.array(values, dtype=np.float32).reshape(1, 1, 3)


def _materials(random: np.random.Generator, land: Land, height: Field, steep: Field) -> Colours:
    patches = fractal(random, MAP_EDGE, cells=24, octaves=5, roughness=0.6)
    if land is Land.DESERT:
        return np.asarray(colour(_DUNE) * (0.92 + 0.16 * patches)[..., np.newaxis], np.float32)
    ground = mix(colour(_GRASS), colour(_MEADOW), smoothstep(0.40, 0.62, patches))
    ground = mix(ground, colour(_ROCK), smoothstep(0.35, 0.75, steep + 0.5 * (patches - 0.5)))
    if land is Land.COAST:
        beach = 1 - smoothstep(0.255, 0.30, height + 0.05 * (patches - 0.5))
        ground = mix(ground, colour(_SAND), beach)
    if land is Land.MOUNTAINS:
        snow = smoothstep(0.36, 0.5, height + 0.20 * (patches - 0.5) - 0.10 * steep)
        ground = mix(ground, colour(_SNOW), snow)
    return ground


@dataclass(frozen=True, slots=True, eq=False)
class GroundView:
    """The ground as seen from one place: which spot of the map each pixel shows."""

    ground: Ground
    size: Size
    horizon: int
    depth: Field  # infinite in the sky
    u: Field
    v: Field
    offset: float
    eye: float

    @classmethod
    def of(cls, ground: Ground, size: Size, *, horizon: int, offset: float) -> GroundView:
        shares = np.linspace(0, 1, _STEPS, dtype=np.float32)
        depths = np.asarray(_NEAR * (_FAR / _NEAR) ** shares, np.float32)
        across = (np.arange(size.width, dtype=np.float32) / size.width - 0.5) * _FIELD_OF_VIEW
        u = np.asarray(depths[:, np.newaxis] * across[np.newaxis, :] + offset, np.float32)
        v = np.broadcast_to(depths[:, np.newaxis] * 0.9 + 40, u.shape).astype(np.float32)
        height = np.asarray(np.maximum(sample(ground.height, u, v), ground.water), np.float32)
        eye = float(height[:120].max()) + 0.05 / ground.scale
        above = np.asarray(height - eye, np.float32)
        edge = horizon - _rise(ground, size, above, depths[:, np.newaxis])
        step = _first_step_above(np.minimum.accumulate(edge, axis=0), size)
        far = _NEAR * (_FAR / _NEAR) ** (step / (_STEPS - 1))
        depth = np.where(step < _STEPS, far, np.inf).astype(np.float32)
        finite = np.minimum(depth, _FAR)
        return cls(
            ground,
            size,
            horizon,
            depth,
            np.asarray(finite * across[np.newaxis, :] + offset, np.float32),
            np.asarray(finite * 0.9 + 40, np.float32),
            offset,
            eye,
        )

    def place(self, across: float, depth: float) -> tuple[float, float]:
        """Where (x, y) a spot of the ground is seen; ``across`` is -0.5..0.5."""
        u = np.array([[depth * across * _FIELD_OF_VIEW + self.offset]], np.float32)
        v = np.array([[depth * 0.9 + 40]], np.float32)
        height = max(float(sample(self.ground.height, u, v)[0, 0]), self.ground.water)
        up = float(_rise(self.ground, self.size, np.float32(height - self.eye), np.float32(depth)))
        return (across + 0.5) * self.size.width, self.horizon - up

    def is_water(self) -> NDArray[np.bool_]:
        return np.asarray(
            (sample(self.ground.height, self.u, self.v) < self.ground.water)
            & np.isfinite(self.depth)
        )


def _rise(
    ground: Ground,
    size: Size,
    above_eye: NDArray[np.float32] | np.float32,
    depth: NDArray[np.float32] | np.float32,
) -> NDArray[np.float32]:
    """Pixels above the horizon."""
    return np.asarray(above_eye * 150 * ground.scale / depth * size.height * 0.75, np.float32)


def _first_step_above(envelope: Field, size: Size) -> Field:
    """For each pixel the (fractional) depth step at which the ground reaches up to it."""
    rows = -np.arange(size.height, dtype=np.float32)
    steps = np.empty((size.width, size.height), dtype=np.float32)
    indices = np.arange(len(envelope), dtype=np.float32)
    rising = np.ascontiguousarray(-envelope.T)
    for column in range(size.width):
        steps[column] = np.interp(rows, rising[column], indices, left=0, right=len(envelope))
    return np.ascontiguousarray(steps.T)
