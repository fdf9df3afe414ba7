"""Checks of a mask alone: coverage, specks, holes, declared sizes."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import BoolImage
from forensicviewer.core.quality.change import ProbeChange
from forensicviewer.core.quality.rule import Suspect

_SPECK_PX = 30
_FEWEST = 4  # specks or holes that contradict the base
_FEWEST_BLIND = 12  # where there is no base to ask
_APART_PX = 12
_INSIDE_PX = 3
_INVERTED_BORDER = 0.9
_FRAME_PX = 6
_LEAST_TORN_PX = 300


def coverage(area: BoolImage) -> Iterator[Suspect]:
    """Empty, full, or marked all around the edge of the image."""
    share = float(area.mean()) if area.size else 0.0
    if share == 0:
        yield Suspect("empty", "No pixel is marked", 1.0)
    elif share == 1:
        yield Suspect("full", "Every pixel is marked", 1.0)
    elif share > 0.995:
        yield Suspect("full", f"{share:.2%} of the pixels are marked", 0.9)
    elif share > 0.5 and _border_share(area) >= _INVERTED_BORDER:
        text = f"{share:.0%} of the image and {_border_share(area):.0%} of its border are marked"
        yield Suspect("inverted", text, 0.7)


def thin_and_framed(area: BoolImage) -> Iterator[Suspect]:
    """Masks of lines and dots, and a line around the image."""
    if min(area.shape) <= 4 * _FRAME_PX:
        return
    inner = area[_FRAME_PX:-_FRAME_PX, _FRAME_PX:-_FRAME_PX]
    if _border_share(area) >= _INVERTED_BORDER and _border_share(inner) < 0.5:
        text = f"{_border_share(area):.0%} of the border is marked, but little of the interior"
        yield Suspect("frame", text, 0.8)
    marked = inner.astype(np.uint8)
    thick = cv2.morphologyEx(marked, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count = int(marked.sum())
    if count >= _LEAST_TORN_PX and int(thick.sum()) < 0.4 * count:
        text = f"{1 - int(thick.sum()) / count:.0%} of the marked pixels are in lines or dots"
        yield Suspect("torn", f"{text} thinner than 3 pixels", 0.7)


def specks_and_holes(area: BoolImage, change: ProbeChange | None) -> Iterator[Suspect]:
    """Report small parts that the change does not show or, without a change, many small parts."""
    for rule, marked in (("specks", area), ("holes", ~area)):
        small = _small_parts(marked)
        if not small.any():
            continue
        if change is not None and change.is_exact and not change.is_quiet:
            spot = _contradicting(marked, small, change, is_speck=rule == "specks")
            # Ragged masks have many that the base does explain; a few more mean nothing.
            count, least = _count(spot), max(_FEWEST, _count(small) // 10)
        else:
            apart = _APART_PX if rule == "specks" else _INSIDE_PX
            spot = small & ~_near_large(marked & ~small, apart)
            count, least = _count(spot), _FEWEST_BLIND
        if count >= least:
            noun = "parts" if rule == "specks" else "holes"
            text = f"{count} {noun} of at most {_SPECK_PX} pixels"
            yield Suspect(rule, text, min(0.9, 0.3 + count / 100), spot=spot)


def unlike_pixel_size(cell: str, area_px: int, image_px: int) -> Suspect | None:
    """``CompositePixelSize`` names a class or a number of pixels.

    Classes are those of the journaling tool: small below 2 500 pixels, large from 10 000 on. Images
    of other sizes blur them, so an area must be far from its class in pixels and share.
    """
    word, share = cell.strip().lower(), area_px / max(1, image_px)
    if word.replace(".", "", 1).isdigit():
        declared = float(word)
        is_off = abs(declared - area_px) > max(16, 0.05 * max(declared, area_px))
        text = f"CompositePixelSize is {cell}, but the mask marks {area_px} pixels"
        return Suspect("pixel-size", text, 0.8) if is_off else None
    is_off = {
        "small": area_px > 3750 and share > 0.002,
        "medium": (area_px > 15000 and share > 0.02) or (area_px < 1600 and share < 0.01),
        "large": area_px < 6600 and share < 0.1,
    }.get(word, False)
    text = f"CompositePixelSize is {word}, but the mask marks {area_px} pixels ({share:.2%})"
    return Suspect("pixel-size", text, 0.6) if is_off else None


def _border_share(area: BoolImage) -> float:
    edges = (area[0], area[-1], area[:, 0], area[:, -1])
    return float(np.concatenate(edges).mean())


def _small_parts(marked: BoolImage) -> BoolImage:
    _, labels, stats, _ = cv2.connectedComponentsWithStats(marked.astype(np.uint8), connectivity=8)
    sizes = np.asarray(stats)[:, cv2.CC_STAT_AREA]
    small = sizes <= _SPECK_PX
    small[0] = False
    return np.asarray(small[labels])


def _contradicting(
    marked: BoolImage, small: BoolImage, change: ProbeChange, *, is_speck: bool
) -> BoolImage:
    """Specks where nothing changed; holes where all around and inside them changed."""
    _, labels = cv2.connectedComponents(small.astype(np.uint8), connectivity=8)
    count = int(labels.max()) + 1
    size = np.maximum(1, np.bincount(labels.ravel(), minlength=count))
    mean = np.bincount(labels.ravel(), change.values.ravel(), minlength=count) / size
    if is_speck:
        away = ~_near_large(marked & ~small, _APART_PX)
        lonely = np.bincount(labels.ravel(), away.ravel(), minlength=count) / size > 0.5
        wrong: NDArray[np.bool_] = (mean < 0.02) & lonely
    else:
        wrong = mean > 0.5
    wrong[0] = False
    return np.asarray(wrong[labels])


def _near_large(large: BoolImage, px: int) -> BoolImage:
    kernel = np.ones((2 * px + 1,) * 2, np.uint8)
    return np.asarray(cv2.dilate(large.astype(np.uint8), kernel) > 0)


def _count(spot: BoolImage) -> int:
    return int(cv2.connectedComponents(spot.astype(np.uint8), connectivity=8)[0]) - 1
