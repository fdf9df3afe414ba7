"""Things that stand, swim or fly in a landscape, with light and shade."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.sources.sample.noise import Colours, Field, fractal, smoothstep

# (height, width, 4): red, green, blue and opacity, 0..1. Things are drawn large and shrunk.
Sprite = NDArray[np.float32]
_EDGE = 352


class Thing(Enum):
    """What can be put into a landscape."""

    BALLOON = "balloon"
    SAILBOAT = "sailboat"
    HOUSE = "house"
    LIGHTHOUSE = "lighthouse"
    BOULDER = "boulder"
    BIRD = "bird"
    PINE = "pine"
    OAK = "oak"


@lru_cache(maxsize=64)
def sprite_of(thing: Thing, variant: int) -> Sprite:
    """A thing lit from the right, cropped to what can be seen of it."""
    random = np.random.default_rng([sum(thing.value.encode()), variant])
    drawn = _PAINTERS[thing](random)
    rows, columns = np.nonzero(drawn[:, :, 3] > 0.02)
    cropped = drawn[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    return np.ascontiguousarray(cropped, dtype=np.float32)


def put(
    target: Colours,
    thing: Sprite,
    *,
    foot: tuple[float, float],
    height_px: float,
    tint: Colours,
    lit_from_left: bool = False,
    shadow: float = 0.0,
    reflection: float = 0.0,
) -> Field | None:
    """Put a thing into ``target`` with the middle of its lower edge at ``foot`` (x, y).

    ``shadow`` is how dark the ground beside it gets, ``reflection`` how clear the water mirrors it.
    Returns how opaque the thing is at each pixel; ``None`` where none of it can be seen.
    """
    drawn = sized(thing, height_px)
    if lit_from_left:
        drawn = drawn[:, ::-1]
    left, top = round(foot[0] - drawn.shape[1] / 2), round(foot[1] - drawn.shape[0])
    if shadow:
        _cast_shadow(target, drawn, foot, shadow, away=1 if lit_from_left else -1)
    if reflection:
        mirrored = drawn[::-1].copy()
        mirrored[:, :, 3] *= np.linspace(reflection, 0.1, len(mirrored), dtype=np.float32)[:, None]
        _blend(target, mirrored, left, round(foot[1]), tint * 0.8)
    return _blend(target, drawn, left, top, tint)


def sized(thing: Sprite, height_px: float) -> Sprite:
    """The thing shrunk to a height; as it is where it has that height already."""
    if round(height_px) == thing.shape[0]:
        return thing
    scale = height_px / thing.shape[0]
    width = max(1, round(thing.shape[1] * scale))
    # Colours are weighted by opacity while shrinking, or the dark surroundings would bleed in.
    weighted = thing.copy()
    weighted[:, :, :3] *= thing[:, :, 3:]
    shape = (width, max(1, round(height_px)))
    shrunk = np.asarray(cv2.resize(weighted, shape, interpolation=cv2.INTER_AREA), np.float32)
    shrunk[:, :, :3] /= np.maximum(shrunk[:, :, 3:], 1e-3)
    return shrunk


def _blend(target: Colours, thing: Sprite, left: int, top: int, tint: Colours) -> Field | None:
    height, width = target.shape[:2]
    y0, x0 = max(top, 0), max(left, 0)
    y1, x1 = min(top + thing.shape[0], height), min(left + thing.shape[1], width)
    if y0 >= y1 or x0 >= x1:
        return None
    part = thing[y0 - top : y1 - top, x0 - left : x1 - left]
    share = part[:, :, 3:]
    target[y0:y1, x0:x1] += (part[:, :, :3] * tint - target[y0:y1, x0:x1]) * share
    opacity = np.zeros((height, width), dtype=np.float32)
    opacity[y0:y1, x0:x1] = share[:, :, 0]
    return opacity


def _cast_shadow(
    target: Colours, thing: Sprite, foot: tuple[float, float], strength: float, *, away: int
) -> None:
    """The thing's outline laid flat on the ground, away from the sun, with a soft edge."""
    height, width = thing.shape[:2]
    flat = cv2.resize(thing[::-1, :, 3], (width, max(2, height // 4)))
    rows = np.arange(len(flat), dtype=np.float32)[:, np.newaxis]
    reach = round(height * 0.9)
    canvas = np.zeros((len(flat), width + reach), dtype=np.float32)
    for row in range(len(flat)):
        shift = round(reach * float(rows[row, 0]) / len(flat))
        start = reach - shift if away < 0 else shift
        canvas[row, start : start + width] = flat[row]
    canvas *= (1 - 0.7 * rows / len(flat)) * strength
    soft = cv2.GaussianBlur(canvas, (0, 0), max(0.8, height / 60))
    left = round(foot[0] - width / 2) - (reach if away < 0 else 0)
    black = np.zeros((*soft.shape, 4), dtype=np.float32)
    black[:, :, 3] = soft
    _blend(target, black, left, round(foot[1]) - 1, np.ones((1, 1, 3), np.float32))


def _canvas() -> Sprite:
    return np.zeros((_EDGE, _EDGE, 4), dtype=np.float32)


def _grid() -> tuple[Field, Field]:
    y, x = np.mgrid[-1 : 1 : _EDGE * 1j, -1 : 1 : _EDGE * 1j].astype(np.float32)
    return x, y


def _fill(target: Sprite, area: Field, colour: NDArray[Any] | tuple[float, ...]) -> None:
    """Paint ``colour`` (one, or one for each pixel) where ``area`` is 1."""
    share = area[..., np.newaxis]
    painted = np.asarray(colour, dtype=np.float32)
    target[:, :, :3] += (painted - target[:, :, :3]) * share
    target[:, :, 3] = np.maximum(target[:, :, 3], area)


def _polygon(points: list[tuple[float, float]]) -> Field:
    """The inside of a polygon whose corners are given in -1..1."""
    area = np.zeros((_EDGE, _EDGE), dtype=np.uint8)
    corners = [((x + 1) / 2 * _EDGE * 16, (y + 1) / 2 * _EDGE * 16) for x, y in points]
    cv2.fillPoly(area, [np.array(corners, np.int32)], 255, cv2.LINE_AA, shift=4)
    return np.asarray(area, np.float32) / np.float32(255)


def _soft(values: Field) -> Field:
    """1 where ``values`` are positive, with an edge of about a pixel."""
    return np.asarray(np.clip(values * _EDGE / 3 + 0.5, 0, 1), np.float32)


def _balloon(random: np.random.Generator) -> Sprite:
    x, y = _grid()
    drawn = _canvas()
    bulge = np.where(y < -0.25, 0.62, 0.62 * (1 - 0.62 * np.clip((y + 0.25) / 0.9, 0, 1) ** 1.6))
    radius = np.sqrt(np.clip(1 - ((y + 0.3) / 0.66) ** 2, 0, 1)) * bulge
    radius = np.where(y > 0.22, np.minimum(radius, 0.16), radius)
    area = _soft(np.asarray(radius - np.abs(x), np.float32)) * (y < 0.36)
    around = np.arcsin(np.clip(x / np.maximum(radius, 1e-3), -1, 1))
    stripe = np.floor((around + np.pi) / np.pi * 8 + 0.5).astype(int) % 3
    palette = random.permutation(
        np.array([[0.86, 0.18, 0.14], [0.98, 0.78, 0.22], [0.18, 0.38, 0.70], [0.96, 0.95, 0.90]])
    )
    lit = np.clip(0.42 + 0.55 * np.sin(around + 0.9) + 0.18 * -(y + 0.3), 0.2, 1.1)
    _fill(drawn, area.astype(np.float32), palette[stripe] * lit[..., np.newaxis])
    for side in (-1, 1):
        _fill(
            drawn,
            _polygon([(side * 0.14, 0.34), (side * 0.155, 0.34), (side * 0.085, 0.7)]),
            (0.25, 0.2, 0.16),
        )
    basket = _polygon([(-0.1, 0.68), (0.1, 0.68), (0.085, 0.86), (-0.085, 0.86)])
    weave = 0.8 + 0.2 * np.sign(np.sin(x * 160)) * np.sign(np.sin(y * 160))
    _fill(drawn, basket, np.array([0.5, 0.34, 0.18]) * (weave * (0.75 + 2 * x))[..., np.newaxis])
    return drawn


def _sailboat(random: np.random.Generator) -> Sprite:
    x, y = _grid()
    drawn = _canvas()
    white = np.array([0.97, 0.95, 0.90]) if random.random() < 0.6 else np.array([0.85, 0.30, 0.22])
    main = _polygon([(0.03, -0.95), (0.06, 0.62), (0.72, 0.6), (0.45, 0.0)])
    fore = _polygon([(-0.01, -0.82), (-0.62, 0.6), (-0.02, 0.58)])
    _fill(drawn, main, white * (0.72 + 0.4 * np.clip(x + 0.3, 0, 0.7))[..., np.newaxis])
    _fill(drawn, fore, white * (0.62 + 0.3 * np.clip(x + 0.7, 0, 0.7))[..., np.newaxis])
    for seam in np.linspace(-0.6, 0.5, 6):
        line = _soft(np.asarray(0.004 - np.abs(y - seam - 0.1 * x), np.float32)) * main
        _fill(drawn, np.asarray(line * 0.5, np.float32), tuple(white * 0.6))
    _fill(
        drawn,
        _polygon([(0.0, -0.98), (0.025, -0.98), (0.03, 0.72), (0.0, 0.72)]),
        (0.3, 0.22, 0.15),
    )
    hull = _polygon([(-0.8, 0.66), (0.85, 0.66), (0.62, 0.95), (-0.6, 0.95)])
    paint = np.array([0.14, 0.24, 0.42]) * (0.7 + 0.5 * (x + 1) / 2)[..., np.newaxis]
    _fill(drawn, hull, paint)
    _fill(
        drawn, _polygon([(-0.8, 0.66), (0.85, 0.66), (0.83, 0.7), (-0.78, 0.7)]), (0.93, 0.9, 0.84)
    )
    return drawn


def _house(random: np.random.Generator) -> Sprite:
    x, y = _grid()
    drawn = _canvas()
    wall = np.array([[0.92, 0.88, 0.78], [0.80, 0.52, 0.40], [0.86, 0.84, 0.82]])[
        random.integers(3)
    ]
    roof = np.array([[0.62, 0.24, 0.18], [0.36, 0.34, 0.36]])[random.integers(2)]
    plaster = (0.96 + 0.05 * np.sin(y * 90))[..., np.newaxis]
    _fill(
        drawn,
        _polygon([(-0.9, -0.1), (-0.15, -0.1), (-0.15, 0.9), (-0.9, 0.9)]),
        wall * 0.62 * plaster,
    )
    gable = _polygon([(-0.15, 0.9), (-0.15, -0.1), (0.35, -0.72), (0.85, -0.1), (0.85, 0.9)])
    _fill(drawn, gable, wall * plaster)
    tiles = (0.85 + 0.15 * np.sign(np.sin((y + 0.35 * x) * 70)))[..., np.newaxis]
    _fill(
        drawn,
        _polygon([(-0.97, -0.02), (-0.15, -0.02), (0.36, -0.74), (-0.5, -0.74)]),
        roof * 0.8 * tiles,
    )
    _fill(drawn, _polygon([(0.33, -0.78), (0.39, -0.78), (0.93, -0.1), (0.86, -0.06)]), roof * 1.1)
    for left, top in ((-0.75, 0.2), (-0.42, 0.2), (0.0, 0.15), (0.5, 0.15), (0.25, -0.35)):
        _window(drawn, left, top)
    _fill(
        drawn, _polygon([(0.27, 0.9), (0.27, 0.42), (0.46, 0.42), (0.46, 0.9)]), (0.30, 0.18, 0.12)
    )
    _fill(
        drawn,
        _polygon([(-0.4, -0.7), (-0.4, -0.95), (-0.28, -0.95), (-0.28, -0.7)]),
        tuple(roof * 0.7),
    )
    return drawn


def _window(drawn: Sprite, left: float, top: float) -> None:
    right, bottom = left + 0.18, top + 0.28
    _fill(
        drawn,
        _polygon([(left, top), (right, top), (right, bottom), (left, bottom)]),
        (0.93, 0.93, 0.9),
    )
    for x in (left + 0.02, left + 0.1):
        pane = [
            (x, top + 0.02),
            (x + 0.06, top + 0.02),
            (x + 0.06, bottom - 0.02),
            (x, bottom - 0.02),
        ]
        _fill(drawn, _polygon(pane), (0.16, 0.22, 0.30))


def _lighthouse(random: np.random.Generator) -> Sprite:
    x, y = _grid()
    drawn = _canvas()
    half = 0.13 + 0.06 * (y + 0.6)
    tower = _soft(np.asarray(half - np.abs(x), np.float32)) * (y > -0.55) * (y < 0.95)
    band = (np.floor((y + 0.55) / 0.3).astype(int) % 2)[..., np.newaxis]
    red = np.array([0.80, 0.16, 0.14]) if random.random() < 0.7 else np.array([0.14, 0.20, 0.36])
    lit = np.clip(0.5 + 0.55 * x / np.maximum(half, 1e-3), 0.3, 1.0)[..., np.newaxis]
    _fill(drawn, tower.astype(np.float32), np.where(band == 0, red, [0.95, 0.94, 0.92]) * lit)
    _fill(
        drawn,
        _polygon([(-0.19, -0.6), (0.19, -0.6), (0.19, -0.53), (-0.19, -0.53)]),
        (0.2, 0.2, 0.22),
    )
    _fill(
        drawn, _polygon([(-0.1, -0.8), (0.1, -0.8), (0.1, -0.6), (-0.1, -0.6)]), (0.98, 0.90, 0.55)
    )
    _fill(drawn, _polygon([(-0.14, -0.8), (0.0, -0.97), (0.14, -0.8)]), tuple(red * 0.8))
    for level in (-0.2, 0.2, 0.6):
        _fill(
            drawn,
            _polygon([(-0.03, level), (0.03, level), (0.03, level + 0.1), (-0.03, level + 0.1)]),
            (0.12, 0.12, 0.15),
        )
    return drawn


def _boulder(random: np.random.Generator) -> Sprite:
    x, y = _grid()
    drawn = _canvas()
    bumps = fractal(random, _EDGE, cells=4, octaves=6, roughness=0.55)
    radius = 0.78 + 0.35 * (bumps - 0.5)
    inside = 1 - np.hypot(x, (y - 0.05) * 1.35) / radius
    area = _soft(np.asarray(inside * 0.6, np.float32)) * (y < 0.62)
    relief = cv2.GaussianBlur(
        np.asarray(bumps + 0.5 * np.sqrt(np.clip(inside, 0, 1)), np.float32), (0, 0), 2
    )
    slope_x, slope_y = np.gradient(relief)[1], np.gradient(relief)[0]
    lit = np.clip(0.55 - 60 * slope_x * 0.8 - 50 * slope_y * -1.0, 0.15, 1.15)
    stone = np.array([0.56, 0.53, 0.49]) * (0.7 + 0.6 * bumps)[..., np.newaxis]
    _fill(drawn, area.astype(np.float32), stone * lit[..., np.newaxis])
    return drawn


def _bird(random: np.random.Generator) -> Sprite:
    x, y = _grid()
    drawn = _canvas()
    lift = random.uniform(0.25, 0.5)
    wing_y = -lift * np.sqrt(np.clip(np.abs(x), 0, 1)) + 0.55 * np.abs(x) ** 1.6
    thick = 0.085 * (1 - np.abs(x)) ** 0.7
    wings = _soft(np.asarray(thick - np.abs(y - wing_y), np.float32)) * (np.abs(x) < 0.98)
    body = _soft(np.asarray(1 - np.hypot(x / 0.1, (y - 0.03) / 0.2), np.float32) * np.float32(0.1))
    shade = np.clip(0.85 - 0.9 * (y - wing_y) + 0.3 * x, 0.35, 1.0)[..., np.newaxis]
    tip = smoothstep(0.7, 0.85, np.abs(x))[..., np.newaxis]
    _fill(
        drawn,
        wings.astype(np.float32),
        (np.array([0.95, 0.95, 0.95]) * (1 - tip) + 0.12 * tip) * shade,
    )
    _fill(drawn, body, np.array([0.97, 0.97, 0.96]) * shade)
    return drawn


def _pine(random: np.random.Generator) -> Sprite:
    x, y = _grid()
    drawn = _canvas()
    _fill(
        drawn,
        _polygon([(-0.05, 0.5), (0.05, 0.5), (0.07, 0.98), (-0.07, 0.98)]),
        (0.26, 0.18, 0.12),
    )
    leaves = fractal(random, _EDGE, cells=28, octaves=4, roughness=0.7)
    down = np.clip((y + 0.95) / 1.75, 0, 1)
    tier = 0.75 + 0.25 * np.mod(down * 7, 1)
    half = 0.46 * down**0.9 * tier
    edge = half - np.abs(x) + 0.22 * (leaves - 0.5) * down
    area = _soft(np.asarray(edge * 0.6, np.float32)) * (y < 0.82) * (y > -0.97)
    lit = np.clip(0.45 + 0.8 * x / np.maximum(half, 0.05) * 0.5 + 1.5 * (leaves - 0.5), 0.2, 1.2)
    _fill(drawn, area.astype(np.float32), np.array([0.20, 0.33, 0.17]) * lit[..., np.newaxis])
    return drawn


def _oak(random: np.random.Generator) -> Sprite:
    x, y = _grid()
    drawn = _canvas()
    _fill(
        drawn, _polygon([(-0.06, 0.1), (0.06, 0.1), (0.1, 0.98), (-0.1, 0.98)]), (0.30, 0.22, 0.15)
    )
    leaves = fractal(random, _EDGE, cells=22, octaves=5, roughness=0.7)
    crown = np.full_like(x, -1)
    for _ in range(9):
        cx, cy = random.uniform(-0.45, 0.45), random.uniform(-0.6, 0.15)
        crown = np.maximum(crown, random.uniform(0.3, 0.45) - np.hypot(x - cx, y - cy))
    area = _soft(np.asarray((crown + 0.35 * (leaves - 0.5)) * 0.7, np.float32))
    lit = np.clip(0.55 + 0.35 * x - 0.35 * y + 1.7 * (leaves - 0.5), 0.2, 1.25)
    _fill(drawn, area, np.array([0.33, 0.45, 0.18]) * lit[..., np.newaxis])
    return drawn


_PAINTERS: Mapping[Thing, Callable[[np.random.Generator], Sprite]] = {
    Thing.BALLOON: _balloon,
    Thing.SAILBOAT: _sailboat,
    Thing.HOUSE: _house,
    Thing.LIGHTHOUSE: _lighthouse,
    Thing.BOULDER: _boulder,
    Thing.BIRD: _bird,
    Thing.PINE: _pine,
    Thing.OAK: _oak,
}
