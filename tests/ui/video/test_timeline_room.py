"""Timeline and transport where there is little room: what matters stays in sight."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from forensicviewer.app.video.player import VideoPlayer
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.ui.video.timeline import Timeline
from forensicviewer.ui.video.transport import TransportBar
from tests.bench_build import put_dataset, put_submission
from tests.hand import lane_y
from tests.video_build import FRAMES, BuiltVideo, a_video_dataset

pytestmark = pytest.mark.ui
Show = Callable[..., QWidget]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltVideo:
    return a_video_dataset(tmp_path_factory.mktemp("room"))


@pytest.fixture
def player(bench: Workbench, built: BuiltVideo) -> VideoPlayer:
    put_dataset(bench, built.root)
    put_submission(bench, built.submission)
    return VideoPlayer(bench)


def a_timeline(bench: Workbench, player: VideoPlayer, show: Show, *, height: int) -> Timeline:
    made = show(Timeline(bench, player), 700, height)
    assert isinstance(made, Timeline)
    return made


def titles(timeline: Timeline) -> list[str]:
    return [lane.title for lane in timeline.item.contents.lanes]


def test_the_times_stay_in_sight_however_many_lanes_there_are(
    bench: Workbench, player: VideoPlayer, show: Show
) -> None:
    timeline = a_timeline(bench, player, show, height=160)

    names = titles(timeline)
    seen = {name: lane_y(timeline, name) for name in (names[0], names[-1])}

    lanes = timeline.lanes_area
    assert timeline.scroller.isVisible()
    assert all(lanes.top() <= y <= lanes.bottom() for y in seen.values())
    assert lanes.top() > 0
    assert lanes.bottom() < timeline.plot.viewport().height()


def test_where_all_lanes_have_room_there_is_nothing_to_scroll(
    bench: Workbench, player: VideoPlayer, show: Show
) -> None:
    timeline = a_timeline(bench, player, show, height=600)

    rows = [lane_y(timeline, name) for name in titles(timeline)]

    assert not timeline.scroller.isVisible()
    assert rows == sorted(rows)
    assert timeline.lanes_area.bottom() - rows[-1] < 80


def test_the_wheel_over_the_names_scrolls_the_lanes(
    bench: Workbench, player: VideoPlayer, show: Show
) -> None:
    timeline = a_timeline(bench, player, show, height=160)
    place = QPoint(6, round(timeline.lanes_area.center().y()))
    before = timeline.shown_frames

    turn_wheel(timeline.plot.viewport(), place, -2)

    assert timeline.scroller.value() > 0
    assert timeline.shown_frames == before


def turn_wheel(widget: QWidget, place: QPoint, steps: int) -> None:
    event = QWheelEvent(
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - Qt's signature
    )
    QApplication.sendEvent(widget, event)


@pytest.mark.parametrize("width", [900, 560, 440, 340])
def test_no_part_of_the_transport_lies_on_another(
    player: VideoPlayer, show: Show, width: int
) -> None:
    bar = show(TransportBar(player), width, 80)
    assert isinstance(bar, TransportBar)
    QApplication.processEvents()

    parts = [bar.play, bar.loop, bar.sound, bar.speed, bar.number, bar.count, bar.time, bar.stamp]
    seen = [part.geometry() for part in parts if part.isVisible()]

    assert bar.time.isVisible()
    assert bar.number.isVisible()
    assert all(left.right() < right.left() for left, right in pairwise(seen))
    assert seen[-1].right() <= bar.width()
    assert bar.stamp.isVisible() == (width == 900)  # it tells least


def test_the_scrubber_goes_where_it_is_pressed(player: VideoPlayer, show: Show) -> None:
    bar = show(TransportBar(player), 900, 80)
    assert isinstance(bar, TransportBar)
    scrubber = bar.scrubber
    place = QPoint(scrubber.width() // 2, scrubber.height() // 2)

    QTest.mouseClick(scrubber, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)

    assert abs(player.state.frame - FRAMES // 2) <= 1


def test_what_was_cut_off_is_seen_beside_what_is_left(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    cut = a_video_dataset(tmp_path, frames=20, system="[[12,35],[70,900000]]")
    put_dataset(bench, cut.root)
    put_submission(bench, cut.submission)

    timeline = a_timeline(bench, VideoPlayer(bench), show, height=300)

    left, right = timeline.shown_frames
    assert left < 1
    assert 61 < right < 120  # the last reference interval ends with frame 60
