"""The numbers of a run, and which definition gives a number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from forensicviewer.core.imdl.definitions import DEFINITIONS, giving
from forensicviewer.core.imdl.pixel_scores import PixelScores, measure
from forensicviewer.core.imdl.run_scores import (
    ImageScores,
    RunScores,
    f1_curve,
    threshold_of_level,
)

_NO_IMAGES = ImageScores.of(np.zeros(0), np.zeros(0, np.bool_), 0.5)


def _pair(seed: int, *, is_target: bool = True) -> PixelScores:
    random = np.random.default_rng(seed)
    area = (random.random((16, 16)) < 0.3) & is_target
    values = np.clip(random.normal(90 + 90 * area, 40), 0, 255).astype(np.uint8)
    return measure(values, area, threshold=0.5)


def test_means_leave_out_undefined_values_and_count_them() -> None:
    run = RunScores()
    pairs = [_pair(1), _pair(2), _pair(3, is_target=False)]
    for pair in pairs:
        run.add(pair.numbers, pair.confusion, pair.levels)

    assert run.used["F1"] == 3  # an authentic image counts as 0
    assert run.used["AUC"] == 2  # and has no AUC
    assert run.means["F1"] == pytest.approx(sum(pair.numbers["F1"] for pair in pairs) / 3)
    assert run.means["AUC"] == pytest.approx(sum(p.numbers["AUC"] for p in pairs[:2]) / 2)


def test_pooled_numbers_add_the_pixels_of_all_images() -> None:
    run, pairs = RunScores(), [_pair(1), _pair(2)]
    for pair in pairs:
        run.add(pair.numbers, pair.confusion, pair.levels)
    tp = sum(pair.confusion.tp for pair in pairs)
    wrong = sum(pair.confusion.fp + pair.confusion.fn for pair in pairs)

    found = run.numbers(_NO_IMAGES)

    assert found["F1_pooled"] == pytest.approx(2 * tp / (2 * tp + wrong))
    assert math.isnan(found["ImageF1"])
    assert {*found} <= {*DEFINITIONS}


def test_the_best_single_threshold_is_the_best_of_all_levels() -> None:
    run, pairs = RunScores(), [_pair(1), _pair(2)]
    for pair in pairs:
        run.add(pair.numbers, pair.confusion, pair.levels)

    level = run.best_level
    assert level is not None
    curves = np.mean([f1_curve(pair.levels) for pair in pairs], axis=0)
    assert curves[level] == curves.max() == run.mean_curve[level]


@pytest.mark.parametrize("level", [1, 2, 77, 128, 255])
def test_above_the_threshold_of_a_level_are_the_scores_of_that_level_and_more(level: int) -> None:
    scores = np.arange(256, dtype=np.float32) / np.float32(255)

    assert np.count_nonzero(scores <= np.float32(threshold_of_level(level))) == level


def test_the_slider_level_of_one_half_is_128() -> None:
    assert threshold_of_level(128) == 0.5


def test_image_level_numbers_are_those_of_the_formulas() -> None:
    scores = np.array([0.9, 0.5, 0.6, 0.2, 0.5])
    targets = np.array([True, True, False, False, False])

    found = ImageScores.of(scores, targets, 0.5)

    # Called: 0.9 and 0.6. TP 1, FP 1, FN 1, TN 2.
    assert found.f1 == pytest.approx(0.5, abs=1e-6)
    assert found.accuracy == pytest.approx(3 / 5)
    assert found.auc == pytest.approx(roc_auc_score(targets, scores))
    assert found.balanced_accuracy == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert found.mvss_f1 == pytest.approx(2 * (1 / 2) * (2 / 3) / (1 / 2 + 2 / 3))


def test_image_auc_is_undefined_with_one_class_and_says_why() -> None:
    found = ImageScores.of(np.array([0.9, 0.1]), np.array([True, True]), 0.5)

    assert math.isnan(found.auc)
    assert found.why == "no authentic image has an image-level score"


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("0.74", ("F1_micro", "F1_weighted")),
        ("74%", ("F1_micro", "F1_weighted")),
        ("0.7400", ("F1_micro",)),
        ("0,42", ("F1_macro",)),
        ("0.9", ()),
        ("none", ()),
    ],
)
def test_a_number_finds_the_definitions_that_give_it(typed: str, keys: tuple[str, ...]) -> None:
    values = {"F1": 0.0, "F1_micro": 0.74, "F1_weighted": 0.7357, "F1_macro": 0.4239}

    assert giving(values, typed) == keys
