"""Every metric of the GenAI plan beside scikit-learn, also where there is little to compute."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics
from sklearn.calibration import calibration_curve

from forensicviewer.core.detection import ScoredTrials, deviates
from forensicviewer.core.discrimination import CallCounts, Discrimination, Reliability, measure

scores = st.one_of(
    st.floats(0, 1, allow_subnormal=False), st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.7, 1.0])
)
rows = st.lists(st.tuples(scores, st.booleans()), min_size=1, max_size=60)


def trials_of(scored: list[tuple[float, bool]]) -> ScoredTrials:
    return ScoredTrials(
        np.array([score for score, _ in scored], dtype=np.float64),
        np.array([target for _, target in scored], dtype=np.bool_),
    )


def of(
    scored: list[tuple[float, bool]], *, cutoff: float = 0.5, fpr: float = 0.1
) -> Discrimination:
    return measure(trials_of(scored), cutoff=cutoff, fpr=fpr)


def both(scored: list[tuple[float, bool]]) -> list[tuple[float, bool]]:
    return [*scored, (0.25, True), (0.75, False)]


@given(scored=rows, fpr=st.sampled_from([0.01, 0.1, 0.25, 0.5, 1.0]))
def test_curve_metrics_are_those_of_scikit_learn(
    scored: list[tuple[float, bool]], fpr: float
) -> None:
    found = of(both(scored), fpr=fpr)

    trials = found.trials
    x, y, _ = metrics.roc_curve(trials.targets, trials.scores)
    at = int(np.argmin(np.abs(x - (1 - y))))
    assert found.auc == pytest.approx(metrics.roc_auc_score(trials.targets, trials.scores))
    assert found.tpr == pytest.approx(float(np.interp(fpr, x, y)))
    assert found.eer == pytest.approx((x[at] + 1 - y[at]) / 2)
    assert found.partial_auc == pytest.approx(_area_up_to(x, y, fpr))


def _area_up_to(x: np.ndarray, y: np.ndarray, limit: float) -> float:
    """As scikit-learn's roc_auc_score does before it standardises."""
    if limit == 1:
        return float(metrics.auc(x, y))
    stop = int(np.searchsorted(x, limit, "right"))
    last = np.interp(limit, x[stop - 1 : stop + 1], y[stop - 1 : stop + 1])
    return float(metrics.auc(np.append(x[:stop], limit), np.append(y[:stop], last)))


@pytest.mark.parametrize("limit", [0.1, 0.3, 0.75])
def test_scikit_learns_partial_area_follows_from_ours(limit: float) -> None:
    """It is ours, standardised as McClish does; the manual shows the formula."""
    random = np.random.default_rng(5)
    targets = random.random(200) < 0.4
    found = measure(
        ScoredTrials(np.clip(random.normal(0.3 + 0.3 * targets, 0.3), 0, 1), targets),
        cutoff=None,
        fpr=limit,
    )

    least = limit * limit / 2
    standardised = (1 + (found.partial_auc - least) / (limit - least)) / 2
    expected = metrics.roc_auc_score(targets, found.trials.scores, max_fpr=limit)
    assert standardised == pytest.approx(expected)


@given(scored=rows)
def test_brier_scores_are_those_of_scikit_learn(scored: list[tuple[float, bool]]) -> None:
    found = of(both(scored))

    trials, brier = found.trials, found.brier
    assert brier.overall == pytest.approx(metrics.brier_score_loss(trials.targets, trials.scores))
    of_targets = trials.scores[trials.targets]
    of_others = trials.scores[~trials.targets]
    assert brier.targets == pytest.approx(float(np.mean((of_targets - 1) ** 2)))
    assert brier.nontargets == pytest.approx(float(np.mean(of_others**2)))
    n1, n0 = trials.target_count, trials.nontarget_count
    weighted = (n1 * brier.targets + n0 * brier.nontargets) / (n1 + n0)
    assert brier.overall == pytest.approx(weighted)


