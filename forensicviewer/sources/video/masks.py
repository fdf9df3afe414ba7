"""Spatial masks of videos: HDF5 files with one block of frames per group, ``[start]/masks``.

Frames outside all blocks are white: nothing is manipulated there.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import PlaneImage, Size, U8Image
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.files.media_file import open_media
from forensicviewer.sources.media.headers import MAX_PIXELS
from forensicviewer.sources.media.masks import Polarity
from forensicviewer.sources.video.mask_blocks import DATASET, StoredBlock, find_blocks

# HDF5's own cache of 1 MB holds no chunk of a large frame, so each frame of a compressed block
# would be inflated again and again: 43 ms a frame instead of 1.
_CHUNK_CACHE_BYTES = 256 << 20
_CHUNK_CACHE_SLOTS = 20011


@dataclass(frozen=True, slots=True)
class Block:
    """A run of frames that have masks: ``start`` is counted from 0."""

    start: int
    frame_count: int

    @property
    def end(self) -> int:
        """The first frame after the block."""
        return self.start + self.frame_count


class VideoMask:
    """The masks of one video, read frame by frame.

    Owns the open file: close it, or use it in ``with``. Any thread may ask; one reads at a time,
    because HDF5 allows no more.
    """

    def __init__(self, path: Path, file: Any, runs: Mapping[int, StoredBlock]) -> None:
        self._path = path
        self._file = file
        self._starts = sorted(runs)
        self._runs = runs
        self._lock = threading.Lock()
        self.blocks = tuple(Block(start, runs[start].frame_count) for start in self._starts)
        shape = runs[self._starts[0]].frame_shape
        self.size = Size(width=shape[1], height=shape[0])
        self.channels = shape[2] if len(shape) == 3 else 1
        self._layered: dict[frozenset[int], bool] = {}

    def has_bit_planes(self, named: Collection[int]) -> bool:
        """Whether bits mean operations, whose planes (from 1) are ``named``; else black means it.

        Files of either kind are found under the same columns (MFC2019 plan, 3.5.2 and 3.5.5). White
        is 255, a bit in every plane, so a channel with white that is not made of all eight planes
        is black and white; so is one that holds nothing else, or nothing but black.
        """
        planes = frozenset(named)
        if self.channels > 1 or not planes:
            return self.channels > 1
        if planes not in self._layered:
            self._layered[planes] = self._find_planes(planes)
        return self._layered[planes]

    def _find_planes(self, named: frozenset[int]) -> bool:
        for block in self.blocks:
            for index in range(block.start, block.end):
                levels = self.levels_at(index)
                assert levels is not None
                found = set(np.flatnonzero(np.bincount(levels.ravel(), minlength=256)).tolist())
                if 255 in found:
                    return named >= set(range(1, 9)) and not found <= {0, 255}
                if found != {0}:
                    return True
        return False

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not as NIST writes it, for people to know how it was read."""
        notes = []
        if any(run.is_counted_from_one for run in self._runs.values()):
            notes.append("The mask says start_frame, so its frames are counted from 1, not from 0")
        padding = sum(run.stored_frames - run.frame_count for run in self._runs.values())
        if padding:
            notes.append(f"{padding} frames after the mask's end_frame are not read")
        return tuple(notes)

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
        with self._lock:
            self._file.close()

    def levels_at(self, index: int) -> U8Image | None:
        """The grey levels of frame ``index`` (from 0) as stored; ``None`` outside all blocks."""
        frame = self._frame(index)
        if frame is None:
            return None
        if frame.shape[2] != 1:
            raise CodecError(
                f"The video mask has {frame.shape[2]} channels instead of one grey level",
                where=self._path,
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
        return self._frame(index)

    def _frame(self, index: int) -> PlaneImage | None:
        place = bisect_right(self._starts, index) - 1
        if place < 0 or index >= self.blocks[place].end:
            return None
        start = self._starts[place]
        with self._lock:
            if not self._file:
                raise CodecError(
                    "The video mask has been closed", where=self._path, rule="codec.closed"
                )
            try:
                frame = _read(self._runs[start], index - start)
            except (OSError, RuntimeError, ValueError) as error:
                raise _unreadable(self._path) from error
        pixels = _levels(frame, self._path)
        return pixels[:, :, np.newaxis] if pixels.ndim == 2 else pixels


def _levels(frame: NDArray[Any], path: Path) -> NDArray[np.uint8]:
    """One byte a pixel: flags become 0 and 255, floats are levels from 0 to 255 already."""
    if frame.dtype == np.bool_:
        return np.asarray(frame.view(np.uint8) * np.uint8(255), np.uint8)
    if frame.dtype.kind != "f":
        return np.asarray(frame, np.uint8)
    is_share = (frame > 0) & (frame < 1)
    if not (frame.min() >= 0 and frame.max() <= 255) or is_share.any():
        raise CodecError(
            f"The video mask holds values from {frame.min():g} to {frame.max():g}",
            where=path,
            hint="masks hold levels from 0 to 255",
            rule="codec.wrong-type",
        )
    return np.asarray(np.rint(frame), np.uint8)


def _read(run: StoredBlock, index: int) -> NDArray[Any]:
    """One frame. Where it is a chunk of its own, without the detour through HDF5's cache.

    A video that plays reads every frame once; inflating it here takes less than half the time.
    """
    dataset = run.dataset
    if run.is_frame_last:
        last: NDArray[Any] = dataset[..., index]
        return last
    place = (index, *(0 for _ in dataset.shape[1:]))
    stored = dataset.id.get_chunk_info_by_coord(place) if _is_frame_by_frame(dataset) else None
    if stored is None or not stored.size or stored.filter_mask:
        found: NDArray[Any] = dataset[index]
        return found
    from imagecodecs import deflate_decode

    _, compressed = dataset.id.read_direct_chunk(place)
    # Never more than a frame, whatever the chunk would inflate to.
    size = int(np.prod(dataset.shape[1:])) * dataset.dtype.itemsize
    frame = deflate_decode(compressed, out=size)
    return np.frombuffer(frame, dataset.dtype).reshape(dataset.shape[1:])


def _is_frame_by_frame(dataset: Any) -> bool:
    """Whether every frame is one chunk that is compressed and nothing else."""
    from h5py import h5z

    if dataset.chunks != (1, *dataset.shape[1:]):
        return False
    filters = dataset.id.get_create_plist()
    return bool(filters.get_nfilters() == 1 and filters.get_filter(0)[0] == h5z.FILTER_DEFLATE)


def open_video_mask(path: Path, *, max_pixels: int = MAX_PIXELS) -> VideoMask:
    """Open a video mask and check every block's shape and type; no pixel is read yet.

    Links are not followed, whether they lead to another file or not: a submission could make the
    reader show any HDF5 file of the machine.
    """
    import h5py  # slow to import

    with open_media(path) as stream:
        if not stream.read(8):
            raise CodecError("The file is empty", where=path, rule="codec.empty")
    try:
        # Without locks, so that masks on read-only and network drives open.
        file = h5py.File(
            path,
            "r",
            locking=False,
            rdcc_nbytes=_CHUNK_CACHE_BYTES,
            rdcc_nslots=_CHUNK_CACHE_SLOTS,
        )
    except (OSError, RuntimeError, ValueError) as error:
        raise _unreadable(path) from error
    try:
        return VideoMask(path, file, find_blocks(file, path, max_pixels=max_pixels))
    except (OSError, RuntimeError, KeyError) as error:
        file.close()
        raise _unreadable(path) from error
    except CodecError:
        file.close()
        raise


def _unreadable(path: Path) -> CodecError:
    return CodecError(
        "The HDF5 file cannot be read",
        where=path,
        hint="the file is damaged or not HDF5; copy or download it again",
        rule="codec.unreadable",
    )


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
