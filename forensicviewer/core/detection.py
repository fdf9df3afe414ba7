"""How well detection scores separate targets from non-targets (NIST's detection metrics).

The curve is scikit-learn's of the years MediScore was written in (before 0.20): one vertex per
distinct score, interior vertices on a straight line removed, and (0, 0) in front only when the
first vertex has false alarms. Removing vertices changes the EER, which is taken at a vertex.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import NormalDist

import numpy as np

from forensicviewer.core.array import Counts, Flags, Floats, Rows
from forensicviewer.core.rules import RuleSet
from forensicviewer.core.rules import detection as switches

RESAMPLES = 500
SEED = 77
NEAR = 1e-8
# Rates are kept away from 0 and 1, whose normal quantiles are infinite.
_RATE_LIMITS = (0.00001, 0.99999)
_DRAWN_LIMITS = (1e-4, 1 - 1e-4)
# Finer than any screen: what is drawn of a curve does not grow with the number of trials.
_STEPS_SHOWN = 2_000
_NAN = float("nan")
_ROUGH = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class ScoredTrials:
    """Confidence scores and whether each trial is a target; higher means more likely a target."""

    scores: Floats
    targets: Flags

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def target_count(self) -> int:
        return int(np.count_nonzero(self.targets))

    @property
    def nontarget_count(self) -> int:
        return len(self) - self.target_count

    @property
    def has_both_classes(self) -> bool:
        return 0 < self.target_count < len(self)


@dataclass(frozen=True, slots=True)
class Conventions:
    """The choices of the rule sets about curves and intervals."""

    merges_near_scores: bool = False
    starts_at_origin: bool = False
    interpolates_area: bool = False
    takes_highest_rate: bool = False
    one_class_area_is_zero: bool = True
    keeps_one_class_resamples: bool = False

    @classmethod
    def of(cls, rules: RuleSet) -> Conventions:
        return cls(
            merges_near_scores=rules.chooses(switches.NearScores.MERGED),
            starts_at_origin=rules.chooses(switches.CurveStart.ALWAYS),
            interpolates_area=rules.chooses(switches.PartialArea.INTERPOLATED),
            takes_highest_rate=rules.chooses(switches.RateAtStop.HIGHEST),
            one_class_area_is_zero=rules.chooses(switches.OneClass.ZERO),
            keeps_one_class_resamples=rules.chooses(switches.OneClassResamples.KEPT),
        )


@dataclass(frozen=True, slots=True, eq=False)
class RocCurve:
    """The vertices of a curve, from the strictest threshold to the loosest.

    Rates of a class without trials are NaN.
    """

    false_alarms: Counts
    hits: Counts
    thresholds: Floats
    conventions: Conventions

    @property
    def far(self) -> Floats:
        """False alarm rate, also called false positive rate."""
        return _rates(self.false_alarms)

    @property
    def cdr(self) -> Floats:
        """Correct detection rate, also called true positive rate."""
        return _rates(self.hits)

    @property
    def miss(self) -> Floats:
        """Miss rate: what a DET plot shows over the false alarm rate."""
        return 1.0 - self.cdr

    @property
    def auc(self) -> float:
        return self._area(1.0)

    @property
    def eer(self) -> float:
        """Mean of both error rates at the first vertex where they differ least."""
        far, miss = self.far, self.miss
        if not len(far) or np.isnan(far[0] + miss[0]):
            return _NAN
        at = int(np.argmin(np.abs(far - miss)))
        return float((far[at] + miss[at]) / 2)

    def partial_auc(self, far_stop: float) -> float:
        """Area up to a false alarm rate, not normalised by it."""
        area = self._area(far_stop)
        if not self.conventions.interpolates_area or math.isnan(area):
            return area
        far, cdr = self.far, self.cdr
        inside = int(np.searchsorted(far, far_stop, side="right"))
        if inside == 0 or inside == len(far):
            return area
        before, after = inside - 1, inside
        share = (far_stop - far[before]) / (far[after] - far[before])
        rate = cdr[before] + share * (cdr[after] - cdr[before])
        return area + float((far_stop - far[before]) * (rate + cdr[before]) / 2)

    def cdr_at(self, far_stop: float) -> float:
        """Detection rate at a false alarm rate (CD@FAR, TPR@FPR), interpolated between vertices."""
        far, cdr = self.far, self.cdr
        if not len(far) or np.isnan(far[0] + cdr[0]):
            return _NAN
        exact = np.flatnonzero(far == far_stop)
        if len(exact):
            return float(cdr[exact[-1 if self.conventions.takes_highest_rate else 0]])
        after = int(np.searchsorted(far, far_stop))
        slope = (cdr[after] - cdr[after - 1]) / (far[after] - far[after - 1])
        return float(cdr[after - 1] + slope * (far_stop - far[after - 1]))

    def d_prime(self) -> float:
        """Largest Z(CDR) - Z(FAR) over the vertices."""
        far, cdr = (np.clip(rates, *_RATE_LIMITS) for rates in (self.far, self.cdr))
        is_defined = ~np.isnan(far) & ~np.isnan(cdr)
        far, cdr = far[is_defined], cdr[is_defined]
        if not len(far):
            return _NAN
        distances = _rough_quantile(cdr) - _rough_quantile(far)
        # Of a million vertices few come near the largest; these are worked out to the last digit.
        near = np.flatnonzero(distances >= distances.max() - 2 * _ROUGH)
        exact = NormalDist().inv_cdf
        vertices = zip(cdr[near].tolist(), far[near].tolist(), strict=True)
        return max(exact(hits) - exact(alarms) for hits, alarms in vertices)

    def _area(self, far_stop: float) -> float:
        far, cdr = self.far, self.cdr
        if not len(far) or (np.isnan(far[0]) and not self.conventions.one_class_area_is_zero):
            return _NAN
        # A comparison with no number selects no step: with targets alone NIST's area is 0.
        inside = far[1:] <= far_stop
        steps = np.diff(far)[inside] * ((cdr[1:] + cdr[:-1]) / 2)[inside]
        return float(np.sum(steps))


@dataclass(frozen=True, slots=True)
class BrierScores:
    """Mean squared distance of scores, read as probabilities, from the truth.

    ``targets`` and ``nontargets`` are NIST's BrierT and BrierN (GenAI plan 2025, 6.5). NaN
    when a score is not a probability.
    """

    overall: float
    targets: float
    nontargets: float

    @classmethod
    def of(cls, trials: ScoredTrials) -> BrierScores:
        if not len(trials) or trials.scores.min() < 0 or trials.scores.max() > 1:
            return cls(_NAN, _NAN, _NAN)
        squared = np.square(trials.scores - trials.targets)
        return cls(
            overall=float(squared.mean()),
            targets=_mean(squared[trials.targets]),
            nontargets=_mean(squared[~trials.targets]),
        )


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """A confidence interval."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class ConfidenceIntervals:
    """The confidence intervals of one curve's numbers."""

    auc: ConfidenceInterval
    partial_auc: ConfidenceInterval
    cdr: ConfidenceInterval