@given(scored=rows, cutoff=st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_calls_at_the_cutoff_are_those_of_scikit_learn(
    scored: list[tuple[float, bool]], cutoff: float
) -> None:
    found = of(both(scored), cutoff=cutoff)

    trials, confusion = found.trials, found.confusion
    called = trials.scores >= cutoff
    assert confusion is not None
    expected = metrics.confusion_matrix(trials.targets, called, labels=[False, True])
    assert [[confusion.tn, confusion.fp], [confusion.fn, confusion.tp]] == expected.tolist()
    assert confusion.accuracy == pytest.approx(metrics.accuracy_score(trials.targets, called))
    assert confusion.f1 == pytest.approx(
        metrics.f1_score(trials.targets, called, zero_division=np.nan), nan_ok=True
    )
    for name, score in (("precision", metrics.precision_score), ("recall", metrics.recall_score)):
        wanted = score(trials.targets, called, zero_division=np.nan)
        assert getattr(confusion, name) == pytest.approx(float(wanted), nan_ok=True)


@given(scored=rows)
def test_bins_are_those_of_scikit_learns_calibration_curve(
    scored: list[tuple[float, bool]],
) -> None:
    found = Reliability.of(trials_of(scored))

    trials = trials_of(scored)
    targets, means = calibration_curve(trials.targets, trials.scores, n_bins=10)
    filled = found.counts > 0
    assert found.targets[filled] == pytest.approx(targets)
    assert found.scores[filled] == pytest.approx(means)
    weights = found.counts[filled] / len(trials)
    assert found.ece == pytest.approx(float(np.sum(weights * np.abs(targets - means))))


def test_a_score_of_exactly_the_cutoff_is_called_ai_generated() -> None:
    assert CallCounts.of(trials_of([(0.5, True), (0.4999, True)]), 0.5) == CallCounts(1, 0, 1, 0)


def test_ties_are_one_step_of_the_curve() -> None:
    found = of([(0.5, True), (0.5, False), (0.5, True), (0.5, False)])

    assert (found.auc, found.eer) == (0.5, 0.5)
    assert found.tpr == pytest.approx(0.1)


def test_a_perfect_and_an_inverted_system_are_mirrored() -> None:
    perfect = of([(0.9, True), (0.8, True), (0.2, False), (0.1, False)])
    inverted = of([(0.1, True), (0.2, True), (0.8, False), (0.9, False)])

    assert (perfect.auc, perfect.eer, perfect.tpr, perfect.partial_auc) == (1, 0, 1, 0.1)
    assert (inverted.auc, inverted.eer, inverted.tpr, inverted.partial_auc) == (0, 1, 0, 0)


@pytest.mark.parametrize(
    ("is_ai", "absent", "brier"),
    [(True, "human-made", "BrierN"), (False, "AI-generated", "BrierT")],
)
def test_one_class_has_no_curve_and_says_why(*, is_ai: bool, absent: str, brier: str) -> None:
    found = of([(0.7, is_ai), (0.2, is_ai)])

    numbers = (found.auc, found.partial_auc, found.tpr, found.eer)
    assert all(map(math.isnan, numbers))
    assert all(absent in found.why[name] for name in ("AUC", "pAUC", "TPR@FPR", "EER", brier))
    assert found.brier.overall == pytest.approx((0.09 + 0.64) / 2 if is_ai else (0.49 + 0.04) / 2)


def test_no_trial_leaves_everything_blank_with_a_reason() -> None:
    found = of([])

    assert math.isnan(found.auc)
    assert math.isnan(found.ece)
    assert set(found.why.values()) == {"no trial has both a score and a label"}


def test_scores_beyond_one_have_a_curve_but_are_no_probabilities() -> None:
    found = of([(1.5, True), (0.2, False)])

    assert found.auc == 1
    assert math.isnan(found.brier.overall)
    assert math.isnan(found.ece)
    assert "between 0 and 1" in found.why["Brier"]


def test_without_a_cutoff_nothing_is_called() -> None:
    found = measure(trials_of([(0.9, True), (0.2, False)]), cutoff=None, fpr=0.1)

    assert found.confusion is None
    assert found.why["Accuracy"] == "the file name declares no cutoff"


def test_undefined_calls_say_why() -> None:
    found = of([(0.1, False), (0.2, False)])

    assert found.confusion is not None
    assert found.why["Precision"] == "no score reaches the cutoff"
    assert found.why["F1"] == "no image is AI-generated and none is called AI-generated"
    assert math.isnan(found.confusion.f1)


def test_constant_scores_lie_on_the_diagonal() -> None:
    found = of([(0.7, True)] * 3 + [(0.7, False)] * 5, fpr=0.1)

    assert (found.auc, found.eer) == (0.5, 0.5)
    assert found.tpr == pytest.approx(0.1)
    assert found.partial_auc == pytest.approx(0.005)
    assert dict(found.why) == {}


def test_two_trials_are_enough_for_every_metric() -> None:
    found = of([(0.8, True), (0.3, False)])

    assert (found.auc, found.partial_auc, found.tpr, found.eer) == (1.0, 0.1, 1.0, 0.0)
    assert found.brier.overall == pytest.approx((0.04 + 0.09) / 2)
    assert found.ece == pytest.approx((0.2 + 0.3) / 2)
    assert dict(found.why) == {}


@given(scored=rows)
def test_the_det_curve_passes_through_scikit_learns(scored: list[tuple[float, bool]]) -> None:
    found = of(both(scored))
    fpr, fnr, _ = metrics.det_curve(found.trials.targets, found.trials.scores)

    # At one false positive rate a curve may go straight down: their vertex is one of that line.
    far, miss = found.curve.far, found.curve.miss
    for x, y in zip(fpr.tolist(), fnr.tolist(), strict=True):
        at = np.isclose(far, x)
        if at.any():
            assert miss[at].min() - 1e-9 <= y <= miss[at].max() + 1e-9
        else:
            assert np.interp(x, far, miss) == pytest.approx(y)


def test_the_axes_of_a_det_plot_are_probits() -> None:
    rates = np.array([0.001, 0.1, 0.5, 0.8, 0.999])

    assert deviates(rates) == pytest.approx(stats.norm.ppf(rates))


def test_intervals_are_percentiles_of_500_resamples_drawn_with_seed_77() -> None:
    random = np.random.default_rng(3)
    trials = trials_of(
        [(round(float(random.beta(2 + t, 2)), 2), bool(t)) for t in random.integers(0, 2, 80)]
    )
    drawn, areas, rates = np.random.RandomState(77), [], []
    for _ in range(500):
        rows = drawn.randint(0, len(trials), len(trials))
        fpr, tpr, _ = metrics.roc_curve(trials.targets[rows], trials.scores[rows])
        areas.append(metrics.auc(fpr, tpr))
        on_limit = tpr[fpr == 0.1]
        rates.append(on_limit.max() if len(on_limit) else np.interp(0.1, fpr, tpr))

    known = measure(trials, cutoff=0.5, fpr=0.1, with_intervals=True).intervals

    assert known is not None
    for interval, values in ((known.auc, sorted(areas)), (known.cdr, sorted(rates))):
        # 90 % of them: from the 5th percentile to the 95th.
        assert interval.lower == pytest.approx(values[25])
        assert interval.upper == pytest.approx(values[475])


def test_intervals_hold_the_number_and_come_out_the_same_again() -> None:
    random = np.random.default_rng(3)
    targets = random.random(300) < 0.5
    trials = ScoredTrials(np.clip(random.normal(0.4 + 0.2 * targets, 0.2), 0, 1), targets)

    found = measure(trials, cutoff=0.5, fpr=0.1, with_intervals=True)
    again = measure(trials, cutoff=0.5, fpr=0.1, with_intervals=True)

    assert found.intervals is not None
    assert found.intervals == again.intervals
    assert found.intervals.auc.lower < found.auc < found.intervals.auc.upper
    assert found.intervals.cdr.lower < found.tpr < found.intervals.cdr.upper
