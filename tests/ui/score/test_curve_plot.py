"""The curves and histograms over the threshold: what they tell, and when there is nothing to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.mask import Region
from forensicviewer.core.model import Side
from forensicviewer.core.score import ThresholdSweep
from forensicviewer.ui.score.threshold import ThresholdPanel
from forensicviewer.ui.widgets.chart import Axis, Chart, ChartMark, Series
from tests.bench_build import put_submission
from tests.build import Built, a_dataset, blurred, box, exact
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path).with_trial("p1", manipulated=box(8, 8, 40, 40))
    return made.with_answer("p1", blurred(6)).write()


@pytest.fixture
def panel(bench: Workbench, built: Built, show: Callable[..., QWidget]) -> ThresholdPanel:
    open_trial(bench, built)
    shown = show(ThresholdPanel(bench), 420, 420)
    assert isinstance(shown, ThresholdPanel)
    return shown


def sweep_of(bench: Workbench) -> ThresholdSweep:
    assert bench.state.loaded is not None
    sweep = bench.state.loaded.sweep(Side.PROBE, 0)
    assert sweep is not None
    return sweep


def told_at(chart: Chart, threshold: int) -> str:
    """What the chart tells where the mouse rests over a threshold."""
    point = QPoint(chart.point_of(threshold, 0).toPoint().x(), chart.height() // 2)
    event = QHelpEvent(QEvent.Type.ToolTip, point, chart.mapToGlobal(point))
    QApplication.sendEvent(chart, event)
    told = QToolTip.text()
    QToolTip.hideText()
    return told


def test_the_curves_tell_the_scores_under_the_mouse(
    bench: Workbench, panel: ThresholdPanel
) -> None:
    sweep = sweep_of(bench)

    told = told_at(panel.plot.curves, 64)

    scores = f"MCC {sweep.mcc[255 - 64]:.4f}, NMM {sweep.nmm[255 - 64]:.4f}"
    assert told.startswith(f"Threshold 64: {scores}\n")


def test_a_second_system_tells_its_scores_as_well(
    bench: Workbench, panel: ThresholdPanel, tmp_path: Path
) -> None:
    made = a_dataset(tmp_path / "o").with_trial("p1", manipulated=box(8, 8, 40, 40))
    put_submission(bench, made.with_answer("p1", exact()).write().submission)

    assert ", Second MCC " in told_at(panel.plot.curves, 64)


def test_the_histogram_tells_the_pixels_under_the_mouse(
    bench: Workbench, panel: ThresholdPanel
) -> None:
    table = sweep_of(bench).counts.table
    inside, outside = table[Region.MANIPULATED, 255], table[Region.BACKGROUND, 255]

    told = told_at(panel.plot.histogram, 0)

    assert told.startswith(
        f"Grey level 0: {inside} scored pixels inside the reference, {outside} outside\n"
    )
    assert inside > 0


def test_nothing_to_hit_has_no_curve_of_hits(bench: Workbench, panel: ThresholdPanel) -> None:
    assert [series.name for series in panel.plot.curves.series] == ["NMM", "MCC"]

    bench.set_kernels(Kernels(erode_px=41))

    assert [series.name for series in panel.plot.curves.series] == ["MCC"]


def test_without_a_scored_pixel_there_is_a_reason_and_no_curve(
    bench: Workbench, panel: ThresholdPanel
) -> None:
    bench.set_kernels(Kernels(erode_px=99, dilate_px=99))

    assert not panel.plot.isVisible()
    assert "every pixel is in a no-score zone" in panel.hint.text()


def test_the_number_says_on_which_side_pixels_are_called(panel: ThresholdPanel) -> None:
    assert panel.main.number.text() == f"≤ {panel.main.number.value()}"


def test_the_bars_get_a_fair_part_of_the_height(panel: ThresholdPanel) -> None:
    bars, curves = (c.plot_area() for c in (panel.plot.histogram, panel.plot.curves))

    assert bars.height() > 0.6 * curves.height()


def test_labels_hide_no_curve_and_no_other_label(show: Callable[..., QWidget]) -> None:
    chart = show(Chart(), 300, 150)
    assert isinstance(chart, Chart)
    red, x = QColor("red"), np.linspace(0, 1, 50)
    chart.show_series(Axis(0, 1), Axis(0, 1), [Series("", x, x * 0 + 1, red)])

    def reds(*labels: str) -> int:
        chart.show_marks(
            [ChartMark(0.4 + 0.1 * i, QColor("white"), label) for i, label in enumerate(labels)]
        )
        return _pixels(chart).count(red.rgb())

    assert reds("", "") == reds("maximum", "optimum") > 100
    one, other = chart._labels.values()
    assert not one.intersects(other)


def _pixels(chart: Chart) -> list[int]:
    image = chart.grab().toImage()
    return [image.pixel(x, y) for x in range(image.width()) for y in range(image.height())]