def roc_curve(trials: ScoredTrials, conventions: Conventions) -> RocCurve:
    """The curve of these trials."""
    levels, places = _levels(trials)
    return _curve(_level_counts(trials, places, len(levels)), levels, conventions)


def confidence_intervals(
    trials: ScoredTrials,
    conventions: Conventions,
    *,
    level: float,
    far_stop: float,
    progress: Callable[[int, int], None] | None = None,
) -> ConfidenceIntervals:
    """NIST's percentile bootstrap: 500 resamples of the trials, drawn with seed 77.

    The trials' order matters, as the resamples are drawn by position. Scores are ranked once; each
    resample is then only counted.
    """
    levels, places = _levels(trials)
    keys = places * 2 + trials.targets
    drawn = np.random.RandomState(SEED)
    found: list[tuple[float, float, float]] = []
    for resample in range(RESAMPLES):
        chosen = keys[drawn.randint(0, len(keys), len(keys), dtype=np.int64)]
        counts = np.bincount(chosen, minlength=2 * len(levels)).reshape(-1, 2)
        if conventions.keeps_one_class_resamples or counts.any(axis=0).all():
            curve = _curve(counts, levels, conventions)
            found.append((curve.auc, curve.partial_auc(far_stop), curve.cdr_at(far_stop)))
        if progress:
            progress(resample + 1, RESAMPLES)
    auc, partial, cdr = ([row[i] for row in found] for i in range(3))
    return ConfidenceIntervals(
        _percentiles(auc, level), _percentiles(partial, level), _percentiles(cdr, level)
    )


