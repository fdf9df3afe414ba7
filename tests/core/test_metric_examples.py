"""The examples of the manual's page "Metrics explained" are what the program computes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from forensicviewer.app.runtime.resources import resource
from forensicviewer.core.detection import Conventions, ScoredTrials, roc_curve
from forensicviewer.core.graph.provenance import GraphScores, MatchCounts
from forensicviewer.core.mask import Region, Regions
from forensicviewer.core.metric import METRIC_NOTES, MetricNote
from forensicviewer.core.score import ThresholdSweep, threshold_from_nist

PAGE = resource("manual/metrics.md").read_text(encoding="utf-8")
# As the page prints it: NIST's grey values, black where manipulated.
GREY = [[20, 60, 200, 255], [100, 180, 90, 255], [230, 240, 255, 255]]
MANIPULATED = [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]]


def the_sweep() -> ThresholdSweep:
    codes = np.asarray(MANIPULATED, np.uint8) * np.uint8(Region.MANIPULATED)
    selected = codes == Region.MANIPULATED
    codes[~selected] = Region.BACKGROUND
    regions = Regions(codes, selected, 0, 0, 0, codes.size)
    return ThresholdSweep.of(np.uint8(255) - np.asarray(GREY, np.uint8), regions)


def row_of(name: str) -> str:
    return next(line for line in PAGE.splitlines() if line.startswith(f"| {name} "))


def test_the_page_shows_the_pixels_of_the_example() -> None:
    shown = PAGE.replace("*", "").replace("R ", "")
    rows = [f"| row {n} | {' | '.join(map(str, row))} |" for n, row in enumerate(GREY, 1)]

    assert all(row in shown for row in rows)


@pytest.mark.parametrize("metric", METRIC_NOTES[:11], ids=lambda metric: str(metric.name))
def test_the_worked_example_of_each_metric_is_computed(metric: MetricNote) -> None:
    value = metric.value(the_sweep(), threshold_from_nist(100))

    shown = row_of("Recall (TPR)" if metric.name == "Recall" else metric.name)

    assert f"= {value:.4f} " in shown


def test_the_counts_and_the_optimum_of_the_example_are_computed() -> None:
    sweep = the_sweep()
    best = sweep.at(threshold_from_nist(180))

    assert sweep.at(threshold_from_nist(100)) == type(best)(tp=3, fp=1, fn=1, tn=7)
    assert sweep.optimum == threshold_from_nist(180)
    assert "the optimum is 180: all four manipulated pixels and one other pixel" in PAGE
    assert f"MCC is {best.mcc:.4f}" in PAGE


def test_the_detection_example_is_computed() -> None:
    scores = np.array([0.9, 0.7, 0.4, 0.6, 0.2])
    curve = roc_curve(ScoredTrials(scores, np.arange(5) < 3), Conventions())
    at = curve.thresholds.tolist().index(0.6)

    assert f"5 / 6 = {curve.auc:.4f}" in PAGE
    assert math.isclose(curve.cdr[at], 2 / 3)
    assert curve.far[at] == 0.5


def test_the_provenance_example_is_computed() -> None:
    scores = GraphScores(MatchCounts(2, 1, 1), MatchCounts(1, 1, 0))

    for name, value in [
        ("SimNO is 2·2 / (3 + 3)", scores.sim_no),
        ("SimLO is 2·1 / (2 + 1)", scores.sim_lo),
        ("SimNLO is 2·3 / (5 + 4)", scores.sim_nlo),
        ("NodeRecall is 2 / 3", scores.node_recall),
    ]:
        assert value is not None
        assert f"{name} = {value:.4f}" in PAGE
