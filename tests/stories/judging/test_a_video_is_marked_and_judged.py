"""A judge marks frames and a place of a video; the verdict records frame, stretch and score."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.core.examination import ChecklistQuestion, MarkShape
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.video.page import VideoPage
from tests.desk_work import CTRL, press, start_program, write
from tests.video_build import a_video_dataset

pytestmark = pytest.mark.ui
Key = Qt.Key


def give_text(qtbot: QtBot, window: MainWindow, text: str) -> None:
    qtbot.waitUntil(lambda: QApplication.activeModalWidget() is not None)
    dialog = QApplication.activeModalWidget()
    assert dialog is not None
    dialog.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is dialog)
    write(text)
    press(Key.Key_Return)
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)


def test_frames_and_places_of_a_video_are_marked(qtbot: QtBot, tmp_path: Path) -> None:
    built = a_video_dataset(tmp_path)
    window = start_program(qtbot)
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()
    page, bench = window.page, window.desk.workbench
    assert isinstance(page, VideoPage)
    page.timeline.setFocus()
    page.player.seek(10)
    press(Key.Key_I)
    page.player.seek(20)
    press(Key.Key_O)
    press(Key.Key_V)
    give_text(qtbot, window, "too long")
    press(Key.Key_A)
    give_text(qtbot, window, "here")

    (stretch, pin) = bench.state.marks
    assert (stretch.shape, stretch.frames) == (MarkShape.STRETCH, (10, 20))
    assert (pin.shape, pin.frames, pin.text) == (MarkShape.PIN, (20, 20), "here")
    lanes = {lane.title: lane.spans for lane in page.timeline.item.contents.lanes}
    assert [(one.start, one.end, one.label) for one in lanes["Marks"]] == [
        (10, 21, "1 too long"),
        (20, 21, "2 here"),
    ]
    asked = [one.question for one in window.desk.judging.examining.asked]
    assert ChecklistQuestion.INTERVAL in asked

    window.docks.browser.focus_table()
    press(Key.Key_2, CTRL)
    own = window.desk.judging.own
    assert own is not None
    assert own.examined.marks == (stretch, pin)
    assert own.measured[0].frame == 20
    assert own.measured[0].stretch == (10, 20)
    assert float(own.facts["Video MCC"]) == pytest.approx(page.player.state.moment.mcc)
    window.close()
