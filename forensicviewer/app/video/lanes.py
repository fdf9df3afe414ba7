"""The lanes of a video's timeline: what is drawn where, in which colour, and what it says.

The axis counts frames. Sound is laid out on it by time, so that it lies under the frames it is
heard with, whatever the frame rate does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from forensicviewer.app.language.units import TimeUnit, format_moment
from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.video.player import VideoState
from forensicviewer.app.video.review import OperationLane, StreamReview, VideoReview
from forensicviewer.core.array import Floats
from forensicviewer.core.examination import Mark
from forensicviewer.core.layer_pixels import operation_color
from forensicviewer.core.palette import Outcome, Palette, Rgb
from forensicviewer.core.temporal import IntervalOutcome, Intervals

REFERENCE_COLOR: Rgb = (99, 102, 118)
SYSTEM_COLOR: Rgb = (214, 122, 0)
MARK_COLOR: Rgb = (255, 196, 0)
RIVAL_COLOR: Rgb = (0, 140, 140)
_SOUND_COLUMNS = 4000
# The palette speaks of pixels; a stretch of time that is not scored for the same reason has the
# same colour.
_PIXEL_OUTCOME = {
    IntervalOutcome.HIT: Outcome.HIT,
    IntervalOutcome.MISS: Outcome.MISS,
    IntervalOutcome.FALSE_ALARM: Outcome.FALSE_ALARM,
    IntervalOutcome.CORRECT_REJECTION: Outcome.CORRECT_REJECTION,
    IntervalOutcome.COLLAR: Outcome.BOUNDARY,
    IntervalOutcome.UNSELECTED: Outcome.UNSELECTED,
    IntervalOutcome.OPT_OUT: Outcome.OPT_OUT,
}
_SAID = {
    IntervalOutcome.HIT: ("TP", to_translate("found")),
    IntervalOutcome.MISS: ("FN", to_translate("missed")),
    IntervalOutcome.FALSE_ALARM: ("FP", to_translate("false alarm")),
    IntervalOutcome.CORRECT_REJECTION: ("", to_translate("correct rejection")),
    IntervalOutcome.COLLAR: ("", to_translate("not scored: within the collar")),
    IntervalOutcome.UNSELECTED: ("", to_translate("not scored: unselected operation")),
    IntervalOutcome.OPT_OUT: ("", to_translate("not scored: opted out")),
}
_MASKS = {
    "Reference": to_translate("Reference masks"),
    "System": to_translate("System masks"),
}


class LaneKind(Enum):
    """How a lane is drawn."""

    SPANS = "spans"
    OUTCOME = "outcome"
    STRIP = "strip"
    SOUND = "sound"


@dataclass(frozen=True, slots=True)
class Span:
    """A coloured stretch of a lane; ``frame`` is where a click on it leads."""

    start: float
    end: float
    color: Rgb
    label: str = ""
    tip: str = ""
    is_hatched: bool = False
    is_faint: bool = False
    is_beyond: bool = False
    frame: int = 1


@dataclass(frozen=True, slots=True)
class TimelineLane:
    """One row of the timeline; ``height`` is in rows."""

    title: str
    kind: LaneKind
    spans: tuple[Span, ...] = ()
    height: float = 1.0
    tip: str = ""
    operation: int | None = None


def lanes_of(state: VideoState, colors: Palette) -> tuple[TimelineLane, ...]:
    """All lanes there is something to say in, from top to bottom."""
    review = state.review
    if review is None:
        return ()
    scale = FrameScale(state)
    drawn = [lane for lane in review.lanes if lane.frames or lane.by_time or lane.samples]
    lanes = [_operation(lane, review, scale) for lane in drawn]
    lanes += _stream_lanes(review.video, review, colors, scale)
    if review.rival is not None:
        lanes += _rival_lanes(review.rival, review, colors, scale)
    for whose in dict.fromkeys(run.whose for run in state.masked):
        lanes.append(_masked(whose, state))
    if len(state.strip.frames):
        tip = tr("MCC of each frame's spatial mask at the threshold")
        lanes.append(TimelineLane(tr("Frame MCC"), LaneKind.STRIP, height=1.5, tip=tip))
    if state.sound is not None:
        title, tip = tr("Sound", context="audio"), tr("Loudness over time")
        lanes.append(TimelineLane(title, LaneKind.SOUND, height=1.5, tip=tip))
    if review.audio is not None:
        lanes += _stream_lanes(review.audio, review, colors, scale)
    return tuple(lanes)


def marks_lane(marks: Sequence[Mark]) -> tuple[TimelineLane, ...]:
    """The marks of a judge that are about frames, numbered as in the checklist."""
    spans = tuple(
        Span(
            mark.frames[0],
            mark.frames[1] + 1,
            MARK_COLOR,
            label=" ".join(part for part in (str(number), mark.text) if part),
            tip=f"{mark.text} ({mark.place})" if mark.text else mark.place,
            frame=mark.frames[0],
        )
        for number, mark in enumerate(marks, start=1)
        if mark.frames is not None
    )
    return (TimelineLane(tr("Marks"), LaneKind.SPANS, spans),) if spans else ()


def outcome_color(outcome: IntervalOutcome, colors: Palette) -> Rgb:
    """The colour of a stretch of time, the same as that of such pixels."""
    return colors[_PIXEL_OUTCOME[outcome]]


def describe_outcome(outcome: IntervalOutcome) -> str:
    """What became of a stretch of time, in the words of an exported image."""
    label, words = _SAID[outcome]
    return f"{label} {words}".strip()


class FrameScale:
    """Where samples and seconds lie on the axis of frames."""

    def __init__(self, state: VideoState) -> None:
        index, clock = state.index, state.playback.clock
        frames = 2 if index is None else max(2, len(index))
        self._frames: Floats = np.arange(1, frames + 1, dtype=np.float64)
        self._times_s: Floats = np.array([clock.ms(frame) / 1000 for frame in (1, 2)])
        if index is not None and len(index) > 1:
            self._times_s = (index.pts - index.pts[0]) * float(index.time_base)
        self._sample_rate = state.sound.sample_rate if state.sound is not None else 0
        # Sound may begin before or after the first frame.
        self._sound_s = 0.0
        if state.sound is not None and index is not None:
            self._sound_s = state.sound.begins_s - index.begins_s
        self._rate = clock.rate

    def at_seconds(self, seconds: Floats | float) -> Floats:
        """The place of each time; beyond the last frame the mean rate goes on."""
        times = np.asarray(seconds, dtype=np.float64)
        inside = np.interp(times, self._times_s, self._frames)
        beyond = np.maximum(0.0, times - self._times_s[-1]) * self._rate
        return np.asarray(inside + beyond)

    def seconds_at(self, place: float) -> float:
        """The time at a place; beyond the last frame the mean rate goes on."""
        inside = float(np.interp(place, self._frames, self._times_s))
        return inside + max(0.0, place - float(self._frames[-1])) / self._rate

    def format_place(self, place: float, unit: TimeUnit, *, step_s: float = 0.001) -> str:
        """When it is, as the user likes to read it."""
        return format_moment(
            self.seconds_at(place),
            unit,
            lambda second: float(self.at_seconds(second)),
            step_s=step_s,
        )

    def format_interval(self, start: float, end: float, unit: TimeUnit) -> str:
        """From when to when; nothing where frames are all the user likes to read."""
        if unit is TimeUnit.FRAMES or math.isnan(start) or math.isnan(end):
            return ""
        return f"{self.format_place(start, unit)}–{self.format_place(end, unit)}"  # noqa: RUF001 - from to

    def at_sample(self, sample: int) -> float:
        if not self._sample_rate:
            return float("nan")
        return float(self.at_sound((sample - 1) / self._sample_rate))

    def at_sound(self, seconds: Floats | float) -> Floats:
        """The place of each time of the sound, counted from its first sample."""
        return self.at_seconds(np.asarray(seconds, dtype=np.float64) + self._sound_s)


@dataclass(frozen=True, slots=True, eq=False)
class SoundOutline:
    """The sound's lowest and highest values, -1 to 1, and where on the axis each of them lies."""

    places: Floats
    low: Floats
    high: Floats