def deviates(rates: Floats) -> Floats:
    """Rates on the axis of a DET plot: normal deviates, kept away from 0 and 1."""
    normal = NormalDist()
    limited = np.clip(rates, *_DRAWN_LIMITS)
    return np.array([normal.inv_cdf(rate) for rate in limited.tolist()])


def distinct_points(far: Floats, cdr: Floats) -> Rows:
    """The points of a curve that differ from the previous one when drawn, and the last."""
    places = np.round(np.stack([far, cdr]) * _STEPS_SHOWN)
    is_new = np.any(places[:, 1:] != places[:, :-1], axis=0)
    kept = np.flatnonzero(np.concatenate([[True], is_new]))
    return np.union1d(kept, [len(far) - 1])


def round_half_away(value: float, decimals: int) -> float:
    """Round as Python 2 did: a tie goes away from zero."""
    step = Decimal(1).scaleb(-decimals)
    return float(Decimal(value).quantize(step, rounding=ROUND_HALF_UP))


def _levels(trials: ScoredTrials) -> tuple[Floats, Counts]:
    """The distinct scores, highest first, and which of them each trial has."""
    ascending, inverse = np.unique(trials.scores, return_inverse=True)
    return ascending[::-1], (len(ascending) - 1 - inverse).astype(np.int64)


def _level_counts(trials: ScoredTrials, places: Counts, levels: int) -> Counts:
    counts = np.bincount(places * 2 + trials.targets, minlength=2 * levels)
    return counts.reshape(-1, 2).astype(np.int64)


def _curve(counts: Counts, levels: Floats, conventions: Conventions) -> RocCurve:
    """The curve of (non-targets, targets) counted at each level."""
    present = counts.any(axis=1)
    thresholds = levels[present]
    false_alarms, hits = np.cumsum(counts[present], axis=0).T
    keep = np.ones(len(thresholds), dtype=bool)
    if conventions.merges_near_scores:
        keep[:-1] = np.abs(np.diff(thresholds)) > NEAR
        thresholds, false_alarms, hits = thresholds[keep], false_alarms[keep], hits[keep]
    if len(thresholds) > 2:
        bends = (np.diff(false_alarms, 2) != 0) | (np.diff(hits, 2) != 0)
        keep = np.concatenate(([True], bends, [True]))
        thresholds, false_alarms, hits = thresholds[keep], false_alarms[keep], hits[keep]
    if len(thresholds) and (conventions.starts_at_origin or false_alarms[0] != 0):
        thresholds = np.concatenate(([thresholds[0] + 1], thresholds))
        false_alarms = np.concatenate(([0], false_alarms))
        hits = np.concatenate(([0], hits))
    return RocCurve(false_alarms, hits, thresholds, conventions)


def _rates(counts: Counts) -> Floats:
    if not len(counts) or counts[-1] == 0:
        return np.full(len(counts), _NAN)
    return counts.astype(np.float64) / float(counts[-1])


def _rough_quantile(rates: Floats) -> Floats:
    """The quantile of the normal distribution, off by less than half ``_ROUGH``.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.23.
    """
    t = np.sqrt(-2 * np.log(np.minimum(rates, 1 - rates)))
    above = (0.010328 * t + 0.802853) * t + 2.515517
    below = ((0.001308 * t + 0.189269) * t + 1.432788) * t + 1
    quantiles: Floats = np.copysign(t - above / below, rates - 0.5)
    return quantiles


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else _NAN


def _percentiles(values: Sequence[float], level: float) -> ConfidenceInterval:
    """Order statistics as NIST picks them; NaN values stay where sorting puts them.

    Python's sort, not numpy's, because only it leaves them where NIST's program has them.
    """
    if not values:
        return ConfidenceInterval(_NAN, _NAN)
    low_share = round_half_away((1.0 - level) / 2.0, 3)
    high_share = round_half_away(1.0 - low_share, 3)
    ordered = sorted(values)
    low, high = int(low_share * len(ordered)), int(high_share * len(ordered))
    return ConfidenceInterval(ordered[low], ordered[high])
