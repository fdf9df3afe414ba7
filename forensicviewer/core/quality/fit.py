"""Finds the transform that aligns a mask with the change, and how much better it then fits.

Two ways find it. Small errors, down to one pixel, show along the boundary: where it is right, the
change ends at it. Large ones (flipped, turned by quarters, far away) show in the correlation of the
whole mask with the change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import BoolImage
from forensicviewer.core.quality.change import ChangeMap, ProbeChange

_COARSE_PX = 384
_REACH_PX = 12  # how far from the boundary the end of the change is looked for
_LEVELS = (1, 2, 4)  # reductions, for errors beyond the reach
_MOST_POINTS = 1500
_FEWEST_POINTS = 30
_SHARP_SHARE = 0.15  # of the boundary must end sharply, or the edges are too soft to tell
_JUMP = 0.35
_CLEAR = 0.85
FAR_OFF_PX = 2
_FAR_PX = 3.0  # points further off are strays, and count no more than this

BOUNDARY, CORRELATION = "boundary", "correlation"
Plane = NDArray[np.float32]
Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Transform:
    """The correction of a mask: mirroring, rotation, scaling, movement and thickness.

    Lengths are pixels of the mask; ``thicker_px`` below 0 thins it.
    """

    is_mirrored: bool = False
    quarters: int = 0
    scale: float = 1.0
    angle: float = 0.0
    dx: float = 0.0
    dy: float = 0.0
    thicker_px: float = 0.0

    def describe(self) -> str:
        """In words, for the person who repairs the mask."""
        words = []
        if self.is_mirrored and self.quarters == 2:
            words.append("flip it upside down")
        elif self.is_mirrored:
            words.append("flip it left to right")
        if self.quarters and not (self.is_mirrored and self.quarters == 2):
            words.append(f"rotate it by {90 * self.quarters} degrees")
        if self.scale != 1:
            words.append(f"scale it by {self.scale:.3f}")
        if self.angle:
            words.append(f"rotate it by {self.angle:.1f} degrees")
        if round(self.dx) or round(self.dy):
            words.append(f"move it by {round(self.dx):+d}, {round(self.dy):+d} pixels (x, y)")
        if round(self.thicker_px):
            word = "thicken" if self.thicker_px > 0 else "thin"
            words.append(f"{word} it by {abs(round(self.thicker_px))} pixels")
        return ", ".join(words) or "move it by less than a pixel"


_MOST_PX = 18
_CANDIDATES = (
    *(
        Transform(thicker_px=px)
        for px in (-_MOST_PX, -12, -9, -6, -4, -3, 3, 4, 6, 9, 12, _MOST_PX)
    ),
    *(Transform(angle=angle) for angle in (-10, -8, -6, -4, -3, -2, -1, 1, 2, 3, 4, 6, 8, 10)),
    *(
        Transform(scale=scale)
        for scale in (0.9, 0.93, 0.95, 0.97, 0.98, 1.02, 1.03, 1.05, 1.07, 1.1)
    ),
)
_LEAST_GAIN = 0.3  # of the misfit
_NUDGE_PX = 8
_LEAST_NUDGED = 0.5
_MOST_NUDGED_PX = 1_000_000


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a mask fits as it is and after the transform.

    ``measure`` says in what: how many pixels the boundary is off on average (less is better), or
    the correlation of mask and change (more is better).
    """

    before: float
    after: float
    transform: Transform
    measure: str


def correlation(area: BoolImage, change: ProbeChange) -> float:
    """Pearson's coefficient of a mask and a map of changes of the same size; 0 where undefined."""
    return _pearson(_sized(area.astype(np.float32)), _sized(change.values))


