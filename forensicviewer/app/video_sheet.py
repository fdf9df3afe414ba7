"""Small pictures of a stretch of a video, for a contact sheet."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from forensicviewer.app.video_frames import VideoMedia
from forensicviewer.app.video_review import VideoReview
from forensicviewer.core.array import RgbImage
from forensicviewer.core.problem import CodecError
from forensicviewer.core.temporal import Interval, Outcome


@dataclass(frozen=True, slots=True, eq=False)
class SheetPicture:
    """One picture of a sheet; ``pixels`` is ``None`` where the frame cannot be decoded."""

    frame: int
    time_s: float
    pixels: RgbImage | None
    outcome: Outcome | None


def frames_for_sheet(stretch: Interval, *, count: int) -> list[int]:
    """Frames evenly spread over a stretch, its ends among them."""
    length = stretch.last - stretch.first + 1
    places = np.linspace(stretch.first, stretch.last, min(count, max(1, length)))
    return list(dict.fromkeys(round(place) for place in places))


def sheet_pictures(
    media: VideoMedia, review: VideoReview, stretch: Interval, *, count: int, width_px: int
) -> list[SheetPicture]:
    """The pictures of a sheet, each with what became of its frame."""
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
