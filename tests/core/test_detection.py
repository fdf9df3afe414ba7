"""Detection metrics: hand-made curves, scikit-learn as a peer, and NIST's resampling."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, roc_auc_score

from forensicviewer.core.detection import (
    BrierScores,
    Conventions,
    RocCurve,
    ScoredTrials,
    confidence_intervals,
    roc_curve,
    round_half_away,
)
from forensicviewer.core.rules import MEDISCORE, PLAN, VERBATIM

CODE = Conventions.of(VERBATIM)
INTERPOLATED = Conventions(interpolates_area=True, takes_highest_rate=True)


def trials(scores: list[float], targets: str) -> ScoredTrials:
    return ScoredTrials(
        np.array(scores, dtype=float), np.array([t == "Y" for t in targets], dtype=bool)
    )


def curve(scores: list[float], targets: str, conventions: Conventions = CODE) -> RocCurve:
    return roc_curve(trials(scores, targets), conventions)


def test_a_curve_has_one_vertex_per_distinct_score_but_none_on_a_straight_line() -> None:
    found = curve([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], "YYYNNN")

    assert found.hits.tolist() == [1, 3, 3]
    assert found.false_alarms.tolist() == [0, 0, 3]
    assert found.thresholds.tolist() == [0.9, 0.7, 0.4]


def test_a_curve_starts_at_nothing_only_when_its_first_vertex_has_false_alarms() -> None:
    assert curve([0.9, 0.1], "NY").false_alarms.tolist() == [0, 1, 1]
    assert curve([0.9, 0.1], "NY").thresholds.tolist() == [1.9, 0.9, 0.1]
    assert curve([0.9, 0.1], "YN").false_alarms.tolist() == [0, 1]


def test_ties_are_one_vertex() -> None:
    found = curve([0.5, 0.5, 0.5, 0.1], "YNYN")

    assert (found.false_alarms.tolist(), found.hits.tolist()) == ([0, 1, 2], [0, 2, 2])
    assert found.auc == 0.75


def test_the_eer_is_the_mean_of_both_errors_at_the_best_vertex() -> None:
    found = curve([0.9, 0.8, 0.7, 0.6, 0.5], "YNYNN")

    assert found.miss.tolist() == [0.5, 0.5, 0.0, 0.0]
    assert found.far.tolist() == pytest.approx([0, 1 / 3, 1 / 3, 1])
    assert found.eer == pytest.approx((1 / 3 + 0.5) / 2)


def test_the_partial_area_takes_whole_steps_or_cuts_at_the_stop() -> None:
    scores, targets = [0.9, 0.8, 0.7, 0.6, 0.5], "YNYNN"

    assert curve(scores, targets).partial_auc(0.5) == pytest.approx(0.5 / 3)
    assert curve(scores, targets, INTERPOLATED).partial_auc(0.5) == pytest.approx(
        0.5 / 3 + (0.5 - 1 / 3)
    )
    assert curve(scores, targets, INTERPOLATED).partial_auc(1.0) == curve(scores, targets).auc


def test_the_rate_at_a_stop_is_interpolated_and_lowest_on_a_vertical_step() -> None:
    scores, targets = [0.9, 0.8, 0.7, 0.6], "YNYN"

    assert curve(scores, targets).cdr_at(0.25) == 0.5
    assert curve(scores, targets).cdr_at(0.5) == 0.5
    assert curve(scores, targets, INTERPOLATED).cdr_at(0.5) == 1.0
    assert curve([0.9, 0.9, 0.1, 0.1], "YNYN").cdr_at(0.25) == 0.25


def test_targets_alone_have_area_zero_for_nist_and_no_other_number() -> None:
    found = curve([0.9, 0.8], "YY")

    assert (found.auc, found.partial_auc(0.1)) == (0.0, 0.0)
    assert math.isnan(found.eer)
    assert math.isnan(found.cdr_at(0.1))
    assert math.isnan(found.d_prime())
    assert math.isnan(curve([0.9, 0.8], "YY", Conventions.of(PLAN)).auc)


def test_nontargets_alone_have_no_number_at_all() -> None:
    found = curve([0.9, 0.8], "NN")

    assert math.isnan(found.auc)
    assert math.isnan(found.eer)
    assert math.isnan(found.cdr_at(0.1))


def test_no_trials_have_no_curve() -> None:
    found = curve([], "")

    assert len(found.thresholds) == 0
    assert all(math.isnan(n) for n in (found.auc, found.eer, found.cdr_at(0.1), found.d_prime()))
    assert math.isnan(BrierScores.of(trials([], "")).overall)


def test_near_scores_are_merged_only_when_asked_for() -> None:
    scores, targets = [0.5 + 4e-9, 0.5, 0.1], "NYN"

    assert curve(scores, targets).auc == 0.5
    assert curve(scores, targets, Conventions(merges_near_scores=True)).auc == 0.75


def test_d_prime_is_the_largest_distance_of_normal_quantiles() -> None:
    found = curve([0.9, 0.8, 0.7, 0.6, 0.5], "YNYNN")

    assert found.d_prime() == pytest.approx(4.264890793922602 + 0.43072729929545744)


@given(st.lists(st.tuples(st.integers(0, 40), st.booleans()), max_size=60))
def test_d_prime_is_found_among_all_vertices_to_the_last_digit(
    rows: list[tuple[int, bool]],
) -> None:
    found = curve([float(score) for score, _ in rows], "".join("NY"[y] for _, y in rows))
    exact = NormalDist().inv_cdf

    distances = [
        exact(min(max(cdr, 0.00001), 0.99999)) - exact(min(max(far, 0.00001), 0.99999))
        for far, cdr in zip(found.far.tolist(), found.cdr.tolist(), strict=True)
        if far == far and cdr == cdr
    ]
    assert found.d_prime() == max(distances) if distances else math.isnan(found.d_prime())


def test_brier_scores_of_targets_and_nontargets_are_reported_apart() -> None:
    found = BrierScores.of(trials([0.9, 0.4, 0.2], "YYN"))

    assert found.targets == pytest.approx((0.01 + 0.36) / 2)
    assert found.nontargets == pytest.approx(0.04)
    assert found.overall == pytest.approx((0.01 + 0.36 + 0.04) / 3)


def test_brier_scores_need_probabilities() -> None:
    assert math.isnan(BrierScores.of(trials([1.5, 0.2], "YN")).overall)
    assert math.isnan(BrierScores.of(trials([0.5], "Y")).nontargets)


def test_rounding_ties_go_away_from_zero_as_in_python_2() -> None:
    assert round_half_away(0.125, 2) == 0.13
    assert round_half_away(0.625, 2) == 0.63
    assert round_half_away(2.675, 2) == 2.67


scored = st.lists(
    st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]), st.booleans()),
    min_size=2,
    max_size=40,
).filter(lambda listed: 0 < sum(target for _, target in listed) < len(listed))


@given(listed=scored)
def test_area_and_brier_score_agree_with_scikit_learn(listed: list[tuple[float, bool]]) -> None:
    scores, targets = np.array([s for s, _ in listed]), np.array([t for _, t in listed])
    both = ScoredTrials(scores, targets)

    assert roc_curve(both, CODE).auc == pytest.approx(roc_auc_score(targets, scores))
    assert BrierScores.of(both).overall == pytest.approx(brier_score_loss(targets, scores))


@given(listed=scored, seed=st.integers(0, 1000))
def test_the_order_of_trials_does_not_change_the_curve(
    listed: list[tuple[float, bool]], seed: int
) -> None:
    order = np.random.default_rng(seed).permutation(len(listed))
    scores, targets = np.array([s for s, _ in listed]), np.array([t for _, t in listed])

    first = roc_curve(ScoredTrials(scores, targets), CODE)
    second = roc_curve(ScoredTrials(scores[order], targets[order]), CODE)

    assert first.hits.tolist() == second.hits.tolist()
    assert (first.auc, first.eer, first.cdr_at(0.1)) == (second.auc, second.eer, second.cdr_at(0.1))


@settings(max_examples=10, deadline=None)
@given(listed=scored)
def test_intervals_equal_scoring_every_resample_from_scratch(
    listed: list[tuple[float, bool]],
) -> None:
    both = ScoredTrials(np.array([s for s, _ in listed]), np.array([t for _, t in listed]))
    drawn = np.random.RandomState(77)
    areas = []
    for _ in range(500):
        rows = drawn.choice(np.arange(len(both)), len(both))
        areas.append(roc_curve(ScoredTrials(both.scores[rows], both.targets[rows]), CODE).auc)

    found = confidence_intervals(both, CODE, level=0.9, far_stop=0.1)

    expected = sorted(areas)
    assert [found.auc.lower, found.auc.upper] == pytest.approx(
        [expected[25], expected[475]], nan_ok=True
    )


def test_one_class_resamples_are_skipped_unless_nists_code_is_followed() -> None:
    few = trials([0.9, 0.8, 0.1], "YYN")

    skipped = confidence_intervals(few, Conventions.of(MEDISCORE), level=0.9, far_stop=0.1)
    kept = confidence_intervals(few, CODE, level=0.9, far_stop=0.1)

    assert (skipped.cdr.lower, skipped.cdr.upper) == (1.0, 1.0)
    assert math.isnan(kept.cdr.lower)


def test_intervals_without_any_usable_resample_are_no_numbers() -> None:
    found = confidence_intervals(trials([0.5], "Y"), Conventions.of(PLAN), level=0.9, far_stop=0.1)

    assert math.isnan(found.auc.lower)
    assert math.isnan(found.cdr.upper)


def test_resampling_tells_how_far_it_is() -> None:
    steps: list[tuple[int, int]] = []
    confidence_intervals(
        trials([0.9, 0.1], "YN"),
        CODE,
        level=0.9,
        far_stop=0.1,
        progress=lambda done, total: steps.append((done, total)),
    )

    assert (steps[0], steps[-1]) == ((1, 500), (500, 500))
