"""Finds the frames of a video by reading its packets, and keeps what was found."""

from __future__ import annotations

import hashlib
import os
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.deadline import Deadline
from forensicviewer.sources.files import private_cache
from forensicviewer.sources.frameindex import FrameIndex
from forensicviewer.sources.videodecoder import count_pictures, first_pts, opened

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.video.stream import VideoStream

_FORMAT = 1  # of the cached file; a change makes old ones be rebuilt
_MAX_FRAMES = 20_000_000


def load_index(path: Path, *, deadline: Deadline) -> FrameIndex:
    """The index of a video, from the private cache where the file has not changed since."""
    cached = _cache_file(path)
    found = _read_cached(cached)
    if found is not None:
        return found
    index = build_index(path, deadline=deadline)
    _write_cached(index, cached)
    return index


def build_index(path: Path, *, deadline: Deadline) -> FrameIndex:
    """Read every packet of the video, without decoding more than the first picture."""
    with opened(path) as (container, stream):
        time_base = stream.time_base or Fraction(1, 1)
        shown, keys, usable = _packets(container, stream, deadline=deadline, where=path)
    if not usable:
        return _counted(path, deadline=deadline)
    index = FrameIndex(_sorted(shown), _sorted(keys), time_base)
    return _from_first_picture(index, path, deadline=deadline)


def _packets(
    container: InputContainer, stream: VideoStream, *, deadline: Deadline, where: Path
) -> tuple[list[int], list[int], bool]:
    """(time stamps of shown pictures, of key frames, whether they tell the pictures apart)."""
    from av.error import FFmpegError

    shown: list[int] = []
    keys: list[int] = []
    untimed = False
    try:
        for packet in container.demux(stream):
            deadline.check(where=where)
            if not packet.size:
                continue
            if packet.pts is None:
                untimed = True
                continue
            if packet.is_keyframe:
                keys.append(packet.pts)
            if not packet.is_discard:
                shown.append(packet.pts)
            if len(shown) > _MAX_FRAMES:
                raise CodecError("The video has too many frames", where=where, rule="video-long")
    except FFmpegError:
        # A cut or damaged end: what was read before it can be shown.
        pass
    return shown, keys, not untimed and bool(keys) and len(set(shown)) == len(shown)


def _from_first_picture(index: FrameIndex, path: Path, *, deadline: Deadline) -> FrameIndex:
    """The index without packets before the first picture that can be decoded.

    A video cut from another one may start with packets that need a key frame it does not have.
    """
    if not len(index):
        raise no_pictures(path)
    first = first_pts(path, deadline=deadline)
    if first is None:
        raise no_pictures(path)
    kept = index.pts[index.pts >= first]
    hidden = len(index) - len(kept)
    return FrameIndex(kept, index.keys, index.time_base, hidden=hidden)


def _counted(path: Path, *, deadline: Deadline) -> FrameIndex:
    """For files without usable time stamps: decode everything once and count."""
    with opened(path) as (_, stream):
        rate = stream.average_rate or stream.guessed_rate or Fraction(25)
    count = count_pictures(path, deadline=deadline)
    if not count:
        raise no_pictures(path)
    first = np.zeros(1, np.int64)
    return FrameIndex(np.arange(count, dtype=np.int64), first, 1 / rate, is_counted=True)


def no_pictures(path: Path) -> CodecError:
    return CodecError(
        "The video has no picture that can be decoded",
        where=path,
        hint="the file is damaged, cut off or holds no video",
        rule="video-no-pictures",
    )


def _sorted(stamps: list[int]) -> NDArray[np.int64]:
    return np.unique(np.array(stamps, dtype=np.int64))


def _cache_file(path: Path) -> Path:
    about = path.stat()
    identity = f"{path.absolute()}|{about.st_size}|{about.st_mtime_ns}|{_FORMAT}"
    name = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return private_cache() / "video-index" / f"{name}.npz"


def _read_cached(path: Path) -> FrameIndex | None:
    try:
        with np.load(path, allow_pickle=False) as stored:
            numerator, denominator, counted, hidden = (int(each) for each in stored["facts"])
            return FrameIndex(
                stored["pts"].astype(np.int64),
                stored["keys"].astype(np.int64),
                Fraction(numerator, denominator),
                is_counted=bool(counted),
                hidden=hidden,
            )
    except (OSError, ValueError, KeyError, EOFError, ZeroDivisionError, zipfile.BadZipFile):
        return None


def _write_cached(index: FrameIndex, path: Path) -> None:
    """Keep the index; a full disk or a read-only home only means that it is made again."""
    time_base = index.time_base
    facts = np.array(
        [time_base.numerator, time_base.denominator, int(index.is_counted), index.hidden]
    )
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.npz")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(temporary, pts=index.pts, keys=index.keys, facts=facts)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
