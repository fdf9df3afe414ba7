"""Thresholds only the user, or the submission's table, can tell: asked once, then snapped to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.session_file import read_session
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.snapping import snapped
from forensicviewer.app.workbench.state import Snap
from forensicviewer.core.model import Side
from forensicviewer.ui.score.threshold import ThresholdPanel
from forensicviewer.ui.shell.window import MainWindow
from tests.bench_build import put_submission
from tests.build import Built, a_dataset, blurred, box, two_answered_trials
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def with_column(built: Built, title: str, cell: str) -> None:
    """Give every row of the submission's table one more cell."""
    table = next(Path(built.submission).glob("*.csv"))
    head, *rows = table.read_text(encoding="utf-8").splitlines()
    table.write_text(
        "\n".join([f"{head}|{title}", *(f"{row}|{cell}" for row in rows)]) + "\n", encoding="utf-8"
    )


def answer(qtbot: QtBot, parent: QWidget, number: int) -> None:
    """Type a number into the question that has appeared and press Enter."""
    dialog = parent.findChild(QInputDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    box = dialog.findChild(QSpinBox)
    assert box is not None
    box.selectAll()
    QTest.keyClicks(box, str(number))
    QTest.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: parent.findChild(QInputDialog) is None)


@pytest.mark.parametrize("snap", [Snap.ACTUAL, Snap.SUBMISSION])
def test_a_threshold_nobody_told_is_asked_for_and_then_followed(
    bench: Workbench, built: Built, show: Callable[..., QWidget], qtbot: QtBot, snap: Snap
) -> None:
    open_trial(bench, built)
    panel = ThresholdPanel(bench)
    show(panel, 420, 500)
    button = panel.main.snaps[snap]
    assert "click to set it" in button.toolTip()

    QTest.mouseClick(button, LEFT)
    answer(qtbot, panel.main, 77)

    assert bench.state.shown_threshold(bench.state.thresholds.main) == 77
    assert bench.state.thresholds.snap is snap
    assert button.isChecked()
    assert ": 77" in button.toolTip()
    bench.set_threshold(3)
    QTest.mouseClick(button, LEFT)
    assert bench.state.shown_threshold(bench.state.thresholds.main) == 77


@pytest.mark.parametrize(("cell", "shown"), [("90", 90), ("0.5", 128), ("5e-1", 128), ("-1", -1)])
def test_a_column_of_the_submission_tells_its_threshold(
    bench: Workbench, built: Built, cell: str, shown: int
) -> None:
    with_column(built, "ProbeMaskThreshold", cell)
    open_trial(bench, built)

    bench.snap_threshold(Snap.SUBMISSION)

    assert bench.state.shown_threshold(bench.state.thresholds.main) == shown


def test_a_donor_has_the_threshold_of_its_own_column(bench: Workbench, tmp_path: Path) -> None:
    made = a_dataset(tmp_path).with_trial("p1", donor="d1", manipulated=box(8, 8, 40, 40))
    built = made.with_answer("p1+d1", blurred()).write()
    with_column(built, "DonorThreshold", "70")
    with_column(built, "ProbeThreshold", "90")
    open_trial(bench, built)

    found = [snapped(bench.state, Snap.SUBMISSION, system=0, side=side) for side in Side]

    assert found == [255 - 90, 255 - 70]


@pytest.mark.parametrize("cell", ["", "high", "4000", "nan"])
def test_a_column_without_a_usable_number_tells_nothing(
    bench: Workbench, built: Built, cell: str
) -> None:
    with_column(built, "Threshold", cell)
    open_trial(bench, built)

    assert snapped(bench.state, Snap.SUBMISSION, system=0) is None


def test_the_maximum_of_one_submission_is_not_taken_for_anothers(
    bench: Workbench, built: Built, tmp_path: Path
) -> None:
    open_trial(bench, built)
    bench.set_maximum(90)
    second = two_answered_trials(tmp_path / "other")
    renamed = Path(second.submission).rename(tmp_path / "second_1")
    next(renamed.glob("*.csv")).rename(renamed / "second_1.csv")
    put_submission(bench, renamed)

    assert Snap.MAXIMUM not in bench.snaps(system=0)
    assert bench.snaps(system=1)[Snap.MAXIMUM] == 90


def test_told_thresholds_are_kept_with_the_session(
    window: MainWindow, built: Built, tmp_path: Path
) -> None:
    desk = window.desk
    desk.open(OpenRequest(built.root, (built.submission,)))
    desk.workbench.set_actual(60)
    desk.workbench.set_own_threshold(70)
    desk.save_session(tmp_path / "s.fvsession")

    session, problems = read_session(tmp_path / "s.fvsession")

    assert not problems
    assert session is not None
    assert session.view is not None
    assert session.view.thresholds.actual == 60
    assert [entry.threshold for entry in session.view.thresholds.own] == [70]


def test_the_command_asks_as_well(window: MainWindow, built: Built, qtbot: QtBot) -> None:
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()

    window.commands.run("threshold.set_actual")
    assert window.page is not None
    answer(qtbot, window.page, 42)

    state = window.desk.workbench.state
    assert state.shown_threshold(state.thresholds.main) == 42
    assert QApplication.activeModalWidget() is None


def test_the_second_systems_maximum_is_snapped_to_as_the_firsts(
    window: MainWindow, built: Built, tmp_path: Path
) -> None:
    second = two_answered_trials(tmp_path / "other")
    window.desk.open(OpenRequest(built.root, (built.submission, second.submission)))
    panel = window.docks.panel("score")
    assert isinstance(panel, ThresholdPanel)
    button = panel.rival.snaps[Snap.MAXIMUM]

    assert button.isEnabled()
    QTest.mouseClick(button, LEFT)

    bench = window.desk.workbench
    assert bench.state.thresholds.rival_snap is Snap.MAXIMUM
    assert bench.state.thresholds.rival == bench.snaps(system=1)[Snap.MAXIMUM]
    assert button.isChecked()
