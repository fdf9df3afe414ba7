"""Random fields that look like nature: clouds, ground, waves."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float32]  # (height, width), about 0..1
Colours = NDArray[np.float32]  # (height, width, 3), 0..1, red first


def fractal(
    random: np.random.Generator, edge: int, *, cells: int, octaves: int, roughness: float = 0.5
) -> Field:
    """Smooth noise of several scales that tiles: ``cells`` bumps across at the coarsest scale."""
    total = np.zeros((edge, edge), dtype=np.float32)
    amplitude, sum_ = 1.0, 0.0
    for octave in range(octaves):
        count = min(cells << octave, edge)
        total += amplitude * _tile(random, edge, count)
        sum_ += amplitude
        amplitude *= roughness
    return total / np.float32(sum_)


def ridged(random: np.random.Generator, edge: int, *, cells: int, octaves: int) -> Field:
    """Noise with sharp crests, as mountains have them."""
    total = np.zeros((edge, edge), dtype=np.float32)
    amplitude, sum_ = 1.0, 0.0
    for octave in range(octaves):
        layer = 1 - np.abs(2 * _tile(random, edge, min(cells << octave, edge)) - 1)
        total += amplitude * layer * layer
        sum_ += amplitude
        amplitude *= 0.46
    return total / np.float32(sum_)


def _tile(random: np.random.Generator, edge: int, count: int) -> Field:
    grid = random.random((count, count), dtype=np.float32)
    # Three cells of margin on each side make the cubic interpolation periodic.
    padded = np.pad(grid, 3, mode="wrap")
    scale = edge / count
    enlarged = cv2.resize(padded, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    margin = (enlarged.shape[0] - edge) // 2
    return np.asarray(enlarged[margin : margin + edge, margin : margin + edge], np.float32)


def smoothstep(low: float, high: float, values: Field) -> Field:
    """0 below ``low``, 1 above ``high``, without a corner in between."""
    t = np.clip((values - low) / (high - low), 0, 1)
    return np.asarray(t * t * (3 - 2 * t), np.float32)


def sample(field: NDArray[np.float32], u: Field, v: Field) -> NDArray[np.float32]:
    """The field at positions given in cells, repeated for ever in both directions."""
    found = cv2.remap(
        field,
        _wrapped(u, field.shape[1]),
        _wrapped(v, field.shape[0]),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_WRAP,
    )
    return np.asarray(found, np.float32)


def _wrapped(position: Field, edge: int) -> Field:
    # OpenCV wraps by itself, but counts in 16 bits.
    return np.asarray(position - edge * np.floor(position * np.float32(1 / edge)), np.float32)


def mix(first: NDArray[np.float32], second: NDArray[np.float32], share: Field) -> Colours:
    """``second`` over ``first`` where ``share`` is 1; either may be a single colour."""
    # OpenCV does this in one pass over memory, and memory is what painting waits for.
    if first.shape[:2] == second.shape[:2] == (1, 1):
        colours = np.stack((second[0, 0] - first[0, 0], first[0, 0]), axis=1)
        return np.asarray(cv2.transform(share, colours), np.float32)
    shape = (*share.shape, 3)
    blended = cv2.blendLinear(
        np.ascontiguousarray(np.broadcast_to(first, shape)),
        np.ascontiguousarray(np.broadcast_to(second, shape)),
        1 - share,
        share,
    )
    return np.asarray(blended, np.float32)
