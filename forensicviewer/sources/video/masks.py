"""Spatial masks of videos: HDF5 files with one block of frames per group, ``[start]/masks``.

The group's name is the number of the block's first frame, counted from 0. Frames outside all
blocks are white: nothing is manipulated there.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import PlaneImage, Size, U8Image
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.files.media_file import open_media
from forensicviewer.sources.media.headers import MAX_PIXELS, too_many_pixels
from forensicviewer.sources.media.masks import Polarity

# HDF5's own cache of 1 MB holds no chunk of a large frame, so each frame of a compressed block
# would be inflated again and again: 43 ms a frame instead of 1.
_CHUNK_CACHE_BYTES = 256 << 20
_CHUNK_CACHE_SLOTS = 20011
# A chunk is inflated as a whole even where one frame is wanted.
_MAX_CHUNK_BYTES = 1 << 30
_DATASET = "masks"


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

    def __init__(self, path: Path, file: Any, datasets: Mapping[int, Any]) -> None:
        self._path = path
        self._file = file
        self._starts = sorted(datasets)
        self._datasets = datasets
        self._lock = threading.Lock()
        self.blocks = tuple(Block(start, int(datasets[start].shape[0])) for start in self._starts)
        first = datasets[self._starts[0]].shape
        self.size = Size(width=int(first[2]), height=int(first[1]))
        self.channels = int(first[3]) if len(first) == 4 else 1

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
                frame = _read(self._datasets[start], index - start)
            except (OSError, RuntimeError, ValueError) as error:
                raise _unreadable(self._path) from error
        is_flags = frame.dtype == np.bool_
        pixels = np.asarray(frame.view(np.uint8) * np.uint8(255) if is_flags else frame, np.uint8)
        return pixels[:, :, np.newaxis] if pixels.ndim == 2 else pixels


def _read(dataset: Any, index: int) -> NDArray[Any]:
    """One frame. Where it is a chunk of its own, without the detour through HDF5's cache.

    A video that plays reads every frame once; inflating it here takes less than half the time.
    """
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
        return VideoMask(path, file, _datasets(file, path, max_pixels=max_pixels))
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


def _datasets(file: Any, path: Path, *, max_pixels: int) -> dict[int, Any]:
    datasets = {
        _start(name, path): _dataset(file, name, path, max_pixels=max_pixels) for name in file
    }
    if not datasets:
        raise CodecError(
            "The video mask has no blocks",
            where=path,
            hint="masks are expected at [start]/masks",
            rule="codec.wrong-shape",
        )
    frames = {dataset.shape[1:] for dataset in datasets.values()}
    if len(frames) > 1:
        raise CodecError(
            f"The blocks of the video mask have frames of different shape: {sorted(frames)}",
            where=path,
            rule="codec.wrong-shape",
        )
    _refuse_overlaps(datasets, path)
    return datasets


def _start(name: str, path: Path) -> int:
    # Not int(): it would take "+3", "1_000" and digits of any script for numbers.
    if not (name.isascii() and name.isdigit()):
        raise CodecError(
            f"The group {name!r} of the video mask is no frame number",
            where=path,
            hint="groups are named by their first frame, counted from 0",
            rule="codec.wrong-shape",
        )
    return int(name)


def _dataset(file: Any, name: str, path: Path, *, max_pixels: int) -> Any:
    """The dataset of one block, once everything its header says is acceptable."""
    place = f"{path}:/{name}/{_DATASET}"
    group = _member(file, name, place)
    dataset = _member(group, _DATASET, place)
    shape = getattr(dataset, "shape", None)
    if shape is None or len(shape) not in (3, 4) or min(shape) < 1:
        raise CodecError(
            f"The masks have the shape {shape}, not (frames, height, width)",
            where=place,
            rule="codec.wrong-shape",
        )
    if dataset.dtype not in (np.uint8, np.bool_):
        raise CodecError(
            f"The masks are of type {dataset.dtype}, not one byte a pixel",
            where=place,
            rule="codec.wrong-type",
        )
    samples = int(np.prod(shape[1:], dtype=np.float64))
    if samples > max_pixels:
        size = Size(width=int(shape[2]), height=int(shape[1]))
        raise too_many_pixels(size, max_pixels=max_pixels, where=place)
    if float(np.prod(dataset.chunks or (0,), dtype=np.float64)) > _MAX_CHUNK_BYTES:
        raise CodecError(
            "The chunks of the video mask are larger than 1 GiB",
            where=place,
            hint="write one frame to a chunk",
            rule="codec.too-many-bytes",
        )
    return dataset


def _member(parent: Any, name: str, place: str) -> Any:
    """A member that is stored in this very file."""
    import h5py

    if not isinstance(parent, h5py.Group) or parent.get(name, getlink=True) is None:
        raise CodecError(
            "The block of the video mask has no masks",
            where=place,
            hint="masks are expected at [start]/masks",
            rule="codec.wrong-shape",
        )
    link = parent.get(name, getlink=True)
    member = parent[name] if isinstance(link, h5py.HardLink) else None
    is_elsewhere = isinstance(member, h5py.Dataset) and (member.is_virtual or member.external)
    if member is None or is_elsewhere:
        raise CodecError(
            "The video mask points to another place instead of holding the masks",
            where=place,
            hint="links, external and virtual datasets are never followed",
            rule="codec.linked",
        )
    return member


def _refuse_overlaps(datasets: Mapping[int, Any], path: Path) -> None:
    starts = sorted(datasets)
    for start, following in pairwise(starts):
        if start + datasets[start].shape[0] > following:
            raise CodecError(
                f"The blocks at frames {start} and {following} of the video mask overlap",
                where=path,
                rule="codec.wrong-shape",
            )


def write_video_mask(path: Path, blocks: Mapping[int, NDArray[np.uint8]]) -> None:
    """Write blocks (first frame → frames) with one frame to a chunk."""
    import h5py

    with h5py.File(path, "w", track_order=False) as file:
        for start, frames in blocks.items():
            file.create_dataset(
                f"{start}/{_DATASET}",
                data=frames,
                chunks=(1, *frames.shape[1:]),
                compression="gzip",
                track_times=False,
            )
