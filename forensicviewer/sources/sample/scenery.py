"""Landscapes from nothing but a seed: sky, ground seen in perspective, water, haze, trees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import RgbImage, Size
from forensicviewer.sources.sample.noise import Colours, Field, fractal, mix, sample, smoothstep
from forensicviewer.sources.sample.terrain import MAP_EDGE, GroundView, Land, colour, ground_of

_MAPS_PER_LAND = 2


@dataclass(frozen=True, slots=True)
class Light:
    """The hour: colours of the sky, of lit and of shaded things, and how high the sun stands."""

    zenith: tuple[float, float, float]
    horizon: tuple[float, float, float]
    sun: tuple[float, float, float]
    shade: tuple[float, float, float]
    sun_height: float


NOON = Light((0.20, 0.44, 0.80), (0.74, 0.85, 0.94), (1.0, 0.98, 0.93), (0.52, 0.60, 0.72), 0.75)
MORNING = Light((0.36, 0.53, 0.78), (0.95, 0.88, 0.78), (1.0, 0.92, 0.78), (0.52, 0.54, 0.66), 0.4)
EVENING = Light((0.27, 0.32, 0.55), (0.99, 0.72, 0.50), (1.0, 0.80, 0.55), (0.46, 0.43, 0.56), 0.2)
OVERCAST = Light(
    (0.60, 0.65, 0.70), (0.84, 0.86, 0.88), (0.92, 0.93, 0.94), (0.70, 0.73, 0.77), 0.6
)


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A landscape before the camera: colours as floats, so that objects can still be put in."""

    colours: Colours
    view: GroundView
    light: Light
    sun_side: int  # 1 where the sun stands right of the middle, else -1

    @property
    def size(self) -> Size:
        return self.view.size


def paint_scene(seed: int, size: Size, *, land: Land, light: Light) -> Scene:
    """The same seed, size, land and light always give the same image."""
    random = np.random.default_rng(seed)
    horizon = int(size.height * random.uniform(0.36, 0.5))
    sun_x = random.uniform(0.1, 0.9)
    offset = random.uniform(0, MAP_EDGE)
    view = GroundView.of(
        ground_of(land, seed % _MAPS_PER_LAND), size, horizon=horizon, offset=offset
    )
    sky = _sky(random, size, horizon, sun_x * size.width, light)
    sun_side = 1 if sun_x > 0.5 else -1
    return Scene(_shade(view, sky, light, sun_side), view, light, sun_side)


def _sky(
    random: np.random.Generator, size: Size, horizon: int, sun_x: float, light: Light
) -> Colours:
    y, x = np.mgrid[0 : size.height, 0 : size.width].astype(np.float32)
    up = np.clip((horizon - y) / horizon, 0, 1)
    sky = mix(colour(light.horizon), colour(light.zenith), up**0.65)
    distance = np.hypot(x - sun_x, y - horizon * (1 - light.sun_height)) / size.width
    sky = mix(sky, colour(light.sun), 0.75 * np.exp(-((distance / 0.16) ** 2)))
    return _with_clouds(random, sky, (x - size.width / 2) / size.width, up, light)


@lru_cache(maxsize=1)
def _cloud_field() -> Field:
    return fractal(np.random.default_rng(77), MAP_EDGE, cells=6, octaves=7, roughness=0.55)


def _with_clouds(
    random: np.random.Generator, sky: Colours, across: Field, up: Field, light: Light
) -> Colours:
    """Clouds on a flat layer, so that they shrink towards the horizon as real ones do."""
    field = _cloud_field()
    far = np.asarray(1 / (up + 0.12), np.float32)
    u = np.asarray(420 * across * far + random.uniform(0, MAP_EDGE), np.float32)
    v = np.asarray(260 * far + random.uniform(0, MAP_EDGE), np.float32)
    cover = random.uniform(0.47, 0.56) - (0.09 if light is OVERCAST else 0)
    density = sample(field, u, v)
    share = smoothstep(cover, cover + 0.16, density)
    toward_sun = sample(field, u + 7, v + 9)
    bright = np.clip(0.66 + 2.4 * (density - toward_sun), 0, 1).astype(np.float32)
    cloud = mix(colour(light.shade), colour(light.sun), bright)
    return mix(sky, cloud, share * smoothstep(0.0, 0.16, up) * 0.92)


def _shade(view: GroundView, sky: Colours, light: Light, sun_side: int) -> Colours:
    ground = view.ground
    depth = np.minimum(view.depth, 900)
    lit = np.clip(0.66 + sun_side * sample(ground.slope, view.u, view.v), 0.1, 1.1)
    tint = mix(colour(light.shade) * 0.7, colour(light.sun) * 1.1, lit.astype(np.float32))
    near_detail = sample(ground.detail, view.u * 40, view.v * 40) - 0.5
    far_detail = sample(ground.detail, view.u * 6, view.v * 6) - 0.5
    texture = 1 + 0.9 * near_detail * np.clip(26 / depth, 0, 1) + 0.7 * far_detail
    seen = sample(ground.colours, view.u, view.v) * tint * texture[..., np.newaxis]
    is_water = view.is_water()
    if is_water.any():
        seen = np.where(is_water[..., np.newaxis], _water(view, sky), seen)
    haze = np.asarray(1 - np.exp(-depth / 560), np.float32)
    seen = mix(seen, colour(light.horizon) * 0.96, haze)
    return np.where(np.isfinite(view.depth)[..., np.newaxis], seen, sky).astype(np.float32)


def _water(view: GroundView, sky: Colours) -> Colours:
    """The sky mirrored at the horizon, broken by waves, darker where one looks down."""
    size, horizon = view.size, view.horizon
    y, x = np.mgrid[0 : size.height, 0 : size.width].astype(np.float32)
    wave = sample(view.ground.detail, view.u * 9, view.v * 26) - 0.5
    ripple = sample(view.ground.detail, view.u * 30, view.v * 90) - 0.5
    swing = (wave * 90 + ripple * 60) * np.clip(40 / view.depth, 0.05, 1)
    mirrored = np.clip(2 * horizon - y + swing, 0, horizon - 2).astype(np.float32)
    reflection = cv2.remap(sky, x, mirrored, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    look_down = np.clip((y - horizon) / (size.height - horizon), 0, 1)
    share = 0.22 + 0.45 * look_down + 0.5 * wave + 0.35 * ripple
    return mix(
        np.asarray(reflection, np.float32),
        colour((0.05, 0.19, 0.26)),
        np.clip(share, 0.06, 0.9).astype(np.float32),
    )


def develop(
    colours: Colours, *, seed: int, fingerprint: NDArray[np.float32] | None = None
) -> RgbImage:
    """What a camera adds: a curve, a little vignetting and the noise of its sensor.

    ``fingerprint`` is the sensor's own pattern, the same in every image of one camera.
    """
    height, width = colours.shape[:2]
    y, x = np.ogrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    vignette = (1 - 0.14 * (x * x + y * y)).astype(np.float32)
    exposed = np.clip(colours * vignette[..., np.newaxis], 0, 1)
    curved = exposed * (1.18 - 0.18 * exposed)
    if fingerprint is not None:
        curved = curved * (1 + fingerprint[..., np.newaxis])
    grain = np.random.default_rng([seed, 9]).standard_normal((height, width), dtype=np.float32)
    noisy = curved * 255 + (grain * (1.0 + 1.4 * curved.mean(axis=2)))[..., np.newaxis]
    return np.asarray(np.clip(np.rint(noisy), 0, 255), np.uint8)
