"""Decodes any frame of a video exactly, and those around the playhead ahead of time.

Lives in a decoder process; :mod:`.video_file` is how everyone else asks for frames.
"""

from __future__ import annotations

import threading
from bisect import bisect_left, insort
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from io import SEEK_END
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

from forensicviewer.core.array import RgbImage, Size
from forensicviewer.core.problem import CodecError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.decoders.door import decoded_apart
from forensicviewer.sources.files.deadline import CalledOffError, Deadline
from forensicviewer.sources.media.orientation import turn_upright
from forensicviewer.sources.video.container import Film, no_pictures, open_film
from forensicviewer.sources.video.decoder import FrameDecoder, first_of, first_picture
from forensicviewer.sources.video.display_matrix import turn_of
from forensicviewer.sources.video.frame_index import FrameIndex
from forensicviewer.sources.video.packet_index import build_index

if TYPE_CHECKING:
    from av import VideoFrame
    from av.video.stream import VideoStream

PICTURE_SECONDS = 20.0  # without a picture; while they come, the file is only long
_LONGEST_WINDOW = 250
_READ_AHEAD = 24
_FAR = 1000  # frames from the key frame: too many to decode only because they may be wanted
_JUMP_MARGIN = 6  # frames before a jump's target that are kept, for the first steps back


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """What a video's header and first frame say.

    ``size`` is that of the frames as shown; ``rotation`` is how far they were turned clockwise
    for that, before they were mirrored. ``declared_frames`` and ``declared_rate`` are the header's
    word, which may be wrong. ``stream`` of ``streams`` (counted from 1) is the one that is shown.
    """

    container: str
    codec: str
    size: Size
    stored_size: Size
    rotation: int
    is_interlaced: bool
    declared_frames: int | None
    declared_rate: float | None
    has_audio: bool
    byte_count: int
    pixel_aspect: float = 1.0
    is_mirrored: bool = False
    is_oddly_turned: bool = False  # the header wants a turn that is not shown
    stream: int = 1
    streams: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class VideoPicture:
    """One frame as shown; ``frame`` counts from 1 and ``time_s`` from the first frame.

    ``is_incomplete`` says that the decoder lacked a part of it, or of one it refers to.
    """

    frame: int
    pts: int
    time_s: float
    pixels: RgbImage
    is_key: bool = False
    is_incomplete: bool = False


@decoded_apart
def video_thumbnail(path: Path, *, edge_px: int) -> RgbImage:
    """The first frame, at most ``edge_px`` wide and high."""
    frame = first_picture(path, deadline=Deadline(PICTURE_SECONDS))
    if frame is None:
        raise no_pictures(path)
    pixels = _Upright(path).pixels_of(frame)
    scale = min(1.0, edge_px / max(pixels.shape[:2]))
    width, height = (max(1, round(scale * edge)) for edge in (pixels.shape[1], pixels.shape[0]))
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class OpenedVideo:
    """What is known of a video once it is open."""

    facts: VideoFacts
    first: VideoPicture


