"""Small images of a stretch of a video, for a contact sheet, and what is written beside them.

A sheet is a file for everybody: its words are English, whatever the window speaks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from forensicviewer.app.language.units import TimeUnit, format_moment
from forensicviewer.app.video.frames import VideoMedia
from forensicviewer.app.video.lanes import FrameScale, describe_outcome
from forensicviewer.app.video.player import VideoState
from forensicviewer.app.video.review import VideoReview
from forensicviewer.core.array import RgbImage
from forensicviewer.core.problem import CodecError
from forensicviewer.core.temporal import Interval, IntervalOutcome

UNDECODED = "cannot be decoded"


@dataclass(frozen=True, slots=True, eq=False)
class SheetPicture:
    """One image of a sheet; ``pixels`` is ``None`` where the frame cannot be decoded."""

    frame: int
    time_s: float
    pixels: RgbImage | None
    outcome: IntervalOutcome | None

    def caption(self, video: VideoState, unit: TimeUnit) -> str:
        """Its frame, time and outcome."""
        said = [str(self.frame), *_format_time(self.time_s, video, unit)]
        if self.outcome is not None:
            said.append(describe_outcome(self.outcome))
        return " · ".join(said)


def frames_for_sheet(stretch: Interval, *, count: int) -> list[int]:
    """Frames evenly spread over a stretch, its ends among them."""
    length = stretch.last - stretch.first + 1
    places = np.linspace(stretch.first, stretch.last, min(count, max(1, length)))
    return list(dict.fromkeys(round(place) for place in places))


def sheet_pictures(
    media: VideoMedia, review: VideoReview, stretch: Interval, *, count: int, width_px: int
) -> list[SheetPicture]:
    """The images of a sheet, each with what became of its frame."""
    confusion = review.video.confusion
    return [
        SheetPicture(
            frame,
            review.clock.ms(frame) / 1000,
            _small(media, frame, width_px),
            None if confusion is None else confusion.outcome_at(frame),
        )
        for frame in frames_for_sheet(stretch, count=count)
    ]


def frame_heading(video: VideoState, unit: TimeUnit) -> str:
    """Which frame of which video it is, and what became of it."""
    said = [str(video.trial_id or ""), f"frame {video.frame} of {video.playback.frames}"]
    said += _format_time(video.time_s, video, unit)
    confusion = None if video.review is None else video.review.video.confusion
    outcome = None if confusion is None else confusion.outcome_at(video.frame)
    if outcome is not None:
        said.append(describe_outcome(outcome))
    return " · ".join([*said, *_format_score(video)])


def sheet_heading(pictures: Sequence[SheetPicture], video: VideoState) -> str:
    """Which frames of which video a sheet shows."""
    said = [str(video.trial_id or "")]
    if pictures:
        first, last = pictures[0].frame, pictures[-1].frame
        said.append(f"frames {first} to {last} of {video.playback.frames}")
    return " · ".join([*said, *_format_score(video)])


def _format_time(time_s: float, video: VideoState, unit: TimeUnit) -> list[str]:
    """When it is; nothing where the frame, which is said anyway, is all the user likes to read."""
    if unit is TimeUnit.FRAMES:
        return []
    scale = FrameScale(video)
    return [format_moment(time_s, unit, lambda second: float(scale.at_seconds(second)))]


def _format_score(video: VideoState) -> list[str]:
    review = video.review
    if review is None or review.video.mcc is None:
        return []
    return [f"temporal MCC {review.video.mcc:.4f}", f"collar {review.settings.collar}"]


def _small(media: VideoMedia, frame: int, width_px: int) -> RgbImage | None:
    if media.video is None:
        return None
    try:
        pixels = media.video.picture(frame, direction=1).pixels
    except CodecError:
        return None
    height = max(1, round(pixels.shape[0] * width_px / pixels.shape[1]))
    return np.asarray(
        cv2.resize(pixels, (width_px, height), interpolation=cv2.INTER_AREA), np.uint8
    )
