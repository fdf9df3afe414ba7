"""The sweeps of many masks at once, with the same digits as one at a time.

A sweep of one mask is some thirty calls of numpy on 257 numbers each, which cost more than the
numbers. Here a call works on a table with a row for each mask.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Counts, Flags, Floats, Rows
from forensicviewer.core.mask import Region
from forensicviewer.core.score import (
    LEVEL_NUMBERS,
    LEVELS,
    NOTHING_CALLED,
    ROUGH_ERROR,
    LevelCounts,
    ThresholdSweep,
)

BLOCK = 64  # masks whose tables fit into a processor's cache together
_Table = NDArray[np.float64]  # (masks, thresholds)


class SweepBlock:
    """Sweeps of several masks, with all values that score files need."""

    def __init__(self, counts: Sequence[LevelCounts]) -> None:
        tables = np.stack([each.table for each in counts])
        self.tp, self.fp = (
            _called(tables[:, region]) for region in (Region.MANIPULATED, Region.BACKGROUND)
        )
        self.positives, self.negatives = self.tp[:, 0].copy(), self.fp[:, 0].copy()
        self.scored: Counts = self.positives + self.negatives
        self.fn = self.positives[:, np.newaxis] - self.tp
        self.tn = self.negatives[:, np.newaxis] - self.fp
        self.occurs: Flags = tables.sum(axis=1) > 0
        self.rough_mcc = self._rough_mcc()
        self.nmm: _Table = np.maximum(-1.0, _ratio(self.tp - self.fn - self.fp, self.positives))
        self.bwl1 = _ratio(self.fp + self.fn, self.scored)
        self.has_both: Flags = (self.positives > 0) & (self.negatives > 0)
        self.tpr = self._rate(self.tp, self.positives)
        self.fpr = self._rate(self.fp, self.negatives)
        inside = tables[:, Region.MANIPULATED] @ LEVEL_NUMBERS[::-1]
        outside = tables[:, Region.BACKGROUND] @ LEVEL_NUMBERS
        self.gwl1: Floats = _ratio_of_each((inside + outside) / 255, self.scored)
        self.sweeps = [self._sweep(row, each) for row, each in enumerate(counts)]
        self._keep_numbers()

    def _rough_mcc(self) -> _Table:
        tp, fp, fn, tn = (
            counts.astype(np.float64) for counts in (self.tp, self.fp, self.fn, self.tn)
        )
        product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = (tp * tn - fp * fn) / np.sqrt(product)
        nothing = np.where(self.scored == 0, np.nan, 0.0)
        return np.where(product > 0, values, nothing[:, np.newaxis])

    def _rate(self, called: Counts, all_of_them: Counts) -> _Table:
        rates = np.zeros(called.shape)
        chosen = self.has_both
        rates[chosen] = called[chosen] / all_of_them[chosen, np.newaxis]
        return rates

    def _sweep(self, row: int, counts: LevelCounts) -> ThresholdSweep:
        return ThresholdSweep.worked_out(
            counts,
            confusion=(self.tp[row], self.fp[row], self.fn[row], self.tn[row]),
            occurs=self.occurs[row],
            rough_mcc=self.rough_mcc[row],
            nmm=self.nmm[row],
            bwl1=self.bwl1[row],
            tpr=self.tpr[row],
            fpr=self.fpr[row],
            gwl1=float(self.gwl1[row]),
        )

    def _keep_numbers(self) -> None:
        """Give each sweep the numbers of its curve, where there is one."""
        # Scores that do not occur change no call: they add nothing to an area, and of equal points
        # the first counts. So all thresholds give the numbers of those that are listed.
        fpr, tpr = self.fpr[:, ::-1], self.tpr[:, ::-1]
        steps = (fpr[:, 1:] - fpr[:, :-1]) * ((tpr[:, 1:] + tpr[:, :-1]) / 2)
        areas = np.cumsum(steps, axis=1)[:, -1].tolist()
        fnr = 1 - tpr
        nearest = np.argmin(np.abs(fpr - fnr), axis=1)
        rows = np.arange(len(nearest))
        errors = ((fpr[rows, nearest] + fnr[rows, nearest]) / 2).tolist()
        optima = self._clear_optima()
        for row in np.flatnonzero(self.scored > 0).tolist():
            self.sweeps[row].keep(auc=areas[row], eer=errors[row])
            if optima[row] >= 0:
                self.sweeps[row].keep(optimum=int(optima[row]))

    def _clear_optima(self) -> Rows:
        """The best threshold of each mask; -1 where only exact arithmetic can decide."""
        listed = np.ones(self.rough_mcc.shape, np.bool_)
        listed[:, :LEVELS] = self.occurs
        best = self.rough_mcc.max(axis=1, keepdims=True)
        near = listed & (self.rough_mcc >= best - ROUGH_ERROR)
        first = NOTHING_CALLED - np.argmax(near[:, ::-1], axis=1)
        at = first[:, np.newaxis]
        is_same = (self.tp == np.take_along_axis(self.tp, at, axis=1)) & (
            self.fp == np.take_along_axis(self.fp, at, axis=1)
        )
        return np.where((near & ~is_same).any(axis=1), -1, first)


def _called(counts: Counts) -> Counts:
    """How many pixels of each mask have a score of at least t, for t = 0 … 256."""
    called = np.zeros((len(counts), LEVELS + 1), np.int64)
    called[:, :LEVELS] = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    return called


def _ratio(part: Counts, whole: Counts) -> _Table:
    return _ratio_of_each(part, whole[:, np.newaxis])


def _ratio_of_each(part: NDArray[np.generic], whole: Counts) -> NDArray[np.float64]:
    """The quotient, NaN if the divisor is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.true_divide(part, whole)
    return np.where(whole == 0, np.nan, quotient)
