"""The metrics of a mask: NIST's name, formula, best value and value."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from forensicviewer.core.score import ThresholdSweep

MetricFormula = Callable[[ThresholdSweep, int], float]


@dataclass(frozen=True, slots=True)
class MetricNote:
    """One line of a table of metrics. ``best`` is ``None`` where a number is only a count."""

    name: str
    title: str
    formula: str
    best: float | None
    value: MetricFormula
    follows_threshold: bool = True
    is_count: bool = False

    def shown(self, number: float) -> str:
        """A value as a table shows it; blank where there is none."""
        if math.isnan(number):
            return ""
        return f"{int(number):,}".replace(",", "\u202f") if self.is_count else f"{number:.4f}"


def _at(name: str) -> MetricFormula:
    return lambda sweep, t: float(getattr(sweep, name)[t])


def _whole(name: str) -> MetricFormula:
    return lambda sweep, _t: float(getattr(sweep, name))


METRIC_NOTES: tuple[MetricNote, ...] = (
    MetricNote(
        "MCC",
        "Matthews correlation between called and manipulated pixels",
        "(TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN))",  # noqa: RUF001 - a formula to read
        1.0,
        _at("mcc"),
    ),
    MetricNote(
        "NMM",
        "Nimble mask metric: hits minus errors, per manipulated pixel",
        "max(−1, (TP − FN − FP) / (TP + FN))",  # noqa: RUF001 - a formula to read
        1.0,
        _at("nmm"),
    ),
    MetricNote(
        "BWL1",
        "Binary weighted L1: share of scored pixels that are wrong",
        "(FP + FN) / N",
        0.0,
        _at("bwl1"),
    ),
    MetricNote(
        "GWL1",
        "Grey weighted L1 (WL1 in the plans): mean distance between the grey mask and the "
        "reference",
        "Σ |reference − mask| / 255 / N",  # noqa: RUF001 - a formula to read
        0.0,
        _whole("gwl1"),
        follows_threshold=False,
    ),
    MetricNote(
        "AUC",
        "Area under the pixel ROC over all thresholds",
        "trapezoidal area under TPR over FPR",
        1.0,
        _whole("auc"),
        follows_threshold=False,
    ),
    MetricNote(
        "EER",
        "Equal error rate of the pixels",
        "(FPR + FNR) / 2 where the two are closest",
        0.0,
        _whole("eer"),
        follows_threshold=False,
    ),
    MetricNote(
        "F1",
        "Harmonic mean of precision and recall",
        "2·TP / (2·TP + FP + FN)",
        1.0,
        _at("f1"),
    ),
    MetricNote(
        "IoU",
        "Intersection of called and manipulated pixels over their union",
        "TP / (TP + FP + FN)",
        1.0,
        _at("iou"),
    ),
    MetricNote(
        "Precision",
        "Share of called pixels that are manipulated",
        "TP / (TP + FP)",
        1.0,
        _at("precision"),
    ),
    MetricNote(
        "Recall",
        "Share of manipulated pixels that are called (TPR)",
        "TP / (TP + FN)",
        1.0,
        _at("recall"),
    ),
    MetricNote(
        "Accuracy",
        "Share of scored pixels that are correct",
        "(TP + TN) / N",
        1.0,
        _at("accuracy"),
    ),
    MetricNote(
        "PixelTP",
        "Hits: manipulated and called",
        "pixels",
        None,
        _at("tp"),
        is_count=True,
    ),
    MetricNote(
        "PixelFP",
        "False alarms: called, but not manipulated",
        "pixels",
        None,
        _at("fp"),
        is_count=True,
    ),
    MetricNote(
        "PixelFN",
        "Misses: manipulated, but not called",
        "pixels",
        None,
        _at("fn"),
        is_count=True,
    ),
    MetricNote(
        "PixelTN",
        "Correct rejections: neither manipulated nor called",
        "pixels",
        None,
        _at("tn"),
        is_count=True,
    ),
    MetricNote(
        "PixelN",
        "Scored pixels",
        "TP + FP + FN + TN",
        None,
        lambda sweep, _t: float(sweep.scored),
        follows_threshold=False,
        is_count=True,
    ),
    MetricNote(
        "PixelBNS",
        "Boundary no-score zone around the selected region",
        "pixels",
        None,
        lambda sweep, _t: float(sweep.counts.boundary_px),
        follows_threshold=False,
        is_count=True,
    ),
    MetricNote(
        "PixelSNS",
        "No-score zone of operations that are not selected",
        "pixels",
        None,
        lambda sweep, _t: float(sweep.counts.unselected_px),
        follows_threshold=False,
        is_count=True,
    ),
    MetricNote(
        "PixelPNS",
        "Pixels the system opted out of",
        "pixels",
        None,
        lambda sweep, _t: float(sweep.opt_out_px),
        follows_threshold=False,
        is_count=True,
    ),
)
