"""From counts to numbers: the metrics of one mask, and those of one threshold over all masks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.report.numbers import _FULL_DIGITS, significant
from forensicviewer.core.array import Flags, Floats
from forensicviewer.core.model import Edition
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.score import (
    LEVELS,
    ROUGH_ERROR,
    Confusion,
    ThresholdSweep,
    nist_threshold,
    threshold_from_nist,
    trapezoid,
)
from forensicviewer.core.sweep_block import SweepBlock

METRICS = ("NMM", "MCC", "BWL1")
CELLS = ("TP", "TN", "FP", "FN")
_LOWEST = -1.0


@dataclass(slots=True)
class SideMetrics:
    """The numbers of one side of one trial under NIST's column names; absent ones are blank.

    ``has_no_region`` marks trials without a selected pixel, which NIST reports apart from others
    left unscored.
    """

    is_scored: bool = False
    has_no_region: bool = False
    numbers: dict[str, float] = field(default_factory=dict)

    def get(self, name: str) -> float:
        return self.numbers.get(name, math.nan)


class MaskScorer:
    """Turns sweeps into the numbers of a trial, by the rules of a run."""

    def __init__(self, settings: MaskSettings, edition: Edition) -> None:
        self._settings = settings
        is_2016 = edition is Edition.NC2016
        self._own_optimum = settings.chooses(switches.Optimum.OWN)
        self._own_maximum = settings.chooses(switches.Maximum.OWN)
        self._soft_nmm = settings.chooses(switches.GreyNmm.SOFT)
        self._by_positives = is_2016 and settings.chooses(switches.Wl1Denominator.POSITIVES_IN_2016)

    def metrics(self, sweep: ThresholdSweep, *, is_omitted: bool) -> SideMetrics:
        """All numbers of one mask but those of the threshold common to all masks."""
        found = SideMetrics(is_scored=True)
        numbers = found.numbers
        numbers["PixelN"] = sweep.scored
        numbers["PixelBNS"] = sweep.counts.boundary_px
        numbers["PixelSNS"] = sweep.counts.unselected_px
        numbers["PixelPNS"] = sweep.opt_out_px
        optimum = sweep.optimum
        confusion = sweep.at(LEVELS if optimum is None else optimum)
        numbers |= _pixels("Optimum", confusion)
        if optimum is None:
            return found
        numbers["OptimumThreshold"] = nist_threshold(optimum)
        numbers["AUC"], numbers["EER"] = sweep.auc, sweep.eer
        numbers["GWL1"] = significant(self._loss(sweep.gwl1, sweep), _FULL_DIGITS)
        self._add(numbers, "Optimum", self._optimum(sweep, confusion))
        if self._settings.threshold is not None:
            actual = sweep.at(threshold_from_nist(self._settings.threshold))
            numbers["ActualThreshold"] = self._settings.threshold
            numbers |= _pixels("Actual", actual)
            self._add(numbers, "Actual", self._at(sweep, actual, mcc=actual.mcc_in_doubles))
        if self._gets_lowest(is_omitted=is_omitted):
            _set_lowest(numbers)
        return found

    def at(self, sweep: ThresholdSweep, t: int | None, *, is_omitted: bool) -> dict[str, float]:
        """The numbers a rule set may change, at a threshold or, without one, at their best."""
        optimum = sweep.optimum
        if optimum is None:
            return {}
        confusion = sweep.at(optimum if t is None else t)
        nmm, mcc, bwl1 = self._at(sweep, confusion, mcc=confusion.mcc)
        if t is None:
            nmm, mcc, bwl1 = self._optimum(sweep, confusion)
        if self._gets_lowest(is_omitted=is_omitted):
            nmm = mcc = _LOWEST
        return {"NMM": nmm, "MCC": mcc, "BWL1": bwl1, "GWL1": self._loss(sweep.gwl1, sweep)}

    def curves(self, sweep: ThresholdSweep, *, is_omitted: bool) -> tuple[Floats, Floats]:
        """MCC and NMM at every threshold, as exact as a chart shows them."""
        if self._gets_lowest(is_omitted=is_omitted):
            lowest = np.full(LEVELS + 1, _LOWEST)
            return lowest, lowest
        # The exact ones take a millisecond more.
        return np.nan_to_num(sweep.rough_mcc), sweep.nmm

    def _gets_lowest(self, *, is_omitted: bool) -> bool:
        return is_omitted and self._settings.chooses(switches.OmittedMask.LOWEST)

    def at_common_thresholds(
        self, sweep: ThresholdSweep, best: Maxima, *, is_omitted: bool
    ) -> dict[str, float]:
        """The Maximum columns of one mask; pixels are counted at the threshold of MCC."""
        confusion = sweep.at(best.mcc)
        nmm, mcc, bwl1 = self._at(sweep, confusion, mcc=confusion.mcc)
        if self._own_maximum:
            nmm = sweep.at(best.nmm).nmm
            bwl1 = self._loss(sweep.at(best.bwl1).bwl1, sweep)
        named = {
            f"Maximum{name}": value for name, value in zip(METRICS, (nmm, mcc, bwl1), strict=True)
        }
        if self._gets_lowest(is_omitted=is_omitted):
            _set_lowest(named)
        return named | _pixels("Maximum", confusion)

    def _optimum(self, sweep: ThresholdSweep, confusion: Confusion) -> tuple[float, float, float]:
        nmm, mcc, bwl1 = self._at(sweep, confusion, mcc=confusion.mcc)
        if self._own_optimum and sweep.positives:
            nmm = float(np.max(sweep.nmm))
            bwl1 = self._loss(float(np.min(sweep.bwl1)), sweep)
        if self._soft_nmm:
            nmm = sweep.soft_nmm
        return nmm, mcc, bwl1

    def _at(
        self, sweep: ThresholdSweep, confusion: Confusion, *, mcc: float
    ) -> tuple[float, float, float]:
        return confusion.nmm, mcc, self._loss(confusion.bwl1, sweep)

    def _loss(self, loss: float, sweep: ThresholdSweep) -> float:
        if not self._by_positives:
            return loss
        return loss * sweep.scored / sweep.positives if sweep.positives else math.nan

    def _add(
        self, numbers: dict[str, float], prefix: str, values: tuple[float, float, float]
    ) -> None:
        for name, value in zip(METRICS, values, strict=True):
            numbers[f"{prefix}{name}"] = significant(value, _FULL_DIGITS)


def _pixels(prefix: str, confusion: Confusion) -> dict[str, float]:
    cells = (confusion.tp, confusion.tn, confusion.fp, confusion.fn)
    return {f"{prefix}Pixel{name}": count for name, count in zip(CELLS, cells, strict=True)}


def _set_lowest(numbers: dict[str, float]) -> None:
    for prefix in ("Optimum", "Maximum", "Actual"):
        for name in ("NMM", "MCC"):
            if f"{prefix}{name}" in numbers:
                numbers[f"{prefix}{name}"] = _LOWEST


@dataclass(frozen=True, slots=True)
class Maxima:
    """The one threshold for all masks that is best for each metric."""

    mcc: int
    nmm: int
    bwl1: int


_MCC, _NMM, _BWL1 = range(3)  # rows of their sums


class ThresholdTotals:
    """What all masks of a run have in common, threshold by threshold."""

    def __init__(self) -> None:
        self.masks = 0
        self._occurs = np.zeros(LEVELS, np.bool_)
        self._metrics = np.zeros((len(METRICS), LEVELS + 1))
        self._cells = np.zeros((4, LEVELS + 1), np.int64)
        self._rates = np.zeros((2, LEVELS + 1))
        self._with_rate = np.zeros(2, np.int64)

    def see_levels(self, sweep: ThresholdSweep) -> None:
        """Let a mask add its grey values to the thresholds without counting it."""
        self._occurs |= sweep.occurs

    def add(self, sweep: ThresholdSweep) -> None:
        if sweep.scored == 0:
            return
        self.masks += 1
        self.see_levels(sweep)
        # Without positives there is no NMM at any threshold.
        self._metrics += np.stack((sweep.rough_mcc, np.nan_to_num(sweep.nmm), sweep.bwl1))
        self._cells += np.stack((sweep.tp, sweep.fn, sweep.fp, sweep.tn))
        # A mask without positives has no true-positive rate but, in NIST's table, a false-positive
        # rate of 0 at every threshold, and the other way round: neither adds anything.
        self._rates += np.stack((sweep.tpr, sweep.fpr))
        self._with_rate += np.array((sweep.positives > 0, sweep.negatives > 0))

    def add_all(self, block: SweepBlock, chosen: Flags) -> None:
        """Add the chosen masks one after another: sums depend on their order."""
        rows = np.flatnonzero(chosen & (block.scored > 0))
        if not len(rows):
            return
        self.masks += len(rows)
        self._occurs |= block.occurs[rows].any(axis=0)
        metrics = (block.rough_mcc[rows], np.nan_to_num(block.nmm[rows]), block.bwl1[rows])
        rates = (block.tpr[rows], block.fpr[rows])
        for sums, parts in ((self._metrics, metrics), (self._rates, rates)):
            for mask in np.stack(parts, axis=1):
                sums += mask  # in place; numpy's own sum would add them up in pairs
        counts = (block.tp, block.fn, block.fp, block.tn)
        self._cells += np.stack([each[rows].sum(axis=0) for each in counts])
        for side, pixels in enumerate((block.positives, block.negatives)):
            self._with_rate[side] += np.count_nonzero(pixels[rows])

    @property
    def thresholds(self) -> Sequence[int]:
        """The thresholds of any mask, in NIST's order."""
        return [LEVELS, *(int(t) for t in np.flatnonzero(self._occurs)[::-1])]

    def maximum(self, sweeps: Callable[[], Iterable[ThresholdSweep]]) -> int | None:
        """The one threshold with the largest sum of MCCs, of equals NIST's lowest."""
        if not self.masks:
            return None
        listed = np.array(self.thresholds)
        sums = self._metrics[_MCC, listed]
        slack = 2 * ROUGH_ERROR * self.masks
        near = [int(t) for t in listed[sums >= sums.max() - slack]]
        if len(near) == 1:
            return near[0]
        exact = dict.fromkeys(near, 0.0)
        for sweep in sweeps():
            for t in near if sweep.scored else ():
                exact[t] += sweep.at(t).mcc
        return max(near, key=exact.__getitem__)

    def maxima(self, sweeps: Callable[[], Iterable[ThresholdSweep]]) -> Maxima | None:
        """The one threshold with the best sum of each metric, of equals NIST's lowest."""
        mcc = self.maximum(sweeps)
        if mcc is None:
            return None
        listed = np.array(self.thresholds)
        nmm = np.argmax(self._metrics[_NMM, listed])
        bwl1 = np.argmin(self._metrics[_BWL1, listed])
        return Maxima(mcc, int(listed[nmm]), int(listed[bwl1]))

    @property
    def pixel_average_auc(self) -> float:
        """AUC over the pixels of all masks pooled."""
        tp, fn, fp, tn = self._cells[:, self.thresholds]
        if not self.masks or tp[0] + fn[0] == 0 or fp[0] + tn[0] == 0:
            return math.nan
        return _closed_auc(fp / (fp + tn), tp / (tp + fn))

    @property
    def mask_average_auc(self) -> float:
        """AUC over the rates of the masks averaged."""
        if not all(self._with_rate):
            return math.nan
        tpr, fpr = (self._rates[side][self.thresholds] / self._with_rate[side] for side in range(2))
        return _closed_auc(fpr, tpr)


def _closed_auc(fpr: Floats, tpr: Floats) -> float:
    fpr, tpr = np.append(fpr, (0.0, 1.0)), np.append(tpr, (0.0, 1.0))
    order = np.lexsort((tpr, fpr))
    return trapezoid(fpr[order], tpr[order])
