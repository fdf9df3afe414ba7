"""Counts the frames stored in a video, without decoding them."""

from __future__ import annotations

from pathlib import Path

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.headers import open_media


def count_frames(path: Path) -> int:
    """The number of pictures the first video stream holds, counted packet by packet."""
    # PyAV is slow to import and only videos need it.
    import av

    with open_media(path) as stream:
        try:
            with av.open(stream, mode="r") as container:
                video = container.streams.video[0]
                return sum(
                    1 for packet in container.demux(video) if packet.size and not packet.is_discard
                )
        except (av.error.FFmpegError, IndexError) as error:
            raise CodecError(
                "The file is not a readable video", where=path, rule="codec-video"
            ) from error
