"""Videos: any frame exactly, quickly again when it is near; decoded in a separate process."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

from forensicviewer.core.problem import CodecError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.decoders.door import KeptApart
from forensicviewer.sources.decoders.messages import ProgressOf
from forensicviewer.sources.files.deadline import CalledOffError, Deadline
from forensicviewer.sources.video.frame_index import FrameIndex
from forensicviewer.sources.video.frame_reader import (
    PICTURE_SECONDS,
    FrameReader,
    VideoPicture,
)
from forensicviewer.sources.video.packet_index import load_index

CACHE_BYTES = 512 * 1024 * 1024
INDEX_SECONDS = 600.0
NO_FRAME = "video-no-frame"


def _nobody(_done: int, _total: int) -> None:
    """Ignore the progress."""


class VideoFile:
    """A video that is looked at: frames by frame number. Any thread may ask.

    The first frame needs no index. The decoder keeps at most ``cache_bytes`` of frames around
    the playhead. Whatever the file does to it costs one frame: the next one is decoded anew.
    """

    def __init__(self, path: Path, *, cache_bytes: int = CACHE_BYTES) -> None:
        self.path = path
        self._is_closed = False
        self._index: FrameIndex | None = None
        self._indexing = threading.Lock()
        self._reader = KeptApart(partial(FrameReader, path, cache_bytes=cache_bytes))
        try:
            opened = self._reader.ask(FrameReader.describe)
        except BaseException:
            self.close()
            raise
        self.facts, self._first = opened.facts, opened.first

    @property
    def index(self) -> FrameIndex | None:
        """The frames; ``None`` until :meth:`load_index` was called."""
        return self._index

    @property
    def cached_bytes(self) -> int:
        return self._reader.ask(FrameReader.kept_bytes)

    @property
    def cached_frames(self) -> tuple[int, ...]:
        return self._reader.ask(FrameReader.kept_frames)

    def first_picture(self) -> VideoPicture:
        """The first frame, at once."""
        return self._first

    def load_index(self, *, deadline: Deadline | None = None) -> FrameIndex:
        """Find all frames, or read from the cache where they are; may take seconds."""
        if self._index is None:
            with self._indexing:
                return self._index or self._load(deadline or Deadline(INDEX_SECONDS))
        return self._index

    def picture(
        self,
        frame: int,
        *,
        direction: int = 0,
        deadline: Deadline | None = None,
        progress: Progress | None = None,
    ) -> VideoPicture:
        """The frame with this number, exactly.

        ``direction`` is where the playhead goes next: 1 forwards, -1 backwards, 0 anywhere.
        Where key frames are far apart, as in a long GIF, reaching it may take minutes; ``progress``
        gets how many frames were decoded for it and how many there are to decode.
        """
        index = self.load_index()
        if not 1 <= frame <= len(index):
            raise CodecError(
                f"Frame {frame} does not exist: the video has {len(index)} frames",
                where=self.path,
                rule=NO_FRAME,
            )
        self._require_open()
        return self._reader.ask(
            FrameReader.picture,
            frame,
            direction=direction,
            deadline=self._unless_closed(deadline or Deadline(PICTURE_SECONDS)),
            progress=ProgressOf(progress or _nobody),
        )

    def close(self) -> None:
        """Stop the background work and let go of the file and the frames."""
        self._is_closed = True
        self._reader.close()

    def settle(self) -> None:
        """Wait for the background work that is under way."""
        self._reader.ask(FrameReader.settle)

    def _load(self, deadline: Deadline) -> FrameIndex:
        def build(limit: Deadline) -> FrameIndex:
            return self._reader.ask(FrameReader.build_index, deadline=limit)

        self._require_open()
        index = load_index(self.path, deadline=self._unless_closed(deadline), build=build)
        self._require_open()
        self._reader.tell(FrameReader.use_index, index)
        self._index = index
        return index

    def _unless_closed(self, deadline: Deadline) -> Deadline:
        def is_called_off() -> bool:
            return self._is_closed or deadline.is_called_off()

        return Deadline(deadline.seconds, is_called_off=is_called_off)

    def _require_open(self) -> None:
        if self._is_closed:
            raise CalledOffError("The video was closed", where=self.path)
