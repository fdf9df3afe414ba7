"""The definitions of published numbers of this field, for a trial or a run.

Papers use the same name for different things. Every definition here has a key (the column name in
files), the scorer it comes from and its formula, so that a number in a paper can be identified.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """One way to score; ``inflates`` marks those that reward what was not found."""

    key: str
    title: str
    source: str
    formula: str
    inflates: bool = False


_BENCO = "IMDL-BenCo"

PIXEL_DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        "F1", "Pixel F1", f"{_BENCO} PixelF1", "2PR / (P + R + 1e-8), 0 if no pixel is manipulated"
    ),
    Definition("F1_exact", "F1, binary", "scikit-learn binary", "2TP / (2TP + FP + FN)"),
    Definition(
        "F1_mvss", "F1 of MVSS-Net", "MVSS-Net", "2TP / (2TP + FP + FN + 1e-6), 1 if both empty"
    ),
    Definition(
        "F1_inverse", "F1, prediction inverted", f"{_BENCO} reverse", "F1 of p ≤ t", inflates=True
    ),
    Definition(
        "F1_permute",
        "F1, better polarity",
        f"{_BENCO} double",
        "max(F1, F1 inverted)",
        inflates=True,
    ),
    Definition(
        "F1_micro",
        "F1, micro",
        "scikit-learn micro",
        "(TP + TN) / N, which is accuracy",
        inflates=True,
    ),
    Definition(
        "F1_macro",
        "F1, macro over classes",
        "scikit-learn macro",
        "mean of F1 manipulated and F1 authentic",
        inflates=True,
    ),
    Definition(
        "F1_weighted",
        "F1, weighted by class",
        "scikit-learn weighted",
        "F1 of both classes, weighted by pixels",
        inflates=True,
    ),
    Definition(
        "F1_best",
        "F1 at its own best threshold",
        "oracle threshold",
        "max over t of 2TP / (2TP + FP + FN)",
        inflates=True,
    ),
    Definition(
        "F1_best_inverse",
        "F1 inverted, at its best threshold",
        "oracle threshold",
        "max over t of F1 of p ≤ t",
        inflates=True,
    ),
    Definition(
        "F1_band_best",
        "F1 best of TruFor",
        "TruFor F1_best, SAFIRE",
        "max over t and polarity, without a band along the border (15 inside, 11 outside)",
        inflates=True,
    ),
    Definition(
        "F1_band",
        "F1 at t of TruFor",
        "TruFor F1_th",
        "max over polarity at p > t, without the border band",
        inflates=True,
    ),
    Definition("IoU", "Pixel IoU", f"{_BENCO} PixelIOU", "TP / (TP + FP + FN + 1e-8)"),
    Definition(
        "IoU_inverse",
        "IoU, prediction inverted",
        f"{_BENCO} reverse",
        "IoU of 1 - p > t",
        inflates=True,
    ),
    Definition(
        "IoU_permute",
        "IoU, better polarity",
        f"{_BENCO} double",
        "max(IoU, IoU inverted)",
        inflates=True,
    ),
    Definition(
        "Accuracy", "Pixel accuracy", f"{_BENCO} PixelAccuracy", "(TP + TN) / N", inflates=True
    ),
    Definition(
        "Accuracy_inverse",
        "Accuracy, inverted",
        f"{_BENCO} reverse",
        "(FP + FN) / N",
        inflates=True,
    ),
    Definition(
        "Accuracy_permute",
        "Accuracy, better polarity",
        f"{_BENCO} double",
        "max of both",
        inflates=True,
    ),
    Definition(
        "AUC", "Pixel AUC", "scikit-learn roc_auc_score", "ties count half; needs both classes"
    ),
    Definition("AUC_inverse", "AUC, inverted", "ties count half", "1 - AUC", inflates=True),
    Definition(
        "AUC_permute", "AUC, better polarity", "ties count half", "max(AUC, 1 - AUC)", inflates=True
    ),
    Definition(
        "AUC_benco",
        "Pixel AUC of IMDL-BenCo",
        f"{_BENCO} PixelAUC",
        "ignores ties: depends on the sort order; 0 if no pixel is manipulated",
    ),
    Definition(
        "AUC_benco_inverse",
        "AUC of IMDL-BenCo, inverted",
        f"{_BENCO} reverse",
        "of 1 - p",
        inflates=True,
    ),
    Definition(
        "AUC_benco_permute",
        "AUC of IMDL-BenCo, better polarity",
        f"{_BENCO} double",
        "max of both",
        inflates=True,
    ),
)

RUN_DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        "F1_pooled",
        "F1 over all pixels",
        "PhotoHolmes, torchmetrics",
        "2TP / (2TP + FP + FN), counts of all images added",
    ),
    Definition("IoU_pooled", "IoU over all pixels", "PhotoHolmes", "TP / (TP + FP + FN), added"),
    Definition(
        "Accuracy_pooled", "Accuracy over all pixels", "PhotoHolmes", "added", inflates=True
    ),
    Definition("AUC_pooled", "AUC over all pixels, at 8 bits", "PhotoHolmes", "ties count half"),
    Definition(
        "F1_best_single",
        "Mean F1 at the best single threshold, at 8 bits",
        "one threshold for all images",
        "max over t of the mean F1",
        inflates=True,
    ),
    Definition("ImageF1", "Image F1", f"{_BENCO} ImageF1", "pooled, score > t, epsilon 1e-9"),
    Definition("ImageAccuracy", "Image accuracy", f"{_BENCO} ImageAccuracy", "correct / all"),
    Definition("ImageAUC", "Image AUC", f"{_BENCO} ImageAUC", "scikit-learn roc_auc_score"),
    Definition(
        "ImageBalancedAccuracy", "Balanced accuracy", "TruFor", "(sensitivity + specificity) / 2"
    ),
    Definition(
        "ImageF1_mvss",
        '"Image F1" of MVSS-Net',
        "MVSS-Net",
        "harmonic mean of sensitivity and specificity",
    ),
    Definition(
        "CombinedF1_mvss",
        '"Combined F1" of MVSS-Net',
        "MVSS-Net",
        "harmonic mean of its pixel F1 and its image F1",
    ),
)

DEFINITIONS: Mapping[str, Definition] = {
    definition.key: definition for definition in (*PIXEL_DEFINITIONS, *RUN_DEFINITIONS)
}


def giving(values: Mapping[str, float], typed: str) -> tuple[str, ...]:
    """The keys whose value equals the given number, rounded to as many digits.

    A percentage (74 % or 74.0) is understood where the number is above 1.
    """
    text = typed.strip().rstrip("%").strip().replace(",", ".")
    try:
        wanted = float(text)
    except ValueError:
        return ()
    if not math.isfinite(wanted):
        return ()
    digits = len(text.partition(".")[2])
    if wanted > 1 or typed.strip().endswith("%"):
        wanted, digits = wanted / 100, digits + 2
    slack = 0.5 * 10.0**-digits + 1e-9
    return tuple(
        key
        for key, value in values.items()
        if key in DEFINITIONS and not math.isnan(value) and abs(value - wanted) <= slack
    )
