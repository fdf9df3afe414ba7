"""The transport of a player without a screen: where the playhead is and where it goes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from forensicviewer.app.video.review import FrameClock
from forensicviewer.core.temporal import Interval

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


@dataclass(frozen=True, slots=True, eq=False)
class Playback:
    """Where the playhead is. ``speed`` is negative backwards and 0 when paused.

    Playing follows the clock: ``anchor`` is the frame that was shown at ``anchor_s``, and whatever
    frame is due now is the next one, so that a slow machine drops frames and never lags.
    """

    clock: FrameClock
    frames: int
    frame: int = 1
    speed: float = 0.0
    anchor: int = 1
    anchor_s: float = 0.0
    mark_in: int | None = None
    mark_out: int | None = None
    is_looping: bool = False

    @property
    def is_playing(self) -> bool:
        return self.speed != 0

    @property
    def direction(self) -> int:
        """Where the playhead goes: 1, -1, or 0 when it stands."""
        return (self.speed > 0) - (self.speed < 0)

    @property
    def stretch(self) -> Interval:
        """What a loop plays: between the marks, else everything."""
        first = self.mark_in or 1
        last = self.mark_out or self.frames
        return Interval(min(first, last), max(first, last))

    def at(self, frame: int) -> Playback:
        """Jump; a jump while playing goes on from there."""
        inside = min(max(frame, 1), max(1, self.frames))
        return replace(self, frame=inside, anchor=inside, anchor_s=float("nan"))

    def stepped(self, frames: int) -> Playback:
        """Step and stand still."""
        return replace(self.at(self.frame + frames), speed=0.0)

    def moved_s(self, seconds: float) -> Playback:
        """Jump by time, by at least one frame."""
        target = self.clock.frame_at(max(0.0, self.clock.ms(self.frame) + seconds * 1000))
        if target == self.frame:
            target += 1 if seconds > 0 else -1
        return self.at(target)

    def playing(self, speed: float, *, now_s: float) -> Playback:
        started = self
        if speed > 0 and self.frame >= self.frames and not self.is_looping:
            started = self.at(1)
        return replace(started, speed=speed, anchor=started.frame, anchor_s=now_s)

    def toggled(self, *, now_s: float) -> Playback:
        """Space: play at normal speed or stand still."""
        return replace(self, speed=0.0) if self.is_playing else self.playing(1.0, now_s=now_s)

    def faster(self, direction: int, *, now_s: float) -> Playback:
        """L or J: play that way, and with every further press twice as fast."""
        same_way = self.direction == direction
        speed = min(abs(self.speed) * 2, SPEEDS[-1]) if same_way else 1.0
        return self.playing(direction * speed, now_s=now_s)

    def due(self, now_s: float) -> Playback:
        """The playback with the frame that is due now."""
        if not self.is_playing:
            return self
        if self.anchor_s != self.anchor_s:  # a jump has just set the playhead
            return replace(self, anchor=self.frame, anchor_s=now_s)
        ms = self.clock.ms(self.anchor) + (now_s - self.anchor_s) * 1000 * self.speed
        ends = self.stretch if self.is_looping else Interval(1, self.frames)
        target = self.clock.frame_at(max(0.0, ms))
        over = target > ends.last or ms > self.clock.ms(ends.last + 1)
        under = target < ends.first or ms < self.clock.ms(ends.first)
        if (over and self.speed > 0) or (under and self.speed < 0):
            return self._at_end(ends, now_s)
        return replace(self, frame=min(max(target, 1), self.frames))

    def _at_end(self, ends: Interval, now_s: float) -> Playback:
        if self.is_looping:
            start = ends.first if self.speed > 0 else ends.last
            return replace(self, frame=start, anchor=start, anchor_s=now_s)
        stop = ends.last if self.speed > 0 else ends.first
        return replace(self, frame=stop, speed=0.0)

    def marked(self, *, first: int | None, last: int | None) -> Playback:
        return replace(self, mark_in=first, mark_out=last)