def sound_outline(state: VideoState) -> SoundOutline | None:
    """The outline of the sound, fine enough for any screen."""
    sound = state.sound
    if sound is None:
        return None
    peaks = sound.between(0, sound.duration_s, columns=_SOUND_COLUMNS).astype(np.float64)
    times_s = (np.arange(len(peaks)) + 0.5) * sound.duration_s / max(1, len(peaks))
    return SoundOutline(FrameScale(state).at_sound(times_s), peaks[:, 0], peaks[:, 1])


def _operation(lane: OperationLane, review: VideoReview, scale: FrameScale) -> TimelineLane:
    offset = review.settings.measure.last_offset
    color = operation_color(lane.position, lane.operation.color)
    times = ", ".join(f"{start:.0f}–{end:.0f} ms" for start, end in lane.times_ms)  # noqa: RUF001
    spans = tuple(
        Span(
            each.first,
            each.last + offset,
            color,
            tip=tr("{name}, frames {interval}", name=lane.operation.name, interval=each)
            + (f" ({times})" if times else ""),
            is_faint=not lane.is_selected,
            is_beyond=each.last > review.frame_count or each.first < 1,
            frame=each.first,
        )
        for each in lane.frames
    )
    spans += tuple(
        Span(
            each.first,
            each.last + offset,
            color,
            tip=tr(
                "{name}, frames {interval}, computed from times ({times}) because the "
                "journal names no frames",
                name=lane.operation.name,
                interval=each,
                times=times,
            ),
            is_hatched=True,
            is_faint=True,
            frame=each.first,
        )
        for each in lane.by_time
    )
    spans += _heard(lane, color, scale)
    name = lane.operation.name or tr("Operation {number}", number=lane.position + 1)
    box = "☑" if lane.is_selected else "☐"
    return TimelineLane(
        f"{box} {name}",
        LaneKind.SPANS,
        spans,
        tip=tr("Click the name to include or exclude this operation"),
        operation=lane.position,
    )


