"""The panels around the pictures: threshold, metrics, legend, operations, inspector, facts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.report.numbers import printed
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import (
    CompareMode,
    Layer,
    OverlayStyle,
    Pane,
    Snap,
    SystemStyle,
)
from forensicviewer.core.kernel import Kernels, KernelShape
from forensicviewer.core.metric import METRIC_NOTES
from forensicviewer.core.model import Side
from forensicviewer.core.palette import Outcome, PaletteName
from forensicviewer.core.rules import PLAN
from forensicviewer.core.score import ThresholdSweep
from forensicviewer.ui.panes.compare_bar import CompareBar
from forensicviewer.ui.panes.inspector import FactsPanel, InspectorStrip
from forensicviewer.ui.score.legend import LegendPanel
from forensicviewer.ui.score.metrics import MetricsPanel, explained
from forensicviewer.ui.score.operations import OperationsPanel
from forensicviewer.ui.score.threshold import ThresholdPanel
from tests.bench_build import put_row, put_submission
from tests.build import Built, a_dataset, blurred, box, exact
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui
_ALIGNMENT = Qt.ItemDataRole.TextAlignmentRole
TWO = {"PasteSplice": box(4, 4, 34, 34), "Heal": box(44, 10, 60, 40)}
LEFT = Qt.MouseButton.LeftButton
Show = Callable[..., QWidget]


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_trial("p2")
    return made.with_answer("p1", blurred(6)).write()


@pytest.fixture
def trial(bench: Workbench, built: Built) -> Workbench:
    open_trial(bench, built)
    return bench


def sweep_of(bench: Workbench, system: int = 0) -> ThresholdSweep:
    assert bench.state.loaded is not None
    sweep = bench.state.loaded.sweep(Side.PROBE, system)
    assert sweep is not None
    return sweep


def shown(bench: Workbench) -> int:
    return bench.state.shown_threshold(bench.state.thresholds.main)


@pytest.fixture
def threshold(trial: Workbench, show: Show) -> ThresholdPanel:
    panel = show(ThresholdPanel(trial), 420, 420)
    assert isinstance(panel, ThresholdPanel)
    return panel


def test_the_slider_and_the_number_speak_nists_thresholds(
    trial: Workbench, threshold: ThresholdPanel
) -> None:
    assert (threshold.main.slider.minimum(), threshold.main.slider.maximum()) == (-1, 255)

    threshold.main.slider.setFocus()
    threshold.main.slider.setValue(100)
    QTest.keyClick(threshold.main.slider, Qt.Key.Key_Right)

    assert shown(trial) == 101
    assert threshold.main.number.value() == 101
    assert trial.state.thresholds.main == 154


def test_typing_a_number_moves_the_slider(trial: Workbench, threshold: ThresholdPanel) -> None:
    threshold.main.number.setFocus()
    threshold.main.number.selectAll()
    QTest.keyClicks(threshold.main.number, "42")
    QTest.keyClick(threshold.main.number, Qt.Key.Key_Return)

    assert threshold.main.slider.value() == 42
    assert shown(trial) == 42


def test_dragging_on_the_curve_moves_the_threshold(
    trial: Workbench, threshold: ThresholdPanel
) -> None:
    curves = threshold.plot.curves
    start, end = curves.point_of(30, 0).toPoint(), curves.point_of(200, 0).toPoint()

    QTest.mousePress(curves, LEFT, pos=start)
    assert shown(trial) == pytest.approx(30, abs=2)
    QTest.mouseMove(curves, end)
    QTest.mouseRelease(curves, LEFT, pos=end)

    assert shown(trial) == pytest.approx(200, abs=2)
    assert threshold.plot.curves.marks[-1].x == shown(trial)
    trial.undo()
    assert trial.state.thresholds.snap is Snap.OPTIMUM


def test_pressing_near_the_optimum_snaps_to_it(trial: Workbench, threshold: ThresholdPanel) -> None:
    optimum = sweep_of(trial).optimum
    assert optimum is not None
    trial.set_threshold(0)
    curves = threshold.plot.curves
    point = curves.point_of(255 - optimum, 0) + QPointF(4, 0)

    QTest.mouseClick(curves, LEFT, pos=point.toPoint())

    assert trial.state.thresholds.main == optimum


def test_the_histogram_is_dragged_as_well(trial: Workbench, threshold: ThresholdPanel) -> None:
    chart = threshold.plot.histogram

    QTest.mouseClick(chart, LEFT, pos=chart.point_of(220, 0).toPoint() - QPoint(0, 5))

    assert shown(trial) == pytest.approx(220, abs=2)


def test_the_wheel_over_curve_and_row_steps_the_threshold(
    trial: Workbench, threshold: ThresholdPanel
) -> None:
    trial.set_threshold(128)

    for widget in (threshold.plot.curves, threshold.main):
        event = QWheelEvent(
            QPointF(20, 10),
            QPointF(20, 10),
            QPoint(),
            QPoint(0, 240),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,  # noqa: FBT003 - Qt's own signature
        )
        QApplication.sendEvent(widget, event)

    assert shown(trial) == 127 + 4


def test_snap_buttons_show_what_there_is_and_what_is_followed(
    trial: Workbench, threshold: ThresholdPanel
) -> None:
    buttons = threshold.main.snaps
    assert buttons[Snap.OPTIMUM].isChecked()
    assert not buttons[Snap.MAXIMUM].isEnabled()
    trial.set_actual(60)

    QTest.mouseClick(buttons[Snap.ACTUAL], LEFT)

    assert trial.state.thresholds.main == 60
    assert buttons[Snap.ACTUAL].isChecked()
    assert not buttons[Snap.OPTIMUM].isChecked()


def test_without_a_score_the_panel_says_what_to_do(
    trial: Workbench, threshold: ThresholdPanel
) -> None:
    put_row(trial, 1)

    assert not threshold.plot.isVisible()
    assert threshold.hint.text() == "Not manipulated, so there is no reference mask"


def test_a_trial_the_system_opted_out_of_says_so(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    made = a_dataset(tmp_path / "out").with_trial("p1", manipulated=TWO)
    open_trial(bench, made.with_answer("p1", blurred(6), status="Y").write())
    panel = show(MetricsPanel(bench), 380, 420)
    assert isinstance(panel, MetricsPanel)

    assert "opted out of this trial" in panel._reason.text()


def test_a_trial_without_an_answer_says_what_is_scored_instead(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    made = a_dataset(tmp_path / "two").with_trial("p1", manipulated=TWO)
    made = made.with_trial("p2", manipulated=TWO).with_answer("p2", blurred(6))
    open_trial(bench, made.write())
    panel = show(MetricsPanel(bench), 380, 420)
    assert isinstance(panel, MetricsPanel)

    assert bench.state.trial_id == "p1"
    assert panel._reason.text().startswith("There is no answer; an empty mask is scored instead")


def test_a_trial_whose_pixels_are_all_in_no_score_zones_says_so(
    trial: Workbench, show: Show
) -> None:
    panel = show(MetricsPanel(trial), 380, 420)
    assert isinstance(panel, MetricsPanel)

    trial.set_kernels(Kernels(erode_px=99, dilate_px=99))

    assert "every pixel is in a no-score zone" in panel._reason.text()


def test_a_second_system_has_its_own_threshold(
    trial: Workbench, threshold: ThresholdPanel, tmp_path: Path
) -> None:
    assert not threshold.rival.isVisible()
    other = a_dataset(tmp_path / "o").with_trial("p1", manipulated=TWO).with_answer("p1", exact())
    put_submission(trial, other.write().submission)
    assert threshold.rival.isVisible()

    threshold.rival.slider.setValue(10)
    alt = Qt.KeyboardModifier.AltModifier
    curves = threshold.plot.curves
    QTest.mouseClick(curves, LEFT, alt, curves.point_of(180, 0).toPoint())

    assert trial.state.shown_threshold(trial.state.thresholds.rival) == pytest.approx(180, abs=2)
    assert len(threshold.plot.curves.series) == 3


def test_the_line_of_the_second_threshold_is_dragged_by_itself(
    trial: Workbench, threshold: ThresholdPanel, built: Built, tmp_path: Path
) -> None:
    put_submission(trial, built.copied_submission(tmp_path / "second"))
    threshold.main.slider.setValue(200)
    threshold.rival.slider.setValue(60)
    curves = threshold.plot.curves

    QTest.mousePress(curves, LEFT, pos=curves.point_of(61, 0).toPoint())
    QTest.mouseMove(curves, curves.point_of(100, 0).toPoint())
    QTest.mouseRelease(curves, LEFT, pos=curves.point_of(100, 0).toPoint())

    thresholds = trial.state.thresholds
    assert trial.state.shown_threshold(thresholds.main) == 200
    assert trial.state.shown_threshold(thresholds.rival) == pytest.approx(100, abs=5)


@pytest.fixture
def metrics(trial: Workbench, show: Show) -> MetricsPanel:
    panel = show(MetricsPanel(trial), 420, 640)
    assert isinstance(panel, MetricsPanel)
    return panel


def test_the_table_has_nists_names_and_every_digit(trial: Workbench, metrics: MetricsPanel) -> None:
    trial.set_threshold(90)
    sweep = sweep_of(trial)

    assert metrics.value("MCC") == printed(sweep.mcc[90])
    assert metrics.value("PixelTP") == str(sweep.tp[90])
    assert metrics.value("AUC") == printed(sweep.auc)
    metrics.copy()
    copied = QGuiApplication.clipboard().text()

    assert copied.startswith("Metric\tAt threshold\tAt optimum\nMCC\t")
    assert printed(sweep.mcc[90]) in copied
    assert f"PixelTP\t{sweep.tp[90]}\t" in copied


def test_a_metric_without_a_value_has_a_dash_and_is_copied_as_nothing(
    trial: Workbench, metrics: MetricsPanel
) -> None:
    trial.set_threshold(256)

    row = [note.name for note in METRIC_NOTES].index("Precision")
    shown = metrics.table.item(row, 1)
    assert shown is not None
    assert shown.text() == "\u2013"
    assert metrics.value("Precision") == ""


def test_titles_stand_over_their_numbers(metrics: MetricsPanel) -> None:
    model, right = metrics.table.model(), Qt.AlignmentFlag.AlignRight

    sides = [
        Qt.AlignmentFlag(model.headerData(column, Qt.Orientation.Horizontal, _ALIGNMENT)) & right
        for column in (1, 2, 3)
    ]

    assert sides == [right] * 3
    assert metrics.table.horizontalHeader().defaultAlignment() & Qt.AlignmentFlag.AlignLeft


def test_a_number_tells_every_digit_where_the_mouse_rests(
    trial: Workbench, metrics: MetricsPanel
) -> None:
    trial.set_threshold(90)
    table = metrics.table
    point = table.visualRect(table.model().index(0, 1)).center()

    event = QHelpEvent(QEvent.Type.ToolTip, point, table.viewport().mapToGlobal(point))
    QApplication.sendEvent(table.viewport(), event)

    assert QToolTip.text().startswith(f"MCC = {printed(sweep_of(trial).mcc[90])}\nMCC: ")
    QToolTip.hideText()


def test_every_metric_is_explained() -> None:
    for note in METRIC_NOTES:
        assert note.formula in explained(note)
        assert note.best is None or f"{note.best:g}" in explained(note)


def test_kernels_change_the_score_at_once(trial: Workbench, metrics: MetricsPanel) -> None:
    before = metrics.value("PixelBNS")

    metrics.kernels.widths["erode_px"].setValue(3)
    metrics.kernels.shape.setCurrentIndex(1)
    metrics.kernels.shape.activated.emit(1)

    assert trial.state.scoring.kernels.erode_px == 3
    assert trial.state.scoring.kernels.shape is KernelShape.DISC
    assert metrics.value("PixelBNS") != before


def test_kernel_widths_are_odd_or_nothing(trial: Workbench, metrics: MetricsPanel) -> None:
    box_of_width = metrics.kernels.widths["dilate_px"]

    box_of_width.setValue(1)
    box_of_width.stepBy(-1)
    assert trial.state.scoring.kernels.dilate_px == 0
    box_of_width.stepBy(2)
    assert trial.state.scoring.kernels.dilate_px == 3
    box_of_width.selectAll()
    QTest.keyClicks(box_of_width, "8")
    QTest.keyClick(box_of_width, Qt.Key.Key_Return)

    assert trial.state.scoring.kernels.dilate_px == 9


def test_every_kernel_that_is_edited_is_undone_alone(
    trial: Workbench, metrics: MetricsPanel
) -> None:
    kernels = metrics.kernels
    kernels.widths["erode_px"].setFocus()
    QTest.keyClick(kernels.widths["erode_px"], Qt.Key.Key_Up)
    QTest.keyClick(kernels.widths["erode_px"], Qt.Key.Key_Up)
    kernels.widths["dilate_px"].setFocus()
    QTest.keyClick(kernels.widths["dilate_px"], Qt.Key.Key_Up)
    QTest.mouseClick(kernels.reset, LEFT)
    assert trial.state.scoring.kernels == Kernels()

    trial.undo()
    assert trial.state.scoring.kernels == Kernels(erode_px=19, dilate_px=13)
    trial.undo()
    assert trial.state.scoring.kernels == Kernels(erode_px=19)
    trial.undo()

    assert trial.state.scoring.kernels == Kernels()


def test_kernels_go_back_to_those_of_the_rule_set(trial: Workbench, metrics: MetricsPanel) -> None:
    trial.set_rules(PLAN)
    metrics.kernels.widths["distraction_px"].setValue(3)

    QTest.mouseClick(metrics.kernels.reset, LEFT)

    assert metrics.kernels.widths["distraction_px"].value() == 11
    assert metrics.kernels.reset.toolTip() == "Back to NIST's kernels: box, 15, 11, 11"


def test_a_splice_has_no_kernel_for_unselected_operations(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    made = a_dataset(tmp_path).with_trial("p1", donor="d1", manipulated=TWO)
    open_trial(bench, made.with_answer("p1+d1", exact()).write())
    panel = show(MetricsPanel(bench), 420, 640)
    assert isinstance(panel, MetricsPanel)

    assert not panel.kernels.widths["distraction_px"].isEnabled()
    assert panel.kernels.widths["erode_px"].isEnabled()


def test_a_click_in_the_legend_hides_an_outcome(trial: Workbench, show: Show) -> None:
    panel = show(LegendPanel(trial), 360, 300)
    assert isinstance(panel, LegendPanel)
    line = panel.lines[Outcome.HIT]

    QTest.mouseClick(line.button, LEFT, pos=QPoint(8, line.button.height() // 2))

    assert trial.state.look.hidden == {Outcome.HIT}
    assert not line.button.isChecked()


def test_the_legend_counts_follow_the_threshold(trial: Workbench, show: Show) -> None:
    panel = show(LegendPanel(trial), 360, 300)
    assert isinstance(panel, LegendPanel)

    trial.set_threshold(256)

    assert panel.lines[Outcome.HIT].count.text() == "0 px · 0.0 %"
    trial.set_look("palette", palette=PaletteName.OKABE_ITO)
    assert panel.lines[Outcome.OPT_OUT].count.text() == ""


@pytest.fixture
def operations(trial: Workbench, show: Show) -> OperationsPanel:
    panel = show(OperationsPanel(trial), 420, 300)
    assert isinstance(panel, OperationsPanel)
    return panel


def test_unticking_an_operation_scores_the_others(
    trial: Workbench, operations: OperationsPanel
) -> None:
    first, second = operations.tree.rows()
    assert (first.text(0), second.text(0)) == ("PasteSplice", "Heal")

    area = operations.tree.visualItemRect(first)
    QTest.mouseClick(
        operations.tree.viewport(), LEFT, pos=QPoint(area.left() + 14, area.center().y())
    )

    assert trial.state.scoring.selected == frozenset({1})
    assert operations.query.text() == "Operation==['Heal']"
    root = operations.tree.topLevelItem(0)
    assert root is not None
    assert root.checkState(0) == Qt.CheckState.PartiallyChecked
    operations.copy_query()
    assert QGuiApplication.clipboard().text() == "Operation==['Heal']"


def test_ticking_the_root_selects_all(trial: Workbench, operations: OperationsPanel) -> None:
    trial.set_selected_operations([1])
    root = operations.tree.topLevelItem(0)
    assert root is not None

    root.setCheckState(0, Qt.CheckState.Checked)

    assert trial.state.scoring.selected is None
    assert operations.query.text() == ""


def test_each_operation_shows_its_area_and_own_score(
    trial: Workbench, operations: OperationsPanel
) -> None:
    first = operations.tree.rows()[0]
    assert first.text(3) == f"{100 * 900 / (64 * 48):.1f} %"
    before = first.text(4)

    trial.set_threshold(256)

    assert before != first.text(4) == "0.000"


def test_pointing_at_an_operation_highlights_it(
    trial: Workbench, operations: OperationsPanel
) -> None:
    area = operations.tree.visualItemRect(operations.tree.rows()[1])

    QTest.mouseMove(operations.tree.viewport(), area.center())
    assert trial.state.highlighted == 1
    QApplication.sendEvent(operations.tree, QEvent(QEvent.Type.Leave))

    assert trial.state.highlighted is None


def test_a_trial_without_a_journal_says_so(trial: Workbench, operations: OperationsPanel) -> None:
    put_row(trial, 1)

    assert not operations.tree.isVisible()
    assert operations.tree.rows() == []


def test_the_strip_tells_and_copies_the_pixel(trial: Workbench, show: Show) -> None:
    strip = show(InspectorStrip(trial), 700, 30)
    assert isinstance(strip, InspectorStrip)
    assert "Point" in strip.position.text()

    trial.set_cursor((19, 19))
    strip.copy()

    assert "19" in strip.position.text()
    assert strip.outcome.text() == "Hit"
    assert strip.operations.text() == "PasteSplice"
    assert "x 19, y 19" in QGuiApplication.clipboard().text()
    trial.set_cursor((5, 5))
    assert "boundary" in strip.outcome.text()


def test_a_narrow_strip_still_tells_the_reference(
    trial: Workbench, show: Show, qtbot: QtBot
) -> None:
    strip = show(InspectorStrip(trial), 345, 40)
    assert isinstance(strip, InspectorStrip)

    trial.set_cursor((19, 19))

    assert strip.position.text() == "x 19  y 19"
    assert strip.reference.text().startswith("reference ")
    assert strip.reference.y() > strip.position.y()
    qtbot.waitUntil(lambda: strip.values.width() >= strip.values.sizeHint().width())
    trial.set_cursor(None)
    assert not strip.reference.isVisible()


def test_facts_are_listed_with_the_digest(trial: Workbench, show: Show) -> None:
    panel = show(FactsPanel(trial), 400, 300)
    assert isinstance(panel, FactsPanel)

    names = [panel.table.item(row, 0) for row in range(panel.table.rowCount())]

    told = [item.text() for item in names if item is not None]
    assert told[:3] == ["Name", "Id", "Format"]
    assert told[-1] == "SHA-256"


def test_the_look_is_chosen_below_the_legend(trial: Workbench, show: Show) -> None:
    panel = show(LegendPanel(trial), 360, 480)
    assert isinstance(panel, LegendPanel)

    panel.look.palette_box.activated.emit(1)
    panel.look.style_box.activated.emit(1)
    panel.look.system_box.activated.emit(2)
    panel.look.opacity.setValue(35)
    panel.look.hatching.click()

    look = trial.state.look
    assert look.palette is PaletteName.OKABE_ITO
    assert look.overlay is OverlayStyle.CONTOUR
    assert look.system is SystemStyle.THRESHOLDED
    assert (look.opacity, look.has_hatching) == (0.35, False)


def test_any_two_layers_can_be_compared(trial: Workbench, show: Show) -> None:
    trial.set_compare(mode=CompareMode.FADE)
    bar = show(CompareBar(trial), 700, 40)
    assert isinstance(bar, CompareBar)

    bar.first.activated.emit(list(Layer).index(Layer.PICTURE))
    bar.amount.setValue(80)
    QTest.mouseClick(bar.swap, LEFT)

    compare = trial.state.compare
    assert (compare.first, compare.second) == (Pane(Layer.SYSTEM), Pane(Layer.PICTURE))
    assert compare.amount == 0.8
    QTest.mouseClick(bar._close, LEFT)
    assert not bar.isVisible()


def test_two_systems_can_be_compared_layer_by_layer(
    trial: Workbench, built: Built, show: Show, tmp_path: Path
) -> None:
    put_submission(trial, built.copied_submission(tmp_path / "second"))
    trial.set_compare(mode=CompareMode.BLINK)
    bar = show(CompareBar(trial), 700, 40)
    assert isinstance(bar, CompareBar)

    bar.first.activated.emit(bar.first.findText("System"))
    bar.second.activated.emit(bar.second.findText("Second system"))

    compare = trial.state.compare
    assert (compare.first, compare.second) == (Pane(Layer.SYSTEM), Pane(Layer.SYSTEM, system=1))
    trial.set_compare(mode=CompareMode.OFF)


def test_opted_out_pixels_are_left_out_when_asked(
    bench: Workbench, built: Built, show: Show
) -> None:
    (table,) = built.submission.glob("*.csv")
    lines = table.read_text(encoding="utf-8").splitlines()
    written = [lines[0] + "|ProbeOptOutPixelValue", *(line + "|255" for line in lines[1:])]
    table.write_text("\n".join(written), encoding="utf-8")
    open_trial(bench, built)
    panel = show(MetricsPanel(bench), 420, 640)
    assert isinstance(panel, MetricsPanel)
    assert float(panel.value("PixelPNS")) == 0

    panel.kernels.opt_out.click()

    assert bench.state.scoring.honours_opt_out
    assert float(panel.value("PixelPNS")) > 0

    panel.kernels.opt_out.click()
    bench.set_rules(PLAN)

    assert float(panel.value("PixelPNS")) > 0, "the plan leaves them out"
    assert panel.kernels.opt_out.isChecked()
    assert not panel.kernels.opt_out.isEnabled()
