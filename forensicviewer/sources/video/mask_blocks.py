"""Finds the blocks of a video mask in its HDF5 file, and refuses what cannot be one.

NIST's files name a group by the number of the block's first frame, counted from 0 (MFC2019 plan,
5.1.2.2). Files of the Media Journaling Tool say ``start_frame`` and ``end_frame``, counted from 1
(its API documentation, "HDF5 Bit Planes"); older ones have one group ``masks`` and say both for the
whole file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from forensicviewer.core.array import Size
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.headers import too_many_pixels

# A chunk is inflated as a whole even where one frame is wanted.
_MAX_CHUNK_BYTES = 1 << 30
# Frames that were never written take no room in the file and are read as black. Deflate makes
# content up to 1032 times smaller; beyond that, and beyond what is read in seconds, nothing is
# there to read.
_MOST_EMPTY_BYTES = 4 << 30
_MOST_COMPRESSION = 1100
DATASET = "masks"
_MOST_DIGITS = 9  # of the number of a frame; no video is longer
_FRAME_LAST = "framelast"
_FRAME_FIRST = "framefirst"


@dataclass(frozen=True, slots=True, eq=False)
class StoredBlock:
    """The dataset of one block: which of its frames count, and how they lie in it."""

    dataset: Any
    frame_count: int
    is_frame_last: bool
    is_counted_from_one: bool

    @property
    def stored_frames(self) -> int:
        return int(self.dataset.shape[-1 if self.is_frame_last else 0])

    @property
    def frame_shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.dataset.shape
        return shape[:-1] if self.is_frame_last else shape[1:]


def find_blocks(file: Any, path: Path, *, max_pixels: int) -> dict[int, StoredBlock]:
    if not hasattr(file["/"], "keys"):
        # A damaged file, in which the root is called a mask.
        raise ValueError("its root is not a group")
    layout = _layout(file, path)
    runs: dict[int, StoredBlock] = {}
    for name in file:
        dataset = _dataset(file, name, path)
        start, run = _run(file, name, dataset, path, is_frame_last=layout == _FRAME_LAST)
        _refuse_large(run, f"{path}:/{name}/{DATASET}", max_pixels=max_pixels)
        _refuse_empty(run, f"{path}:/{name}/{DATASET}")
        if start in runs:
            raise _overlap(start, start, path)
        runs[start] = run
    if not runs:
        raise CodecError(
            "The video mask has no blocks",
            where=path,
            hint="masks are expected at [start]/masks",
            rule="codec.wrong-shape",
        )
    frames = {run.frame_shape for run in runs.values()}
    if len(frames) > 1:
        raise CodecError(
            f"The blocks of the video mask have frames of different shape: {sorted(frames)}",
            where=path,
            hint="write frames of one size in all blocks",
            rule="codec.wrong-shape",
        )
    _refuse_overlaps(runs, path)
    return runs


def _layout(file: Any, path: Path) -> str:
    """Whether the frames are the first or the last axis."""
    import h5py

    found = file.attrs.get("mask_format", _FRAME_FIRST)
    if isinstance(found, h5py.Empty):
        return _FRAME_FIRST
    layout = found.decode("ascii", "replace") if isinstance(found, bytes) else str(found)[:80]
    if layout not in (_FRAME_FIRST, _FRAME_LAST):
        raise CodecError(
            f"The mask_format {layout!r} of the video mask is not supported",
            where=path,
            hint=f"use {_FRAME_FIRST} or {_FRAME_LAST}",
            rule="codec.unsupported",
        )
    return layout


def _run(
    file: Any, name: str, dataset: Any, path: Path, *, is_frame_last: bool
) -> tuple[int, StoredBlock]:
    """(first frame counted from 0, block) of one group."""
    stored = int(dataset.shape[-1 if is_frame_last else 0])
    saying = file if name == DATASET else file[name]
    first, last = (_number(saying, f"{end}_frame", path) for end in ("start", "end"))
    if first is None:
        first_index = 0 if name == DATASET else _start(name, path)
        is_counted_from_one = False
    else:
        first_index, is_counted_from_one = first - 1, True
    count = stored
    if first is not None and last is not None:
        count = min(stored, last - first + 1)
    if first_index < 0 or count < 1:
        raise CodecError(
            f"Frames {first} to {last} of the video mask are not a valid range",
            where=path,
            hint="frames are counted from 1, and the last one is included",
            rule="codec.wrong-shape",
        )
    return first_index, StoredBlock(dataset, count, is_frame_last, is_counted_from_one)


def _number(saying: Any, name: str, path: Path) -> int | None:
    """A whole number that a group or file says; ``None`` where it says none."""
    if name not in saying.attrs:
        return None
    about = saying.attrs.get_id(name)
    number = saying.attrs[name] if about.shape in ((), (1,)) and about.dtype.kind in "iuf" else None
    value = None if number is None else float(np.ravel(number)[0])
    if value is None or not value.is_integer() or abs(value) >= 10**_MOST_DIGITS:
        raise CodecError(
            f"The {name} of the video mask is not a frame number",
            where=path,
            hint="write one whole number",
            rule="codec.wrong-shape",
        )
    return int(value)


def _start(name: str, path: Path) -> int:
    # Not int(): it would take "+3", "1_000" and digits of any script for numbers.
    if not (name.isascii() and name.isdigit() and len(name) <= _MOST_DIGITS):
        shown = name if len(name) <= 40 else f"{name[:40]}…"
        raise CodecError(
            f"The group {shown!r} of the video mask is not a frame number",
            where=path,
            hint="groups are named by their first frame, counted from 0",
            rule="codec.wrong-shape",
        )
    return int(name)


def _dataset(file: Any, name: str, path: Path) -> Any:
    """The dataset of one block, once its shape and type are acceptable."""
    place = f"{path}:/{name[:80]}/{DATASET}"
    group = _member(file, name, place)
    dataset = _member(group, DATASET, place)
    shape = getattr(dataset, "shape", None)
    if shape is None or len(shape) not in (3, 4) or min(shape) < 1:
        found = "are not an array" if shape is None else f"have the shape {shape}"
        raise CodecError(
            f"The masks {found} instead of (frames, height, width)",
            where=place,
            hint="write one array for each block of frames",
            rule="codec.wrong-shape",
        )
    if dataset.dtype not in (np.uint8, np.bool_) and dataset.dtype.kind != "f":
        raise CodecError(
            f"The masks have the type {dataset.dtype} instead of one byte or float per pixel",
            where=place,
            hint="write levels from 0 to 255 as unsigned bytes",
            rule="codec.wrong-type",
        )
    return dataset


def _refuse_large(run: StoredBlock, place: str, *, max_pixels: int) -> None:
    samples = int(np.prod(run.frame_shape, dtype=np.float64))
    if samples > max_pixels:
        size = Size(width=run.frame_shape[1], height=run.frame_shape[0])
        raise too_many_pixels(size, max_pixels=max_pixels, where=place)
    chunk = float(np.prod(run.dataset.chunks or (0,), dtype=np.float64))
    if chunk * run.dataset.dtype.itemsize > _MAX_CHUNK_BYTES:
        raise CodecError(
            "The chunks of the video mask are larger than 1 GiB",
            where=place,
            hint="write one frame per chunk",
            rule="codec.too-many-bytes",
        )


def _refuse_empty(run: StoredBlock, place: str) -> None:
    """Refuse frames beyond number that are not in the file: reading them would not end."""
    frame = float(np.prod(run.frame_shape, dtype=np.float64)) * run.dataset.dtype.itemsize
    stored = int(run.dataset.id.get_storage_size())
    if run.frame_count * frame > max(_MOST_EMPTY_BYTES, _MOST_COMPRESSION * stored):
        raise CodecError(
            f"The video mask declares {run.frame_count} frames but stores almost none",
            where=place,
            hint="write only frames with masks",
            rule="codec.too-many-frames",
        )


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
            "The video mask refers to another file instead of containing the masks",
            where=place,
            hint="links, external and virtual datasets are never followed",
            rule="codec.linked",
        )
    return member


def _refuse_overlaps(runs: Mapping[int, StoredBlock], path: Path) -> None:
    for start, following in pairwise(sorted(runs)):
        if start + runs[start].frame_count > following:
            raise _overlap(start, following, path)


def _overlap(start: int, following: int, path: Path) -> CodecError:
    return CodecError(
        f"The blocks at frames {start} and {following} of the video mask overlap",
        where=path,
        hint="write every frame in one block only",
        rule="codec.wrong-shape",
    )
