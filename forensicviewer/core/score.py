"""Mask metrics at every threshold at once, from how often each score occurs in each region.

Scores are 0 to 255, 255 = surely manipulated; a pixel is called manipulated when its score is at
least the threshold t = 0 … 256. NIST's masks are black where manipulated and compare with "<= t";
both include the tie, so t here is 255 - t there and 256 here is NIST's -1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import TypedDict, Unpack

import cv2
import numpy as np

from forensicviewer.core.array import Counts, Flags, Floats, Rows, U8Image
from forensicviewer.core.cached import cached_property
from forensicviewer.core.mask import Region, Regions
from forensicviewer.core.problem import ScoringError

LEVELS = 256
NOTHING_CALLED = 256
LEVEL_NUMBERS: Counts = np.arange(LEVELS, dtype=np.int64)
ROUGH_ERROR = 1e-14
_TILE_ROWS = 256


def nist_threshold(t: int) -> int:
    """The threshold in NIST's convention, -1 (nothing called) to 255 (everything)."""
    return 255 - t


def threshold_from_nist(t_nist: int) -> int:
    return 255 - t_nist


@dataclass(frozen=True, slots=True)
class Confusion:
    """Pixels by outcome at one threshold, scored pixels only."""

    tp: int
    fp: int
    fn: int
    tn: int

    @property
    def positives(self) -> int:
        return self.tp + self.fn

    @property
    def negatives(self) -> int:
        return self.fp + self.tn

    @property
    def total(self) -> int:
        return self.tp + self.fp + self.fn + self.tn

    @property
    def mcc(self) -> float:
        """Matthews correlation from exact integers; 0 where a class or a call is missing."""
        return _mcc(self.tp, self.fp, self.fn, self.tn)

    @property
    def mcc_in_doubles(self) -> float:
        """NIST's evaluation for the Actual threshold: products in doubles first (1e-15 apart)."""
        if self._is_one_sided:
            return _mcc(self.tp, self.fp, self.fn, self.tn)
        tp, fp, fn, tn = float(self.tp), float(self.fp), float(self.fn), float(self.tn)
        with localcontext() as context:
            context.prec = 28
            root = Decimal((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)).sqrt()
            return float(Decimal(tp * tn - fp * fn) / root)

    @property
    def nmm(self) -> float:
        """Nimble mask metric, max(-1, (TP-FN-FP)/P); NaN without positives."""
        if self.positives == 0:
            return float("nan")
        return max(-1.0, (self.tp - self.fn - self.fp) / self.positives)

    @property
    def bwl1(self) -> float:
        """Binary weighted L1, (FP+FN)/N; NaN when nothing is scored."""
        return (self.fp + self.fn) / self.total if self.total else float("nan")

    @property
    def _is_one_sided(self) -> bool:
        called = self.tp + self.fp
        return self.positives in (0, self.total) or called in (0, self.total)


@dataclass(frozen=True, slots=True, eq=False)
class LevelCounts:
    """How many pixels of each region have each score: everything a sweep is made from.

    ``table`` is (regions, 256); ``boundary_px`` and ``unselected_px`` are NIST's PixelBNS and
    PixelSNS, which include opted-out pixels.
    """

    table: Counts
    boundary_px: int
    unselected_px: int

    @classmethod
    def of(cls, scores: U8Image, regions: Regions) -> LevelCounts:
        """Count every pixel once."""
        if scores.shape != regions.codes.shape or scores.dtype != np.uint8:
            raise ScoringError(
                f"The size of the system mask is {_size(scores)}, but the reference is "
                f"{_size(regions.codes)}"
            )
        table = _joint_histogram(scores, regions.codes)
        table.setflags(write=False)
        return cls(table, regions.boundary_px, regions.unselected_px)

    def __add__(self, other: LevelCounts) -> LevelCounts:
        return LevelCounts(
            self.table + other.table,
            self.boundary_px + other.boundary_px,
            self.unselected_px + other.unselected_px,
        )

    def without_level(self, score: int) -> LevelCounts:
        """The same counts with every pixel of one score opted out."""
        table = self.table.copy()
        if 0 <= score < LEVELS:
            table[Region.OPT_OUT, score] = table[:, score].sum()
            table[: Region.OPT_OUT, score] = 0
        return LevelCounts(table, self.boundary_px, self.unselected_px)

    @classmethod
    def total(cls, counts: Iterable[LevelCounts]) -> LevelCounts:
        """All frames or masks taken together."""
        whole = cls(np.zeros((len(Region), LEVELS), np.int64), 0, 0)
        for part in counts:
            whole = whole + part
        return whole


class WorkedOut(TypedDict, total=False):
    """Values of a sweep that may be known before it is asked for them, by their names there."""

    occurs: Flags
    rough_mcc: Floats
    nmm: Floats
    bwl1: Floats
    tpr: Floats
    fpr: Floats
    gwl1: float
    auc: float
    eer: float
    optimum: int


