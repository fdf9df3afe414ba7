"""How well scores distinguish AI-generated images (NIST's GenAI plan 2025, section 6).

A target is an AI-generated image. A metric that cannot be computed is NaN, with the reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from forensicviewer.core.array import Counts, Floats
from forensicviewer.core.detection import (
    BrierScores,
    ConfidenceIntervals,
    Conventions,
    RocCurve,
    ScoredTrials,
    confidence_intervals,
    roc_curve,
)
from forensicviewer.core.progress import Progress

# The curve of scikit-learn's roc_curve: from (0, 0), one vertex per distinct score, those on a
# straight line left out; areas and rates are interpolated at the limit.
CONVENTIONS = Conventions(
    starts_at_origin=True,
    interpolates_area=True,
    takes_highest_rate=True,
    one_class_area_is_zero=False,
)
BINS = 10
LEVEL = 0.9
_NAN = float("nan")


@dataclass(frozen=True, slots=True)
class CallCounts:
    """Trials by class and call; a score of at least the cutoff calls an image AI-generated."""

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def of(cls, trials: ScoredTrials, cutoff: float) -> CallCounts:
        called = trials.scores >= cutoff
        tp = int(np.count_nonzero(called & trials.targets))
        fp = int(np.count_nonzero(called)) - tp
        return cls(tp, fp, trials.target_count - tp, trials.nontarget_count - fp)

    @property
    def accuracy(self) -> float:
        return _share(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)

    @property
    def precision(self) -> float:
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """Trials by score in ten bins of equal width: how many, their mean score, the share of targets.

    A score on the edge of two bins belongs to the lower one, as in scikit-learn's
    ``calibration_curve``. Bins without trials have no numbers.
    """

    counts: Counts
    scores: Floats
    targets: Floats

    @classmethod
    def of(cls, trials: ScoredTrials) -> Reliability:
        edges = np.linspace(0.0, 1.0, BINS + 1)
        bins = np.searchsorted(edges[1:-1], trials.scores)
        counts = np.bincount(bins, minlength=BINS)
        filled = np.where(counts > 0, counts, np.nan)
        return cls(
            counts=counts.astype(np.int64),
            scores=np.bincount(bins, weights=trials.scores, minlength=BINS) / filled,
            targets=np.bincount(bins, weights=trials.targets, minlength=BINS) / filled,
        )

    @property
    def ece(self) -> float:
        """Expected calibration error: the mean distance of both, weighted by the trials."""
        total = int(self.counts.sum())
        if not total:
            return _NAN
        return float(np.nansum(self.counts * np.abs(self.scores - self.targets)) / total)


@dataclass(frozen=True, slots=True, eq=False)
class Discrimination:
    """The metrics of one set of trials. ``why`` gives, by metric, the reason for a NaN."""

    trials: ScoredTrials
    curve: RocCurve
    auc: float
    partial_auc: float
    tpr: float
    eer: float
    brier: BrierScores
    reliability: Reliability | None
    cutoff: float | None
    confusion: CallCounts | None
    intervals: ConfidenceIntervals | None = None
    why: Mapping[str, str] = field(default_factory=dict)

    @property
    def ece(self) -> float:
        return _NAN if self.reliability is None else self.reliability.ece


def measure(
    trials: ScoredTrials,
    *,
    cutoff: float | None,
    fpr: float,
    with_intervals: bool = False,
    progress: Progress | None = None,
) -> Discrimination:
    """Every metric of section 6; ``fpr`` is where partial AUC and TPR@FPR are taken."""
    curve = roc_curve(trials, CONVENTIONS)
    is_probability = _are_probabilities(trials)
    intervals = None
    if with_intervals and trials.has_both_classes:
        intervals = confidence_intervals(
            trials, CONVENTIONS, level=LEVEL, far_stop=fpr, progress=progress
        )
    confusion = None if cutoff is None or not len(trials) else CallCounts.of(trials, cutoff)
    has_curve = trials.has_both_classes
    return Discrimination(
        trials=trials,
        curve=curve,
        auc=curve.auc if has_curve else _NAN,
        partial_auc=curve.partial_auc(fpr) if has_curve else _NAN,
        tpr=curve.cdr_at(fpr) if has_curve else _NAN,
        eer=curve.eer if has_curve else _NAN,
        brier=BrierScores.of(trials),
        reliability=Reliability.of(trials) if is_probability else None,
        cutoff=cutoff,
        confusion=confusion,
        intervals=intervals,
        why=_reasons(trials, confusion, is_probability=is_probability),
    )


def _reasons(
    trials: ScoredTrials, confusion: CallCounts | None, *, is_probability: bool
) -> dict[str, str]:
    if not len(trials):
        return dict.fromkeys(METRICS, "no trial has both a score and a label")
    why: dict[str, str] = {}
    if not trials.has_both_classes:
        absent = "human-made" if trials.target_count else "AI-generated"
        reason = f"none of the images of these trials is {absent}"
        why |= dict.fromkeys((*_CURVED, "BrierN" if trials.target_count else "BrierT"), reason)
    if not is_probability:
        reason = "some scores are not between 0 and 1"
        why |= dict.fromkeys(("Brier", "BrierT", "BrierN", "ECE"), reason)
    if confusion is None:
        why |= dict.fromkeys(AT_CUTOFF, "the file name declares no cutoff")
        return why
    if not confusion.tp + confusion.fp:
        why["Precision"] = "no score reaches the cutoff"
    if not trials.target_count:
        why["Recall"] = "none of the images of these trials is AI-generated"
        if math.isnan(confusion.f1):
            why["F1"] = "no image is AI-generated and none is called AI-generated"
    return why


_CURVED = ("AUC", "pAUC", "TPR@FPR", "EER")
AT_CUTOFF = ("Cutoff", "TP", "FP", "FN", "TN", "Accuracy", "Precision", "Recall", "F1")
METRICS = (*_CURVED, "Brier", "BrierT", "BrierN", *AT_CUTOFF, "ECE")


def _are_probabilities(trials: ScoredTrials) -> bool:
    return len(trials) > 0 and bool(trials.scores.min() >= 0 and trials.scores.max() <= 1)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else _NAN
