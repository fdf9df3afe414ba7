"""Scores the spatial masks of a video, frame by frame and over an interval of frames.

The regions are those of single images; an interval pools the pixels of all its frames (MFC2019
evaluation plan, 6.2.1). Only counts are kept, so the length of a video costs no memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from forensicviewer.core.array import U8Image
from forensicviewer.core.mask import Kernels, ReferenceMask
from forensicviewer.core.model import Operation
from forensicviewer.core.problem import ScoringError
from forensicviewer.core.score import LevelCounts, ThresholdSweep
from forensicviewer.sources.masks import Polarity
from forensicviewer.sources.videomasks import VideoMask, open_video_mask


@dataclass(frozen=True, slots=True, eq=False)
class FrameScore:
    """One frame, counted from 1 as intervals count them."""

    frame: int
    counts: LevelCounts

    @property
    def sweep(self) -> ThresholdSweep:
        return ThresholdSweep(self.counts)


@dataclass(frozen=True, slots=True, eq=False)
class VideoMaskScore:
    """The frames that were scored, and all of them taken together."""

    frames: tuple[FrameScore, ...]

    @property
    def whole(self) -> ThresholdSweep:
        return self.over(*self.interval)

    @property
    def interval(self) -> tuple[int, int]:
        """The first and the last frame scored."""
        return self.frames[0].frame, self.frames[-1].frame

    def over(self, first: int, last: int) -> ThresholdSweep:
        """The sweep over the frames of an interval, both ends included."""
        chosen = (one.counts for one in self.frames if first <= one.frame <= last)
        return ThresholdSweep(LevelCounts.total(chosen))


@dataclass(frozen=True, slots=True)
class VideoMaskRequest:
    """What is to be scored; both ends of the interval are included and count from 1.

    Without an interval, all frames of which the reference has a mask are scored. With operations
    the reference's channels are bit planes, otherwise it is grey and black where manipulated.
    ``system`` is ``None`` where a system gave no mask.
    """

    reference: Path
    system: Path | None
    kernels: Kernels
    interval: tuple[int, int] | None = None
    operations: tuple[Operation, ...] = ()
    selected: Collection[int] | None = None
    opt_out_level: int | None = None
    manipulated_is: Polarity = Polarity.BLACK


def score_video_mask(request: VideoMaskRequest) -> VideoMaskScore:
    """Score every frame of the interval on its own."""
    with ExitStack() as files:
        reference = files.enter_context(open_video_mask(request.reference))
        system = None
        if request.system is not None:
            system = files.enter_context(open_video_mask(request.system))
            if system.size != reference.size:
                raise ScoringError(
                    f"The frames of the system's masks are {system.size}, those of the reference"
                    f" {reference.size}",
                    where=request.system,
                )
        frames = [
            _frame(request, reference, system, number) for number in _frames(request, reference)
        ]
    if not frames:
        raise ScoringError("The interval has no frame", where=request.reference)
    return VideoMaskScore(tuple(frames))


def _frames(request: VideoMaskRequest, reference: VideoMask) -> Sequence[int]:
    if request.interval is not None:
        first, last = request.interval
        return range(max(1, first), last + 1)
    return list(_marked_frames(reference))


def _marked_frames(reference: VideoMask) -> Iterator[int]:
    for block in reference.blocks:
        yield from range(block.start + 1, block.end + 1)


def _frame(
    request: VideoMaskRequest, reference: VideoMask, system: VideoMask | None, number: int
) -> FrameScore:
    mask = _reference(request, reference, number)
    regions = mask.regions(request.selected, request.kernels)
    scores: U8Image | None = None
    if system is not None:
        scores = system.scores_of_frame(number, manipulated_is=request.manipulated_is)
    if scores is None:
        scores = np.zeros(regions.codes.shape, np.uint8)
    counts = LevelCounts.of(scores, regions)
    if request.opt_out_level is not None:
        counts = counts.without_level(255 - request.opt_out_level)
    return FrameScore(number, counts)


def _reference(request: VideoMaskRequest, reference: VideoMask, number: int) -> ReferenceMask:
    if request.operations:
        planes = reference.planes_at(number - 1)
        if planes is None:
            shape = (reference.size.height, reference.size.width, reference.channels)
            planes = np.zeros(shape, np.uint8)
        return ReferenceMask.from_planes(planes, request.operations)
    levels = reference.levels_at(number - 1)
    if levels is None:
        levels = np.full((reference.size.height, reference.size.width), 255, np.uint8)
    return ReferenceMask.from_levels(levels)
