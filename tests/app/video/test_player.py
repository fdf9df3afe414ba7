"""The player without a screen: opening, seeking, playing, reviewing, following the workbench."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from forensicviewer.app.datasets.opening import open_dataset, open_submission
from forensicviewer.app.runtime.jobs import InlineExecutor, Jobs, inline_jobs
from forensicviewer.app.video.contact_sheet import sheet_pictures
from forensicviewer.app.video.frames import open_media
from forensicviewer.app.video.player import FRAME_LANE, VideoChange, VideoPlayer
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Snap
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.rules import PLAN
from forensicviewer.core.temporal import Interval, IntervalOutcome
from forensicviewer.sources.files.deadline import CalledOffError, Deadline
from forensicviewer.sources.video.packet_index import build_index
from tests.bench_build import loaded
from tests.build import a_dataset, box
from tests.filmmaking import number_in
from tests.video_build import FRAMES, BuiltVideo, a_video_dataset


def fail(error: BaseException) -> None:
    raise error


def opened(built: BuiltVideo, jobs: Jobs | None = None) -> Workbench:
    bench = Workbench(jobs or inline_jobs())
    dataset = open_dataset(built.root)
    task = dataset.tasks[0]
    submission = open_submission(built.submission, task=task)
    bench.show_dataset(dataset, task, submissions=(submission,))
    return bench


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltVideo:
    return a_video_dataset(tmp_path_factory.mktemp("player"))


@pytest.fixture
def bench(built: BuiltVideo) -> Workbench:
    return opened(built)


@pytest.fixture
def player(bench: Workbench) -> Iterator[VideoPlayer]:
    player = VideoPlayer(bench)
    yield player
    player.close()


def shown(bench: Workbench) -> int:
    """The number in the picture the panes show."""
    loaded = bench.state.loaded
    assert loaded is not None
    assert loaded.probe.pictures is not None
    return number_in(loaded.probe.pictures.levels[0])


def test_opening_a_video_trial_shows_its_first_frame(bench: Workbench, player: VideoPlayer) -> None:
    assert shown(bench) == 1
    assert player.state.index is not None
    assert player.state.playback.frames == FRAMES
    assert player.state.facts is not None
    assert player.state.sound is not None


def test_seeking_and_stepping_show_exactly_that_frame(
    bench: Workbench, player: VideoPlayer
) -> None:
    moves: list[tuple[Callable[[], None], int]] = [
        (lambda: player.seek(47), 47),
        (lambda: player.step(-1), 46),
        (lambda: player.step(3), 49),
        (lambda: player.move_s(1), 79),
        (lambda: player.move_s(-1), 49),
        (lambda: player.seek(10_000), FRAMES),
        (lambda: player.seek(-1), 1),
    ]
    for go, frame in moves:
        go()
        assert (player.state.frame, shown(bench)) == (frame, frame)


def test_masks_of_the_frame_are_scored_like_any_trial(
    bench: Workbench, player: VideoPlayer
) -> None:
    player.seek(20)

    loaded = bench.state.loaded
    assert loaded is not None
    system = loaded.probe.systems[0]
    assert system.sweep is not None
    assert system.sweep.at(bench.state.threshold()).mcc > 0.7
    assert player.state.has_masks
    assert [(run.whose, run.first, run.last) for run in player.state.masked] == [
        ("Reference", 10, 30),
        ("System", 12, 35),
    ]


def test_frames_without_masks_have_nothing_to_find(bench: Workbench, player: VideoPlayer) -> None:
    player.seek(80)

    loaded = bench.state.loaded
    assert loaded is not None
    assert loaded.probe.reference is not None
    assert not loaded.probe.reference.split(None)[0].any()
    assert loaded.probe.systems[0].sweep is None


def test_the_strip_says_each_frames_mcc_at_any_threshold(
    bench: Workbench, player: VideoPlayer
) -> None:
    strip = player.state.strip
    player.seek(20)
    loaded = bench.state.loaded
    assert loaded is not None
    sweep = loaded.probe.systems[0].sweep
    assert sweep is not None

    values = dict(zip(strip.frames.tolist(), strip.mcc(200), strict=True))

    assert strip.is_complete
    assert values[20] == pytest.approx(float(sweep.mcc[200]), abs=1e-12)
    assert values[10] == 0.0
    assert np.isnan(values[33])


def test_the_best_threshold_of_a_stretch_is_that_of_its_frames_together(
    bench: Workbench, player: VideoPlayer
) -> None:
    best = player.snap_to_interval(12, 30)
    sweep = player.state.strip.over(12, 30)

    assert sweep is not None
    assert best == sweep.optimum == bench.state.threshold()
    assert bench.state.thresholds.snap is Snap.MAXIMUM
    assert player.snap_to_interval(80, 85) is None


def test_errors_are_visited(player: VideoPlayer) -> None:
    visited = [player.go_to_error(1) for _ in range(5)]

    assert [cell.outcome for cell in visited if cell is not None][:2] == [
        IntervalOutcome.MISS,
        IntervalOutcome.FALSE_ALARM,
    ]
    assert player.state.frame == visited[0].start if visited[0] else False
    assert player.go_to_error(-1) == visited[3]


def test_the_collar_moves_the_score(player: VideoPlayer) -> None:
    assert player.state.review is not None
    before = player.state.review.video.mcc
    seen: list[VideoChange] = []
    player.subscribe(lambda _state, change: seen.append(change))

    player.set_collar(5)
    player.set_collar(5)
    player.set_collar(-1)

    assert player.state.review.video.mcc != before
    assert player.settings.collar == 5
    assert seen == [VideoChange.REVIEW]


def test_the_rules_are_those_of_the_workbench(bench: Workbench, player: VideoPlayer) -> None:
    assert player.state.review is not None
    before = player.state.review.video.mcc

    bench.set_rules(PLAN)

    assert player.state.review.settings.rules is PLAN
    assert player.state.review.video.mcc != before
    later = VideoPlayer(bench)
    assert later.settings.rules is PLAN
    later.close()


class Late(InlineExecutor):
    """Keeps work back while it is told to, until the test does it."""

    def __init__(self) -> None:
        self.is_holding = False
        self.held: list[Callable[[], None]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if not self.is_holding:
            return super().submit(fn, *args, **kwargs)
        future: Future[Any] = Future()

        def work() -> None:
            try:
                answer = fn(*args, **kwargs)
            except ForensicViewerError as error:
                future.set_exception(error)
            else:
                future.set_result(answer)

        self.held.append(work)
        return future


def test_a_frame_of_a_video_put_away_is_no_problem(built: BuiltVideo) -> None:
    late = Late()
    bench = opened(built, Jobs(late, lambda thunk: thunk(), fail))
    player = VideoPlayer(bench)
    late.is_holding = True
    player.seek(12)
    bench.close_dataset()
    reading, *closing = late.held
    assert closing

    for work in (*closing, reading):
        work()

    assert bench.state.problems == ()
    assert player.state.reason == ""
    player.close()


def test_selecting_operations_reviews_only_them(bench: Workbench, player: VideoPlayer) -> None:
    bench.set_selected_operations({1})

    assert player.state.review is not None
    assert [(each.first, each.last) for each in player.state.review.video.reference] == [(50, 60)]


def test_playing_shows_what_is_due(bench: Workbench, player: VideoPlayer) -> None:
    player.toggle_playing(now_s=10.0)
    player.tick(now_s=10.0)
    player.tick(now_s=11.01)

    assert (player.state.frame, shown(bench)) == (31, 31)

    player.play_faster(1, now_s=11.0)
    assert player.state.playback.speed == 2
    player.pause()
    player.tick(now_s=20.0)
    assert player.state.frame == 31


def test_marks_make_a_loop(player: VideoPlayer) -> None:
    player.seek(20)
    player.mark_in()
    player.seek(25)
    player.mark_out()
    player.toggle_loop()
    player.set_speed(1.0, now_s=0.0)

    player.tick(now_s=0.3)

    assert player.state.frame == 20
    player.clear_marks()
    assert player.state.playback.mark_in is None
    player.mark(3, 9)
    assert (player.state.playback.stretch.first, player.state.playback.stretch.last) == (3, 9)


def test_a_video_without_masks_has_its_picture_alone(tmp_path: Path) -> None:
    bench = opened(a_video_dataset(tmp_path, masks=False, sound=False))
    player = VideoPlayer(bench)

    assert bench.state.arrangement.maximised == 0
    assert not player.state.has_masks
    assert player.state.sound is None
    player.close()


def test_a_broken_video_is_a_problem_and_its_intervals_are_still_reviewed(tmp_path: Path) -> None:
    built = a_video_dataset(tmp_path)
    built.probe.write_bytes(b"broken")
    bench = opened(built)

    player = VideoPlayer(bench)
    player.seek(20)

    assert "cannot be read" in player.state.reason
    assert any("cannot be read" in each.message for each in bench.state.problems)
    assert player.state.review is not None
    assert player.state.review.video.mcc is not None
    assert bench.state.loaded is not None
    assert bench.state.loaded.probe.systems[0].sweep is not None
    player.close()


def test_another_task_lets_the_video_go(bench: Workbench, tmp_path: Path) -> None:
    player = VideoPlayer(bench)
    images = a_dataset(tmp_path).with_trial("p1", manipulated=box(5, 5, 20, 20)).write()

    dataset = open_dataset(images.root)
    bench.show_dataset(dataset, dataset.tasks[0])

    assert player.state.trial_id is None
    assert player.media is None
    assert player.go_to_error(1) is None
    player.close()


def test_reading_the_trial_again_shows_the_frame_again(
    bench: Workbench, player: VideoPlayer
) -> None:
    player.seek(33)

    bench.choose_systems(0)

    assert shown(bench) == 33


def test_a_frame_that_cannot_be_decoded_is_told_and_the_rest_works(tmp_path: Path) -> None:
    built = a_video_dataset(tmp_path, masks=False, sound=False)
    make_hole(built.probe, range(13, 25))
    bench = opened(built)
    player = VideoPlayer(bench)

    player.seek(18)
    told = player.state.reason
    player.seek(60)

    assert "Frame 18 cannot be decoded" in told
    assert "Frame 18 cannot be decoded" in {each.message for each in bench.state.problems}
    assert shown(bench) == 60
    assert player.state.reason == ""
    player.close()


def test_a_frame_that_cannot_be_decoded_is_blank_and_its_masks_are_scored(tmp_path: Path) -> None:
    built = a_video_dataset(tmp_path, sound=False)
    make_hole(built.probe, range(13, 25))
    bench = opened(built)
    player = VideoPlayer(bench)
    player.seek(11)
    assert shown(bench) == 11

    for frame in (18, 19, 20):
        player.seek(frame)
        probe = loaded(bench).probe
        assert (probe.pictures, probe.greys) == (None, None)
        assert probe.reason.startswith(f"Frame {frame} cannot be decoded")
        assert probe.systems[0].sweep is not None
        assert player.state.shown == frame

    broken = [each for each in bench.state.problems if each.rule == "video-broken-frame"]
    assert len(broken) == 1
    player.close()


@pytest.mark.parametrize("whose", ["reference", "system"])
def test_a_frame_of_a_mask_that_cannot_be_read_costs_only_its_pane(
    tmp_path: Path, whose: str
) -> None:
    built = a_video_dataset(tmp_path, sound=False)
    masks = {
        "reference": next(built.root.rglob("*.hdf5")),
        "system": next(built.submission.rglob("*.hdf5")),
    }
    spoil_mask(masks[whose], frame=20)
    bench = opened(built)
    player = VideoPlayer(bench)

    player.seek(20)

    probe, system = loaded(bench).probe, loaded(bench).probe.systems[0]
    assert shown(bench) == 20
    reasons = {"reference": probe.reference_reason, "system": system.failure}
    assert "The HDF5 file cannot be read" in reasons[whose]
    assert (probe.reference is None, system.scores is None) == (
        whose == "reference",
        whose == "system",
    )
    assert {20, 21} & set(player.state.strip.frames.tolist()) == {21}
    player.seek(21)
    assert loaded(bench).probe.systems[0].sweep is not None
    player.close()


def spoil_mask(path: Path, *, frame: int) -> None:
    """Overwrite what is stored of one frame (from 1)."""
    with h5py.File(path) as file:
        (start,) = file
        chunk = file[start]["masks"].id.get_chunk_info(frame - 1 - int(start))
    content = bytearray(path.read_bytes())
    content[chunk.byte_offset : chunk.byte_offset + chunk.size] = b"\xff" * chunk.size
    path.write_bytes(content)


def make_hole(path: Path, frames: range) -> None:
    """Overwrite the packets of some frames."""
    index = build_index(path, deadline=Deadline(30))
    content = bytearray(path.read_bytes())
    for place, size, pts in index.packets.tolist():
        if index.frame_of(pts) in frames:
            content[place : place + size] = bytes(size)
    path.write_bytes(content)


def test_a_contact_sheet_goes_on_where_a_frame_is_broken(tmp_path: Path) -> None:
    built = a_video_dataset(tmp_path, masks=False, sound=False)
    make_hole(built.probe, range(13, 25))
    player = VideoPlayer(opened(built))
    media, review = player.media, player.state.review
    assert media is not None
    assert review is not None

    pictures = sheet_pictures(media, review, Interval(10, 30), count=3, width_px=64)

    assert [each.frame for each in pictures] == [10, 20, 30]
    assert [each.pixels is None for each in pictures] == [False, True, False]
    assert sheet_pictures(replace(media, video=None), review, Interval(1, 1), count=9, width_px=8)
    player.close()


def test_an_answer_that_came_too_late_is_put_away(bench: Workbench) -> None:
    player = VideoPlayer(bench)
    media, request = player.media, bench.request
    assert media is not None
    assert request is not None
    late = open_media(request)

    bench.close_dataset()
    player._opened(request, late, None)
    player._heard(media, None)
    player._indexed(media)

    assert player.media is None
    assert player.state.review is None
    assert late.video is not None
    with pytest.raises(CalledOffError):
        late.video.picture(5)
    player.close()


def test_a_frame_that_was_given_up_is_told_until_another_is_shown(built: BuiltVideo) -> None:
    late = Late()
    bench = opened(built, Jobs(late, lambda thunk: thunk(), fail))
    player = VideoPlayer(bench)
    late.is_holding = True

    player.seek(40)
    before = player.awaited()
    bench.jobs.cancel(FRAME_LANE)
    late.held.pop()()
    given_up = player.awaited()
    late.is_holding = False
    player.seek(50)

    assert before == ""  # it has not taken long yet
    assert given_up == "Frame 40 was not decoded; frame 1 is still shown"
    assert (player.awaited(), shown(bench)) == ("", 50)
    player.close()
