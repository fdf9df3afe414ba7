"""Photographs for the sample: a landscape, what stands in it, and the camera that took it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from forensicviewer.core.array import BoolImage, RgbImage, Size
from forensicviewer.sources.sample.noise import Colours, Field
from forensicviewer.sources.sample.objects import Sprite, Thing, put, sprite_of
from forensicviewer.sources.sample.scenery import Light, Scene, develop, paint_scene
from forensicviewer.sources.sample.terrain import Land, colour

_AIRBORNE = (Thing.BALLOON, Thing.BIRD)
_TREES = {Land.HILLS: 46, Land.MOUNTAINS: 60, Land.COAST: 24, Land.DESERT: 0}


@dataclass(frozen=True, slots=True)
class Subject:
    """A thing in a photograph: where (shares of width and height) and how tall (share of height).

    ``y`` is where its lower edge is.
    """

    thing: Thing
    x: float
    y: float
    tall: float
    variant: int = 0


@dataclass(frozen=True, slots=True)
class Shot:
    """Everything a photograph is made from."""

    seed: int
    land: Land
    light: Light
    subjects: tuple[Subject, ...] = ()
    camera: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """A photograph, and how opaque each of its subjects is at each pixel."""

    pixels: RgbImage
    subjects: tuple[Field, ...]
    horizon_px: int
    is_sky: BoolImage

    @property
    def size(self) -> Size:
        return Size.of(self.pixels)

    def resized(self, size: Size) -> Photo:
        shape = (size.width, size.height)
        scale = size.height / self.pixels.shape[0]
        return Photo(
            np.asarray(cv2.resize(self.pixels, shape, interpolation=cv2.INTER_AREA), np.uint8),
            tuple(
                np.asarray(cv2.resize(each, shape, interpolation=cv2.INTER_AREA), np.float32)
                for each in self.subjects
            ),
            round(self.horizon_px * scale),
            cv2.resize(self.is_sky.astype(np.uint8), shape) > 0,
        )


@lru_cache(maxsize=64)
def take(shot: Shot, size: Size) -> Photo:
    """Take the photograph; the same shot is developed once."""
    scene = paint_scene(shot.seed, size, land=shot.land, light=shot.light)
    colours = scene.colours.copy()
    tint = np.asarray(colour(shot.light.sun) * 0.85 + colour(shot.light.shade) * 0.2, np.float32)
    _plant_trees(scene, colours, shot, tint)
    subjects = [_stand(scene, colours, subject, tint) for subject in shot.subjects]
    pixels = develop(colours, seed=shot.seed, fingerprint=fingerprint(shot.camera, size))
    return Photo(pixels, tuple(subjects), scene.view.horizon, ~np.isfinite(scene.view.depth))


@lru_cache(maxsize=8)
def fingerprint(camera: int, size: Size) -> Field:
    """The pattern that the sensor of one camera leaves in all its images."""
    random = np.random.default_rng([camera, 4242])
    return random.standard_normal((size.height, size.width), dtype=np.float32) * np.float32(0.012)


def _stand(scene: Scene, colours: Colours, subject: Subject, tint: Colours) -> Field:
    size = scene.size
    foot = (subject.x * size.width, subject.y * size.height)
    on_water = subject.thing is Thing.SAILBOAT
    flies = subject.thing in _AIRBORNE
    opacity = put(
        colours,
        sprite_of(subject.thing, subject.variant),
        foot=foot,
        height_px=subject.tall * size.height,
        tint=tint,
        lit_from_left=scene.sun_side < 0,
        shadow=0.0 if on_water or flies else 0.45,
        reflection=0.4 if on_water else 0.0,
    )
    assert opacity is not None, subject
    return opacity


def _plant_trees(scene: Scene, colours: Colours, shot: Shot, tint: Colours) -> None:
    """Trees where the ground is seen and dry, the far ones first."""
    random = np.random.default_rng([shot.seed, 31])
    is_water = scene.view.is_water()
    haze = colour(shot.light.horizon)
    depths = sorted(random.uniform(34, 420, _TREES[shot.land]), reverse=True)
    for depth in depths:
        x, y = scene.view.place(random.uniform(-0.5, 0.5), depth)
        row, column = int(y), int(min(x, scene.size.width - 1))
        kind = Thing.PINE if random.random() < 0.6 else Thing.OAK
        sprite: Sprite = sprite_of(kind, int(random.integers(3)))
        if not 0 <= row < scene.size.height or is_water[row, column]:
            continue
        if abs(scene.view.depth[row, column] - depth) > 0.1 * depth:
            continue  # behind a hill
        share = np.float32(1 - np.exp(-depth / 560))
        put(
            colours,
            sprite,
            foot=(x, y),
            height_px=max(3.0, random.uniform(7, 11) * scene.size.height / depth),
            tint=tint * (1 - share * 0.6) + haze * share * 0.25,
            lit_from_left=scene.sun_side < 0,
            shadow=0.35,
        )
