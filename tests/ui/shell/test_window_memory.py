"""Where the window and its panels stood is remembered, each desk's by itself."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.folders import config_folder
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.app.workbench.state import (
    EXAMPLE,
    FOUR_PANES,
    PROBE_ALONE,
    TWO_SYSTEM_PANES,
    Layer,
)
from forensicviewer.core.model import Side
from forensicviewer.ui.shell.docks import LAYOUTS
from forensicviewer.ui.shell.window import MainWindow
from tests.bench_build import SPLICE_PANES
from tests.build import a_dataset, box, exact, two_answered_trials

pytestmark = pytest.mark.ui


def test_where_panels_stood_is_kept_beside_the_settings(qtbot: QtBot, tmp_path: Path) -> None:
    """Drawing without a display has settings of its own, and must not meet the user's window."""
    window = MainWindow(Desk(inline_jobs(), Settings(tmp_path / "settings.json")))
    qtbot.addWidget(window)
    window.show()

    window.close()

    assert (tmp_path / "window.json").exists()
    assert not (config_folder() / "window.json").exists()


def test_many_panes_do_not_squeeze_the_panels(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    built = two_answered_trials(tmp_path)
    window.resize(1440, 900)
    window.desk.workbench.set_panes([*FOUR_PANES, *FOUR_PANES[:2]])

    window.desk.open(OpenRequest(built.root, (built.submission,)))

    wanted = LAYOUTS["inspect"]
    qtbot.waitUntil(lambda: window.docks.docks["score"].width() == wanted.right_px)
    assert window.docks.docks["trials"].width() == wanted.left_px


def test_the_layout_follows_what_is_open_until_one_is_chosen(
    window: MainWindow, tmp_path: Path
) -> None:
    built = two_answered_trials(tmp_path)
    bench = window.desk.workbench

    window.desk.open(OpenRequest(built.root))
    assert bench.undo_label is None
    alone = window.desk.layout, bench.state.arrangement.panes
    window.desk.open_submissions([built.submission])
    answered = window.desk.layout, bench.state.arrangement.panes
    window.desk.open_submissions([built.copied_submission(tmp_path / "second")])
    both = bench.state.arrangement.panes
    window.choose_layout("annotate")
    window.desk.close_submission()
    window.desk.close_submission()
    window.desk.open_submissions([built.submission])

    assert alone == ("annotate", LAYOUTS["annotate"].panes)
    assert answered == ("inspect", FOUR_PANES)
    assert both == TWO_SYSTEM_PANES
    assert window.desk.layout == "annotate"
    assert bench.undo_label is not None


def test_a_splice_shows_its_donor_with_and_without_answers(
    window: MainWindow, tmp_path: Path
) -> None:
    made = a_dataset(tmp_path).with_trial("p1", donor="d1", manipulated=box(10, 10, 40, 40))
    built = made.with_answer("p1+d1", exact()).write()
    bench = window.desk.workbench

    window.desk.open(OpenRequest(built.root))
    alone = [(pane.layer, pane.side) for pane in bench.state.arrangement.panes]
    window.desk.open_submissions([built.submission])

    both = (Layer.PICTURE, Layer.REFERENCE)
    assert alone == [(layer, side) for side in (Side.PROBE, Side.DONOR) for layer in both]
    assert bench.state.arrangement.panes == SPLICE_PANES


def test_cameras_show_the_masks_they_are_scored_by(window: MainWindow, sample_folder: Path) -> None:
    answers = sample_folder / "submissions" / "p-good_1_MFC2018-camera"

    window.desk.open(OpenRequest(sample_folder / "MFC2018_Sample", (answers,)))

    # Beside them an image known to be of the camera.
    assert window.desk.workbench.state.arrangement.panes == (*FOUR_PANES, EXAMPLE)
    assert "MCC" in window.docks.browser.columns.shown


def test_an_event_shows_its_probe_without_masks_which_come_back_with_their_task(
    window: MainWindow, sample_folder: Path
) -> None:
    answers = sample_folder / "submissions" / "p-good_1_MFC2018-event"
    bench, docks = window.desk.workbench, window.docks.docks

    window.desk.open(OpenRequest(sample_folder / "MFC2018_Sample", (answers,)))
    of_event = bench.state.arrangement.panes
    is_front = not docks["detection"].visibleRegion().isEmpty()
    window.desk.choose_task("manipulation")

    assert of_event == (*PROBE_ALONE, EXAMPLE)
    assert is_front
    assert bench.state.arrangement.panes == LAYOUTS["annotate"].panes


def test_panels_that_come_forward_leave_the_notice_on_top(
    window: MainWindow, sample_folder: Path
) -> None:
    answers = sample_folder / "submissions" / "p-good_1_MFC2018-image"
    window.desk.open(OpenRequest(sample_folder / "MFC2018_Sample", (answers,)))
    window.notice.tell("Told")
    dataset = window.desk.workbench.state.dataset
    assert dataset is not None

    window._fit_panels(next(task for task in dataset.tasks if not task.kind.has_masks))

    layers = window.children()
    assert not window.docks.docks["detection"].visibleRegion().isEmpty()
    assert layers.index(window.notice) > layers.index(window.stack)
