"""Finds masks with unusual grey levels: saved as JPEG, smoothed, or off by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import RgbImage
from forensicviewer.core.quality.rule import Suspect

Levels = NDArray[np.int64]  # how many pixels have each of the 256 levels

_FEWEST_PX = 12
_FEWEST_MASKS = 4
_USUAL_SHARE = 0.6
_MOST_ODD = 0.2


def levels_of(colours: RgbImage) -> Levels:
    return np.bincount(colours[:, :, 1].ravel(), minlength=256)


def unlike_levels(levels: Mapping[int, Levels]) -> Iterator[tuple[int, Suspect]]:
    """Masks with other levels than nearly all of their dataset, by row.

    Datasets whose masks are grey at the edges by custom have nothing to tell.
    """
    pairs = Counter(pair for pair in map(_pair, levels.values()) if pair is not None)
    if not pairs:
        return
    usual, count = pairs.most_common(1)[0]
    if count < max(_FEWEST_MASKS, _USUAL_SHARE * len(levels)):
        return
    strays = {row: int(one.sum() - one[list(usual)].sum()) for row, one in levels.items()}
    odd = {row: stray for row, stray in strays.items() if stray >= _FEWEST_PX}
    if len(odd) > max(1, _MOST_ODD * len(levels)):
        return
    for row, stray in odd.items():
        text = (
            f"{stray} pixels differ from {usual[0]} and {usual[1]}, the levels of the other masks"
        )
        yield row, Suspect("levels", text, 0.5)


def _pair(levels: Levels) -> tuple[int, int] | None:
    """The two commonest levels of a mask; ``None`` for one that has fewer."""
    first, second = sorted(np.argsort(levels, kind="stable")[-2:].tolist())
    return (first, second) if levels[first] and levels[second] else None