class FrameReader:
    """Frames by frame number; those around the playhead are kept.

    The first frame needs no index. At most ``cache_bytes`` of decoded frames are kept; in the
    direction of travel more are decoded in the background, so that neither playing nor stepping
    back waits for whole groups of frames.
    """

    def __init__(self, path: Path, *, cache_bytes: int) -> None:
        self._path = path
        # Opened once for both: of a long video the table of frames alone takes a while to read.
        film = open_film(path)
        try:
            deadline = Deadline(PICTURE_SECONDS)
            frame = first_of(film.container, film.stream, deadline=deadline, where=path)
            if frame is None:
                raise no_pictures(path)
            self._facts = _facts(film, frame)
        finally:
            film.close()
        self._first = frame
        self._upright = _Upright(path)
        self._ring = _Ring(cache_bytes)
        self._index: FrameIndex | None = None
        self._decoder: FrameDecoder | None = None
        self._decoding = threading.Lock()
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="video")
        self._prefetching: Future[None] | None = None
        self._turn = 0  # counts what was asked for; an older prefetch gives way
        self._broken: set[int] = set()

    def describe(self) -> OpenedVideo:
        first = self._first
        picture = VideoPicture(
            1,
            first.pts or 0,
            0.0,
            self._upright.pixels_of(first),
            is_key=True,
            is_incomplete=first.is_corrupt,
        )
        return OpenedVideo(self._facts, picture)

    def kept_bytes(self) -> int:
        return self._ring.byte_count

    def kept_frames(self) -> tuple[int, ...]:
        return self._ring.frames()

    def build_index(self, *, deadline: Deadline) -> FrameIndex:
        """Find all frames; may take seconds."""
        return build_index.here(self._path, deadline=deadline)

    def use_index(self, index: FrameIndex) -> None:
        """Number frames by this index, which was built or kept from an earlier time."""
        self._index = index

    def picture(
        self, frame: int, *, direction: int, deadline: Deadline, progress: Progress
    ) -> VideoPicture:
        """The frame with this number, exactly; see :meth:`.VideoFile.picture`."""
        index = self._known_index()
        found = self._ring.get(frame)
        if found is None:
            found = self._decoded(frame, direction, deadline, progress)
        self._ring.playhead = frame
        self._prefetch(frame, direction)
        return VideoPicture(
            frame=frame,
            pts=index.pts_of(frame),
            time_s=index.time_s(frame),
            pixels=self._upright.pixels_of(found),
            is_key=index.is_key(frame),
            is_incomplete=found.is_corrupt,
        )

    def close(self) -> None:
        """Stop the background work and let go of the file and the frames."""
        self._turn += 1
        self._worker.shutdown(wait=True, cancel_futures=True)
        with self._decoding:
            if self._decoder is not None:
                self._decoder.close()
                self._decoder = None
        self._ring.clear()

    def settle(self) -> None:
        """Wait for the background work that is under way."""
        if self._prefetching is not None:
            self._prefetching.result()

    def _known_index(self) -> FrameIndex:
        assert self._index is not None
        return self._index

    def _decoded(
        self, frame: int, direction: int, deadline: Deadline, progress: Progress
    ) -> VideoFrame:
        """Decode a frame that is not kept, and what a next step may want with it."""
        self._turn += 1
        with self._decoding:
            found = self._ring.get(frame)
            if found is not None:
                return found
            self._ring.playhead = frame
            is_far = self._is_far_from_key(frame)
            back = self._window() if direction < 0 or is_far else _JUMP_MARGIN
            self._fill(max(1, frame - back), frame, deadline, progress)
            if self._ring.get(frame) is None and frame not in self._broken:
                # A damaged file may only be readable from its start; tried once for each frame.
                self._broken.add(frame)
                self._fill_from_start(frame, deadline, progress)
        found = self._ring.get(frame)
        if found is None:
            raise CodecError(
                f"Frame {frame} cannot be decoded",
                where=self._path,
                hint="the file is damaged there; other frames can be shown",
                rule="video-broken-frame",
            )
        return found

    def _fill(self, first: int, last: int, deadline: Deadline, progress: Progress) -> None:
        """Decode frames ``first`` to ``last``, going on from where the decoder is if that pays."""
        self._read_up_to(last, self._approach(first, last, deadline), deadline, progress)

    def _fill_from_start(self, frame: int, deadline: Deadline, progress: Progress) -> None:
        assert self._decoder is not None
        self._decoder.restart(is_careful=True)
        self._read_up_to(frame, self._decoder, deadline, progress)

    def _read_up_to(
        self, last: int, decoder: FrameDecoder, deadline: Deadline, progress: Progress
    ) -> None:
        start = decoder.position
        while decoder.position < last and self._read(decoder, deadline):
            deadline.renew()
            progress(decoder.position - start, last - start)

    def _is_far_from_key(self, frame: int) -> bool:
        """Whether so much is decoded to reach the frame that all of its neighbours are kept."""
        return frame - self._known_index().key_before(frame) > _FAR

    def _approach(self, first: int, last: int, deadline: Deadline) -> FrameDecoder:
        index = self._known_index()
        if self._decoder is None:
            self._decoder = FrameDecoder(self._path, index)
        decoder = self._decoder
        key = index.key_before(first)
        goes_on = key - 1 <= decoder.position < first and first >= decoder.whole_from
        # Frames of the window that were read before are still kept, so reading on fills the rest.
        resumes = first <= decoder.position < last and self._ring.has_all(first, decoder.position)
        if not goes_on and not resumes:
            decoder.seek(first, deadline=deadline)
        return decoder

    def _read(self, decoder: FrameDecoder, deadline: Deadline) -> bool:
        numbered = decoder.read(deadline=deadline)
        if numbered is None:
            return False
        number, frame = numbered
        if number >= decoder.whole_from:
            self._ring.put(number, frame)
        return True

    def _window(self) -> int:
        """How many frames are decoded together when going back: two windows fit the memory."""
        return max(2, min(_LONGEST_WINDOW, self._ring.capacity // 2 - 2))

    def _prefetch(self, frame: int, direction: int) -> None:
        if direction == 0:
            return
        if self._prefetching is not None and not self._prefetching.done():
            return
        wanted = self._ahead(frame) if direction > 0 else self._behind(frame)
        if wanted is not None:
            self._prefetching = self._worker.submit(self._fill_quietly, *wanted, self._turn)

    def _ahead(self, frame: int) -> tuple[int, int] | None:
        last = min(frame + min(_READ_AHEAD, self._ring.capacity // 4), len(self._known_index()))
        first = self._ring.first_missing(frame, last)
        return None if first is None else (first, last)

    def _behind(self, frame: int) -> tuple[int, int] | None:
        window = self._window()
        lowest = self._ring.lowest_in_a_row(frame)
        if lowest <= 1 or frame - lowest > window // 2 or self._is_far_from_key(lowest - 1):
            return None
        return max(1, lowest - window), lowest - 1

    def _fill_quietly(self, first: int, last: int, turn: int) -> None:
        """Prefetch until done or another frame is asked for; failures show when they matter."""
        deadline = Deadline(PICTURE_SECONDS, is_called_off=lambda: self._turn != turn)
        try:
            with self._decoding:
                decoder = self._approach(first, last, deadline)
            while decoder.position < last:
                with self._decoding:
                    deadline.check(where=self._path)
                    if not self._read(decoder, deadline):
                        return
        except (CodecError, CalledOffError):
            return


class _Upright:
    """Turns frames into pixels as the header says, all with one converter.

    A frame's own converter would live as long as the frame, each with threads of its own.
    """

    def __init__(self, path: Path) -> None:
        from av.video.reformatter import VideoReformatter

        self._path = path
        self._converter = VideoReformatter()

    def pixels_of(self, frame: VideoFrame) -> RgbImage:
        from av.error import FFmpegError

        try:
            colours = self._converter.reformat(frame, format="rgb24")
            pixels = np.asarray(colours.to_ndarray(), dtype=np.uint8)
        except (FFmpegError, ValueError) as error:
            # A damaged header may declare colours that FFmpeg decodes and cannot convert.
            raise CodecError(
                f"The colours of the video are not supported ({frame.format.name})",
                where=self._path,
                hint="its header is damaged, or FFmpeg cannot convert it to RGB",
                rule="video-colours",
            ) from error
        return turn_upright(pixels, turn_of(frame).orientation)


def _facts(film: Film, frame: VideoFrame) -> VideoFacts:
    container, stream = film.container, film.stream
    stored, turn = Size(frame.width, frame.height), turn_of(frame)
    rate = stream.average_rate
    return VideoFacts(
        container=container.format.name,
        codec=stream.codec_context.name,
        size=Size(stored.height, stored.width) if turn.swaps_edges else stored,
        stored_size=stored,
        rotation=turn.degrees,
        is_interlaced=bool(frame.interlaced_frame),
        declared_frames=stream.frames or None,
        declared_rate=float(rate) if rate else None,
        has_audio=bool(container.streams.audio),
        byte_count=film.file.seek(0, SEEK_END),
        pixel_aspect=_pixel_aspect(stream),
        is_mirrored=turn.is_mirrored,
        is_oddly_turned=turn.is_odd,
        stream=film.number,
        streams=len(container.streams.video),
    )


def _pixel_aspect(stream: VideoStream) -> float:
    ratio = stream.sample_aspect_ratio
    return float(ratio) if ratio else 1.0


class _Ring:
    """Decoded frames around the playhead; the farthest go first when memory is full."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._pictures: dict[int, VideoFrame] = {}
        self._order: list[int] = []
        self._frame_bytes = 0
        self.playhead = 1

    @property
    def capacity(self) -> int:
        """How many frames fit; at least one is always kept."""
        return max(1, self._max_bytes // self._frame_bytes) if self._frame_bytes else 64

    @property
    def byte_count(self) -> int:
        return self._frame_bytes * len(self._order)

    def frames(self) -> tuple[int, ...]:
        with self._lock:
            return tuple(self._order)

    def get(self, frame: int) -> VideoFrame | None:
        return self._pictures.get(frame)

    def put(self, frame: int, picture: VideoFrame) -> None:
        with self._lock:
            size = sum(plane.buffer_size for plane in picture.planes)
            # Frames of a stream may change size; the largest decides how many are kept.
            self._frame_bytes = max(self._frame_bytes, size)
            if frame not in self._pictures:
                insort(self._order, frame)
            self._pictures[frame] = picture
            while len(self._order) > self.capacity:
                self._drop_farthest()

    def has_all(self, first: int, last: int) -> bool:
        return self.first_missing(first, last) is None

    def first_missing(self, first: int, last: int) -> int | None:
        return next((n for n in range(first, last + 1) if n not in self._pictures), None)

    def lowest_in_a_row(self, frame: int) -> int:
        """The lowest frame kept without a gap below ``frame``."""
        with self._lock:
            at = bisect_left(self._order, frame)
            while at > 0 and self._order[at - 1] == self._order[at] - 1:
                at -= 1
            return self._order[at] if at < len(self._order) else frame

    def clear(self) -> None:
        with self._lock:
            self._pictures.clear()
            self._order.clear()

    def _drop_farthest(self) -> None:
        lowest, highest = self._order[0], self._order[-1]
        from_top = highest - self.playhead >= self.playhead - lowest
        self._pictures.pop(self._order.pop(-1 if from_top else 0))
