"""The colours of a system mask are explained by a scale from 0 to 255 with the threshold on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import CompareMode, Layer, Pane, SystemStyle
from forensicviewer.core.model import Edition
from forensicviewer.ui.panes.export import LIGHT_SHEET, picture_of, svg_of
from forensicviewer.ui.panes.inspector import InspectorStrip
from forensicviewer.ui.panes.score_scale import ScaleBar, ScoreScale, scale_of
from forensicviewer.ui.score.legend import LegendPanel
from forensicviewer.ui.shell.window import MainWindow
from tests.bench_build import put_submission
from tests.build import Built, two_answered_trials
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui
Show = Callable[..., QWidget]
ACCENT = QColor("#1d5fd1")


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


@pytest.fixture
def trial(bench: Workbench, built: Built) -> Workbench:
    open_trial(bench, built)
    return bench


@pytest.fixture
def bar(trial: Workbench, show: Show) -> ScaleBar:
    panel = show(LegendPanel(trial), 360, 480)
    assert isinstance(panel, LegendPanel)
    return panel.look.scale


def scale(bench: Workbench) -> ScoreScale:
    found = scale_of(bench.state)
    assert found is not None
    return found


def ends(found: ScoreScale) -> list[str]:
    return [found.colors.pixelColor(x, 0).name() for x in (0, 255)]


def columns_with(image: QImage, color: QColor) -> list[int]:
    """Where a colour stands in the topmost row that has it."""
    for y in range(image.height()):
        found = [x for x in range(image.width()) if image.pixelColor(x, y) == color]
        if found:
            return found
    return []


@pytest.mark.parametrize(
    ("style", "colors"),
    [
        (SystemStyle.GREY, ["#000000", "#ffffff"]),
        # The hottest colour is that of 0, which NIST's files say of what is surely manipulated.
        (SystemStyle.HEAT, ["#fcffa4", "#000004"]),
    ],
)
def test_the_scale_has_the_colours_of_the_panes(
    trial: Workbench, style: SystemStyle, colors: list[str]
) -> None:
    trial.set_look("system mask", system=style)

    assert ends(scale(trial)) == colors


def test_the_threshold_moves_on_the_scale(trial: Workbench, bar: ScaleBar) -> None:
    trial.set_threshold(trial.state.shown_threshold(63))

    assert bar.isVisible()
    assert bar.scale is not None
    assert [(mark.shown, mark.place) for mark in bar.scale.marks] == [(63, 0.25)]
    assert "up to 63 are called manipulated" in bar.toolTip()
    accent = bar.palette().highlight().color()
    near = columns_with(bar.grab().toImage(), accent)
    assert near
    assert all(abs(x / bar.width() - 0.25) < 0.02 for x in near)


def test_a_threshold_that_calls_nothing_is_said_in_words(trial: Workbench) -> None:
    trial.set_threshold(trial.state.shown_threshold(-1))

    assert scale(trial).describe() == "no grey level is called manipulated"


def test_where_white_is_manipulated_the_scale_counts_so(trial: Workbench) -> None:
    trial.set_threshold(192)
    task = trial.state.task
    assert task is not None
    plain = replace(trial.state, task=replace(task, edition=Edition.UNKNOWN, reference=None))

    found = scale_of(plain)

    assert found is not None
    assert ends(found) == ["#000000", "#ffffff"]
    assert [(mark.shown, mark.place) for mark in found.marks] == [(192, 0.75)]
    assert found.describe() == "grey levels from 192 are called manipulated"


def test_there_is_a_scale_only_while_a_system_mask_is_seen(trial: Workbench, bar: ScaleBar) -> None:
    trial.set_look("system mask", system=SystemStyle.THRESHOLDED)
    assert not bar.isVisible()
    trial.set_look("system mask", system=SystemStyle.HEAT)
    assert bar.isVisible()

    trial.set_panes([Pane(Layer.PICTURE), Pane(Layer.SYSTEM)])
    trial.maximise_pane(0)
    assert not bar.isVisible()

    trial.set_compare(mode=CompareMode.SWIPE)
    assert bar.isVisible()


def test_the_second_system_has_its_own_mark(trial: Workbench, tmp_path: Path) -> None:
    put_submission(trial, two_answered_trials(tmp_path / "second").submission)
    trial.set_panes([Pane(Layer.SYSTEM), Pane(Layer.SYSTEM, system=1)])
    trial.set_threshold(trial.state.shown_threshold(10))
    trial.set_threshold(trial.state.shown_threshold(20), system=1)

    found = scale(trial)

    assert [(mark.system, mark.shown) for mark in found.marks] == [(0, 10), (1, 20)]
    assert found.describe().endswith("up to 10 are called manipulated, of the second system 20")


def test_the_line_below_the_panes_shows_the_scale_until_a_pixel_is_pointed_at(
    trial: Workbench, show: Show
) -> None:
    trial.set_look("system mask", system=SystemStyle.HEAT)
    strip = show(InspectorStrip(trial), 1200, 40)
    assert isinstance(strip, InspectorStrip)

    assert strip.key.scale is not None
    assert "called manipulated" in strip.key.accessibleName()
    assert columns_with(strip.key.grab().toImage(), strip.palette().highlight().color())

    trial.set_cursor((3, 3))
    assert strip.key.scale is None


def test_an_exported_picture_explains_its_system_mask(trial: Workbench) -> None:
    trial.set_panes([Pane(Layer.SYSTEM)])
    trial.set_look("system mask", system=SystemStyle.HEAT)

    image = picture_of(trial.state, QSize(800, 500), sheet=LIGHT_SHEET)

    legend = image.copy(0, 420, 800, 80)
    assert columns_with(legend, ACCENT)
    assert "system mask: grey levels up to" in svg_of(trial.state, QSize(800, 500)).decode()
    trial.set_panes([Pane(Layer.COMPARISON)])
    assert "system mask" not in svg_of(trial.state, QSize(800, 500)).decode()


def test_the_windows_legend_shows_the_scale(opened: MainWindow) -> None:
    panel = opened.docks.panel("legend")
    assert isinstance(panel, LegendPanel)

    opened.commands.run("view.system_heat")

    assert panel.look.scale.scale is not None
    assert ends(panel.look.scale.scale)[1] == "#000004"