def boundary_fit(area: BoolImage, change: ProbeChange) -> Fit | None:
    """The movement that brings the boundary to where the change ends.

    ``None`` where the boundary is right, or the change fades out so that nobody can tell.
    """
    for level in _LEVELS:
        mask, values = _reduced(area, change, level)
        boundary = _boundary(mask, values)
        if boundary is None:
            continue
        fit = _fit(boundary, mask.shape)
        if fit is not None and (level == 1 or _gains_area(fit.transform, mask, values)):
            moved = fit.transform
            lengths = {name: getattr(moved, name) * level for name in ("dx", "dy", "thicker_px")}
            moved = replace(moved, **lengths)
            return replace(fit, before=fit.before * level, after=fit.after * level, transform=moved)
        if fit is None and _off(boundary.ends) < 0.7:
            return None
    return None


def boundary_misfit(area: BoolImage, change: ProbeChange) -> tuple[float, float] | None:
    """The share of the boundary that is off by more than some pixels, and the mean of how far.

    ``None`` where the change fades out so that nobody can tell.
    """
    for level in _LEVELS[:2]:
        boundary = _boundary(*_reduced(area, change, level))
        if boundary is not None:
            far = float(np.mean(np.abs(boundary.ends) > FAR_OFF_PX))
            return far, _off(boundary.ends) * level
    return None


