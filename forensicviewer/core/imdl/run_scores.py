"""The numbers of a whole run: means over images, pooled pixels, image-level scores.

IMDL-BenCo averages each pixel metric over images, every image counting alike. An image without a
prediction or without a defined value is left out of that metric and counted as left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from forensicviewer.core.array import Counts, Floats
from forensicviewer.core.imdl import evaluator
from forensicviewer.core.imdl.pixel_scores import BEST, METRICS, OTHERS
from forensicviewer.core.imdl.ranking import Ranking
from forensicviewer.core.mask import Region
from forensicviewer.core.score import LEVELS, Confusion, LevelCounts

_NAN = float("nan")
_AVERAGED = (*METRICS, BEST[0], *OTHERS)


def threshold_of_level(level: int) -> float:
    """The threshold in 0 to 1 that a slider level means: scores of at least the level are above."""
    return (level - 0.5) / 255


def f1_curve(levels: LevelCounts) -> Floats:
    """IMDL-BenCo's F1 at each slider level 0 … 256."""
    tp = _called(levels.table[Region.MANIPULATED])
    fp = _called(levels.table[Region.BACKGROUND])
    precision = tp / (tp + fp + evaluator.PIXEL_EPSILON)
    recall = tp / (tp[0] + evaluator.PIXEL_EPSILON)
    both = precision + recall + evaluator.PIXEL_EPSILON
    return np.asarray(2 * precision * recall / both, np.float64)


@dataclass(frozen=True, slots=True)
class ImageScores:
    """The image-level numbers; ``why`` says why one is undefined."""

    f1: float
    accuracy: float
    auc: float
    balanced_accuracy: float
    mvss_f1: float
    images: int
    why: str = ""

    @classmethod
    def of(
        cls, scores: Floats, targets: np.typing.NDArray[np.bool_], threshold: float
    ) -> ImageScores:
        """The confusion pooled over images; scores above the threshold are called."""
        called = scores.astype(np.float32) > np.float32(threshold)
        tp = int(np.count_nonzero(called & targets))
        fp = int(np.count_nonzero(called)) - tp
        positives = int(np.count_nonzero(targets))
        found = Confusion(tp, fp, positives - tp, len(targets) - positives - fp)
        auc = Ranking.of_values(scores[targets], scores[~targets]).auc
        sensitivity = tp / positives if positives else _NAN
        specificity = found.tn / found.negatives if found.negatives else _NAN
        return cls(
            f1=evaluator.f1(found, epsilon=evaluator.IMAGE_EPSILON) if found.total else _NAN,
            accuracy=evaluator.accuracy(found),
            auc=auc,
            balanced_accuracy=(sensitivity + specificity) / 2,
            mvss_f1=harmonic_mean(sensitivity, specificity),
            images=found.total,
            why=_why(found),
        )


def harmonic_mean(first: float, second: float) -> float:
    if math.isnan(first) or math.isnan(second):
        return _NAN
    return 2 * first * second / (first + second) if first + second else 0.0


def _why(found: Confusion) -> str:
    if not found.total:
        return "no image has an image-level score"
    if not found.negatives:
        return "no authentic image has an image-level score"
    return "" if found.positives else "no manipulated image has an image-level score"


@dataclass(slots=True)
class RunScores:
    """Accumulates images one by one and gives the numbers of all so far."""

    images: int = 0
    sums: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_AVERAGED, 0.0))
    used: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_AVERAGED, 0))
    pooled: Confusion = field(default_factory=lambda: Confusion(0, 0, 0, 0))
    table: Counts = field(default_factory=lambda: np.zeros((len(Region), LEVELS), np.int64))
    curve: Floats = field(default_factory=lambda: np.zeros(LEVELS + 1))

    def add(self, numbers: Mapping[str, float], found: Confusion, levels: LevelCounts) -> None:
        self.images += 1
        for key in _AVERAGED:
            value = numbers.get(key, _NAN)
            if not math.isnan(value):
                self.sums[key] += value
                self.used[key] += 1
        total = self.pooled
        self.pooled = Confusion(
            total.tp + found.tp, total.fp + found.fp, total.fn + found.fn, total.tn + found.tn
        )
        self.table = self.table + levels.table
        self.curve = self.curve + f1_curve(levels)

    @property
    def means(self) -> dict[str, float]:
        return {
            key: self.sums[key] / self.used[key] if self.used[key] else _NAN for key in _AVERAGED
        }

    @property
    def mean_curve(self) -> Floats:
        """The mean F1 at each slider level."""
        return self.curve / self.images if self.images else np.full(LEVELS + 1, _NAN)

    @property
    def best_level(self) -> int | None:
        """The slider level with the highest mean F1, of equals the lowest."""
        return int(np.argmax(self.curve)) if self.images else None

    def numbers(self, image: ImageScores) -> dict[str, float]:
        """Every definition of a run by its key."""
        level = self.best_level
        ranking = Ranking.of_levels(self.table[Region.MANIPULATED], self.table[Region.BACKGROUND])
        mvss = self.means["F1_mvss"]
        return {
            **self.means,
            "F1_pooled": evaluator.exact_f1(self.pooled),
            "IoU_pooled": evaluator.iou(self.pooled) if self.pooled.total else _NAN,
            "Accuracy_pooled": evaluator.accuracy(self.pooled),
            "AUC_pooled": ranking.auc,
            "F1_best_single": _NAN if level is None else float(self.mean_curve[level]),
            "ImageF1": image.f1,
            "ImageAccuracy": image.accuracy,
            "ImageAUC": image.auc,
            "ImageBalancedAccuracy": image.balanced_accuracy,
            "ImageF1_mvss": image.mvss_f1,
            "CombinedF1_mvss": harmonic_mean(mvss, image.mvss_f1),
        }


def _called(histogram: Counts) -> Floats:
    return np.append(histogram[::-1].cumsum()[::-1], 0).astype(np.float64)
