"""What mouse, wheel and fingers do on the timeline of a video."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.ui.video.page import VideoPage
from forensicviewer.ui.widgets.wheel import invert_wheel
from tests.bench_build import put_dataset, put_submission
from tests.hand import NOTCH, SHIFT, drag, lane_y, pinch, press_and_drag, turn_wheel
from tests.video_build import BuiltVideo, a_video_dataset

pytestmark = pytest.mark.ui


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltVideo:
    return a_video_dataset(tmp_path_factory.mktemp("timeline"))


@pytest.fixture
def page(bench: Workbench, built: BuiltVideo, show: Callable[..., QWidget]) -> VideoPage:
    put_dataset(bench, built.root)
    put_submission(bench, built.submission)
    made = show(VideoPage(bench), 1200, 900)
    assert isinstance(made, VideoPage)
    return made


def lane_point(page: VideoPage, frame: float) -> QPoint:
    return QPoint(round(page.timeline.x_of(frame)), round(lane_y(page.timeline, "System")))


def test_shift_and_drag_zoom_to_a_stretch_and_leave_the_playhead(page: VideoPage) -> None:
    lanes = page.timeline.plot.viewport()

    drag(lanes, lane_point(page, 20), lane_point(page, 50), SHIFT)

    assert page.timeline.shown_frames == pytest.approx((20, 50), abs=1)
    assert page.player.state.frame == 1


def test_escape_lets_go_of_the_stretch_to_zoom_to(page: VideoPage) -> None:
    lanes, whole = page.timeline.plot.viewport(), page.timeline.shown_frames
    before = lanes.grab().toImage()

    press_and_drag(lanes, lane_point(page, 20), lane_point(page, 50), SHIFT)
    drawn = lanes.grab().toImage()
    QTest.keyClick(page.timeline, Qt.Key.Key_Escape)
    QTest.mouseRelease(lanes, Qt.MouseButton.LeftButton, SHIFT, lane_point(page, 50))

    assert drawn != before
    assert page.timeline.shown_frames == pytest.approx(whole)


def test_two_fingers_zoom_the_timeline_about_themselves(page: VideoPage) -> None:
    lanes, at = page.timeline.plot.viewport(), lane_point(page, 30)
    left, right = page.timeline.shown_frames

    pinch(lanes, at, 1.0)

    nearer = page.timeline.shown_frames
    assert nearer[1] - nearer[0] == pytest.approx((right - left) / 2, abs=0.5)
    assert lane_point(page, 30).x() == pytest.approx(at.x(), abs=2)


def test_an_inverted_wheel_zooms_the_timeline_the_other_way(page: VideoPage) -> None:
    lanes, (left, right) = page.timeline.plot.viewport(), page.timeline.shown_frames

    invert_wheel(is_inverted=True)
    turn_wheel(lanes, -3 * NOTCH, at=lane_point(page, 30))
    invert_wheel(is_inverted=False)

    nearer = page.timeline.shown_frames
    assert nearer[1] - nearer[0] < (right - left) / 2


def test_the_right_button_neither_seeks_nor_moves_the_timeline(page: VideoPage) -> None:
    lanes = page.timeline.plot.viewport()
    turn_wheel(lanes, 4 * NOTCH, at=lane_point(page, 30))
    nearer = page.timeline.shown_frames

    # The menu that opens takes the release of the button away.
    QTest.mousePress(lanes, Qt.MouseButton.RightButton, pos=lane_point(page, 30))
    QTest.mouseMove(lanes, lane_point(page, 35))

    assert page.timeline.shown_frames == nearer
    assert page.player.state.frame == 1
