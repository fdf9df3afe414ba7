"""Where manipulated pixels rank among authentic ones by their scores: AUC and the best F1, exactly.

Everything is integer arithmetic over the distinct scores of manipulated pixels, so ties count half
in the AUC whatever order a sort leaves them in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Counts, Floats

_NAN = float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """For each distinct score of manipulated pixels, ascending: how many have it or less.

    ``at`` counts manipulated pixels of that score, ``below`` and ``upto`` authentic ones with less
    and with at most that score.
    """

    values: NDArray[Any]
    at: Counts
    below: Counts
    upto: Counts
    negatives: int

    @classmethod
    def of_levels(cls, positives: Counts, negatives: Counts) -> Ranking:
        """The ranking from the histograms of both classes over 256 levels."""
        values = np.flatnonzero(positives)
        upto = np.cumsum(negatives)
        return cls(
            values.astype(np.uint8),
            positives[values],
            (upto - negatives)[values],
            upto[values],
            int(upto[-1]),
        )

    @classmethod
    def of_values(cls, positives: NDArray[Any], negatives: NDArray[Any]) -> Ranking:
        """The ranking from the scores, in any order."""
        values, at = np.unique(positives, return_counts=True)
        ordered = np.sort(negatives)
        below = np.searchsorted(ordered, values, side="left").astype(np.int64)
        upto = np.searchsorted(ordered, values, side="right").astype(np.int64)
        return cls(values, at.astype(np.int64), below, upto, len(negatives))

    @property
    def positives(self) -> int:
        return int(self.at.sum())

    @property
    def has_ties(self) -> bool:
        """Whether pixels of different classes share a score, so that a sort decides their order."""
        return bool((self.below != self.upto).any())

    @property
    def auc(self) -> float:
        """The chance that a manipulated pixel outscores an authentic one, ties counting half."""
        pairs = self.positives * self.negatives
        if not pairs:
            return _NAN
        return int((self.at * (self.below + self.upto)).sum()) / (2 * pairs)

    @property
    def best_f1(self) -> tuple[float, float]:
        """The highest F1 over all thresholds, and a threshold that scores must be above for it."""
        if not len(self.values):
            return _NAN, _NAN
        called = self.positives - np.cumsum(self.at) + self.at
        found = _f1(called, self.negatives - self.below, self.positives)
        best = int(np.argmax(found))
        return float(found[best]), just_below(self.values[best])

    @property
    def best_inverse_f1(self) -> float:
        """The highest F1 where scores of at most a threshold are called instead."""
        if not len(self.values):
            return _NAN
        return float(np.max(_f1(np.cumsum(self.at), self.upto, self.positives)))


def just_below(value: NDArray[Any]) -> float:
    """A threshold from 0 to 1 that this score and all higher ones are above, and no lower one."""
    if value.dtype == np.uint8:
        return (int(value) - 0.5) / 255
    return float(np.nextafter(value, value.dtype.type(-1)))


def _f1(tp: Counts, fp: Counts, positives: int) -> Floats:
    return np.asarray(2 * tp / (tp + fp + positives), np.float64)
