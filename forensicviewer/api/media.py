"""Images and the frames of videos as arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import overload

from forensicviewer.api.arguments import StrPath, path_of, whole
from forensicviewer.core.array import Floats, RgbImage
from forensicviewer.core.problem import UsageError
from forensicviewer.sources.media import images
from forensicviewer.sources.video.video_file import VideoFile


def read_image(path: StrPath) -> RgbImage:
    """An image as the panes of the window show it: (height, width, 3), 8 bits, red first, upright.

    Reads JPEG, PNG, TIFF, BMP, GIF, WebP, JPEG 2000, HEIC and camera RAW; the EXIF orientation is
    applied.
    """
    return images.read_image(path_of(path)).pixels


def open_video(path: StrPath) -> Video:
    """Open a video; its frames are decoded when they are asked for.

    ::

        with fv.open_video("probe.mp4") as video:
            print(len(video), video.times[-1])
            first, last = video[0], video[-1]
    """
    return Video(VideoFile(path_of(path)))


class Video(Sequence[RgbImage]):
    """The frames of a video, exactly and counted from 0 (NIST's tables count from 1).

    ``video[k]`` is an array (height, width, 3), red first and upright; a slice is a list of such
    arrays. Going through the video from its beginning decodes each frame once. Close it, or use it
    in a ``with`` statement.
    """

    def __init__(self, file: VideoFile) -> None:
        self.path = file.path
        self._file = file
        self._is_closed = False

    def __repr__(self) -> str:
        size = self._file.facts.size
        frames = "closed" if self._is_closed else f"{len(self)} frames"
        return f"<Video {self.path.name}: {frames} of {size}>"

    def __reduce__(self) -> tuple[Callable[[StrPath], Video], tuple[Path]]:
        """Another process opens the file for itself."""
        return open_video, (self.path,)

    def __enter__(self) -> Video:
        self._require_open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._file.load_index())

    @overload
    def __getitem__(self, frame: int) -> RgbImage: ...
    @overload
    def __getitem__(self, frame: slice) -> list[RgbImage]: ...
    def __getitem__(self, frame: int | slice) -> RgbImage | list[RgbImage]:
        numbers = range(len(self))
        if isinstance(frame, slice):
            return [self._frame(number) for number in numbers[frame]]
        try:
            return self._frame(numbers[whole("frame", frame)])
        except IndexError:
            raise IndexError(f"frame {frame} of a video with {len(self)} frames") from None

    def __iter__(self) -> Iterator[RgbImage]:
        return (self._frame(number, direction=1) for number in range(len(self)))

    @property
    def times(self) -> Floats:
        """When each frame is shown, in seconds from the first one, by the file's time stamps."""
        return self._file.load_index().times_s.copy()

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """(frames, height, width, 3)."""
        size = self._file.facts.size
        return len(self), size.height, size.width, 3

    def close(self) -> None:
        """Let go of the file and the decoded frames."""
        self._is_closed = True
        self._file.close()

    def _frame(self, number: int, *, direction: int = 0) -> RgbImage:
        self._require_open()
        return self._file.picture(number + 1, direction=direction).pixels

    def _require_open(self) -> None:
        if self._is_closed:
            raise UsageError("The video is closed", where=self.path, hint="open it again")
