"""Decodes a video's frames in order from any frame."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.video.container import open_film, opened, packets_of
from forensicviewer.sources.video.frame_index import FrameIndex, Packets

if TYPE_CHECKING:
    from av import Packet, VideoFrame
    from av.container import InputContainer
    from av.video.stream import VideoStream


def first_picture(path: Path, *, deadline: Deadline) -> VideoFrame | None:
    """The first frame that can be decoded."""
    with opened(path) as (container, stream):
        return first_of(container, stream, deadline=deadline, where=path)


def first_of(
    container: InputContainer, stream: VideoStream, *, deadline: Deadline, where: Path
) -> VideoFrame | None:
    return next(_decoded(container, stream, deadline=deadline, where=where), None)


def first_pts(path: Path, *, deadline: Deadline) -> int | None:
    frame = first_picture(path, deadline=deadline)
    return None if frame is None else frame.pts


def shown_stamps(path: Path, *, deadline: Deadline, most: int | None = None) -> list[int | None]:
    """The time stamps of the first ``most`` frames, or of all, in the order of showing."""
    with opened(path) as (container, stream):
        pictures = _decoded(container, stream, deadline=deadline, where=path)
        return [frame.pts for frame in islice(pictures, most)]


def count_pictures(path: Path, *, deadline: Deadline) -> int:
    with opened(path) as (container, stream):
        return sum(1 for _ in _decoded(container, stream, deadline=deadline, where=path))


def _decoded(
    container: InputContainer, stream: VideoStream, *, deadline: Deadline, where: Path
) -> Iterator[VideoFrame]:
    for packet in packets_of(container, stream):
        deadline.check(where=where)
        yield from _pictures(packet)


def _pictures(packet: Packet[VideoStream]) -> list[VideoFrame]:
    """What a packet decodes to; a damaged one decodes to nothing and the rest goes on."""
    from av.error import FFmpegError

    try:
        return list(packet.decode())
    except FFmpegError:
        return []


class FrameDecoder:
    """Reads numbered frames forward from any frame. Not for two threads at once."""

    def __init__(self, path: Path, index: FrameIndex) -> None:
        self._path = path
        self._index = index
        self._film = open_film(path)
        self._packets = packets_of(self._film.container, self._film.stream)
        self._is_fresh = True  # nothing was decoded yet
        self._ready: deque[tuple[int, VideoFrame]] = deque()
        self._floor: int | None = None  # pictures before this frame may be incomplete
        self._needs_key = False
        self._has_jumped = False
        self._places = _Places(index.packets)
        self._count = 0
        self._whole_pts: int | None = None
        self.position = 0  # the last frame that was read
        self.whole_from = 1  # from here on no picture is skipped

    def close(self) -> None:
        self._ready.clear()
        self._film.close()

    def seek(self, frame: int, *, deadline: Deadline) -> None:
        """Go where reading gives ``frame`` soon, and every frame after it.

        Frames before it that no other refers to are left out: in long groups of frames that
        saves a third of the time.
        """
        for pts in () if self._index.is_counted else self._landings(frame):
            if not self._jump(pts):
                break
            self._skip_until(frame)
            first = self.read(deadline=deadline)
            if first is not None and first[0] <= frame:
                self._unread(first)
                return
        self.restart()
        self._skip_until(frame)

    def read(self, *, deadline: Deadline) -> tuple[int, VideoFrame] | None:
        """The next frame with its number; ``None`` at the end."""
        while not self._ready:
            deadline.check(where=self._path)
            packet = next(self._packets, None)
            if packet is None:
                return None
            self._decode(packet)
        number, frame = self._ready.popleft()
        self.position = number
        return number, frame

    def _unread(self, numbered: tuple[int, VideoFrame]) -> None:
        self._ready.appendleft(numbered)
        self.position = numbered[0] - 1

    def _decode(self, packet: Packet[VideoStream]) -> None:
        self._is_fresh = False
        if self._has_jumped and not self._places.restamp(packet):
            return
        whole, pts = self._whole_pts, packet.pts
        if whole is not None and pts is not None and pts >= whole:
            self._film.stream.codec_context.skip_frame = "DEFAULT"
            self._whole_pts = None
        if self._needs_key:
            if not packet.is_keyframe:
                return
            self._needs_key = False
            self._floor = None if packet.pts is None else self._index.frame_of(packet.pts)
        for frame in _pictures(packet):
            number = self._number(frame)
            if number is not None:
                self._ready.append((number, frame))

    def _number(self, frame: VideoFrame) -> int | None:
        if self._index.is_counted:
            self._count += 1
            return self._count
        number = None if frame.pts is None else self._index.frame_of(frame.pts)
        if number is None or (self._floor is not None and number < self._floor):
            return None
        return number

    def _landings(self, frame: int) -> Iterator[int]:
        """Time stamps to seek to: the frame's own, then ever earlier key frames.

        Not the key frame's own at once: with variable frame rates some containers then land a
        whole group of frames earlier.
        """
        pts = self._index.stamp_of(frame)
        yield pts
        keys = self._index.keys
        at = int((keys <= pts).sum()) - 1
        step = 1
        while at - step >= 0:
            yield int(keys[at - step])
            step *= 2

    def _jump(self, pts: int) -> bool:
        from av.error import FFmpegError

        self._ready.clear()
        if self._is_fresh:
            self._decode_first()
        film = self._film
        try:
            film.container.seek(pts, stream=film.stream)
        except (FFmpegError, ValueError):
            return False
        self._packets = packets_of(film.container, film.stream)
        self._needs_key = True
        self._has_jumped = True
        self._places.forget()
        self._floor = None
        return True

    def _decode_first(self) -> None:
        """Let the decoder see the first packet, wherever reading begins.

        Which version of x264 made the video stands only there, and old ones coded 4:4:4 in another
        way: without it all frames would be green.
        """
        first = next(self._packets, None)
        if first is not None:
            _pictures(first)
        self._is_fresh = False

    def restart(self, *, is_careful: bool = False) -> None:
        """Start again at the first packet: always right, if slow."""
        self._ready.clear()
        self._film.close()
        self._film = open_film(self._path, is_careful=is_careful)
        self._packets = packets_of(self._film.container, self._film.stream)
        self._is_fresh = True
        self._needs_key = False
        self._has_jumped = False
        self._floor = None
        self._count = 0
        self._whole_pts = None
        self.whole_from = 1
        self.position = 0

    def _skip_until(self, frame: int) -> None:
        self._whole_pts = None
        self.whole_from = frame
        codec = self._film.stream.codec_context
        is_stamped = not self._index.is_counted and self._index.stamps is None
        if not is_stamped or frame <= 1:
            codec.skip_frame = "DEFAULT"
            self.whole_from = 1
            return
        codec.skip_frame = "NONREF"
        self._whole_pts = self._index.pts_of(frame)


class _Places:
    """Gives packets the time stamps they had when the file was read from its start.

    After a jump some containers (MPEG program streams) guess time stamps anew and guess others, so
    that a frame would get its neighbour's number. A packet's place and size in the file tell which
    one it is, whatever it says itself.
    """

    def __init__(self, packets: Packets) -> None:
        self._packets = packets
        self._next: int | None = None
        # Sorted, not a dictionary: two hours of video have a quarter of a million packets.
        self._order = np.argsort(packets[:, 0], kind="stable")
        self._places = packets[self._order, 0]

    def forget(self) -> None:
        """The packets that follow come from somewhere else."""
        self._next = None

    def restamp(self, packet: Packet[VideoStream]) -> bool:
        """Set the packet's time stamp; ``False`` where it is not known, so not to be decoded."""
        if not packet.size:
            return True
        looked_at = (-1 if packet.pos is None else packet.pos, packet.size)
        at = self._next
        if at is None or at >= len(self._packets) or tuple(self._packets[at, :2]) != looked_at:
            at = self._found(*looked_at)
        if at is None:
            self._next = None
            return False
        self._next = at + 1
        packet.pts = int(self._packets[at, 2])
        return True

    def _found(self, place: int, size: int) -> int | None:
        """Twins cannot be distinguished; they are recognised by the packet before them."""
        first, last = np.searchsorted(self._places, [place, place + 1])
        there = self._order[first:last]
        alike = there[self._packets[there, 1] == size]
        return int(alike[0]) if len(alike) == 1 else None
