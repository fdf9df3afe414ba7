"""IMDL-BenCo's pixel evaluators and its peers' as formulas over the outcomes of one image.

A pixel is called where its score is *above* the threshold. ``origin``, ``inverse`` and ``permute``
are IMDL-BenCo's modes: as predicted, with the prediction complemented, and the better of the two.
"""

from __future__ import annotations

import math

from forensicviewer.core.score import Confusion

PIXEL_EPSILON = 1e-8  # IMDL-BenCo, evaluation/F1.py and IOU.py
IMAGE_EPSILON = 1e-9  # IMDL-BenCo, ImageF1
_MVSS_EPSILON = 1e-6
_NAN = float("nan")


def complement(found: Confusion) -> Confusion:
    """The outcomes of the complemented prediction."""
    return Confusion(tp=found.fn, fp=found.tn, fn=found.tp, tn=found.fp)


def f1(found: Confusion, *, epsilon: float = PIXEL_EPSILON) -> float:
    """IMDL-BenCo's F1: 0, not undefined, where nothing is manipulated."""
    precision = found.tp / (found.tp + found.fp + epsilon)
    recall = found.tp / (found.tp + found.fn + epsilon)
    return 2 * precision * recall / (precision + recall + epsilon)


def iou(found: Confusion) -> float:
    """IMDL-BenCo's IoU: 0, not undefined, where nothing is manipulated."""
    return found.tp / (found.tp + found.fp + found.fn + PIXEL_EPSILON)


def accuracy(found: Confusion) -> float:
    return _share(found.tp + found.tn, found.total)


def exact_f1(found: Confusion) -> float:
    """2TP / (2TP + FP + FN), without a constant; undefined where nothing is marked or called."""
    return _share(2 * found.tp, 2 * found.tp + found.fp + found.fn)


def mvss_f1(found: Confusion) -> float:
    """MVSS-Net's F1: 1 where nothing is manipulated and nothing called."""
    if found.positives == 0 and found.tp + found.fp == 0:
        return 1.0
    return 2 * found.tp / (2 * found.tp + found.fp + found.fn + _MVSS_EPSILON)


def macro_f1(found: Confusion) -> float:
    """Mean of the F1 of both classes (scikit-learn's "macro"); a class never seen counts 0."""
    pristine = _mirrored(found)
    if found.positives == 0 and found.tp + found.fp == 0:
        # scikit-learn averages over the classes that occur.
        return exact_f1(pristine)
    if found.negatives == 0 and found.tn + found.fn == 0:
        return exact_f1(found)
    return (_or_zero(exact_f1(found)) + _or_zero(exact_f1(pristine))) / 2


def weighted_f1(found: Confusion) -> float:
    """The F1 of both classes weighted by their pixels (scikit-learn's "weighted")."""
    if not found.total:
        return _NAN
    both = found.positives * _or_zero(exact_f1(found))
    both += found.negatives * _or_zero(exact_f1(_mirrored(found)))
    return both / found.total


def best_of(*values: float) -> float:
    """The greatest value as Python's ``max`` finds it; undefined where all are."""
    defined = [value for value in values if not math.isnan(value)]
    return max(defined, default=_NAN)


def _mirrored(found: Confusion) -> Confusion:
    """The outcomes with authentic pixels as the ones to find."""
    return Confusion(tp=found.tn, fp=found.fn, fn=found.fp, tn=found.tp)


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else value


def _share(part: float, whole: float) -> float:
    return part / whole if whole else _NAN
