"""Stories through the real window: what is dragged and ticked there is what the CLI computes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import RecentPlaces
from forensicviewer.app.settings import Settings
from forensicviewer.app.workbench.state import Snap
from forensicviewer.cli import main
from forensicviewer.ui.panes.page import StillsPage
from forensicviewer.ui.score.metrics import MetricsPanel
from forensicviewer.ui.score.operations import OperationsPanel
from forensicviewer.ui.score.threshold import ThresholdPanel
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.watch import Watch
from tests.build import Built, a_dataset, blurred, box

pytestmark = pytest.mark.ui
TWO = {"PasteSplice": box(4, 4, 34, 34), "Heal": box(44, 10, 60, 40)}
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_trial("p2", manipulated=TWO)
    return made.with_answer("p1", blurred(8)).with_answer("p2", blurred(2)).write()


@pytest.fixture
def window(built: Built, tmp_path: Path, qtbot: QtBot) -> Iterator[MainWindow]:
    settings = Settings(tmp_path / "settings.json")
    desk = Desk(inline_jobs(), settings, recent=RecentPlaces(tmp_path / "recent.json"))
    made = MainWindow(desk, Watch())
    qtbot.addWidget(made, before_close_func=lambda widget: widget.let_go())
    made.resize(1500, 950)
    with qtbot.waitExposed(made):
        made.show()
    desk.open(OpenRequest(built.root, (built.submission,)))
    yield made
    desk.jobs.close()


def cli_row(built: Built, out: Path, *options: str) -> dict[str, str]:
    """The per-image row of p1 as the command line writes it."""
    arguments = ["score", "mask", str(built.root), str(built.submission), "--out", str(out)]
    assert main([*arguments, "--quiet", *options]) in (0, 1)
    (path,) = out.rglob("*perimage.csv")
    rows = csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="|")
    return next(row for row in rows if row["ProbeFileID"] == "p1")


def metric(window: MainWindow, name: str) -> float:
    panel = window.docks.panel("metrics")
    assert isinstance(panel, MetricsPanel)
    return float(panel.value(name))


def test_a_dragged_threshold_reads_the_mcc_of_the_command_line(
    window: MainWindow, built: Built, tmp_path: Path
) -> None:
    panel = window.docks.panel("score")
    assert isinstance(panel, ThresholdPanel)
    curves = panel.plot.curves
    start, end = curves.point_of(20, 0).toPoint(), curves.point_of(97, 0).toPoint()

    QTest.mousePress(curves, LEFT, pos=start)
    QTest.mouseMove(curves, (start + end) / 2)
    QTest.mouseMove(curves, end)
    QTest.mouseRelease(curves, LEFT, pos=end)

    threshold = panel.main.number.value()
    assert 90 < threshold < 104
    row = cli_row(built, tmp_path / "out", "--threshold", str(threshold))
    assert metric(window, "MCC") == pytest.approx(float(row["ActualMCC"]), rel=1e-12)
    assert metric(window, "NMM") == pytest.approx(float(row["ActualNMM"]), rel=1e-12)
    assert metric(window, "PixelTP") == int(row["ActualPixelTP"])


def test_an_unticked_operation_reads_what_its_query_computes(
    window: MainWindow, built: Built, tmp_path: Path
) -> None:
    window.docks.show("operations")
    panel = window.docks.panel("operations")
    assert isinstance(panel, OperationsPanel)
    area = panel.tree.visualItemRect(panel.tree.rows()[0])

    QTest.mouseClick(panel.tree.viewport(), LEFT, pos=QPoint(area.left() + 14, area.center().y()))

    query = panel.query.text()
    assert query == "Operation==['Heal']"
    row = cli_row(built, tmp_path / "out", "--query-manipulation", query)
    assert window.desk.workbench.state.thresholds.snap is Snap.OPTIMUM
    assert metric(window, "MCC") == pytest.approx(float(row["OptimumMCC"]), rel=1e-12)
    assert metric(window, "PixelSNS") == int(row["PixelSNS"])


def test_keys_step_trials_and_thresholds(window: MainWindow, qtbot: QtBot) -> None:
    bench = window.desk.workbench
    page = window.page
    assert isinstance(page, StillsPage)
    canvas = page.panes.active_canvas
    window.activateWindow()
    canvas.setFocus()
    qtbot.waitUntil(canvas.hasFocus)
    before = bench.state.shown_threshold(bench.state.thresholds.main)

    QTest.keyClick(canvas, Qt.Key.Key_BracketRight)
    assert bench.state.shown_threshold(bench.state.thresholds.main) == before + 1
    QTest.keyClick(canvas, Qt.Key.Key_BraceLeft)
    assert bench.state.shown_threshold(bench.state.thresholds.main) == before - 9
    QTest.keyClick(canvas, Qt.Key.Key_N)

    assert bench.state.trial_id == "p2"
    qtbot.waitUntil(lambda: window.commands.is_available("edit.undo"))
    QTest.keyClick(canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert bench.state.shown_threshold(bench.state.thresholds.main) != before - 9


def test_ctrl_alt_l_unlinks_the_panes(window: MainWindow, qtbot: QtBot) -> None:
    page = window.page
    assert isinstance(page, StillsPage)
    canvas = page.panes.active_canvas
    window.activateWindow()
    canvas.setFocus()
    qtbot.waitUntil(canvas.hasFocus)
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier

    QTest.keyClick(canvas, Qt.Key.Key_L, both)

    assert not window.desk.workbench.state.is_linked
