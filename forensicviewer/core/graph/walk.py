"""Finds the next node of a drawn graph to the left, right, above or below."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from forensicviewer.core.graph.ports import Floats2
from forensicviewer.core.graph.provenance import FileName, LinkKey

PlaceOf: TypeAlias = Callable[[FileName], tuple[float, float]]

_SAME_COLUMN = 1.0  # scene units


def along(
    links: Iterable[LinkKey], file: FileName, *, to_the: int, place_of: PlaceOf
) -> FileName | None:
    """The linked node on that side (-1 left, 1 right), nearest in height.

    The side is where it stands, not where the link points: a reversed link leads nowhere else.
    """
    near = {b if a == file else a for a, b in links if file in (a, b)} - {file}
    x, y = place_of(file)
    ahead = [name for name in near if (place_of(name)[0] - x) * to_the > 0]
    return min(ahead, key=lambda name: (abs(place_of(name)[1] - y), name), default=None)


def beside(points: Floats2, place: tuple[float, float], *, to_the: int) -> int | None:
    """Which point is the next above (-1) or below (1), in the same column where there is one."""
    across = np.abs(points[:, 0] - place[0])
    down = (points[:, 1] - place[1]) * to_the
    ahead = down > _SAME_COLUMN
    near = ahead & (across < _SAME_COLUMN)
    distances = np.where(near if near.any() else ahead, down + 2 * across, np.inf)
    return int(distances.argmin()) if ahead.any() else None
