"""Walking a drawn graph: which node comes next to the left, right, above or below."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeAlias

from forensicviewer.core.provenance import FileName, LinkKey

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


def beside(
    names: Collection[FileName], file: FileName, *, to_the: int, place_of: PlaceOf
) -> FileName | None:
    """The next node above (-1) or below (1), in the same column where there is one."""
    x, y = place_of(file)
    ahead = [n for n in names if n != file and (place_of(n)[1] - y) * to_the > _SAME_COLUMN]
    near = [n for n in ahead if abs(place_of(n)[0] - x) < _SAME_COLUMN] or ahead

    def distance(name: FileName) -> float:
        other = place_of(name)
        return float(abs(other[1] - y) + 2 * abs(other[0] - x))

    return min(near, key=distance, default=None)
