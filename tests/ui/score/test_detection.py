"""The detection panel: curve, histogram, the trial's place, and a click that opens a trial."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from forensicviewer.app.detection.review import DetectionReview
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.detection import Conventions, ScoredTrials, deviates, roc_curve
from forensicviewer.core.model import TrialId
from forensicviewer.core.palette import PaletteName
from forensicviewer.core.rules import PLAN
from forensicviewer.ui.score.detection import DetectionPanel
from tests.bench_build import put_dataset, put_submission
from tests.build import Built, a_dataset, blurred, box
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui
LEFT = Qt.MouseButton.LeftButton
CONFIDENCES = {"t1": "0.9", "t2": "0.7", "t3": "0.4", "n1": "0.6", "n2": "0.2", "n3": "0.1"}
Show = Callable[..., QWidget]


@pytest.fixture
def opened(bench: Workbench, tmp_path: Path) -> Workbench:
    answers = {
        name: (confidence, "Y" if name == "n3" else "") for name, confidence in CONFIDENCES.items()
    }
    open_trial(bench, answered(tmp_path, answers))
    return bench


@pytest.fixture
def panel(opened: Workbench, show: Show) -> DetectionPanel:
    made = show(DetectionPanel(opened), 420, 520)
    assert isinstance(made, DetectionPanel)
    return made


def answered(folder: Path, answers: Mapping[str, tuple[str, str]]) -> Built:
    """A dataset of trials with (confidence, status); those named t… are targets."""
    made = a_dataset(folder)
    for name, (confidence, status) in answers.items():
        area = box(10, 10, 30, 30) if name.startswith("t") else None
        made = made.with_trial(name, manipulated=area)
        made = made.with_answer(name, blurred(), confidence=confidence, status=status)
    return made.write()


def show_panel(bench: Workbench, show: Show, built: Built) -> DetectionPanel:
    open_trial(bench, built)
    made = show(DetectionPanel(bench), 420, 520)
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
    review = DetectionReview("big", curve, trials, None, (), 0, 0, 1.0, 0.1)

    far, cdr = review.drawn
    assert len(far) < 5_000
    assert len(review.steps[0]) < 5_000
    assert (far[0], cdr[0]) == (curve.far[0], curve.cdr[0])
    assert (far[-1], cdr[-1]) == (1, 1)


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
    put_dataset(bench, built.root)
    put_submission(bench, built.submission)

    panel = show(DetectionPanel(bench), 420, 520)

    assert isinstance(panel, DetectionPanel)
    assert "in the index" in panel.why.text()
    assert not panel.curve.isVisible()


def test_a_submission_without_scores_says_why(
    opened: Workbench, panel: DetectionPanel, tmp_path: Path
) -> None:
    folder = tmp_path / "Team_NC2017_Unit_Manipulation_ImgOnly_c-none_1"
    folder.mkdir()
    table = folder / f"{folder.name}.csv"
    table.write_text("ProbeFileID|OutputProbeMaskFileName|IsOptOut\nt1||N\n", encoding="utf-8")

    put_submission(opened, folder)

    assert panel.review is None
    assert "ConfidenceScore" in panel.why.text()
    assert not panel.curve.isVisible()


def test_the_band_holds_the_curve_and_narrows_with_trials(panel: DetectionPanel) -> None:
    review = review_of(panel)

    low, high = review.band

    assert (low <= review.drawn[1]).all()
    assert (high >= review.drawn[1]).all()
    assert high.max() <= 1


def test_who_opted_out_is_told_from_who_gave_no_number(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    answers = {"t1": ("0.9", ""), "t2": ("high", ""), "n1": ("0.2", "Y"), "n2": ("0.1", "")}

    panel = show_panel(bench, show, answered(tmp_path, answers))

    assert panel.summary.text().endswith("2 targets, 2 others; 1 opted out; 1 without an answer")


def test_a_trial_that_is_left_out_has_no_place(opened: Workbench, panel: DetectionPanel) -> None:
    QTest.mouseClick(panel.without, LEFT)

    opened.select_trial(TrialId("n3"))

    assert panel.curve.marks == ()
    assert panel.here.text() == "This trial is not scored here"
    assert [review_of(panel).score_of(TrialId(name)) for name in ("t1", "n2")] == [0.9, 0.2]


def test_who_leaves_out_every_trial_can_have_them_back(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    panel = show_panel(bench, show, answered(tmp_path, {"t1": ("0.9", "Y"), "n1": ("0.1", "Y")}))

    QTest.mouseClick(panel.without, LEFT)
    assert panel.why.text() == "The system opted out of every trial"

    QTest.mouseClick(panel.without, LEFT)
    assert panel.curve.isVisible()


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("t1", "t2"), "Every scored trial is a target, so there is no curve"),
        (("n1", "n2"), "No scored trial is a target, so there is no curve"),
    ],
)
def test_one_class_has_a_histogram_and_no_curve(
    bench: Workbench, tmp_path: Path, show: Show, names: tuple[str, ...], told: str
) -> None:
    answers = {name: (f"0.{place}", "") for place, name in enumerate(names, start=3)}

    panel = show_panel(bench, show, answered(tmp_path, answers))
    QTest.mouseClick(panel.histogram, LEFT, pos=panel.histogram.point_of(0.4, 0).toPoint())

    assert panel.why.text() == told
    assert "AUC" not in panel.summary.text()
    assert not panel.curve.isVisible()
    assert bench.state.trial_id == names[1]


def test_infinite_scores_lie_at_the_ends(bench: Workbench, tmp_path: Path, show: Show) -> None:
    answers = {"t1": ("inf", ""), "t2": ("0.7", ""), "n1": ("-inf", ""), "n2": ("0.2", "")}

    panel = show_panel(bench, show, answered(tmp_path, answers))

    edges, targets, others = review_of(panel).histograms
    assert (edges[0], edges[-1]) == (0.2, 0.7)
    assert (targets[-1], others[0]) == (1, 1)
    assert review_of(panel).trial_at(float("inf")) == "t1"
    assert panel.histogram.marks[0].x == 0.7


def test_a_click_between_two_bends_opens_the_trial_there(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    answers = {f"t{place}": (f"0.{place}", "") for place in range(1, 10)} | {"n1": ("0.05", "")}
    panel = show_panel(bench, show, answered(tmp_path, answers))

    QTest.mouseClick(panel.curve, LEFT, pos=panel.curve.point_of(0, 5 / 9).toPoint())

    assert bench.state.trial_id == "t5"


def test_clicks_walk_through_trials_of_one_confidence(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    answers = dict.fromkeys(("t1", "n1", "t2"), ("0.5", "")) | {"n2": ("0.1", "")}
    panel = show_panel(bench, show, answered(tmp_path, answers))
    seen = []

    for _ in range(4):
        QTest.mouseClick(panel.curve, LEFT, pos=panel.curve.point_of(0.5, 1).toPoint())
        seen.append(bench.state.trial_id)

    assert set(seen) == {"n1", "t1", "t2"}
    assert seen[0] == seen[3]


def test_a_point_beyond_a_det_plot_is_marked_at_its_end(
    opened: Workbench, panel: DetectionPanel
) -> None:
    QTest.mouseClick(panel.det, LEFT)

    opened.select_trial(TrialId("t1"))

    (mark,) = panel.curve.marks
    assert panel.curve.plot_area().contains(panel.curve.point_of(mark.x, mark.y or 0))


def test_the_numbers_follow_the_rule_set(opened: Workbench, panel: DetectionPanel) -> None:
    assert "at FAR 0.1" in panel.summary.text()

    opened.set_rules(PLAN)

    assert "at FAR 1" in panel.summary.text(), "NC2017's plan has no false alarm stop"
    assert "CDR@FAR 1 1" in panel.summary.toolTip()


def test_another_palette_recolours_the_histogram(opened: Workbench, panel: DetectionPanel) -> None:
    before = [series.color.name() for series in panel.histogram.series]

    opened.set_look("palette", palette=PaletteName.OKABE_ITO)

    assert [series.color.name() for series in panel.histogram.series] != before


def test_both_charts_fit_a_panel_of_half_a_window(panel: DetectionPanel) -> None:
    assert panel.heightForWidth(330) <= 360


def test_a_theme_that_came_while_the_panel_was_closed_is_drawn_when_it_opens(
    panel: DetectionPanel,
) -> None:
    panel.hide()
    dark = QPalette(panel.palette())
    dark.setColor(QPalette.ColorRole.Highlight, QColor("#123456"))
    panel.setPalette(dark)

    panel.show()

    assert panel.curve.series[-1].color == QColor("#123456")
