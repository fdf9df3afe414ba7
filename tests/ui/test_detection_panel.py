"""The detection panel: curve, histogram, the trial's place, and a click that opens a trial."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from forensicviewer.app.detection_review import DetectionReview, deviates, review_detection
from forensicviewer.app.jobs import Ticket
from forensicviewer.app.workbench import Workbench
from forensicviewer.core.detection import Conventions, ScoredTrials, roc_curve
from forensicviewer.core.model import TrialId
from forensicviewer.ui.detection import DetectionPanel, summary_of
from tests.build import a_dataset, blurred, box
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui
LEFT = Qt.MouseButton.LeftButton
CONFIDENCES = {"t1": "0.9", "t2": "0.7", "t3": "0.4", "n1": "0.6", "n2": "0.2", "n3": "0.1"}
Show = Callable[..., QWidget]


@pytest.fixture
def opened(bench: Workbench, tmp_path: Path) -> Workbench:
    made = a_dataset(tmp_path)
    for name, confidence in CONFIDENCES.items():
        area = box(10, 10, 30, 30) if name.startswith("t") else None
        made = made.with_trial(name, manipulated=area)
        status = "Y" if name == "n3" else ""
        made = made.with_answer(name, blurred(), confidence=confidence, status=status)
    open_trial(bench, made.write())
    return bench


@pytest.fixture
def panel(opened: Workbench, show: Show) -> DetectionPanel:
    made = show(DetectionPanel(opened), 420, 520)
    assert isinstance(made, DetectionPanel)
    return made


def review_of(panel: DetectionPanel) -> DetectionReview:
    assert panel.review is not None
    return panel.review


def test_the_panel_shows_the_numbers_of_the_scorer(panel: DetectionPanel) -> None:
    review = review_of(panel)

    assert review.curve.auc == pytest.approx(8 / 9)
    assert "AUC 0.889 [" in panel.summary.text()
    assert "3 targets, 3 others" in panel.summary.text()
    assert "1 opted out" in panel.summary.text()


def test_opted_out_trials_can_be_left_out(opened: Workbench, panel: DetectionPanel) -> None:
    QTest.mouseClick(panel.without, LEFT)

    assert review_of(panel).trials.nontarget_count == 2
    assert "left out: TRR 0.83" in panel.summary.text()
    assert opened.state.submission is not None


def test_what_is_drawn_does_not_grow_with_the_trials() -> None:
    scores = np.random.default_rng(5).normal(size=200_000)
    targets = np.arange(200_000) % 3 == 0
    trials = ScoredTrials(scores, targets)
    curve = roc_curve(trials, Conventions())
    review = DetectionReview(
        "big", curve, trials, None, (), np.zeros(200_000, dtype=bool), 1.0, 0.1
    )

    assert len(review.shown) < 5_000
    assert {0, len(curve.far) - 1} <= set(review.shown.tolist())


def test_the_open_trial_is_marked_on_curve_and_histogram(
    opened: Workbench, panel: DetectionPanel
) -> None:
    opened.select_trial(TrialId("t2"))

    (mark,) = panel.curve.marks
    assert mark.x == 0
    assert mark.y == pytest.approx(2 / 3)
    assert panel.histogram.marks[0].x == 0.7


def test_a_click_on_the_curve_opens_the_trial_there(
    opened: Workbench, panel: DetectionPanel
) -> None:
    point = panel.curve.point_of(1 / 3, 1.0).toPoint()

    QTest.mouseClick(panel.curve, LEFT, pos=point)

    assert opened.state.trial_id == "t3"


def test_a_click_far_from_the_curve_opens_nothing(opened: Workbench, panel: DetectionPanel) -> None:
    before = opened.state.trial_id

    QTest.mouseClick(panel.curve, LEFT, pos=panel.curve.point_of(0.9, 0.05).toPoint())

    assert opened.state.trial_id == before


def test_a_click_in_the_histogram_opens_the_trial_of_that_score(
    opened: Workbench, panel: DetectionPanel
) -> None:
    QTest.mouseClick(panel.histogram, LEFT, pos=panel.histogram.point_of(0.21, 0).toPoint())

    assert opened.state.trial_id == "n2"


def test_a_det_plot_has_the_same_points(opened: Workbench, panel: DetectionPanel) -> None:
    QTest.mouseClick(panel.det, LEFT)
    opened.select_trial(TrialId("t2"))

    (mark,) = panel.curve.marks
    assert [series.name for series in panel.curve.series] == ["90 % interval", "DET"]
    assert mark.y == pytest.approx(deviates(np.array([1 / 3]))[0])


def test_where_no_trial_can_be_scored_the_panel_says_so(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    made = a_dataset(tmp_path).with_trial("t1", manipulated=box(10, 10, 30, 30))
    built = made.with_answer("t1", blurred(), confidence="0.5").write()
    (index,) = built.root.glob("indexes/*.csv")
    index.write_text(index.read_text(encoding="utf-8").replace("t1|", "t9|"), encoding="utf-8")
    bench.open_dataset(built.root)
    bench.open_submission(built.submission)

    panel = show(DetectionPanel(bench), 420, 520)

    assert isinstance(panel, DetectionPanel)
    assert "in the index" in panel._why.text()
    assert not panel.curve.isVisible()


def test_a_submission_without_scores_says_why(
    opened: Workbench, panel: DetectionPanel, tmp_path: Path
) -> None:
    folder = tmp_path / "Team_NC2017_Unit_Manipulation_ImgOnly_c-none_1"
    folder.mkdir()
    table = folder / f"{folder.name}.csv"
    table.write_text("ProbeFileID|OutputProbeMaskFileName|IsOptOut\nt1||N\n", encoding="utf-8")

    opened.open_submission(folder)

    assert panel.review is None
    assert "ConfidenceScore" in panel._why.text()
    assert not panel.curve.isVisible()


def test_the_band_holds_the_curve_and_narrows_with_trials(panel: DetectionPanel) -> None:
    review = review_of(panel)

    low, high = review.band()

    assert (low <= review.curve.cdr).all()
    assert (high >= review.curve.cdr).all()
    assert high.max() <= 1


def test_a_review_knows_who_opted_out(opened: Workbench) -> None:
    task, submission = opened.state.task, opened.state.submission
    assert task is not None
    assert submission is not None

    review = review_detection(task, submission, Ticket())

    assert review.is_opted_out(TrialId("n3"))
    assert not review.is_opted_out(TrialId("t1"))
    assert review.score_of(TrialId("nobody")) is None
    assert "EER" in summary_of(review)


def test_both_charts_fit_a_panel_of_half_a_window(panel: DetectionPanel) -> None:
    assert panel.heightForWidth(330) <= 360
