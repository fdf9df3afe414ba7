"""What the window says about trials and files is so: unanswered, strange, changed, unmeasured."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import SCORE_IN_BACKGROUND
from forensicviewer.app.workbench.state import Snap
from forensicviewer.core.model import TaskKind, TrialId
from forensicviewer.ui.score.metrics import MetricsPanel
from forensicviewer.ui.score.threshold import ThresholdPanel
from forensicviewer.ui.shell.problems import ProblemsPanel
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.plain_text import PlainMessageBox
from tests.build import SMALL, Built, a_dataset, blurred, box, two_answered_trials, write_png
from tests.video_build import a_video_dataset

pytestmark = pytest.mark.ui
LEFT = Qt.MouseButton.LeftButton


def cells(window: MainWindow, name: str) -> list[str]:
    """A column of the trial list as it is read on the screen."""
    model = window.docks.browser.model
    return [model.text(row, model.names.index(name)) for row in range(model.rowCount())]


def press_button_of_notice(window: MainWindow, text: str) -> None:
    (button,) = [one for one in window.notice.findChildren(QPushButton) if one.text() == text]
    QTest.mouseClick(button, LEFT)


def test_an_unanswered_trial_is_said_to_be_so_and_has_no_score(
    window: MainWindow, tmp_path: Path
) -> None:
    made = a_dataset(tmp_path).with_trial("p1", manipulated=box(4, 4, 30, 30))
    made.with_trial("p2", manipulated=box(4, 4, 20, 20)).with_trial("p3")
    built = made.with_answer("p1", blurred()).write()

    window.desk.open(OpenRequest(built.root, (built.submission,)))

    assert cells(window, "MCC") == ["1.000", "–", "–"]  # noqa: RUF001 - a dash
    assert cells(window, "Status") == ["answered", "not answered", "not answered"]
    assert window.status.problems.text() == "2 warnings"
    panel = window.docks.panel("problems")
    assert isinstance(panel, ProblemsPanel)
    item = panel.tree.topLevelItem(0)
    assert item is not None
    assert item.text(0).startswith("p2 and 1 more not answered")
    panel.tree.itemActivated.emit(item, 0)
    assert window.desk.workbench.state.trial_id == "p2"


def test_the_next_worst_trial_is_one_that_was_answered(window: MainWindow, tmp_path: Path) -> None:
    made = a_dataset(tmp_path)
    for name in ("p1", "p2", "p3"):
        made.with_trial(name, manipulated=box(4, 4, 30, 30))
    made.with_answer("p1", blurred())
    built = made.with_answer("p3", lambda area: area.astype("uint8")[::-1] * 255).write()
    window.desk.open(OpenRequest(built.root, (built.submission,)))

    visited = []
    for _ in range(3):
        window.desk.trials.next_worst()
        visited.append(str(window.desk.workbench.state.trial_id))

    assert visited == ["p3", "p1", "p3"]


def test_a_submission_of_another_dataset_is_opened_only_when_the_user_says_so(
    window: MainWindow, tmp_path: Path
) -> None:
    built = a_dataset(tmp_path / "a").with_trial("p1", manipulated=box(4, 4, 30, 30))
    here = built.with_answer("p1", blurred()).write()
    built = a_dataset(tmp_path / "b").nist("NC2016").with_trial("q1", manipulated=box(1, 1, 9, 9))
    there = built.with_answer("q1", blurred()).write()
    window.desk.open(OpenRequest(here.root, (here.submission,)))
    bench = window.desk.workbench

    window.desk.open_submissions([there.submission])

    assert [one.name for one in bench.state.submissions] == [here.submission.name]
    assert "None of its answers belongs to a trial of this dataset" in window.notice.text
    assert window.status.problems.text() == "1 error"
    press_button_of_notice(window, "Open it anyway")
    assert bench.state.submission is not None
    assert bench.state.submission.name == there.submission.name


def test_submissions_to_images_and_to_videos_are_not_compared(
    window: MainWindow, tmp_path: Path
) -> None:
    made = a_dataset(tmp_path).nist("MFC2019").with_trial("p1", manipulated=box(4, 4, 30, 30))
    images = made.with_answer("p1", blurred()).write()
    videos = a_video_dataset(tmp_path / "videos")
    shutil.copytree(videos.root, images.root, dirs_exist_ok=True)

    window.desk.open(OpenRequest(images.root, (images.submission, videos.submission)))

    state = window.desk.workbench.state
    assert state.rival is None
    assert [one.name for one in state.submissions] == [images.submission.name]
    assert state.dataset is not None
    (video,) = [task for task in state.dataset.tasks if task.kind is TaskKind.VIDEO]
    window.desk.choose_task(video.name)
    state = window.desk.workbench.state
    assert [one.name for one in state.submissions] == [videos.submission.name]


def test_a_trial_that_is_not_manipulated_has_a_threshold_of_its_own(
    window: MainWindow, tmp_path: Path
) -> None:
    made = a_dataset(tmp_path).with_trial("clean")
    made.with_trial("p1", manipulated=box(4, 4, 30, 30))
    made.with_trial("p2", manipulated=box(4, 4, 20, 20))
    made.with_answer("clean", lambda _area: np.tile(np.arange(64, dtype=np.uint8) * 4, (48, 1)))
    built = made.with_answer("p1", blurred()).with_answer("p2", blurred(8)).write()
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    bench = window.desk.workbench
    panel = window.docks.panel("score")
    assert isinstance(panel, ThresholdPanel)
    said = set()

    for before in ("p1", "p2"):
        bench.select_trial(TrialId(before))
        bench.select_trial(TrialId("clean"))
        said.add(window.status.threshold.text())

    shown = bench.state.shown_threshold(bench.snaps()[Snap.MAXIMUM])
    assert said == {f"Threshold {shown} (maximum)"}
    assert panel.main.number.value() == shown
    assert panel.main.snaps[Snap.MAXIMUM].isChecked()
    called = 48 * sum(4 * level >= bench.state.thresholds.main for level in range(64))
    assert panel.plot.isVisible()
    assert panel.plot.histogram.isVisible()
    assert f"False alarms at this threshold: {called} px" in panel.hint.text()
    bench.select_trial(TrialId("p1"))
    assert window.status.threshold.text().endswith("(optimum)")


def test_without_a_maximum_a_clean_trial_is_shown_at_the_actual_threshold(
    window: MainWindow, tmp_path: Path
) -> None:
    window.desk.settings.change(SCORE_IN_BACKGROUND, value=False)
    made = a_dataset(tmp_path).with_trial("p1", manipulated=box(4, 4, 30, 30)).with_trial("clean")
    built = made.with_answer("p1", blurred()).with_answer("clean", blurred()).write()
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    bench = window.desk.workbench

    bench.select_trial(TrialId("clean"))
    assert bench.state.thresholds.main == 128
    bench.set_actual(77)

    assert bench.state.thresholds.main == 77
    assert window.status.threshold.text().endswith("(actual)")


def find_less(built: Built, trial: str) -> None:
    """Write another mask over one of the submission."""
    area = box(10, 10, 15, 15)(SMALL)
    write_png(built.submission / "mask" / f"{trial}.png", np.where(area, 0, 255).astype(np.uint8))


def shown_mcc(window: MainWindow) -> str:
    panel = window.docks.panel("metrics")
    assert isinstance(panel, MetricsPanel)
    return f"{float(panel.value('MCC')):.3f}"


def test_a_mask_changed_on_disk_is_read_again_and_list_and_panel_agree(
    window: MainWindow, tmp_path: Path
) -> None:
    built = two_answered_trials(tmp_path)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    bench = window.desk.workbench
    assert cells(window, "MCC") == ["1.000", "1.000"]
    find_less(built, "p1")

    bench.select_trial(TrialId("p2"))
    bench.select_trial(TrialId("p1"))

    assert shown_mcc(window) == cells(window, "MCC")[0] != "1.000"
    find_less(built, "p2")
    bench.select_trial(TrialId("p2"))
    assert shown_mcc(window) == cells(window, "MCC")[1] != "1.000"


def test_a_mask_written_by_another_program_is_read_when_the_user_comes_back(
    window: MainWindow, tmp_path: Path
) -> None:
    built = two_answered_trials(tmp_path)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    find_less(built, "p1")

    window.activateWindow()
    QApplication.sendEvent(window, QEvent(QEvent.Type.ActivationChange))

    assert shown_mcc(window) == cells(window, "MCC")[0] != "1.000"


def test_naming_the_open_dataset_with_another_submission_adds_it(
    window: MainWindow, tmp_path: Path
) -> None:
    built = two_answered_trials(tmp_path)
    other = built.copied_submission(tmp_path / "other")
    window.desk.open(OpenRequest(built.root, (built.submission,)))

    window.desk.open_named(OpenRequest(built.root, (other,), trial="p2"))

    state = window.desk.workbench.state
    assert [one.origin for one in state.submissions] == [built.submission, other]
    assert state.trial_id == "p2"
    assert state.rival == 0


def export_trials(window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Export the list to a path by the menu's command; what was asked meanwhile is refused."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(path), ""))
    asked: list[str] = []

    def refuse() -> None:
        box = window.findChild(PlainMessageBox, "among-inputs")
        if box is not None and box.isVisible():
            asked.append(box.text())
            box.reject()

    QTimer.singleShot(0, window, refuse)
    window.commands.run("file.export_trials")
    QApplication.processEvents()
    return asked


def test_nothing_is_written_into_an_opened_folder_unasked(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = two_answered_trials(tmp_path)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()

    for folder in (built.root, built.submission / "mask"):
        (asked,) = export_trials(window, folder / "trials.csv", monkeypatch)
        assert "which is open" in asked
        assert not (folder / "trials.csv").exists()

    assert export_trials(window, tmp_path / "trials.csv", monkeypatch) == []
    assert (tmp_path / "trials.csv").exists()


def test_exported_tables_have_every_digit(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = a_dataset(tmp_path).with_trial("p1", manipulated=box(4, 4, 30, 30))
    built = made.with_answer("p1", blurred(6), confidence="0.123456789").write()
    find_less(built, "p1")
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()

    export_trials(window, tmp_path / "out.csv", monkeypatch)

    names, row = (line.split(",") for line in (tmp_path / "out.csv").read_text().splitlines())
    cells = dict(zip(names, row, strict=True))
    panel = window.docks.panel("metrics")
    assert isinstance(panel, MetricsPanel)
    assert cells["MCC"] == panel.value("MCC")
    assert len(cells["MCC"]) > 10
    assert cells["Confidence"] == "0.123456789"


def test_nothing_says_no_problems_beside_an_error(window: MainWindow, tmp_path: Path) -> None:
    video = a_video_dataset(tmp_path)
    video.probe.write_bytes(b"not a video")

    window.desk.open(OpenRequest(video.root, (video.submission,)))

    assert window.status.problems.text() == "1 error, 1 warning"
    assert window.notice.text.splitlines()[-1] == "1 error, 1 warning"
    window.desk.close_dataset()
    assert window.status.problems.text() == "No problems"
    assert not window.notice.isVisible()


def test_a_filter_that_cannot_be_read_is_no_time_to_say_no_problems(
    window: MainWindow, tmp_path: Path
) -> None:
    built = two_answered_trials(tmp_path)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    assert window.status.problems.text() == "No problems"

    window.desk.trials.set_text("MCC >>= 3")
    assert window.status.problems.text() == "The filter cannot be read"

    window.desk.trials.set_text("MCC >= 0.3")
    assert window.status.problems.text() == "No problems"