def _heard(lane: OperationLane, color: Rgb, scale: FrameScale) -> tuple[Span, ...]:
    """Where an operation changed the sound."""
    ends = [(scale.at_sample(each.first), scale.at_sample(each.last + 1)) for each in lane.samples]
    return tuple(
        Span(
            start,
            end,
            color,
            tip=tr("{name}, samples {interval}", name=lane.operation.name, interval=each),
            is_faint=not lane.is_selected,
            frame=max(1, round(start)),
        )
        for each, (start, end) in zip(lane.samples, ends, strict=True)
        if not math.isnan(start)
    )


def _stream_lanes(
    stream: StreamReview, review: VideoReview, colors: Palette, scale: FrameScale
) -> Iterable[TimelineLane]:
    is_video = stream.unit == "frames"
    yield TimelineLane(
        tr("Reference") if is_video else tr("Audio reference"),
        LaneKind.SPANS,
        _spans(stream.reference, REFERENCE_COLOR, tr("Reference"), stream, review, scale),
    )
    yield TimelineLane(
        tr("System") if is_video else tr("Audio system"),
        LaneKind.SPANS,
        _spans(stream.system, SYSTEM_COLOR, tr("System"), stream, review, scale),
    )
    if stream.confusion is not None:
        kind = LaneKind.OUTCOME if is_video else LaneKind.SPANS
        title = tr("Outcome") if is_video else tr("Audio outcome")
        yield TimelineLane(title, kind, _outcome(stream, colors, scale), height=1.2)


def _rival_lanes(
    rival: StreamReview, review: VideoReview, colors: Palette, scale: FrameScale
) -> Iterable[TimelineLane]:
    spans = _spans(rival.system, RIVAL_COLOR, tr("Second system"), rival, review, scale)
    yield TimelineLane(tr("Second system"), LaneKind.SPANS, spans)
    if rival.confusion is not None:
        spans = _outcome(rival, colors, scale)
        yield TimelineLane(tr("Second outcome"), LaneKind.SPANS, spans, height=1.2)


def _spans(
    intervals: Intervals,
    color: Rgb,
    name: str,
    stream: StreamReview,
    review: VideoReview,
    scale: FrameScale,
) -> tuple[Span, ...]:
    offset = review.settings.measure.last_offset
    spans = []
    for each in intervals:
        start, end = float(each.first), float(each.last + offset)
        if stream.unit == "samples":
            start, end = scale.at_sample(each.first), scale.at_sample(each.last + 1)
        beyond = each in stream.beyond
        if stream.unit == "samples":
            tip = tr("{whose} samples {interval}", whose=name, interval=each)
        else:
            tip = tr("{whose} frames {interval}", whose=name, interval=each)
        if beyond:
            tip = tr("{interval}, beyond the end", interval=tip)
        frame = max(1, round(start)) if start == start else 1
        spans.append(Span(start, end, color, tip=tip, is_beyond=beyond, frame=frame))
    return tuple(spans)


def _outcome(stream: StreamReview, colors: Palette, scale: FrameScale) -> tuple[Span, ...]:
    assert stream.confusion is not None
    spans = []
    for cell in stream.confusion.cells:
        label, words = _SAID[cell.outcome]
        start, end = float(cell.start), float(cell.end)
        outcome, first, last = tr(words), cell.start, cell.end
        if stream.unit == "samples":
            start, end = scale.at_sample(cell.start), scale.at_sample(cell.end)
            tip = tr(
                "{outcome}: samples {first} to {last}", outcome=outcome, first=first, last=last
            )
        else:
            tip = tr("{outcome}: frames {first} to {last}", outcome=outcome, first=first, last=last)
        spans.append(
            Span(
                start,
                end,
                outcome_color(cell.outcome, colors),
                label=label,
                tip=tip,
                is_hatched=not cell.outcome.is_scored,
                is_faint=cell.outcome is IntervalOutcome.CORRECT_REJECTION,
                frame=max(1, round(start)) if start == start else 1,
            )
        )
    return tuple(spans)


def _masked(whose: str, state: VideoState) -> TimelineLane:
    color = REFERENCE_COLOR if whose == "Reference" else SYSTEM_COLOR
    title = tr(_MASKS[whose])
    runs = [run for run in state.masked if run.whose == whose]
    spans = tuple(
        Span(
            run.first,
            run.last,
            color,
            tip=tr(
                "{masks} for frames {first} to {last}", masks=title, first=run.first, last=run.last
            ),
            frame=run.first,
        )
        for run in runs
    )
    return TimelineLane(title, LaneKind.SPANS, spans, height=0.9)