def _reduced(area: BoolImage, change: ProbeChange, level: int) -> tuple[BoolImage, ChangeMap]:
    if level == 1:
        return area, change.values
    size = (max(1, area.shape[1] // level), max(1, area.shape[0] // level))
    small = cv2.resize(area.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    return np.asarray(small > 0), _resized(change.values, size)


def _gains_area(transform: Transform, area: BoolImage, values: ChangeMap) -> bool:
    """Whether the whole mask fits better, too: soft edges can look like errors."""
    mask = area.astype(np.float32)
    before, after = _pearson(mask, values), _pearson(_applied(transform, mask), values)
    return after - before >= 0.05 and (1 - after) <= 0.7 * (1 - before)


def _applied(transform: Transform, mask: Plane) -> Plane:
    height, width = mask.shape
    px = round(abs(transform.thicker_px))
    if px:
        change = cv2.dilate if transform.thicker_px > 0 else cv2.erode
        mask = np.asarray(change(mask, np.ones((2 * px + 1, 2 * px + 1), np.uint8)), np.float32)
    center = ((width - 1) / 2, (height - 1) / 2)
    turned = cv2.getRotationMatrix2D(center, transform.angle, transform.scale)
    matrix = np.asarray(turned, np.float64)
    matrix[:, 2] += (transform.dx, transform.dy)
    return np.asarray(cv2.warpAffine(mask, matrix, (width, height)), np.float32)


def area_fit(area: BoolImage, change: ProbeChange) -> Fit | None:
    """The turn, scaling or thickness by which the whole mask fits better; ``None`` without one.

    For changes whose ends are too soft or too ragged for the boundary to tell.
    """
    mask, values = _sized(area.astype(np.float32)), _sized(change.values)
    ratio = area.shape[1] / mask.shape[1]
    before = _pearson(mask, values)
    best: Fit | None = None
    for transform in _CANDIDATES:
        small = replace(transform, thicker_px=transform.thicker_px / ratio)
        if transform.thicker_px and not round(small.thicker_px):
            continue
        after = _pearson(_applied(small, mask), values)
        # Soft edges look like a mask that is too large, so making it smaller must gain more.
        is_smaller = transform.thicker_px < 0 or transform.scale < 1
        least = max(0.075 if is_smaller else 0.045, _LEAST_GAIN * (1 - before))
        if after - before >= least and (best is None or after > best.after):
            best = Fit(before, after, transform, CORRELATION)
    # The thickest and thinnest are only there to see that less is better: how much is unknown.
    is_beyond = best is not None and abs(best.transform.thicker_px) == _MOST_PX
    return None if is_beyond else best


def nudge_fit(area: BoolImage, change: ProbeChange) -> Fit | None:
    """A small movement after which the whole mask fits better; ``None`` without one.

    For boundaries so soft or ragged that their own ends tell nothing: the peak of the correlation
    still lies within a pixel of the right place.
    """
    mask, values, ratio = _cut_out(area, change)
    padded = cv2.copyMakeBorder(mask, *(_NUDGE_PX,) * 4, cv2.BORDER_CONSTANT, value=0)
    response = cv2.matchTemplate(padded, values, cv2.TM_CCOEFF_NORMED)
    y, x = divmod(int(response.argmax()), response.shape[1])
    dx, dy = _NUDGE_PX - x, _NUDGE_PX - y
    before, after = float(response[_NUDGE_PX, _NUDGE_PX]), float(response.max())
    # At the boundary of what was looked at, the peak is elsewhere.
    is_inside = max(abs(dx), abs(dy)) < _NUDGE_PX
    if not is_inside or math.hypot(dx, dy) < 2 or after < _LEAST_NUDGED:
        return None
    return Fit(before, after, Transform(dx=dx * ratio, dy=dy * ratio), CORRELATION)


def _cut_out(area: BoolImage, change: ProbeChange) -> tuple[Plane, Plane, float]:
    """Mask and change around the marked parts, reduced so that they are compared quickly."""
    left, top, width, height = cv2.boundingRect((area | change.sure).astype(np.uint8))
    spare = 3 * _NUDGE_PX
    window = np.s_[
        max(0, top - spare) : top + height + spare, max(0, left - spare) : left + width + spare
    ]
    mask, values = area[window].astype(np.float32), change.values[window]
    ratio = max(1.0, math.sqrt(mask.size / _MOST_NUDGED_PX))
    if ratio > 1:
        size = (max(1, round(mask.shape[1] / ratio)), max(1, round(mask.shape[0] / ratio)))
        mask, values = _resized(mask, size), _resized(values, size)
    return mask, np.ascontiguousarray(values), ratio


def mirrored_fit(area: BoolImage, change: ProbeChange) -> Fit:
    """The best of all mirrorings, quarter turns and far shifts."""
    mask, values = _sized(area.astype(np.float32)), _sized(change.values)
    ratio = area.shape[1] / mask.shape[1]
    spectrum = np.fft.rfft2(values - values.mean())
    before = _pearson(mask, values)
    best = Fit(before, before, Transform(), CORRELATION)
    for mirrored in (False, True):
        for quarters in range(4):
            turned = _turned(mask, mirrored=mirrored, quarters=quarters)
            for dx, dy in ((0, 0), _shift(turned, spectrum)):
                after = _pearson(_moved(turned, dx, dy), values)
                # Simple transforms win ties: a shift must earn something.
                if after > best.after + (0.05 if dx or dy else 0.0):
                    moved = Transform(mirrored, quarters, dx=dx * ratio, dy=dy * ratio)
                    best = replace(best, after=after, transform=moved)
    return best


@dataclass(frozen=True, slots=True, eq=False)
class _Boundary:
    """Points of a boundary, their outward normals, and how far out the change ends at each."""

    points: Vector
    normals: Vector
    ends: Vector

    def design(self, center: Vector) -> Vector:
        """Along the normals: moved by dx, moved by dy, scaled, turned, thickened."""
        away = self.points - center
        x, y = away[:, 0], away[:, 1]
        nx, ny = self.normals[:, 0], self.normals[:, 1]
        return np.stack([nx, ny, nx * x + ny * y, -nx * y + ny * x, np.ones_like(nx)], axis=1)


# Which columns of the design are used together, the simplest first.
_MODELS = ((0, 1), (4,), (0, 1, 2), (0, 1, 3), (0, 1, 4), (0, 1, 2, 3))


def _fit(boundary: _Boundary, shape: tuple[int, ...]) -> Fit | None:
    before = _off(boundary.ends)
    design = boundary.design(np.array([(shape[1] - 1) / 2, (shape[0] - 1) / 2]))
    best: Fit | None = None
    for columns in _MODELS:
        solution = _robust(design[:, columns], boundary.ends)
        after = _off(boundary.ends - design[:, columns] @ solution)
        found = _transform(dict(zip(columns, solution.tolist(), strict=True)))
        fit = Fit(before, after, found, BOUNDARY)
        if _is_better(fit) and (best is None or after < best.after - 0.08):
            best = fit
    return best


def _is_better(fit: Fit) -> bool:
    """Whether the transform explains the misfit, rather than ragged or soft edges."""
    moved = fit.transform
    if moved == Transform(dx=moved.dx, dy=moved.dy):
        far = math.hypot(moved.dx, moved.dy) >= 0.7
        return far and fit.after <= 0.84 and fit.before - fit.after >= max(0.18, 0.22 * fit.before)
    is_smaller = moved.thicker_px < 0 or moved.scale < 1
    most = 0.62 if is_smaller else 1.0
    share = 0.47 if is_smaller else 0.5
    if fit.before >= 2.2:
        most, share = most + 0.3, share - 0.1
    return fit.before >= 0.75 and fit.after <= min(most, share * fit.before)


def _off(ends: Vector) -> float:
    return float(np.mean(np.minimum(np.abs(ends), _FAR_PX)))


def _transform(found: dict[int, float]) -> Transform:
    return Transform(
        dx=found.get(0, 0.0),
        dy=found.get(1, 0.0),
        scale=1 + found.get(2, 0.0),
        # Rows count downwards, so a positive turn of the plane is clockwise to the eye.
        angle=-math.degrees(found.get(3, 0.0)),
        thicker_px=found.get(4, 0.0),
    )


def _robust(design: Vector, ends: Vector) -> Vector:
    """Least squares with decreasing weights for outliers."""
    weights = np.asarray(np.ones(len(ends)), np.float64)
    solution: Vector = np.asarray(np.zeros(design.shape[1]), np.float64)
    for width in (6.0, 4.0, 2.0, 1.5, 1.0, 1.0, 1.0):
        scaled = design * weights[:, None]
        solved = np.linalg.lstsq(scaled, ends * weights, rcond=None)[0]
        solution = np.asarray(solved, np.float64)
        left = (ends - design @ solution) / width
        weights = np.asarray(1 / (1 + left * left), np.float64)
    return solution


def _boundary(area: BoolImage, values: ChangeMap) -> _Boundary | None:
    points, normals = _contour(area)
    if len(points) < _FEWEST_POINTS:
        return None
    # Half pixels from the boundary are the centres of the pixels on either side.
    offsets = np.arange(-_REACH_PX, _REACH_PX) + 0.5
    x = points[:, 0, None] + normals[:, 0, None] * offsets
    y = points[:, 1, None] + normals[:, 1, None] * offsets
    height, width = area.shape
    inside = ((x >= 0) & (x <= width - 1) & (y >= 0) & (y <= height - 1)).all(axis=1)
    profiles = cv2.remap(values, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR)
    ends, is_sharp = _ends(np.asarray(profiles, np.float64))
    kept = inside & is_sharp & ~_fades(np.asarray(profiles, np.float64), ends)
    if kept.sum() < _FEWEST_POINTS or kept.sum() < _SHARP_SHARE * inside.sum():
        return None
    return _Boundary(points[kept], normals[kept], ends[kept])


def _contour(area: BoolImage) -> tuple[Vector, Vector]:
    """Points on the boundary between pixels, with outward normals."""
    marked = area.astype(np.uint8)
    away = cv2.distanceTransform(1 - marked, cv2.DIST_L2, 5)
    signed = np.asarray(away - cv2.distanceTransform(marked, cv2.DIST_L2, 5), np.float32)
    smooth = cv2.GaussianBlur(signed, (0, 0), 2)
    across, down = cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
    # The outermost marked pixels; the boundary proper is half a pixel further out.
    rows, columns = np.nonzero(signed == -1)
    chosen = np.linspace(0, len(rows) - 1, min(len(rows), _MOST_POINTS)).astype(np.intp)
    rows, columns = rows[chosen], columns[chosen]
    normals = np.stack([across[rows, columns], down[rows, columns]], axis=1).astype(np.float64)
    length = np.hypot(normals[:, 0], normals[:, 1])
    good = length > 0.1
    normals = normals[good] / length[good, None]
    points = np.stack([columns, rows], axis=1).astype(np.float64)[good] + normals * 0.5
    return points, normals


def _ends(profiles: Vector) -> tuple[Vector, NDArray[np.bool_]]:
    """How far out each profile ends being changed, and whether it ends there clearly."""
    votes = np.where(profiles >= 0.25, 1.0, -1.0)
    count = votes.shape[1]
    within = np.concatenate([np.zeros((len(votes), 1)), np.cumsum(votes, axis=1)], axis=1)
    agreement = 2 * within - within[:, -1:]  # cut before sample k: all before in, the rest out
    cut = np.argmax(agreement, axis=1)
    clear = (agreement[np.arange(len(votes)), cut] / count + 1) / 2
    ends = (cut - _REACH_PX).astype(np.float64)
    padded = np.pad(profiles, ((0, 0), (3, 3)), mode="edge")
    rows = np.arange(len(votes))[:, None]
    before = padded[rows, cut[:, None] + np.arange(0, 3)].mean(axis=1)
    after = padded[rows, cut[:, None] + np.arange(3, 6)].mean(axis=1)
    is_inner = (cut > 1) & (cut < count - 1)
    return ends, is_inner & (clear >= (_CLEAR + 1) / 2) & (before - after >= _JUMP)


def _fades(profiles: Vector, ends: Vector) -> NDArray[np.bool_]:
    """Whether a little change goes on from where it ends to the boundary: edges that were softened.

    Of a mask that is too large, that strip is as quiet as what lies outside.
    """
    places = np.arange(profiles.shape[1]) + 0.5 - _REACH_PX
    strip = (places > ends[:, None] + 0.9) & (places < 0)
    outside = places > np.maximum(ends, 0)[:, None] + 0.9

    def mean(chosen: NDArray[np.bool_]) -> Vector:
        count = np.maximum(1, chosen.sum(axis=1))
        return np.asarray((profiles * chosen).sum(axis=1) / count)

    return np.asarray((ends < -0.5) & (mean(strip) > mean(outside) + 0.01))


def _turned(mask: Plane, *, mirrored: bool, quarters: int) -> Plane:
    turned = np.ascontiguousarray(np.rot90(cv2.flip(mask, 1) if mirrored else mask, quarters))
    if turned.shape == mask.shape:
        return np.asarray(turned, np.float32)
    return _resized(np.asarray(turned, np.float32), (mask.shape[1], mask.shape[0]))


def _shift(mask: Plane, spectrum: NDArray[np.complex128]) -> tuple[int, int]:
    """The shift that fits best, found over all shifts at once."""
    moved = mask - mask.mean()
    response = np.fft.irfft2(spectrum * np.conj(np.fft.rfft2(moved)), s=mask.shape)
    y, x = divmod(int(np.argmax(response)), mask.shape[1])
    height, width = mask.shape
    return x - width if x > width // 2 else x, y - height if y > height // 2 else y


def _moved(mask: Plane, dx: int, dy: int) -> Plane:
    if not (dx or dy):
        return mask
    matrix = np.array([[1, 0, dx], [0, 1, dy]], np.float32)
    return np.asarray(cv2.warpAffine(mask, matrix, mask.shape[::-1]), np.float32)


def _sized(plane: Plane) -> Plane:
    ratio = _COARSE_PX / max(plane.shape)
    if ratio >= 1:
        return plane
    size = (max(1, round(plane.shape[1] * ratio)), max(1, round(plane.shape[0] * ratio)))
    return _resized(plane, size)


def _resized(plane: Plane, size: tuple[int, int]) -> Plane:
    return np.asarray(cv2.resize(plane, size, interpolation=cv2.INTER_AREA), np.float32)


def _pearson(one: Plane, other: Plane) -> float:
    a, b = one.ravel() - one.mean(), other.ravel() - other.mean()
    size = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / size if size > 0 else 0.0
