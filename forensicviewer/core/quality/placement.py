"""Whether a mask lies where its probe changed."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from forensicviewer.core.array import BoolImage
from forensicviewer.core.quality.change import ProbeChange
from forensicviewer.core.quality.fit import (
    BOUNDARY,
    FAR_OFF_PX,
    Fit,
    area_fit,
    boundary_fit,
    boundary_misfit,
    correlation,
    mirrored_fit,
    nudge_fit,
)
from forensicviewer.core.quality.rule import Suspect

_INVERTED = -0.3
_FAR_PX = 17
_LEAST_PART_PX = 150
_FAINT = 0.45
_QUIET = 0.05
_MOST_QUIET = 0.15
_MOST_FAR = 0.45


def check_placement(area: BoolImage, change: ProbeChange, *, is_whole: bool) -> Iterator[Suspect]:
    """Report inverted, moved or wrong masks; ``is_whole``: the mask shows all changes."""
    alike = correlation(area, change)
    if change.is_exact and change.is_quiet:
        if alike < _FAINT:
            yield Suspect(
                "no-change", "No pixel of the probe differs clearly from the base image", 0.6
            )
        return
    if alike <= (_INVERTED if change.is_exact else -0.5):
        text = f"Correlation with {_source(change)} {alike:.2f}, inverted {-alike:.2f}"
        yield Suspect("inverted", text, 0.95)
        return
    fit = _fit(area, change, alike)
    if fit is not None:
        yield _moved(fit, change)
        return
    if not change.is_exact:
        if alike < 0.1 and float(change.values.max()) > 0.6:
            text = f"Correlation with the regions on which systems agree: {alike:.2f}"
            yield Suspect("unlike-change", text, 0.3)
        return
    share, strong = float(change.sure.mean()), float((change.values >= 1).mean())
    is_still = share < 0.0005 and area.mean() < 0.4
    if alike < 0.12 and is_still and float(change.around[area].mean()) < _QUIET:
        yield Suspect("no-change", "The marked pixels are the same as in the base image", 0.5)
        return
    if alike < 0.12 and strong > 0.001 and share < 0.4:
        text = f"Correlation with the difference from the base image {alike:.2f}"
        yield Suspect("unlike-change", text, 0.5, spot=change.sure & ~area)
        return
    if alike > 0.25:
        yield from _parts(area, change, is_whole=is_whole)
        yield from _off_boundary(area, change)
    yield from _too_large(area, change)


def _fit(area: BoolImage, change: ProbeChange, alike: float) -> Fit | None:
    far = mirrored_fit(area, change)
    if far.after >= 0.5 and far.after - far.before >= (0.35 if change.is_exact else 0.4):
        return far
    if not change.is_exact or alike < 0.2:
        return None
    if far.after >= 0.9 and far.after - far.before >= 0.15:
        # All but perfect once it is flipped or turned; the boundary would tell of a small shift.
        return far
    return boundary_fit(area, change) or area_fit(area, change) or nudge_fit(area, change)


def _moved(fit: Fit, change: ProbeChange) -> Suspect:
    words = fit.transform.describe()
    if fit.measure == BOUNDARY:
        better = f"the boundary is then off by {fit.after:.1f} instead of {fit.before:.1f} pixels"
    else:
        better = f"its correlation with {_source(change)} is then {fit.after:.2f} instead of"
        better += f" {fit.before:.2f}"
    text = f"To fit {_source(change)}, {words}: {better}"
    score = 0.9 if fit.measure != BOUNDARY else min(0.85, 0.4 + fit.before / 10)
    mended = 0.0 if fit.measure == BOUNDARY else fit.after
    return Suspect("transform", text, score, remedy=words[0].upper() + words[1:], mended=mended)


def _parts(area: BoolImage, change: ProbeChange, *, is_whole: bool) -> Iterator[Suspect]:
    """Parts of the mask without change, and changes without mask."""
    count, labels = cv2.connectedComponents(area.astype(np.uint8), connectivity=8)
    if 2 < count <= 200:
        size = np.bincount(labels.ravel(), minlength=count)
        loud = np.bincount(labels.ravel(), change.around.ravel() >= _QUIET, minlength=count) / size
        quiet = (size >= _LEAST_PART_PX) & (loud < 0.03)
        quiet[0] = False
        if quiet.any() and not quiet[1:].all():
            spot = np.asarray(quiet[labels])
            text = f"{int(spot.sum())} marked pixels are the same as in the base image"
            yield Suspect("unchanged-part", text, 0.5, spot=spot)
    if is_whole:
        yield from _unmarked(area, change)


def _off_boundary(area: BoolImage, change: ProbeChange) -> Iterator[Suspect]:
    """A mask of another shape than the change, as no transform explains it."""
    far, px = boundary_misfit(area, change) or (0.0, 0.0)
    if far >= _MOST_FAR:
        text = f"The change ends more than {FAR_OFF_PX} pixels away along {far:.0%} of the"
        yield Suspect("boundary", f"{text} boundary, on average {px:.1f}", 0.3 + far / 2)


def _too_large(area: BoolImage, change: ProbeChange) -> Iterator[Suspect]:
    """A mask that covers the change, and much around it."""
    around = change.around
    loud = float((around[area] >= 2 * _QUIET).mean())
    quiet = (area & (around < _QUIET)).astype(np.uint8)
    spot = np.asarray(cv2.morphologyEx(quiet, cv2.MORPH_OPEN, np.ones((9, 9), np.uint8)) > 0)
    share = float(spot.sum() / area.sum())
    if share >= _MOST_QUIET and loud >= 0.05:
        text = f"{share:.0%} of the marked pixels lie where the probe equals the base image"
        yield Suspect("too-large", text, 0.4 + share / 2, spot=spot)


def _unmarked(area: BoolImage, change: ProbeChange) -> Iterator[Suspect]:
    kernel = np.ones((2 * _FAR_PX + 1,) * 2, np.uint8)
    away = cv2.dilate(area.astype(np.uint8), kernel) == 0
    opened = cv2.morphologyEx(
        (change.sure & away).astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)
    )
    spot = np.asarray(opened > 0)
    least = max(_LEAST_PART_PX, 0.02 * float(area.sum()))
    if spot.sum() >= least and float((change.sure & away).mean()) < 0.15:
        text = f"{int(spot.sum())} pixels far from the mask differ from the base image"
        yield Suspect("unmarked-change", text, 0.4, spot=spot)


def _source(change: ProbeChange) -> str:
    return (
        "the difference from the base image"
        if change.is_exact
        else "the regions on which systems agree"
    )
