"""The video page: timeline, transport and panel do what they say, with real mouse and keys."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QHelpEvent, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableWidget, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.commands.table import COMMANDS
from forensicviewer.app.language.units import format_time
from forensicviewer.app.video.player import VideoChange
from forensicviewer.app.video.sound import Listening, Voice
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.core.palette import PaletteName
from forensicviewer.core.rules import MEDISCORE
from forensicviewer.core.temporal import IntervalOutcome
from forensicviewer.ui.video.page import VideoPage
from tests.bench_build import put_dataset, put_submission
from tests.filmmaking import number_in, turned
from tests.hand import lane_y
from tests.video_build import FRAMES, BuiltVideo, a_video_dataset

pytestmark = pytest.mark.ui
LEFT = Qt.MouseButton.LeftButton
MIDDLE = Qt.MouseButton.MiddleButton
NO_KEYS = Qt.KeyboardModifier.NoModifier
Show = Callable[..., QWidget]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltVideo:
    return a_video_dataset(tmp_path_factory.mktemp("page"), system="[[12,35],[70,500]]")


@pytest.fixture
def page(bench: Workbench, built: BuiltVideo, show: Show) -> VideoPage:
    put_dataset(bench, built.root)
    put_submission(bench, built.submission)
    made = show(VideoPage(bench), 1200, 900)
    assert isinstance(made, VideoPage)
    return made


def lane_point(page: VideoPage, frame: float, lane: str) -> QPoint:
    return QPoint(round(page.timeline.x_of(frame)), round(lane_y(page.timeline, lane)))


def drag(widget: QWidget, start: QPoint, end: QPoint, button: Qt.MouseButton = LEFT) -> None:
    QTest.mousePress(widget, button, NO_KEYS, start)
    QTest.mouseMove(widget, (start + end) / 2)
    QTest.mouseMove(widget, end)
    QTest.mouseRelease(widget, button, NO_KEYS, end)


def cell_text(table: QTableWidget, row: int, column: int) -> str:
    item = table.item(row, column)
    assert item is not None
    return item.text()


def wheel(widget: QWidget, place: QPoint, steps: int, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    event = QWheelEvent(
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - Qt's signature
    )
    QApplication.sendEvent(widget, event)


def test_clicking_a_lane_moves_the_playhead_there(page: VideoPage) -> None:
    lanes = page.timeline.plot.viewport()

    QTest.mouseClick(lanes, LEFT, NO_KEYS, lane_point(page, 42, "Reference"))

    assert page.player.state.frame == 42
    assert page.transport.number.value() == 42
    assert page.transport.scrubber.value() == 42
    assert page.transport.time.text() == "0:01.367"


def test_dragging_over_the_lanes_scrubs(page: VideoPage) -> None:
    lanes = page.timeline.plot.viewport()

    drag(lanes, lane_point(page, 20, "System"), lane_point(page, 60, "System"))

    assert page.player.state.frame == 60


def test_dragging_a_collar_moves_every_collar_and_the_score(page: VideoPage) -> None:
    lanes = page.timeline.plot.viewport()
    before = page.panel.score.mcc.text()

    drag(lanes, lane_point(page, 50, "Outcome"), lane_point(page, 44, "Outcome"))

    review = page.player.state.review
    assert review is not None
    assert review.settings.collar == 6
    assert page.panel.score.collar.value() == 6
    assert page.panel.score.mcc.text() != before
    assert page.panel.score.mcc.text() == f"MCC {review.video.mcc:.4f}"
    assert page.player.state.frame == 1


def test_the_pointer_shows_that_a_collar_can_be_dragged(page: VideoPage) -> None:
    lanes = page.timeline.plot.viewport()

    QTest.mouseMove(lanes, lane_point(page, 50, "Outcome"))
    over_edge = lanes.cursor().shape()
    QTest.mouseMove(lanes, lane_point(page, 80, "Outcome"))

    assert over_edge is Qt.CursorShape.SplitHCursor
    assert lanes.cursor().shape() is Qt.CursorShape.ArrowCursor


def test_the_wheel_zooms_about_the_pointer(page: VideoPage) -> None:
    lanes = page.timeline.plot.viewport()
    place = lane_point(page, 30, "System")
    left, right = page.timeline.shown_frames

    wheel(lanes, place, 3)
    nearer = page.timeline.shown_frames
    wheel(lanes, place, 2, Qt.KeyboardModifier.ShiftModifier)
    moved = page.timeline.shown_frames
    drag(lanes, place, place + QPoint(40, 0), MIDDLE)

    assert nearer[1] - nearer[0] < (right - left) / 2
    assert page.timeline.shown_frames[0] < moved[0] or moved[0] < nearer[0]
    page.timeline.show_all()
    assert page.timeline.shown_frames == pytest.approx((left, right))


def test_keys_zoom_the_timeline(page: VideoPage) -> None:
    whole = page.timeline.shown_frames

    QTest.keyClick(page.timeline, Qt.Key.Key_Plus)
    nearer = page.timeline.shown_frames
    QTest.keyClick(page.timeline, Qt.Key.Key_Minus)
    QTest.keyClick(page.timeline, Qt.Key.Key_0)

    assert nearer[1] - nearer[0] < whole[1] - whole[0]
    assert page.timeline.shown_frames == pytest.approx(whole)


def test_a_double_click_marks_an_interval(page: VideoPage) -> None:
    lanes = page.timeline.plot.viewport()

    QTest.mouseDClick(lanes, LEFT, NO_KEYS, lane_point(page, 55, "☑ Blur"))

    stretch = page.player.state.playback.stretch
    assert (stretch.first, stretch.last, page.player.state.frame) == (50, 60, 50)


def test_pointing_at_an_interval_explains_it(
    page: VideoPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        "forensicviewer.ui.video.timeline.QToolTip.showText",
        lambda _place, text, _widget: said.append(text),
    )
    lanes = page.timeline.plot.viewport()

    for frame, lane in ((20, "☑ PasteFrames"), (85, "Outcome"), (5, "Frame MCC")):
        place = lane_point(page, frame, lane)
        QApplication.sendEvent(
            lanes, QHelpEvent(QEvent.Type.ToolTip, place, lanes.mapToGlobal(place))
        )

    assert said[0].startswith("PasteFrames, frames [10, 30]")
    assert said[1].startswith("false alarm")
    assert "MCC of each frame" in said[2]


def test_intervals_beyond_the_video_are_flagged(page: VideoPage) -> None:
    spans = [span for lane in page.timeline.item.contents.lanes for span in lane.spans]

    assert any(span.is_beyond and "beyond the end" in span.tip for span in spans)
    assert "beyond the video" in page.panel.score.why.text()


def test_the_interval_table_leads_to_the_frames(page: VideoPage) -> None:
    table = page.panel.intervals
    page.panel.setCurrentWidget(table)
    place = table.visualRect(table.model().index(1, 0)).center()

    QTest.mouseClick(table.viewport(), LEFT, NO_KEYS, place)

    assert page.player.state.frame == 50
    assert [cell_text(table, row, 0) for row in range(table.rowCount())] == [
        "found",
        "missed",
        "false alarm",
    ]
    assert [cell_text(table, 0, column) for column in (3, 4, 5, 6)] == [
        "+2",
        "+66.7",
        "+5",
        "+166.7",
    ]


def test_the_interval_table_can_be_copied(page: VideoPage) -> None:
    page.panel.setCurrentWidget(page.panel.intervals)
    page.panel.intervals.setFocus()

    QTest.keyClick(page.panel.intervals, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    assert QGuiApplication.clipboard().text().splitlines()[1].startswith("found\t10–30\t12–35")  # noqa: RUF001


def test_transport_buttons_move_and_play(page: VideoPage, qtbot: QtBot) -> None:
    bar = page.transport

    for button, frame in (
        (bar.last, FRAMES),
        (bar.back, FRAMES - 1),
        (bar.first, 1),
        (bar.forward, 2),
    ):
        QTest.mouseClick(button, LEFT)
        assert page.player.state.frame == frame
    QTest.mouseClick(bar.play, LEFT)
    qtbot.waitUntil(lambda: page.player.state.frame > 5, timeout=10_000)
    QTest.mouseClick(bar.play, LEFT)

    assert not page.player.state.playback.is_playing


def test_playing_ends_at_the_last_frame(page: VideoPage, qtbot: QtBot) -> None:
    page.player.seek(FRAMES - 3)

    QTest.mouseClick(page.transport.play, LEFT)
    qtbot.waitUntil(lambda: not page.player.state.playback.is_playing, timeout=10_000)

    assert page.player.state.frame == FRAMES


def test_scrubber_number_loop_and_speed_work(page: VideoPage) -> None:
    bar = page.transport

    bar.scrubber.setValue(33)
    QTest.keyClick(bar.scrubber, Qt.Key.Key_Right)
    bar.number.setFocus()
    bar.number.selectAll()
    QTest.keyClicks(bar.number, "57")
    QTest.keyClick(bar.number, Qt.Key.Key_Return)
    QTest.mouseClick(bar.loop, LEFT)
    bar.speed.activated.emit(3)

    assert page.player.state.frame == 57
    assert page.player.state.playback.is_looping
    assert page.player.state.playback.speed == 2.0
    page.player.pause()


def test_what_is_special_about_the_file_is_said(page: VideoPage) -> None:
    assert "h264" in page.transport.badges.text()
    assert "30 fps" in page.transport.badges.text()
    assert "VFR" not in page.transport.badges.text()
    assert "declares 90 frames" in page.transport.badges.toolTip()
    assert page.transport.stamp.text() == "PTS 0 key"


def test_the_score_tab_says_rules_and_amounts(page: VideoPage, bench: Workbench) -> None:
    tab = page.panel.score
    before = cell_text(tab.table, 1, 1)

    tab.rules.setCurrentIndex(2)
    tab.rules.activated.emit(2)

    review = page.player.state.review
    assert review is not None
    assert review.settings.rules.name == "plan"
    assert bench.state.rules.name == "plan"
    assert cell_text(tab.table, 1, 1) != before
    bench.set_rules(MEDISCORE)
    assert tab.rules.currentText() == "mediscore"
    assert cell_text(tab.table, 1, 1) == before
    assert "0.9, Processed; the video is manipulated" in tab.detection.text()


def test_the_stretch_tab_follows_threshold_and_marks(page: VideoPage, bench: Workbench) -> None:
    tab = page.panel.stretch
    page.panel.setCurrentWidget(tab)
    page.player.mark(12, 30)

    QTest.mouseClick(tab.use, LEFT)
    best = bench.state.threshold()
    bench.set_threshold(5)

    sweep = page.player.state.strip.over(12, 30)
    assert sweep is not None
    assert best == sweep.optimum
    assert tab.title.text() == "Frames 12 to 30"
    assert cell_text(tab.table, 1, 1) == f"{sweep.mcc[5]:.4f}"
    page.player.mark(80, 85)
    assert tab.table.rowCount() == 0


def test_the_threshold_moves_the_strip(page: VideoPage, bench: Workbench) -> None:
    bench.set_threshold(30)
    low = page.timeline.item.contents.strip_mcc.copy()

    bench.set_threshold(200)

    assert (low[2:21] < page.timeline.item.contents.strip_mcc[2:21]).all()


def test_every_command_of_videos_is_answered(page: VideoPage) -> None:
    of_pages = {c.id for c in COMMANDS if c.scope in (Scope.VIDEO, Scope.PANES)}

    assert of_pages <= set(page.handlers())


def test_commands_do_what_they_say(page: VideoPage) -> None:
    run = {name: handler.run for name, handler in page.handlers().items()}
    seen = []
    for name in (
        "video.last",
        "video.frame_back",
        "video.second_back",
        "video.first",
        "video.second_forward",
        "video.frame_forward",
        "video.mark_in",
        "video.next_error",
        "video.mark_out",
        "video.previous_error",
        "video.clear_marks",
        "video.zoom_in",
        "video.zoom_out",
        "video.zoom_all",
    ):
        run[name]()
        seen.append(page.player.state.frame)

    assert seen[:7] == [90, 89, 59, 1, 31, 32, 32]
    assert seen[7] == 50


def test_going_to_an_error_out_of_view_brings_it_into_view(page: VideoPage) -> None:
    page.timeline.show_frames(1, 12)
    page.player.seek(36)

    page.go_to_error(1)

    left, right = page.timeline.shown_frames
    review = page.player.state.review
    assert review is not None
    cell = next(cell for cell in review.errors if cell.start == page.player.state.frame)
    assert cell.outcome is IntervalOutcome.MISS
    assert left < cell.start < cell.end < right


def test_exports_are_pictures_of_the_frames(page: VideoPage, tmp_path: Path) -> None:
    page.player.mark(10, 14)
    page.player.seek(20)

    page.export_contact_sheet(tmp_path / "sheet.png")
    page.export_annotated_frame(tmp_path / "frame.png")

    sheet, frame = QImage(str(tmp_path / "sheet.png")), QImage(str(tmp_path / "frame.png"))
    assert sheet.width() > 5 * 320
    assert frame.width() == 1600
    assert page.picture().width() > 0


def test_asking_for_a_frame_goes_there(page: VideoPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "forensicviewer.ui.video.page.PlainInputDialog.getInt", lambda *_arguments: (77, True)
    )

    page.ask_frame()

    assert page.player.state.frame == 77


def test_files_are_asked_for(
    page: VideoPage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = iter([str(tmp_path / "a.png"), str(tmp_path / "b.png")])
    monkeypatch.setattr(
        "forensicviewer.ui.widgets.save_dialog.QFileDialog.getSaveFileName",
        lambda *_arguments: (next(names), ""),
    )

    page.ask_contact_sheet()
    page.ask_annotated_frame()

    assert (tmp_path / "a.png").is_file()
    assert (tmp_path / "b.png").is_file()


def test_the_panes_show_the_frame_itself(page: VideoPage, bench: Workbench) -> None:
    page.player.seek(64)

    loaded = bench.state.loaded
    assert loaded is not None
    assert loaded.probe.pictures is not None
    assert number_in(loaded.probe.pictures.levels[0]) == 64


def test_another_palette_colours_the_outcome(page: VideoPage, bench: Workbench) -> None:
    def colors() -> set[tuple[int, int, int]]:
        lanes = {lane.title: lane for lane in page.timeline.item.contents.lanes}
        return {span.color for span in lanes["Outcome"].spans}

    before = colors()
    bench.set_look("palette", palette=PaletteName.OKABE_ITO)

    assert colors() != before


def test_without_a_sound_program_the_button_says_why(page: VideoPage) -> None:
    page.listening = Listening(())

    page._follow(page.player.state, ~VideoChange(0))
    page.player.set_collar(3)

    assert not page.transport.sound.isEnabled()
    assert "cannot be played" in page.transport.sound.toolTip()


class Heard(Listening):
    """Writes down from where it was to play; ``None`` is silence."""

    def __init__(self) -> None:
        super().__init__((Voice("true"),))
        self.asked: list[float | None] = []

    def play(self, path: Path, *, start_s: float) -> None:
        assert path.is_file()
        self.asked.append(start_s)

    def stop(self) -> None:
        self.asked.append(None)


def test_sound_follows_playing_jumping_speed_and_the_button(page: VideoPage, qtbot: QtBot) -> None:
    heard = page.listening = Heard()
    page._follow(page.player.state, ~VideoChange(0))
    begins_s = page.player.state.file_time_s

    QTest.mouseClick(page.transport.sound, LEFT)
    QTest.mouseClick(page.transport.play, LEFT)
    qtbot.waitUntil(lambda: heard.asked[-1] is not None)
    assert heard.asked[-1] == pytest.approx(begins_s, abs=0.5)
    page.player.seek(61)
    assert heard.asked[-1] is None
    qtbot.waitUntil(lambda: heard.asked[-1] is not None)
    assert heard.asked[-1] == pytest.approx(begins_s + 2.0, abs=0.3)
    page.player.set_speed(2.0, now_s=time.monotonic())
    assert heard.asked[-1] is None
    assert not page._hearing.isActive()
    page.player.set_speed(1.0, now_s=time.monotonic())
    qtbot.waitUntil(lambda: heard.asked[-1] is not None)
    QTest.mouseClick(page.transport.sound, LEFT)

    assert heard.asked[-1] is None
    page.player.pause()


def test_sound_that_cannot_be_heard_is_told_once(page: VideoPage, qtbot: QtBot) -> None:
    page.listening = Listening((Voice("false"),))
    page._follow(page.player.state, ~VideoChange(0))

    QTest.mouseClick(page.transport.sound, LEFT)
    QTest.mouseClick(page.transport.play, LEFT)
    qtbot.waitUntil(lambda: not page.transport.sound.isChecked())
    page.player.pause()

    told = [each for each in page.workbench.state.problems if each.rule == "video-silent"]
    assert len(told) == 1
    assert "cannot be played" in page.transport.sound.toolTip()


def test_clicking_an_operations_name_leaves_it_out(page: VideoPage, bench: Workbench) -> None:
    lanes = page.timeline.plot.viewport()
    place = QPoint(12, round(lane_y(page.timeline, "☑ Blur")))

    QTest.mouseClick(lanes, LEFT, NO_KEYS, place)
    without = bench.state.scoring.selected
    review = page.player.state.review
    QTest.mouseClick(lanes, LEFT, NO_KEYS, QPoint(12, round(lane_y(page.timeline, "☐ Blur"))))

    assert without == frozenset({0, 2})
    assert review is not None
    assert [(each.first, each.last) for each in review.video.reference] == [(10, 30)]
    assert bench.state.scoring.selected is None
    assert page.player.state.frame == 1


def test_a_second_submission_has_lanes_and_numbers_of_its_own(
    page: VideoPage, bench: Workbench, tmp_path: Path
) -> None:
    other = a_video_dataset(tmp_path, system="[[10,30],[50,60]]", masks=False, sound=False)

    put_submission(bench, other.submission)
    bench.choose_systems(0, 1)

    titles = [lane.title for lane in page.timeline.item.contents.lanes]
    assert {"Second system", "Second outcome"} <= set(titles)
    assert cell_text(page.panel.score.table, 0, 3) == "1.0000"
    second = page.panel.score.table.item(0, 3)
    assert second is not None
    assert second.toolTip() == "1.0", "every digit"


def test_a_variable_frame_rate_and_rotation_are_badges(
    bench: Workbench, show: Show, tmp_path: Path
) -> None:
    built = a_video_dataset(tmp_path, gaps=(1, 3, 7), masks=False, sound=False)
    upright = built.probe.rename(built.probe.with_name("upright.mp4"))
    turned(upright, built.probe, degrees=90)
    put_dataset(bench, built.root)

    page = show(VideoPage(bench), 1200, 900)

    assert isinstance(page, VideoPage)
    assert "VFR" in page.transport.badges.text()
    assert "rotated by 90°" in page.transport.badges.text()
    assert "Rotated clockwise by 90°" in page.transport.badges.toolTip()
    assert page.panel.score.mcc.text() == "MCC –"  # noqa: RUF001
    page.show_place(None)
    assert page.player.state.frame == 20


@pytest.mark.parametrize(
    ("seconds", "step_s", "said"),
    [
        (0.0, 1, "0:00"),
        (1.9999, 1, "0:02"),
        (61.25, 0.05, "1:01.25"),
        (59.9996, 0.001, "1:00.000"),
        (7_321.5, 0.5, "2:02:01.5"),
    ],
)
def test_times_have_the_digits_they_need(seconds: float, step_s: float, said: str) -> None:
    assert format_time(seconds, step_s=step_s) == said


def test_the_axis_of_time_has_round_times_at_their_frames(page: VideoPage) -> None:
    axis = page.timeline._axes["bottom"]

    [(step, places)] = axis.tickValues(1, FRAMES, 400)

    said = axis.tickStrings(list(places), 1.0, step)
    frames_a_second = page.player.state.playback.clock.rate
    assert said[0] == format_time(0, step_s=step)
    assert places[1] - places[0] == pytest.approx(step * frames_a_second, rel=0.01)


def test_a_picture_that_cannot_be_written_is_told(page: VideoPage, tmp_path: Path) -> None:
    page.export_annotated_frame(tmp_path / "absent" / "frame.png")

    told = [each for each in page.workbench.state.problems if each.rule == "export"]
    assert len(told) == 1
    assert "absent" in told[0].where


def test_every_part_tab_leads_to_has_a_name(page: VideoPage) -> None:
    page.transport.setFocus()
    nameless = []
    for _ in range(30):
        page.window().focusNextChild()
        now = QApplication.focusWidget()
        assert now is not None
        read_out = QAccessible.queryAccessibleInterface(now)
        if not read_out.text(QAccessible.Text.Name):
            nameless.append(type(now).__name__)

    assert nameless == []
