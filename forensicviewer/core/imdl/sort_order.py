"""The order in which torch's CPU build sorts pixels of equal score.

IMDL-BenCo's PixelAUC takes one pixel after the other and ignores ties, so its value depends on how
``torch.argsort`` arranges equal scores. On the CPU that is the introsort of the GNU C++ library:
quicksort with a median of three down to pieces of 16, then one insertion sort. OpenCV's index sort
is the same one where OpenCV was built with that library; elsewhere both steps are repeated here for
all pieces of one depth at once. A GPU sorts differently.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Rows

_PIECE = 16
_TIED = np.array([(7 * place * place) % 11 for place in range(1000)], np.uint8)


def descending_order(scores: NDArray[Any]) -> Rows:
    """The indices of ``scores`` from the highest to the lowest, equal ones as torch leaves them."""
    # Descending is ascending over the negated values: only "less than" is ever asked.
    keys = np.invert(scores) if scores.dtype == np.uint8 else -scores
    return _sorted_by_opencv(keys) if _has_gnu_sort() else sorted_as_gnu_does(keys)


@cache
def _has_gnu_sort() -> bool:
    return bool((_sorted_by_opencv(_TIED) == sorted_as_gnu_does(_TIED)).all())


def _sorted_by_opencv(keys: NDArray[Any]) -> Rows:
    found = cv2.sortIdx(keys.reshape(1, -1), cv2.SORT_EVERY_ROW | cv2.SORT_ASCENDING)
    return np.asarray(found[0], np.intp)


def sorted_as_gnu_does(values: NDArray[Any]) -> Rows:
    """The indices of ``values`` in ascending order, by the steps of GNU's ``std::sort``."""
    keys = values.copy()
    order = np.arange(len(keys), dtype=np.intp)
    starts, ends = np.array([0]), np.array([len(keys)])
    for _ in range(2 * max(len(keys), 1).bit_length()):
        is_long = ends - starts > _PIECE
        starts, ends = starts[is_long], ends[is_long]
        if not len(starts):
            break
        cuts = _partition(keys, order, starts, ends)
        starts, ends = np.concatenate([starts, cuts]), np.concatenate([cuts, ends])
    # The insertion sort moves elements past greater ones only: it is stable.
    return order[np.argsort(keys, kind="stable")]


def _partition(keys: NDArray[Any], order: Rows, starts: Rows, ends: Rows) -> Rows:
    """Partition every piece in place around its pivot; where each piece is cut."""
    _swap(keys, order, starts, _median_of_three(keys, starts, ends))
    lengths = ends - starts - 1
    piece = np.repeat(np.arange(len(starts)), lengths)
    before = np.cumsum(lengths) - lengths
    places = np.arange(len(piece)) - np.repeat(before - starts - 1, lengths)
    pivots = keys[starts][piece]
    # One pointer stops at what is not less than the pivot, the other at what is not greater.
    found = keys[places]
    low, low_piece = places[~(found < pivots)], piece[~(found < pivots)]
    high, high_piece = _from_the_right(places[~(pivots < found)], piece[~(pivots < found)])
    low_first, high_first = (
        np.searchsorted(found, np.arange(len(starts))) for found in (low_piece, high_piece)
    )
    rank = np.arange(len(low)) - low_first[low_piece]
    partner = high_first[low_piece] + rank
    has_partner = partner < np.searchsorted(high_piece, low_piece, side="right")
    swapped = has_partner.copy()
    swapped[has_partner] = low[has_partner] < high[partner[has_partner]]
    _swap(keys, order, low[swapped], high[partner[swapped]])
    swaps = np.bincount(low_piece[swapped], minlength=len(starts))
    return np.minimum(
        _at(low, low_first + swaps, low_piece, ends),
        np.where(swaps > 0, _at(high, high_first + swaps - 1, high_piece, ends), ends),
    )


def _median_of_three(keys: NDArray[Any], starts: Rows, ends: Rows) -> Rows:
    first, middle, last = starts + 1, starts + (ends - starts) // 2, ends - 1
    a, b, c = keys[first], keys[middle], keys[last]
    rising = np.where(b < c, middle, np.where(a < c, last, first))
    falling = np.where(a < c, first, np.where(b < c, last, middle))
    return np.where(a < b, rising, falling)


def _from_the_right(places: Rows, piece: Rows) -> tuple[Rows, Rows]:
    """Order positions from the right within each piece, pieces from the left."""
    by_piece = np.argsort(piece[::-1], kind="stable")
    return places[::-1][by_piece], piece


def _at(places: Rows, index: Rows, piece: Rows, otherwise: Rows) -> Rows:
    """The position with that index, if it belongs to the given piece."""
    inside = (index >= 0) & (index < len(places))
    safe = np.where(inside, index, 0)
    if not len(places):
        return otherwise
    inside &= piece[safe] == np.arange(len(otherwise))
    return np.where(inside, places[safe], otherwise)


def _swap(keys: NDArray[Any], order: Rows, left: Rows, right: Rows) -> None:
    for values in (keys, order):
        values[left], values[right] = values[right], values[left]