class ThresholdSweep:
    """The confusion and every metric at each threshold t = 0 … 256, as arrays of 257."""

    def __init__(self, counts: LevelCounts) -> None:
        self.counts = counts
        called = _called_from(counts.table)
        self.tp: Counts = called[Region.MANIPULATED]
        self.fp: Counts = called[Region.BACKGROUND]
        self.positives = int(self.tp[0])
        self.negatives = int(self.fp[0])
        self.fn: Counts = self.positives - self.tp
        self.tn: Counts = self.negatives - self.fp

    @classmethod
    def of(cls, scores: U8Image, regions: Regions) -> ThresholdSweep:
        return cls(LevelCounts.of(scores, regions))

    @classmethod
    def worked_out(
        cls,
        counts: LevelCounts,
        *,
        confusion: tuple[Counts, Counts, Counts, Counts],
        **known: Unpack[WorkedOut],
    ) -> ThresholdSweep:
        """A sweep with confusion (tp, fp, fn, tn) and other values computed elsewhere."""
        sweep = cls.__new__(cls)
        sweep.counts = counts
        sweep.tp, sweep.fp, sweep.fn, sweep.tn = confusion
        sweep.positives, sweep.negatives = int(sweep.tp[0]), int(sweep.fp[0])
        sweep.keep(**known)
        return sweep

    def keep(self, **known: Unpack[WorkedOut]) -> None:
        """Store values that this sweep would otherwise compute on demand."""
        vars(self).update(known)

    def __add__(self, other: ThresholdSweep) -> ThresholdSweep:
        """The sweep over the pixels of both, as for the frames of an interval."""
        return ThresholdSweep(self.counts + other.counts)

    @property
    def scored(self) -> int:
        """Pixels that count (NIST's PixelN)."""
        return self.positives + self.negatives

    @property
    def opt_out_px(self) -> int:
        return int(self.counts.table[Region.OPT_OUT].sum())

    @cached_property
    def occurs(self) -> Flags:
        """Whether each score 0 … 255 occurs anywhere in the mask, no-score zones included."""
        return np.asarray(self.counts.table.sum(axis=0) > 0)

    @cached_property
    def thresholds(self) -> tuple[int, ...]:
        """The thresholds NIST lists, in NIST's order: 256 first, then the scores that occur."""
        return tuple(self._listed.tolist())

    @cached_property
    def _listed(self) -> Rows:
        return np.concatenate([[NOTHING_CALLED], np.flatnonzero(self.occurs)[::-1]])

    def at(self, t: int) -> Confusion:
        return Confusion(int(self.tp[t]), int(self.fp[t]), int(self.fn[t]), int(self.tn[t]))

    @cached_property
    def optimum(self) -> int | None:
        """The threshold of the largest MCC, of equals NIST's lowest; ``None`` without pixels."""
        if self.scored == 0:
            return None
        rough, listed = self.rough_mcc, self._listed
        near = listed[rough[listed] >= rough.max() - ROUGH_ERROR].tolist()
        # Scores outside the scored regions change no call; of equal ones the first counts.
        calls = zip(self.tp[near].tolist(), self.fp[near].tolist(), strict=True)
        distinct = dict(reversed(list(zip(calls, near, strict=True))))
        candidates = sorted(distinct.values(), reverse=True)
        return int(max(candidates, key=lambda t: self.at(t).mcc) if candidates[1:] else near[0])

    @cached_property
    def rough_mcc(self) -> Floats:
        """MCC in doubles, off by less than ``ROUGH_ERROR`` and much faster than exact."""
        tp, fp, fn, tn = (
            counts.astype(np.float64) for counts in (self.tp, self.fp, self.fn, self.tn)
        )
        product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = (tp * tn - fp * fn) / np.sqrt(product)
        return np.where(product > 0, values, np.nan if self.scored == 0 else 0.0)

    @cached_property
    def mcc(self) -> Floats:
        """Matthews correlation from exact integers, so that all sixteen digits are NIST's."""
        values = np.empty(LEVELS + 1)
        previous: tuple[int, int] | None = None
        score = float("nan")
        columns = (self.tp.tolist(), self.fp.tolist(), self.fn.tolist(), self.tn.tolist())
        for t, (tp, fp, fn, tn) in enumerate(zip(*columns, strict=True)):
            if (tp, fp) != previous:
                previous = tp, fp
                score = _mcc(tp, fp, fn, tn)
            values[t] = score
        return values

    @cached_property
    def nmm(self) -> Floats:
        return np.maximum(-1.0, _ratio(self.tp - self.fn - self.fp, self.positives))

    @cached_property
    def soft_nmm(self) -> float:
        """NMM on the grey values themselves, without a threshold (NC2016 plan, 6.2.2)."""
        if self.positives == 0:
            return float("nan")
        inside = int(self.counts.table[Region.MANIPULATED] @ (2 * LEVEL_NUMBERS - 255))
        outside = int(self.counts.table[Region.BACKGROUND] @ LEVEL_NUMBERS)
        return max(-1.0, (inside - outside) / 255 / self.positives)

    @cached_property
    def bwl1(self) -> Floats:
        return _ratio(self.fp + self.fn, self.scored)

    @cached_property
    def gwl1(self) -> float:
        """Grey weighted L1: how far the soft mask is from the reference, without a threshold."""
        if self.scored == 0:
            return float("nan")
        inside = int(self.counts.table[Region.MANIPULATED] @ LEVEL_NUMBERS[::-1])
        outside = int(self.counts.table[Region.BACKGROUND] @ LEVEL_NUMBERS)
        return (inside + outside) / 255 / self.scored

    @cached_property
    def tpr(self) -> Floats:
        """Share of the positives called; 0 everywhere when a class is empty, as in NIST's table."""
        return _rate(self.tp, self.positives, other=self.negatives)

    @cached_property
    def fpr(self) -> Floats:
        return _rate(self.fp, self.negatives, other=self.positives)

    @cached_property
    def auc(self) -> float:
        """Area under the pixel ROC through all thresholds and (0, 0); NaN without pixels."""
        if self.scored == 0:
            return float("nan")
        fpr, tpr = self._roc
        return trapezoid(fpr, tpr)

    @cached_property
    def eer(self) -> float:
        """The first point of smallest |FPR - FNR|, mean of the two; not interpolated."""
        if self.scored == 0:
            return float("nan")
        fpr, tpr = self._roc
        fnr = 1 - tpr
        best = int(np.argmin(np.abs(fpr - fnr)))
        return float((fpr[best] + fnr[best]) / 2)

    @cached_property
    def precision(self) -> Floats:
        return _ratio(self.tp, self.tp + self.fp)

    @cached_property
    def recall(self) -> Floats:
        return _ratio(self.tp, self.positives)

    @cached_property
    def specificity(self) -> Floats:
        return _ratio(self.tn, self.negatives)

    @cached_property
    def f1(self) -> Floats:
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @cached_property
    def iou(self) -> Floats:
        return _ratio(self.tp, self.tp + self.fp + self.fn)

    @cached_property
    def accuracy(self) -> Floats:
        return _ratio(self.tp + self.tn, self.scored)

    @cached_property
    def balanced_accuracy(self) -> Floats:
        return (self.recall + self.specificity) / 2

    @cached_property
    def _roc(self) -> tuple[Floats, Floats]:
        # In NIST's order both only ever grow; (0, 0) comes before them all.
        listed = np.concatenate([[NOTHING_CALLED], self._listed])
        return self.fpr[listed], self.tpr[listed]


