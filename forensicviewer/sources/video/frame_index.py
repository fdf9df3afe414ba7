"""The frames of a video: number, time stamp and key frames.

Frame numbers count stored frames from 1, as NIST's tables do. They are never time times rate:
that is wrong for variable frame rates, edit lists and files that start without a key frame.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Packets = NDArray[np.int64]  # (packets, 3): place in the file, size, time stamp


@dataclass(frozen=True, slots=True, eq=False)
class FrameIndex:
    """Time stamps of all frames in order of showing; ``keys`` are those of key frames.

    Key frames an edit list hides are among ``keys``: decoding starts there. ``is_counted`` says
    that the packets have no usable time stamps, so that frames are identified by counting from
    the start, and ``pts`` are their places in that count. ``hidden`` packets give no frame.
    ``packets`` are all packets in the order of the file: place, size, time stamp.

    Some files (H.264 in AVI) stamp frames in the order they are stored in, not shown in.
    ``stamps`` are then the stamps in the order of showing; sorted, they still tell the times.
    """

    pts: NDArray[np.int64]
    keys: NDArray[np.int64]
    time_base: Fraction
    is_counted: bool = False
    hidden: int = 0
    packets: Packets = field(default_factory=lambda: np.zeros((0, 3), np.int64))
    stamps: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.pts)

    def pts_of(self, frame: int) -> int:
        return int(self.pts[frame - 1])

    def stamp_of(self, frame: int) -> int:
        """What the frame's own packet says."""
        return self.pts_of(frame) if self.stamps is None else int(self.stamps[frame - 1])

    def frame_of(self, pts: int) -> int | None:
        """The frame with exactly this time stamp."""
        if self.stamps is not None:
            found = np.flatnonzero(self.stamps == pts)
            return int(found[0]) + 1 if len(found) else None
        at = int(np.searchsorted(self.pts, pts))
        return at + 1 if at < len(self.pts) and self.pts[at] == pts else None

    def time_s(self, frame: int) -> float:
        """When the frame is shown, counted from the first one."""
        return float((self.pts_of(frame) - int(self.pts[0])) * self.time_base)

    @property
    def times_s(self) -> NDArray[np.float64]:
        """When each frame is shown, counted from the first one."""
        ticks = (self.pts - self.pts[0]) * self.time_base.numerator
        return np.asarray(ticks / self.time_base.denominator, np.float64)

    def frame_at(self, time_s: float) -> int:
        """The frame shown at a time; the first or last one beyond the ends."""
        ticks = round(time_s / float(self.time_base), 6) + int(self.pts[0])
        return min(max(int(np.searchsorted(self.pts, ticks, side="right")), 1), len(self))

    def key_before(self, frame: int) -> int:
        """The frame decoding starts at to reach ``frame``; 1 where an earlier one is hidden."""
        at = bisect_right(self.keys, self.stamp_of(frame)) - 1
        if at < 0:
            return 1
        if self.stamps is not None:
            return self.frame_of(int(self.keys[at])) or 1
        return int(np.searchsorted(self.pts, self.keys[at])) + 1

    def is_key(self, frame: int) -> bool:
        stamp = self.stamp_of(frame)
        at = bisect_right(self.keys, stamp) - 1
        return at >= 0 and int(self.keys[at]) == stamp

    @property
    def is_variable(self) -> bool:
        """Whether frames last differently long, by more than the clock's rounding."""
        gaps = np.diff(self.pts)
        if self.is_counted or len(gaps) < 2:
            return False
        return bool(gaps.max() - gaps.min() > max(1.0, 0.02 * float(np.median(gaps))))

    @property
    def rate(self) -> float:
        """Mean frames a second; 0 where there is only one frame."""
        span = float((int(self.pts[-1]) - int(self.pts[0])) * self.time_base)
        return (len(self) - 1) / span if span > 0 else 0.0

    @property
    def begins_s(self) -> float:
        """The time of the file its first frame has; where frames were counted, 0."""
        return 0.0 if self.is_counted else float(int(self.pts[0]) * self.time_base)

    @property
    def duration_s(self) -> float:
        """From the first frame's start to the last one's, and that one as long as the others."""
        return self.time_s(len(self)) + (1 / self.rate if self.rate else 0.0)
