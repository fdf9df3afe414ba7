"""Every pixel metric of one prediction, from its exact values at a threshold.

Predictions are 8-bit levels (a level v means v / 255) or floats from 0 to 1, compared as
IMDL-BenCo's float32 tensors are: a pixel is called where its value is above the threshold. The
reference is given as region codes; whatever is neither manipulated nor background is not scored
(IMDL-BenCo's shape mask).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import BoolImage, Counts, U8Image
from forensicviewer.core.imdl import evaluator
from forensicviewer.core.imdl.ranking import Ranking
from forensicviewer.core.imdl.sort_order import descending_order
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.mask import ReferenceMask, Region, Regions
from forensicviewer.core.problem import ScoringError
from forensicviewer.core.score import LEVELS, Confusion, LevelCounts

NO_KERNELS = Kernels(erode_px=0, dilate_px=0, distraction_px=0)
# TruFor's metrics.py: eroded by 15, dilated by 11, what lies between is dropped.
BORDER_BAND = Kernels(erode_px=15, dilate_px=11, distraction_px=0)
_NAN = float("nan")

MODES = ("", "_inverse", "_permute")
METRICS = tuple(
    f"{name}{mode}" for name in ("F1", "IoU", "Accuracy", "AUC", "AUC_benco") for mode in MODES
)
BEST = ("F1_best", "F1_best_threshold")
# Definitions of other scorers, for the table of definitions.
OTHERS = (
    *("F1_exact", "F1_mvss", "F1_micro", "F1_macro", "F1_weighted"),
    *("F1_best_inverse", "F1_band_best", "F1_band"),
)


@dataclass(frozen=True, slots=True, eq=False)
class PixelScores:
    """The metrics of one image by name, its outcomes, and its 256 levels by region.

    ``levels`` drive curves and the slider ("at 8 bits"); ``numbers`` come from the values
    themselves. ``peak`` and ``mean`` are of the scored pixels.
    """

    numbers: Mapping[str, float]
    confusion: Confusion
    levels: LevelCounts
    peak: float
    mean: float


def regions_of(area: BoolImage, *, scored: BoolImage | None, kernels: Kernels) -> Regions:
    """The region code of each pixel; pixels that are not ``scored`` are excluded."""
    if scored is None and kernels == NO_KERNELS:
        # Without zones the codes are the area itself: it is not gone through once more.
        codes = area.view(np.uint8).view()
        codes.setflags(write=False)
        return Regions(codes, area, 0, 0, opt_out_px=0, scored_px=area.size)
    margin = None if scored is None else ~scored
    return ReferenceMask.from_area(area).regions(None, kernels, opt_out=margin)


def as_levels(values: NDArray[Any]) -> U8Image:
    """Values as IMDL-BenCo saves them: floor(255 p + 0.5)."""
    if values.dtype == np.uint8:
        return np.asarray(values, np.uint8)
    scaled = np.floor(values * values.dtype.type(255) + values.dtype.type(0.5))
    return np.asarray(np.clip(scaled, 0, 255), np.uint8)


def measure(
    values: NDArray[Any], area: BoolImage, *, threshold: float, scored: BoolImage | None = None
) -> PixelScores:
    """Every metric of a prediction over a reference of the same size."""
    if values.shape != area.shape:
        raise ScoringError("The prediction and the reference mask differ in size")
    regions = regions_of(area, scored=scored, kernels=NO_KERNELS)
    pair = _Pair.of(values, regions)
    levels = LevelCounts.of(as_levels(values), regions)
    ranking = pair.ranking(levels)
    found, flipped = pair.outcomes(threshold, levels)
    numbers = _threshold_numbers(found, flipped) | _ranking_numbers(ranking)
    numbers |= _benco_aucs(pair, ranking)
    if found.positives:
        banded = regions_of(area, scored=scored, kernels=BORDER_BAND)
        inside = _Pair.of(values, banded)
        counts = LevelCounts.of(as_levels(values), banded)
        numbers |= _band_numbers(inside.outcomes(threshold, counts)[0], inside.ranking(counts))
    peak, mean = pair.extent(levels)
    return PixelScores(numbers, found, levels, peak, mean)


def level_numbers(
    levels: LevelCounts, level: int, *, beyond_band: LevelCounts | None = None
) -> dict[str, float]:
    """The metrics at 8 bits for a slider level: scores of at least the level are called.

    ``beyond_band`` counts the pixels outside TruFor's border band, which only its F1 needs.
    """
    found, flipped, ranking = _outcomes_at(levels, level)
    numbers = _threshold_numbers(found, flipped) | _ranking_numbers(ranking)
    if beyond_band is not None and found.positives:
        called, _, ordered = _outcomes_at(beyond_band, level)
        numbers |= _band_numbers(called, ordered)
    return numbers


def band_counts(levels: U8Image, area: BoolImage) -> LevelCounts:
    """How often each level occurs where TruFor scores: outside a band along the border."""
    return LevelCounts.of(levels, regions_of(area, scored=None, kernels=BORDER_BAND))


def _outcomes_at(levels: LevelCounts, level: int) -> tuple[Confusion, Confusion, Ranking]:
    positives, negatives = levels.table[Region.MANIPULATED], levels.table[Region.BACKGROUND]
    found = _at_level(positives, negatives, np.arange(LEVELS) >= level)
    # 1 - p above the threshold is p below its mirror image.
    flipped = _at_level(positives, negatives, np.arange(LEVELS) <= LEVELS - 1 - level)
    return found, flipped, Ranking.of_levels(positives, negatives)


def _at_level(positives: Counts, negatives: Counts, called: NDArray[np.bool_]) -> Confusion:
    tp, fp = int(positives[called].sum()), int(negatives[called].sum())
    return Confusion(tp, fp, int(positives.sum()) - tp, int(negatives.sum()) - fp)


def _threshold_numbers(found: Confusion, flipped: Confusion) -> dict[str, float]:
    """``flipped`` are the outcomes of 1 - p: IMDL-BenCo's IoU inverts before the threshold."""
    inverse = evaluator.complement(found)
    f1, f1_inverse = evaluator.f1(found), evaluator.f1(inverse)
    iou, iou_inverse = evaluator.iou(found), evaluator.iou(flipped)
    right, wrong = evaluator.accuracy(found), evaluator.accuracy(inverse)
    return {
        **_modes("F1", f1, f1_inverse),
        **_modes("IoU", iou, iou_inverse),
        **_modes("Accuracy", right, wrong),
        "F1_exact": evaluator.exact_f1(found),
        "F1_mvss": evaluator.mvss_f1(found),
        "F1_micro": right,
        "F1_macro": evaluator.macro_f1(found),
        "F1_weighted": evaluator.weighted_f1(found),
    }


