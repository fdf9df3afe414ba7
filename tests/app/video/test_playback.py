"""The transport: stepping, playing by the clock, looping."""

import pytest

from forensicviewer.app.video.playback import Playback
from forensicviewer.app.video.review import FrameClock


@pytest.fixture
def standing() -> Playback:
    return Playback(clock=FrameClock(10.0), frames=100, frame=50)


def test_steps_stand_still_and_stay_inside(standing: Playback) -> None:
    assert standing.stepped(1).frame == 51
    assert standing.stepped(-1).frame == 49
    assert standing.stepped(500).frame == 100
    assert standing.at(-3).frame == 1
    assert not standing.playing(1, now_s=0).stepped(1).is_playing


def test_seconds_follow_the_clock(standing: Playback) -> None:
    assert standing.moved_s(1).frame == 60
    assert standing.moved_s(-1).frame == 40
    assert standing.moved_s(0.01).frame == 51
    assert standing.moved_s(-0.01).frame == 49
    assert standing.moved_s(-100).frame == 1


def test_playing_shows_the_frame_that_is_due_and_drops_the_rest(standing: Playback) -> None:
    playing = standing.toggled(now_s=100.0)

    assert playing.due(100.0).frame == 50
    assert playing.due(101.05).frame == 60
    assert playing.due(103.05).frame == 80
    assert not playing.toggled(now_s=101.0).is_playing


def test_each_press_doubles_the_speed_and_turning_starts_anew(standing: Playback) -> None:
    forward = standing.faster(1, now_s=0.0)
    twice = forward.faster(1, now_s=0.0)

    assert (forward.speed, twice.speed, twice.faster(-1, now_s=0.0).speed) == (1, 2, -1)
    assert standing.faster(-1, now_s=0.0).due(0.95).frame == 40
    for _ in range(9):
        twice = twice.faster(1, now_s=0.0)
    assert twice.speed == 8


def test_playing_stops_at_the_ends(standing: Playback) -> None:
    ended = standing.toggled(now_s=0.0).due(60.0)
    begun = standing.faster(-1, now_s=0.0).due(60.0)

    assert (ended.frame, ended.is_playing) == (100, False)
    assert (begun.frame, begun.is_playing) == (1, False)
    assert ended.toggled(now_s=70.0).frame == 1


def test_a_loop_plays_between_the_marks(standing: Playback) -> None:
    looping = Playback(
        clock=FrameClock(10.0), frames=100, frame=30, mark_in=30, mark_out=40, is_looping=True
    ).toggled(now_s=0.0)

    assert looping.due(0.55).frame == 35
    assert looping.due(1.2).frame == 30
    assert looping.faster(-1, now_s=0.0).due(0.5).frame == 40
    assert standing.marked(first=60, last=20).stretch.first == 20


def test_a_jump_while_playing_goes_on_from_there(standing: Playback) -> None:
    jumped = standing.toggled(now_s=0.0).at(10)

    again = jumped.due(5.0)

    assert (jumped.is_playing, again.frame, again.due(6.05).frame) == (True, 10, 20)


def test_standing_still_nothing_is_due(standing: Playback) -> None:
    assert standing.due(99.0) is standing
    assert (standing.direction, standing.stretch.last) == (0, 100)