def trapezoid(x: Floats, y: Floats) -> float:
    """Area under a curve, added from left to right."""
    steps = (x[1:] - x[:-1]) * ((y[1:] + y[:-1]) / 2)
    return float(np.cumsum(steps)[-1]) if len(steps) else 0.0


def _joint_histogram(scores: U8Image, codes: U8Image) -> Counts:
    """Pixels by region and score.

    The two images are interleaved tile by tile into 16-bit values (region above score) for OpenCV
    to count; its counts are float32 and exact only below 2**24, hence tiles added up in int64.
    """
    bins = len(Region) * LEVELS
    table = np.zeros(bins, np.int64)
    rows = max(1, min(_TILE_ROWS, 2**22 // max(1, scores.shape[1])))
    for top in range(0, scores.shape[0], rows):
        tile = cv2.merge([scores[top : top + rows], codes[top : top + rows]])
        packed = tile.view("<u2")[..., 0]
        found = cv2.calcHist([packed], [0], None, [bins], [0, bins])
        table += np.asarray(found).ravel().astype(np.int64)
    return table.reshape(len(Region), LEVELS)


def _called_from(table: Counts) -> Counts:
    """For each region, how many pixels have a score of at least t, for t = 0 … 256."""
    called = np.zeros((table.shape[0], LEVELS + 1), np.int64)
    called[:, :LEVELS] = table[:, ::-1].cumsum(axis=1)[:, ::-1]
    return called


def _mcc(tp: int, fp: int, fn: int, tn: int) -> float:
    total = tp + fp + fn + tn
    if total == 0:
        return float("nan")
    if tp + fn in (0, total) or tp + fp in (0, total):
        return 0.0
    with localcontext() as context:
        context.prec = 28
        root = Decimal((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)).sqrt()
        return float(Decimal(tp * tn - fp * fn) / root)


def _ratio(part: Counts, whole: Counts | int) -> Floats:
    """The quotient, NaN if the divisor is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = np.true_divide(part, whole)
    return np.where(np.asarray(whole) == 0, np.nan, quotient)


def _rate(called: Counts, all_of_them: int, *, other: int) -> Floats:
    if all_of_them == 0 or other == 0:
        return np.zeros(len(called))
    return called / all_of_them


def _size(pixels: U8Image) -> str:
    return "x".join(str(length) for length in reversed(pixels.shape))