def _ranking_numbers(ranking: Ranking) -> dict[str, float]:
    auc, (best, at) = ranking.auc, ranking.best_f1
    return {
        **_modes("AUC", auc, 1 - auc),
        "F1_best": best,
        "F1_best_threshold": at,
        "F1_best_inverse": ranking.best_inverse_f1,
    }


def _benco_aucs(pair: _Pair, ranking: Ranking) -> dict[str, float]:
    if not ranking.positives:
        return _modes("AUC_benco", 0.0, 0.0)
    if not ranking.negatives:
        # A single pixel makes no curve, and so an area of 0.
        alone = 0.0 if ranking.positives == 1 else _NAN
        return _modes("AUC_benco", alone, alone)
    as_is = pair.sorted_auc() if ranking.has_ties else ranking.auc
    return _modes("AUC_benco", as_is, pair.inverted().sorted_auc_of(ranking))


def _band_numbers(found: Confusion, ranking: Ranking) -> dict[str, float]:
    """TruFor's F1 outside the border band, for the better polarity."""
    if not found.total:
        return {}
    # TruFor's confusion matrix fails, and its mean skips the image, where only one class is left.
    is_degenerate = found.total in (found.tp, found.tn)
    fixed = evaluator.best_of(
        evaluator.exact_f1(found), evaluator.exact_f1(evaluator.complement(found)), 0.0
    )
    best = evaluator.best_of(ranking.best_f1[0], ranking.best_inverse_f1, 0.0)
    return {"F1_band_best": best, "F1_band": _NAN if is_degenerate else fixed}


