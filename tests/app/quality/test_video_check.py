"""Intervals of a journal are compared with the video and with each other."""

from forensicviewer.app.quality.video_check import check_intervals
from forensicviewer.core.model import Operation


def test_frames_and_times_of_a_step_must_tell_of_one_moment() -> None:
    def step(frames: str, times: str) -> Operation:
        facts = {"VideoFrame": frames, "VideoTime": times}
        return Operation("j", "0", "1", "PasteFrames", facts=facts)

    # The two as in NIST's test case, whose numbers differ by two frames; then moved by fifteen.
    right = step("[[200,398]]", "[[6600.0,13266.6666667]]")
    wrong = step("[[215,413]]", "[[6600.0,13266.6666667]]")

    assert list(check_intervals(right, 500, 30.0)) == []
    assert [one.rule for one in check_intervals(wrong, 500, 30.0)] == ["interval"]
