"""Decodes a video's pictures in order from any frame; the only place that talks to FFmpeg for them.

Nothing of a stream is read after its container is closed: FFmpeg frees it then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.deadline import Deadline
from forensicviewer.sources.frameindex import FrameIndex

if TYPE_CHECKING:
    from av import Packet, VideoFrame
    from av.container import InputContainer
    from av.video.stream import VideoStream

MAX_PIXELS = 200_000_000  # more than any camera films; a header that says so lies
_IO_TIMEOUT_S = 20.0


@contextmanager
def opened(path: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The container and its first video stream; a CodecError where there is none."""
    container, stream = _open(path)
    try:
        yield container, stream
    finally:
        container.close()


def _open(path: Path) -> tuple[InputContainer, VideoStream]:
    import av
    from av.error import FFmpegError

    av.logging.set_level(None)  # failures are told by errors, not on standard error
    try:
        container = av.open(str(path), metadata_errors="replace", timeout=_IO_TIMEOUT_S)
    except (FFmpegError, OSError, ValueError) as error:
        raise unreadable(path) from error
    if not container.streams.video:
        container.close()
        raise CodecError("The file holds no video", where=path, rule="video-no-stream")
    stream = container.streams.video[0]
    width, height = stream.codec_context.width, stream.codec_context.height
    if width * height > MAX_PIXELS:
        container.close()
        raise CodecError(
            f"The video says its pictures are {width} by {height}, which is refused",
            where=path,
            hint="its header is probably damaged",
            rule="video-size",
        )
    stream.thread_type = "AUTO"
    return container, stream


def unreadable(path: Path) -> CodecError:
    return CodecError(
        "The video cannot be read",
        where=path,
        hint="the file is missing, damaged or not a video",
        rule="video-unreadable",
    )


def first_picture(path: Path, *, deadline: Deadline) -> VideoFrame | None:
    """The first picture that can be decoded."""
    with opened(path) as (container, stream):
        return next(_decoded(container, stream, deadline=deadline, where=path), None)


def first_pts(path: Path, *, deadline: Deadline) -> int | None:
    frame = first_picture(path, deadline=deadline)
    return None if frame is None else frame.pts


def count_pictures(path: Path, *, deadline: Deadline) -> int:
    with opened(path) as (container, stream):
        return sum(1 for _ in _decoded(container, stream, deadline=deadline, where=path))


def _decoded(
    container: InputContainer, stream: VideoStream, *, deadline: Deadline, where: Path
) -> Iterator[VideoFrame]:
    for packet in _packets(container, stream):
        deadline.check(where=where)
        yield from _pictures(packet)


def _packets(container: InputContainer, stream: VideoStream) -> Iterator[Packet[VideoStream]]:
    """All packets; a damaged end ends them."""
    from av.error import FFmpegError

    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except FFmpegError:
            return
        if packet is None:
            return
        yield packet


def _pictures(packet: Packet[VideoStream]) -> list[VideoFrame]:
    """What a packet decodes to; a damaged one decodes to nothing and the rest goes on."""
    from av.error import FFmpegError

    try:
        return list(packet.decode())
    except FFmpegError:
        return []


class FrameDecoder:
    """Reads numbered pictures forward from any frame. Not for two threads at once."""

    def __init__(self, path: Path, index: FrameIndex) -> None:
        self._path = path
        self._index = index
        self._container, self._stream = _open(path)
        self._packets = _packets(self._container, self._stream)
        self._ready: deque[tuple[int, VideoFrame]] = deque()
        self._floor: int | None = None  # pictures before this time stamp may be incomplete
        self._needs_key = False
        self._count = 0
        self._whole_pts: int | None = None
        self.position = 0  # the last frame that was read
        self.whole_from = 1  # from here on no picture is skipped

    def close(self) -> None:
        self._ready.clear()
        self._container.close()

    def seek(self, frame: int, *, deadline: Deadline) -> None:
        """Go where reading gives ``frame`` soon, and every picture after it.

        Pictures before it that no other refers to are left out: in long groups of pictures that
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
        self._restart()
        self._skip_until(frame)

    def read(self, *, deadline: Deadline) -> tuple[int, VideoFrame] | None:
        """The next picture with its number; ``None`` at the end."""
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
        whole, pts = self._whole_pts, packet.pts
        if whole is not None and pts is not None and pts >= whole:
            self._stream.codec_context.skip_frame = "DEFAULT"
            self._whole_pts = None
        if self._needs_key:
            if not packet.is_keyframe:
                return
            self._needs_key = False
            self._floor = packet.pts
        for frame in _pictures(packet):
            number = self._number(frame)
            if number is not None:
                self._ready.append((number, frame))

    def _number(self, frame: VideoFrame) -> int | None:
        if self._index.is_counted:
            self._count += 1
            return self._count
        if frame.pts is None or (self._floor is not None and frame.pts < self._floor):
            return None
        return self._index.frame_of(frame.pts)

    def _landings(self, frame: int) -> Iterator[int]:
        """Time stamps to seek to: the frame's own, then ever earlier key frames.

        Not the key frame's own at once: with variable frame rates some containers then land a
        whole group of pictures earlier.
        """
        pts = self._index.pts_of(frame)
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
        try:
            self._container.seek(pts, stream=self._stream)
        except (FFmpegError, ValueError):
            return False
        self._packets = _packets(self._container, self._stream)
        self._needs_key = True
        self._floor = None
        return True

    def _restart(self) -> None:
        """Start again at the first packet: always right, if slow."""
        self._ready.clear()
        self._container.close()
        self._container, self._stream = _open(self._path)
        self._packets = _packets(self._container, self._stream)
        self._needs_key = False
        self._floor = None
        self._count = 0
        self.position = 0

    def _skip_until(self, frame: int) -> None:
        self._whole_pts = None
        self.whole_from = frame
        codec = self._stream.codec_context
        if self._index.is_counted or frame <= 1:
            codec.skip_frame = "DEFAULT"
            self.whole_from = 1
            return
        codec.skip_frame = "NONREF"
        self._whole_pts = self._index.pts_of(frame)
