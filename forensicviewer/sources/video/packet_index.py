"""Finds the frames of a video by reading its packets, and keeps what was found."""

from __future__ import annotations

import contextlib
import hashlib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.files.atomic import stamp_of, write_bytes
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.files.media_file import open_media
from forensicviewer.sources.files.paths import private_cache
from forensicviewer.sources.video.container import no_pictures, opened, packets_of
from forensicviewer.sources.video.decoder import count_pictures, first_pts, shown_stamps
from forensicviewer.sources.video.frame_index import FrameIndex

if TYPE_CHECKING:
    from av import Packet
    from av.container import InputContainer
    from av.video.stream import VideoStream

_FORMAT = 4  # of the cached file; a change makes old ones be rebuilt
_MAX_FRAMES = 20_000_000
_ENOUGH_TO_TELL = 48  # pictures: more than any codec holds back


BuildIndex = Callable[[Deadline], FrameIndex]


def load_index(path: Path, *, deadline: Deadline, build: BuildIndex | None = None) -> FrameIndex:
    """The index of a video, from the private cache where the file has not changed since.

    ``build`` is how to make it otherwise, for those who have the file open already.
    """
    # Says in the user's words where there is no such file, or none that can be read.
    open_media(path).close()
    cached = _cache_file(path)
    found = _read_cached(cached)
    if found is not None:
        return found
    index = build(deadline) if build is not None else build_index(path, deadline=deadline)
    _write_cached(index, cached)
    return index


@decoded_apart
def build_index(path: Path, *, deadline: Deadline) -> FrameIndex:
    """Read every packet of the video, without decoding more than the first frame."""
    with opened(path) as (container, stream):
        time_base = stream.time_base or Fraction(1, 1)
        found = _read_packets(container, stream, deadline=deadline, where=path)
        reorders = bool(stream.codec_context.has_b_frames)
        may_be_packed = stream.codec_context.name == "mpeg4"
    if not found.is_usable:
        return _counted(path, deadline=deadline)
    index = FrameIndex(
        _sorted(found.shown),
        _sorted(found.keys),
        time_base,
        packets=np.array(found.packets, dtype=np.int64).reshape(-1, 3),
    )
    # DivX and Xvid put two frames into one packet and none into the next, with stamps to match.
    if reorders and (found.is_stamped_as_stored or may_be_packed):
        return _as_shown(index, path, deadline=deadline)
    return _from_first_picture(index, path, deadline=deadline)


@dataclass(slots=True)
class _Found:
    """Time stamps of shown frames and of key frames, and every packet in the file's order."""

    shown: list[int] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)
    packets: list[tuple[int, int, int]] = field(default_factory=list)
    has_untimed: bool = False

    @property
    def is_usable(self) -> bool:
        """Whether time stamps tell the frames apart."""
        is_distinct = len(set(self.shown)) == len(self.shown)
        return bool(self.keys) and is_distinct and not self.has_untimed

    @property
    def is_stamped_as_stored(self) -> bool:
        """Whether stamps rise from packet to packet, which they cannot where order matters."""
        return all(one[2] < two[2] for one, two in pairwise(self.packets))

    def add(self, packet: Packet[VideoStream]) -> None:
        if not packet.size:
            return
        if packet.pts is None:
            self.has_untimed = True
            return
        place = -1 if packet.pos is None else packet.pos
        self.packets.append((place, packet.size, packet.pts))
        if packet.is_keyframe:
            self.keys.append(packet.pts)
        if not packet.is_discard:
            self.shown.append(packet.pts)


def _read_packets(
    container: InputContainer, stream: VideoStream, *, deadline: Deadline, where: Path
) -> _Found:
    """All packets up to a cut or damaged end: what comes before it can be shown."""
    found = _Found()
    for packet in packets_of(container, stream):
        deadline.check(where=where)
        found.add(packet)
        if len(found.shown) > _MAX_FRAMES:
            raise CodecError(
                f"The video has more than {_MAX_FRAMES} frames",
                where=where,
                hint="the file is damaged or hostile",
                rule="video-long",
            )
    return found


def _from_first_picture(index: FrameIndex, path: Path, *, deadline: Deadline) -> FrameIndex:
    """The index without packets before the first frame that can be decoded.

    A video cut from another one may start with packets that need a key frame it does not have.
    """
    if not len(index):
        raise no_pictures(path)
    first = first_pts(path, deadline=deadline)
    if first is None:
        raise no_pictures(path)
    kept = index.pts[index.pts >= first]
    hidden = len(index) - len(kept)
    return replace(index, pts=kept, hidden=hidden)


def _as_shown(index: FrameIndex, path: Path, *, deadline: Deadline) -> FrameIndex:
    """The index of a file whose stamps may not be in the order of showing: look, and find out."""
    first = shown_stamps(path, deadline=deadline, most=_ENOUGH_TO_TELL)
    if first == sorted(stamp for stamp in first if stamp is not None):
        return _from_first_picture(index, path, deadline=deadline)
    everything = shown_stamps(path, deadline=deadline)
    stamps = np.array([stamp for stamp in everything if stamp is not None], np.int64)
    if len(stamps) != len(everything) or not len(stamps):
        return _counted(path, deadline=deadline)
    return replace(index, pts=np.sort(stamps), stamps=stamps, hidden=len(index) - len(stamps))


def _counted(path: Path, *, deadline: Deadline) -> FrameIndex:
    """For files without usable time stamps: decode everything once and count."""
    with opened(path) as (_, stream):
        rate = stream.average_rate or stream.guessed_rate or Fraction(25)
    count = count_pictures(path, deadline=deadline)
    if not count:
        raise no_pictures(path)
    first = np.zeros(1, np.int64)
    return FrameIndex(np.arange(count, dtype=np.int64), first, 1 / rate, is_counted=True)


def _sorted(stamps: list[int]) -> NDArray[np.int64]:
    return np.unique(np.array(stamps, dtype=np.int64))


def _cache_file(path: Path) -> Path:
    identity = f"{path.absolute()}|{stamp_of(path)}|{_FORMAT}"
    name = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return private_cache() / "video-index" / f"{name}.npz"


def _read_cached(path: Path) -> FrameIndex | None:
    try:
        checksum, content = path.read_bytes().split(b"\n", 1)
        if checksum != _checksum(content):
            return None
        with np.load(BytesIO(content), allow_pickle=False) as stored:
            numerator, denominator, counted, hidden = (int(each) for each in stored["facts"])
            return FrameIndex(
                stored["pts"].astype(np.int64),
                stored["keys"].astype(np.int64),
                Fraction(numerator, denominator),
                is_counted=bool(counted),
                hidden=hidden,
                packets=stored["packets"].astype(np.int64).reshape(-1, 3),
                stamps=stored["stamps"].astype(np.int64) if len(stored["stamps"]) else None,
            )
    except (OSError, ValueError, KeyError, EOFError, ZeroDivisionError, zipfile.BadZipFile):
        return None


def _write_cached(index: FrameIndex, path: Path) -> None:
    """Keep the index; a full disk or a read-only home only means that it is made again."""
    time_base = index.time_base
    facts = np.array(
        [time_base.numerator, time_base.denominator, int(index.is_counted), index.hidden]
    )
    written = BytesIO()
    np.savez_compressed(
        written,
        pts=index.pts,
        keys=index.keys,
        packets=index.packets,
        stamps=np.zeros(0, np.int64) if index.stamps is None else index.stamps,
        facts=facts,
    )
    content = written.getvalue()
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, _checksum(content) + b"\n" + content)


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
