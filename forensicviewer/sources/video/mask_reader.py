"""Reads spatial masks of videos from HDF5 files, one block of frames per group.

Lives in a decoder process; :mod:`.masks` is how everyone else asks for frames.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import PlaneImage, Size
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.files.media_file import open_media
from forensicviewer.sources.video.mask_blocks import StoredBlock, find_blocks

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


@dataclass(frozen=True, slots=True)
class MaskFacts:
    """What a mask says of itself; ``notes`` tell people how it was read.

    Only what ``holds_bytes`` is as the plan asks (MFC2019, 5.1.2.2): one byte for every pixel.
    """

    blocks: tuple[Block, ...]
    size: Size
    channels: int
    holds_bytes: bool
    notes: tuple[str, ...]


class MaskReader:
    """The masks of one video, read frame by frame. No pixel is read before one is asked for.

    Links are not followed, whether they lead to another file or not: a submission could make the
    reader show any HDF5 file of the machine.
    """

    def __init__(self, path: Path, *, max_pixels: int) -> None:
        self._path = path
        self._stream = open_media(path)
        self._file: Any = None
        try:
            self._file = _open(self._stream, path)
            self._runs = find_blocks(self._file, path, max_pixels=max_pixels)
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            self.close()
            raise _unreadable(path) from error
        except CodecError:
            self.close()
            raise
        self._starts = sorted(self._runs)

    def describe(self) -> MaskFacts:
        shape = self._runs[self._starts[0]].frame_shape
        return MaskFacts(
            blocks=tuple(Block(start, self._runs[start].frame_count) for start in self._starts),
            size=Size(width=shape[1], height=shape[0]),
            channels=shape[2] if len(shape) == 3 else 1,
            holds_bytes=all(run.dataset.dtype == np.uint8 for run in self._runs.values()),
            notes=tuple(self._notes()),
        )

    def frame(self, index: int) -> PlaneImage:
        """The levels of a frame (from 0) that is in a block, as (height, width, channels)."""
        start = self._starts[bisect_right(self._starts, index) - 1]
        try:
            frame = _read(self._runs[start], index - start)
        except (OSError, RuntimeError, ValueError) as error:
            raise _unreadable(self._path) from error
        pixels = _levels(frame, self._path)
        return pixels[:, :, np.newaxis] if pixels.ndim == 2 else pixels

    def has_bit_planes(self, named: frozenset[int], *, deadline: Deadline) -> bool:
        """Whether the levels of a mask with one channel are bits of the ``named`` planes."""
        for start in self._starts:
            for index in range(start, start + self._runs[start].frame_count):
                deadline.check(where=self._path)
                levels = self.frame(index)
                found = set(np.flatnonzero(np.bincount(levels.ravel(), minlength=256)).tolist())
                if 255 in found:
                    return named >= set(range(1, 9)) and not found <= {0, 255}
                if found != {0}:
                    return True
                deadline.renew()
        return False

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._stream.close()

    def _notes(self) -> list[str]:
        """What is not as NIST writes it."""
        notes = []
        if any(run.is_counted_from_one for run in self._runs.values()):
            notes.append("The mask has start_frame, so its frames are counted from 1, not from 0")
        padding = sum(run.stored_frames - run.frame_count for run in self._runs.values())
        if padding:
            notes.append(f"{padding} frames after end_frame of the mask are ignored")
        return notes


def _open(stream: BufferedReader, path: Path) -> Any:
    import h5py  # slow to import

    if not stream.read(8):
        raise CodecError(
            "The file is empty", where=path, hint="copy or download it again", rule="codec.empty"
        )
    return h5py.File(stream, "r", rdcc_nbytes=_CHUNK_CACHE_BYTES, rdcc_nslots=_CHUNK_CACHE_SLOTS)


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
    """One frame. Where it is a separate chunk, without the detour through HDF5's cache.

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


def _unreadable(path: Path) -> CodecError:
    return CodecError(
        "The HDF5 file cannot be read",
        where=path,
        hint="the file is damaged or not HDF5; copy or download it again",
        rule="codec.unreadable",
    )