def _modes(name: str, as_is: float, inverse: float) -> dict[str, float]:
    permute = _NAN if math.isnan(as_is) and math.isnan(inverse) else max(as_is, inverse)
    return {name: as_is, f"{name}_inverse": inverse, f"{name}_permute": permute}


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """The values of the scored pixels, row by row, and which of these are manipulated."""

    values: NDArray[Any]
    manipulated: NDArray[np.bool_]

    @classmethod
    def of(cls, values: NDArray[Any], regions: Regions) -> _Pair:
        is_scored = regions.codes <= Region.MANIPULATED
        if is_scored.all():
            return cls(values.ravel(), (regions.codes == Region.MANIPULATED).ravel())
        return cls(values[is_scored], regions.codes[is_scored] == Region.MANIPULATED)

    @property
    def has_levels(self) -> bool:
        return bool(self.values.dtype == np.uint8)

    def ranking(self, levels: LevelCounts) -> Ranking:
        if self.has_levels:
            table = levels.table
            return Ranking.of_levels(table[Region.MANIPULATED], table[Region.BACKGROUND])
        return Ranking.of_values(self.values[self.manipulated], self.values[~self.manipulated])

    def outcomes(self, threshold: float, levels: LevelCounts) -> tuple[Confusion, Confusion]:
        """The outcomes as predicted and with 1 - p, compared at the precision of the values."""
        if self.has_levels:
            return _outcomes_of_levels(levels, threshold)
        limit = self.values.dtype.type(threshold)
        flipped = (self.values.dtype.type(1) - self.values) > limit
        return self._confusion(self.values > limit), self._confusion(flipped)

    def _confusion(self, called: NDArray[np.bool_]) -> Confusion:
        positives = int(np.count_nonzero(self.manipulated))
        tp = int(np.count_nonzero(called & self.manipulated))
        fp = int(np.count_nonzero(called)) - tp
        return Confusion(tp, fp, positives - tp, len(called) - positives - fp)

    def extent(self, levels: LevelCounts) -> tuple[float, float]:
        """The highest value and the mean of all."""
        if not len(self.values):
            return _NAN, _NAN
        if not self.has_levels:
            return float(self.values.max()), float(self.values.mean(dtype=np.float64))
        occurring = levels.table[: Region.MANIPULATED + 1].sum(axis=0)
        mean = float(occurring @ np.arange(LEVELS)) / 255 / float(occurring.sum())
        return float(np.flatnonzero(occurring)[-1]) / 255, mean

    def inverted(self) -> _Pair:
        values = (
            np.invert(self.values) if self.has_levels else self.values.dtype.type(1) - self.values
        )
        return _Pair(values, self.manipulated)

    def sorted_auc_of(self, uninverted: Ranking) -> float:
        """IMDL-BenCo's AUC of the inverted values; 1 - p can make different values equal."""
        if self.has_levels:
            return self.sorted_auc() if uninverted.has_ties else 1 - uninverted.auc
        ranking = Ranking.of_values(self.values[self.manipulated], self.values[~self.manipulated])
        return self.sorted_auc() if ranking.has_ties else ranking.auc

    def sorted_auc(self) -> float:
        """IMDL-BenCo's PixelAUC: pixel by pixel in the order of a sort."""
        ordered = self.manipulated[descending_order(self.values)]
        above = np.cumsum(ordered, dtype=np.int64)
        positives = int(above[-1])
        return int(above[~ordered].sum()) / (positives * (len(ordered) - positives))


def _outcomes_of_levels(levels: LevelCounts, threshold: float) -> tuple[Confusion, Confusion]:
    scores = np.arange(LEVELS, dtype=np.float32) / np.float32(255)
    limit = np.float32(threshold)
    positives, negatives = levels.table[Region.MANIPULATED], levels.table[Region.BACKGROUND]
    return (
        _at_level(positives, negatives, scores > limit),
        _at_level(positives, negatives, np.float32(1) - scores > limit),
    )
