"""IMDL-BenCo's evaluators on pairs small enough to check by hand, and on ties."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score, jaccard_score, roc_auc_score

from forensicviewer.core.imdl.pixel_scores import NO_KERNELS, as_levels, measure, regions_of
from forensicviewer.core.imdl.sort_order import descending_order, sorted_as_gnu_does
from forensicviewer.core.mask import ReferenceMask

NAN = float("nan")


def _measured(values: NDArray[Any], area: Any, **options: Any) -> Mapping[str, float]:
    options.setdefault("threshold", 0.5)
    return measure(np.asarray(values), np.asarray(area, np.bool_), **options).numbers


# Worked out by hand from the formulas of IMDL-BenCo's evaluation/*.py.
_EMPTY = np.zeros((2, 4))
_FULL = np.ones((2, 4))
_LEFT = np.array([[1, 1, 0, 0], [1, 1, 0, 0]])
_FLOATS = np.array([[0.9, 0.8, 0.7, 0.1], [0.6, 0.2, 0.3, 0.4]], np.float32)
_HAND: list[tuple[str, Any, Any, dict[str, float]]] = [
    (
        "nothing manipulated, nothing called",
        np.zeros((2, 4), np.float32),
        _EMPTY,
        {"F1": 0, "F1_inverse": 0, "F1_permute": 0, "IoU": 0, "Accuracy": 1, "AUC": NAN}
        | {"AUC_benco": 0, "AUC_benco_permute": 0, "F1_mvss": 1, "F1_exact": NAN, "F1_best": NAN},
    ),
    (
        "nothing manipulated, two pixels called",
        np.array([[1, 1, 0, 0], [0, 0, 0, 0]], np.float32),
        _EMPTY,
        {"F1": 0, "F1_permute": 0, "IoU": 0, "Accuracy": 0.75, "Accuracy_inverse": 0.25}
        | {"AUC_benco": 0, "F1_mvss": 0},
    ),
    (
        "everything manipulated, nothing called",
        np.zeros((2, 4), np.float32),
        _FULL,
        {"F1": 0, "F1_inverse": 1, "F1_permute": 1, "IoU": 0, "IoU_inverse": 1, "Accuracy": 0}
        | {"Accuracy_permute": 1, "AUC": NAN, "AUC_benco": NAN, "AUC_benco_permute": NAN},
    ),
    (
        # TP 3, FN 1, FP 1, TN 3: P = R = 3/4. Of 16 pairs 0.2 loses to three, 0.6 to one.
        "floats without ties",
        _FLOATS,
        _LEFT,
        {"F1": 0.75, "F1_inverse": 0.25, "F1_permute": 0.75, "IoU": 3 / 5, "IoU_inverse": 1 / 7}
        | {"Accuracy": 0.75, "Accuracy_inverse": 0.25, "AUC": 12 / 16, "AUC_benco": 12 / 16}
        | {"AUC_inverse": 4 / 16, "AUC_benco_inverse": 4 / 16, "F1_micro": 0.75, "F1_macro": 0.75},
    ),
    (
        # At 0.5 a tie is not called: only 0.9, 0.8, 0.7, 0.6 are above.
        "a score on the threshold",
        np.array([[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5]], np.float32),
        _LEFT,
        {"F1": 0, "F1_inverse": 2 / 3, "IoU_inverse": 0, "Accuracy": 0.5, "AUC": 0.5},
    ),
]


@pytest.mark.parametrize(("name", "values", "area", "expected"), _HAND, ids=[h[0] for h in _HAND])
def test_metrics_are_those_worked_out_by_hand(
    name: str, values: Any, area: Any, expected: Mapping[str, float]
) -> None:
    del name
    found = _measured(values, area)

    assert {key: found[key] for key in expected} == pytest.approx(
        dict(expected), abs=1e-6, nan_ok=True
    )


def test_padding_is_left_out_by_the_shape_mask() -> None:
    # The spec's example of a tail image: over the padding too, accuracy would be 0.
    area = np.array([[1, 0, 1, 1], [0, 0, 1, 1]])
    values = np.array([[0.9, 0.1, 0.0, 0.0], [0.9, 0.1, 0.0, 0.0]], np.float32)
    scored = np.array([[1, 1, 0, 0], [1, 1, 0, 0]], np.bool_)

    found = _measured(values, area, scored=scored)

    assert found["Accuracy"] == 0.75
    assert found["F1"] == pytest.approx(2 / 3, abs=1e-6)
    assert found["AUC"] == pytest.approx(2.5 / 3)


def test_inverse_f1_and_inverse_iou_differ_away_from_the_middle() -> None:
    found = _measured(_FLOATS, _LEFT, threshold=0.25)

    # F1 inverts after the threshold: p <= 0.25 calls 0.1 and 0.2. IoU inverts before: p < 0.75.
    assert found["F1_inverse"] == pytest.approx(2 / 6, abs=1e-6)
    assert found["IoU_inverse"] == pytest.approx(2 / 8, abs=1e-6)


def _half(edge: int, where: str) -> NDArray[np.bool_]:
    top = np.repeat(np.arange(edge) < edge // 2, edge).reshape(edge, edge)
    return {"top": top, "bottom": ~top, "left": top.T, "right": ~top.T}[where]


@pytest.mark.parametrize(
    ("where", "value"), [("top", 0.0), ("bottom", 1.0), ("left", 0.492), ("right", 0.508)]
)
def test_a_constant_prediction_has_the_auc_imdl_benco_gives_it(where: str, value: float) -> None:
    found = _measured(np.full((64, 64), 0.3, np.float32), _half(64, where))

    assert found["AUC"] == 0.5
    assert found["AUC_benco"] == pytest.approx(value, abs=5e-4)


def test_a_binary_prediction_flipped_upside_down_changes_imdl_bencos_auc_only() -> None:
    area = np.zeros((64, 64), np.bool_)
    area[8:21, 16:32] = True
    called = np.zeros((64, 64), np.uint8)
    called[12:25, 16:32] = 255

    found, flipped = _measured(called, area), _measured(called[::-1].copy(), area[::-1].copy())

    # Both are what IMDL-BenCo's PixelAUC returned with torch 2.13.0 on a CPU.
    assert found["AUC_benco"] == pytest.approx(0.8252, abs=1e-4)
    assert flipped["AUC_benco"] == pytest.approx(0.85596, abs=1e-4)
    assert found["AUC"] == flipped["AUC"]


@pytest.mark.parametrize("length", [1, 16, 17, 64, 100, 1000, 5003])
@pytest.mark.parametrize("levels", [1, 2, 9, 256])
def test_equal_scores_are_ordered_alike_by_both_sorts(length: int, levels: int) -> None:
    scores = np.random.default_rng(length).integers(0, levels, length).astype(np.uint8)

    # On Linux the first is OpenCV's sort, elsewhere both may be the same function.
    assert (descending_order(scores) == sorted_as_gnu_does(np.invert(scores))).all()


def test_gnus_sort_leaves_equal_elements_as_its_steps_say() -> None:
    # 17 elements: the middle one becomes the pivot in front, all others swap ends.
    assert sorted_as_gnu_does(np.zeros(17, np.uint8)).tolist()[:5] == [8, 16, 15, 14, 13]
    assert sorted_as_gnu_does(np.zeros(16, np.uint8)).tolist() == list(range(16))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("is_float", [False, True])
def test_metrics_agree_with_scikit_learn(seed: int, *, is_float: bool) -> None:
    random = np.random.default_rng(seed)
    area = random.random((23, 31)) < 0.3
    levels = np.clip(random.normal(100 + 60 * area, 50), 0, 255).astype(np.uint8)
    values = (levels / np.float32(255)) ** np.float32(1.3) if is_float else levels
    threshold = (0.2, 0.5, 0.71)[seed % 3]
    scores = values.ravel() if is_float else values.ravel() / np.float32(255)
    called, truth = scores > np.float32(threshold), area.ravel()

    found = _measured(values, area, threshold=threshold)

    assert found["F1"] == pytest.approx(f1_score(truth, called), abs=1e-6)
    assert found["F1_exact"] == pytest.approx(f1_score(truth, called))
    assert found["F1_macro"] == pytest.approx(f1_score(truth, called, average="macro"))
    assert found["F1_micro"] == pytest.approx(f1_score(truth, called, average="micro"))
    assert found["F1_weighted"] == pytest.approx(f1_score(truth, called, average="weighted"))
    assert found["IoU"] == pytest.approx(jaccard_score(truth, called), abs=1e-6)
    assert found["Accuracy"] == pytest.approx(accuracy_score(truth, called))
    assert found["AUC"] == pytest.approx(roc_auc_score(truth, scores), abs=1e-12)


def test_the_best_f1_is_the_best_over_every_threshold() -> None:
    random = np.random.default_rng(3)
    area = random.random((12, 12)) < 0.3
    values = random.random((12, 12)).astype(np.float32)

    found = _measured(values, area)
    by_hand = [f1_score(area.ravel(), values.ravel() > t) for t in [-1.0, *values.ravel()]]
    inverted = [f1_score(area.ravel(), values.ravel() <= t) for t in values.ravel()]

    assert found["F1_best"] == pytest.approx(max(by_hand))
    assert found["F1_best_inverse"] == pytest.approx(max(inverted))
    at = found["F1_best_threshold"]
    assert f1_score(area.ravel(), values.ravel() > at) == pytest.approx(max(by_hand))


def test_trufors_f1_leaves_out_a_band_along_the_border() -> None:
    area = np.zeros((60, 60), np.bool_)
    area[15:45, 15:45] = True
    # Everything wrong lies within 5 pixels outside or 7 inside of the border.
    values = np.zeros((60, 60), np.float32)
    values[11:41, 11:41] = 0.8

    found = _measured(values, area)

    assert found["F1"] < 0.8
    assert found["F1_band"] == pytest.approx(1.0)
    assert found["F1_band_best"] == pytest.approx(1.0)


def test_the_papers_completely_wrong_prediction_reads_0_74_as_micro() -> None:
    # Appendix A.7.4: nothing found, a quarter of the pixels wrong.
    area = np.zeros((100, 100), np.bool_)
    area[:13] = True
    values = np.zeros((100, 100), np.float32)
    values[50:63] = 1

    found = _measured(values, area)

    assert [round(found[key], 2) for key in ("F1", "F1_micro", "F1_weighted")] == [0, 0.74, 0.74]
    assert found["F1_macro"] == pytest.approx(0.425, abs=0.01)


def test_floats_become_levels_as_imdl_benco_saves_them() -> None:
    values = np.array([[0.0, 0.5, 0.49999, 1.0, 127 / 255]], np.float32)

    assert as_levels(values).tolist() == [[0, 128, 127, 255, 127]]


def test_a_region_smaller_than_the_band_scores_nothing_for_trufor() -> None:
    area = np.zeros((40, 40), np.bool_)
    area[20:24, 20:24] = True

    found = _measured(area.astype(np.float32), area)

    assert found["F1"] == pytest.approx(1, abs=1e-6)
    assert found["F1_band_best"] == 0
    assert math.isnan(found["F1_band"])


def test_regions_without_zones_are_those_of_a_mask_without_kernels() -> None:
    area = np.random.default_rng(5).random((37, 53)) < 0.3
    general = ReferenceMask.from_area(area).regions(None, NO_KERNELS)

    short = regions_of(area, scored=None, kernels=NO_KERNELS)

    assert np.array_equal(short.codes, general.codes)
    assert np.array_equal(short.selected, general.selected)
    assert (short.boundary_px, short.unselected_px) == (0, 0)
    assert (short.opt_out_px, short.scored_px) == (general.opt_out_px, general.scored_px)
    assert not short.codes.flags.writeable
    assert area.flags.writeable
