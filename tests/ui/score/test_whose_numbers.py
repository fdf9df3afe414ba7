"""With two sides or two systems, panels say whose numbers they show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.workbench.legend_counts import Counted, legend_counts
from forensicviewer.app.workbench.snapping import threshold_on
from forensicviewer.app.workbench.state import TWO_SYSTEM_PANES, Layer, Pane
from forensicviewer.core.model import Side
from forensicviewer.core.palette import Outcome
from forensicviewer.ui.panes.export import svg_of
from forensicviewer.ui.panes.page import StillsPage
from forensicviewer.ui.score.legend import LegendPanel
from forensicviewer.ui.score.threshold import ThresholdPanel
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, a_dataset, blurred, box, nothing

pytestmark = pytest.mark.ui
LEFT = Qt.MouseButton.LeftButton


def spliced(folder: Path) -> Built:
    made = a_dataset(folder).with_trial("p1", donor="d1", manipulated=box(10, 10, 40, 40))
    return made.with_answer("p1+d1", blurred()).write()


def click_pane(window: MainWindow, position: int) -> None:
    assert isinstance(window.page, StillsPage)
    QTest.mouseClick(window.page.panes.canvases[position], LEFT)


def test_thresholds_of_the_donor_are_said_to_be_so(window: MainWindow, tmp_path: Path) -> None:
    built = spliced(tmp_path)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    panel = window.docks.panel("score")
    assert isinstance(panel, ThresholdPanel)
    assert panel.side.isHidden()

    click_pane(window, 5)
    assert not panel.side.isHidden()
    assert panel.side.text() == "Donor side"

    click_pane(window, 0)
    assert panel.side.isHidden()


def two_systems(window: MainWindow, folder: Path) -> tuple[str, str]:
    """Open a system that finds everything beside one that finds nothing; returns their names."""
    built = a_dataset(folder).with_trial("p1", manipulated=box(10, 10, 40, 40))
    first = built.with_answer("p1", blurred()).write()
    built = a_dataset(folder / "b").nist("NC2016").with_trial("p1", manipulated=box(1, 1, 9, 9))
    second = built.with_answer("p1", nothing()).write()
    window.desk.open(OpenRequest(first.root, (first.submission, second.submission)))
    window.desk.workbench.set_panes(TWO_SYSTEM_PANES)
    return first.submission.name, second.submission.name


def legend_of(window: MainWindow) -> LegendPanel:
    panel = window.docks.panel("legend")
    assert isinstance(panel, LegendPanel)
    return panel


def test_the_legend_counts_the_system_of_the_active_pane_and_names_it(
    window: MainWindow, tmp_path: Path
) -> None:
    first, second = two_systems(window, tmp_path)
    legend = legend_of(window)
    assert legend.whose.text() == first
    hits = legend.lines[Outcome.HIT].count.text()
    assert not hits.startswith("0 ")

    click_pane(window, 5)

    assert legend.whose.text() == second
    assert legend.lines[Outcome.HIT].count.text() != hits
    click_pane(window, 0)
    assert legend.whose.text() == first
    assert legend.lines[Outcome.HIT].count.text() == hits


def test_the_legend_names_the_side_it_counts(window: MainWindow, tmp_path: Path) -> None:
    built = spliced(tmp_path)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    legend = legend_of(window)
    assert legend.whose.text() == "Probe side"

    click_pane(window, 5)

    assert legend.whose.text() == "Donor side"


def test_one_system_on_one_side_needs_no_name(window: MainWindow, tmp_path: Path) -> None:
    made = a_dataset(tmp_path).with_trial("p1", manipulated=box(10, 10, 40, 40))
    built = made.with_answer("p1", blurred()).write()
    window.desk.open(OpenRequest(built.root, (built.submission,)))

    assert legend_of(window).whose.isHidden()


def test_an_exported_legend_says_whose_pixels_it_counts(window: MainWindow, tmp_path: Path) -> None:
    first, second = two_systems(window, tmp_path)
    bench = window.desk.workbench
    bench.set_threshold(bench.state.shown_threshold(100))
    bench.set_threshold(bench.state.shown_threshold(20), system=1)

    both = svg_of(bench.state, QSize(900, 700)).decode()
    bench.set_panes([Pane(Layer.COMPARISON, system=1)])
    one = svg_of(bench.state, QSize(900, 700)).decode()

    said = [f"{name} · threshold {shown} · MCC" for name, shown in ((first, 100), (second, 20))]
    assert [both.count(f">{words}") for words in said] == [1, 1]
    assert both.count("TP hit") == 2
    assert [one.count(f">{words}") for words in said] == [0, 1]


def test_each_side_is_shown_at_its_own_optimum(window: MainWindow, tmp_path: Path) -> None:
    built = spliced(tmp_path)
    (table,) = built.submission.glob("*.csv")
    (mask,) = (built.submission / "mask").glob("*.png")
    levels = np.asarray(Image.open(mask))
    Image.fromarray(255 - (255 - levels) // 2).save(mask.with_name("paler.png"))
    told = table.read_text().rpartition(mask.name)
    table.write_text(f"{told[0]}paler.png{told[2]}")
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    bench = window.desk.workbench
    probe, donor = Counted(Side.PROBE, 0), Counted(Side.DONOR, 0)

    def optimum(side: Side) -> int:
        assert bench.state.loaded is not None
        sweep = bench.state.loaded.sweep(side, 0)
        assert sweep is not None
        assert sweep.optimum is not None
        return sweep.optimum

    def shown() -> tuple[int, int]:
        state = bench.state
        return threshold_on(state, Side.PROBE), threshold_on(state, Side.DONOR)

    both = (optimum(Side.PROBE), optimum(Side.DONOR))
    assert both[0] != both[1]
    assert shown() == both
    before = legend_counts(bench.state, donor)
    exported = svg_of(bench.state, QSize(900, 700)).decode()
    assert f"threshold {bench.state.shown_threshold(both[1])}" in exported
    click_pane(window, 5)
    assert shown() == both
    assert legend_counts(bench.state, donor) == before

    bench.set_threshold(both[0] + 1)

    assert shown() == (both[0] + 1, both[0] + 1)
    assert legend_counts(bench.state, donor) != before
    assert legend_counts(bench.state, probe)
