"""Spatial masks of videos: HDF5 files with one block of frames per group, ``[start]/masks``.

Frames outside all blocks are white: nothing is manipulated there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import PlaneImage, U8Image
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.decoders.door import KeptApart
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.media.headers import MAX_PIXELS
from forensicviewer.sources.media.masks import Polarity
from forensicviewer.sources.video.mask_blocks import DATASET
from forensicviewer.sources.video.mask_reader import MaskReader

_FRAME_SECONDS = 20.0


class VideoMask:
    """The masks of one video, read frame by frame by a decoder.

    Owns the open file: close it, or use it in ``with``. Any thread may ask; one reads at a time.
    Masks opened ``beside`` each other share a decoder.
    """

    def __init__(self, path: Path, *, max_pixels: int, beside: VideoMask | None) -> None:
        self._path = path
        self._is_closed = False
        self.reader: KeptApart[MaskReader] = KeptApart(
            partial(MaskReader, path, max_pixels=max_pixels),
            beside=None if beside is None else beside.reader,
        )
        facts = self.reader.ask(MaskReader.describe)
        self.blocks, self.notes = facts.blocks, facts.notes
        self.size, self.channels = facts.size, facts.channels
        self.holds_bytes = facts.holds_bytes
        self._starts = [block.start for block in self.blocks]
        self._layered: dict[frozenset[int], bool] = {}

    def has_bit_planes(self, named: Collection[int], *, deadline: Deadline | None = None) -> bool:
        """Whether bits mean operations, whose planes (from 1) are ``named``; else black means it.

        Files of either kind are found under the same columns (MFC2019 plan, 3.5.2 and 3.5.5). White
        is 255, a bit in every plane, so a channel with white that is not made of all eight planes
        is black and white; so is one that holds nothing else, or nothing but black.
        """
        planes = frozenset(named)
        if self.channels > 1 or not planes:
            return self.channels > 1
        if planes not in self._layered:
            limit = deadline or Deadline(_FRAME_SECONDS, is_called_off=lambda: self._is_closed)
            found = self.reader.ask(MaskReader.has_bit_planes, planes, deadline=limit)
            self._layered[planes] = found
        return self._layered[planes]

    def __enter__(self) -> VideoMask:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._is_closed = True
        self.reader.close()

    def levels_at(self, index: int) -> U8Image | None:
        """The grey levels of frame ``index`` (from 0) as stored; ``None`` outside all blocks."""
        frame = self.planes_at(index)
        if frame is None:
            return None
        if frame.shape[2] != 1:
            raise CodecError(
                f"The video mask has {frame.shape[2]} channels instead of one grey level",
                where=self._path,
                hint="write arrays of (frames, height, width)",
                rule="codec.wrong-shape",
            )
        return np.ascontiguousarray(frame[:, :, 0])

    def scores_at(self, index: int, *, manipulated_is: Polarity) -> U8Image | None:
        """The scores of frame ``index`` (from 0); ``None`` outside all blocks, where all are 0."""
        levels = self.levels_at(index)
        if levels is None or manipulated_is is Polarity.WHITE:
            return levels
        return np.asarray(cv2.bitwise_not(levels), np.uint8)

    def scores_of_frame(self, number: int, *, manipulated_is: Polarity) -> U8Image | None:
        """The same by frame number as intervals count them, from 1."""
        return self.scores_at(number - 1, manipulated_is=manipulated_is)

    def planes_at(self, index: int) -> PlaneImage | None:
        """The bit planes of frame ``index`` (from 0), eight to a channel, as stored."""
        place = bisect_right(self._starts, index) - 1
        if place < 0 or index >= self.blocks[place].end:
            return None
        return self.reader.ask(MaskReader.frame, index)


def open_video_mask(
    path: Path, *, max_pixels: int = MAX_PIXELS, beside: VideoMask | None = None
) -> VideoMask:
    """Open a video mask and check every block's shape and type; no pixel is read yet."""
    return VideoMask(path, max_pixels=max_pixels, beside=beside)


def write_video_mask(path: Path, blocks: Mapping[int, NDArray[np.uint8]]) -> None:
    """Write blocks (first frame → frames) with one frame to a chunk."""
    import h5py

    with h5py.File(path, "w", track_order=False) as file:
        for start, frames in blocks.items():
            file.create_dataset(
                f"{start}/{DATASET}",
                data=frames,
                chunks=(1, *frames.shape[1:]),
                compression="gzip",
                track_times=False,
            )
