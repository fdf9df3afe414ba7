"""The fifteen evaluators against a second computation, written from their definitions alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from forensicviewer.core.imdl.pixel_scores import METRICS, measure
from forensicviewer.core.imdl.run_scores import ImageScores

NAN = float("nan")
SIZE = (17, 23)
Values = NDArray[Any]
Flags = NDArray[np.bool_]


def _area(kind: str) -> Flags:
    random = np.random.default_rng(11)
    area = np.zeros(SIZE, np.bool_)
    if kind == "one pixel":
        area[5, 9] = True
    elif kind == "box":
        area[2:9, 3:15] = True
    elif kind == "scattered":
        area = random.random(SIZE) < 0.3
    elif kind == "full":
        area[:] = True
    return area


def _values(kind: str, area: Flags) -> Values:
    random = np.random.default_rng(5)
    floats = np.clip(random.normal(0.3 + 0.4 * area, 0.25), 0, 1).astype(np.float32)
    constants = {"nothing": 0.0, "on the threshold": 0.5, "everything": 1.0}
    if kind in constants:
        return np.full(SIZE, constants[kind], np.float32)
    if kind == "binary":
        return np.asarray(np.where(floats > 0.45, 255, 0), np.uint8)
    if kind == "8 bits":
        return np.asarray(np.floor(floats * 255 + 0.5), np.uint8)
    if kind == "inverted":
        return np.asarray(1 - floats, np.float32)
    # Every value once: no sort has a choice.
    return np.asarray(random.permutation(floats.size).reshape(SIZE) / floats.size, np.float32)


def _counts(called: Flags, truth: Flags) -> tuple[int, int, int, int]:
    pairs = [(True, True), (True, False), (False, True), (False, False)]
    tp, fp, fn, tn = (int(((called == c) & (truth == t)).sum()) for c, t in pairs)
    return tp, fp, fn, tn


def _f1(called: Flags, truth: Flags) -> float:
    tp, fp, fn, _ = _counts(called, truth)
    precision, recall = tp / (tp + fp + 1e-8), tp / (tp + fn + 1e-8)
    return 2 * precision * recall / (precision + recall + 1e-8)


def _iou(called: Flags, truth: Flags) -> float:
    tp, fp, fn, _ = _counts(called, truth)
    return tp / (tp + fp + fn + 1e-8)


def _auc(scores: Values, truth: Flags) -> float:
    return float(roc_auc_score(truth, scores)) if 0 < truth.sum() < truth.size else NAN


def _auc_without_ties(scores: Values, truth: Flags) -> float:
    """One trapezoid a pixel, as PixelAUC adds them; empty references 0, full ones undefined."""
    if not truth.any():
        return 0.0
    if truth.all():
        return NAN
    ordered = truth[np.argsort(-scores, kind="stable")]
    tpr = np.cumsum(ordered) / ordered.sum()
    fpr = np.cumsum(~ordered) / (~ordered).sum()
    return float(np.trapezoid(tpr, fpr))


def _expected(values: Values, area: Flags, threshold: float, scored: Flags) -> dict[str, float]:
    scores, truth = values[scored], area[scored]
    if scores.dtype == np.uint8:
        scores = scores.astype(np.float32) / np.float32(255)
    limit = np.float32(threshold)
    called = scores > limit
    found = {
        "F1": (_f1(called, truth), _f1(~called, truth)),
        # Reverse IoU turns the scores, reverse F1 the decision.
        "IoU": (_iou(called, truth), _iou(np.float32(1) - scores > limit, truth)),
        "Accuracy": (accuracy_score(truth, called), accuracy_score(truth, ~called)),
        "AUC": (_auc(scores, truth), _auc(-scores, truth)),
    }
    if len(np.unique(scores)) == scores.size or truth.all() or not truth.any():
        turned = np.float32(1) - scores
        found["AUC_benco"] = (_auc_without_ties(scores, truth), _auc_without_ties(turned, truth))
    return {
        f"{name}{mode}": value
        for name, (as_is, inverse) in found.items()
        for mode, value in (
            ("", as_is),
            ("_inverse", inverse),
            ("_permute", np.maximum(as_is, inverse)),
        )
    }


_AREAS = ("empty", "one pixel", "box", "scattered", "full")
_MAPS = ("nothing", "on the threshold", "everything", "binary", "8 bits", "inverted", "no ties")


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3, 0.5, 0.7, 128 / 255, 1.0])
@pytest.mark.parametrize("padded", [False, True], ids=["whole", "padded"])
@pytest.mark.parametrize("map_kind", _MAPS)
@pytest.mark.parametrize("area_kind", _AREAS)
def test_each_pixel_metric_is_what_its_definition_says(
    area_kind: str, map_kind: str, threshold: float, *, padded: bool
) -> None:
    area = _area(area_kind)
    values = _values(map_kind, area)
    scored = np.ones(SIZE, np.bool_)
    if padded:
        # What was padded is black in prediction and reference, and counts nowhere.
        scored[12:], scored[:, 20:] = False, False
        values, area = np.where(scored, values, values.dtype.type(0)), area & scored
    expected = _expected(values, area, threshold, scored)

    found = measure(values, area, threshold=threshold, scored=scored if padded else None).numbers

    assert expected.keys() <= set(METRICS)
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-6, nan_ok=True)


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(4))
def test_each_image_metric_is_what_its_definition_says(seed: int, threshold: float) -> None:
    random = np.random.default_rng(seed)
    targets = random.random(40) < 0.6
    drawn = np.clip(random.normal(0.4 + 0.3 * targets, 0.3), 0, 1)
    scores = np.asarray(np.round(drawn, 1), np.float64)  # ties among them

    found = ImageScores.of(scores, targets, threshold)

    called = scores.astype(np.float32) > np.float32(threshold)
    assert found.f1 == pytest.approx(f1_score(targets, called), abs=1e-6)
    assert found.accuracy == pytest.approx(accuracy_score(targets, called), abs=1e-12)
    assert found.auc == pytest.approx(roc_auc_score(targets, scores), abs=1e-12)
