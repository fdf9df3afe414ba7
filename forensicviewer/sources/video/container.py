"""Opens video and sound files with FFmpeg: one file each, in a format that names no other file.

FFmpeg also reads playlists, which name files and addresses to read instead. It gets an open file,
no names, and may use only the demuxers listed here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, cast

from forensicviewer.core.problem import CodecError
from forensicviewer.sources.files.media_file import open_media

if TYPE_CHECKING:
    from av import Packet
    from av.audio.stream import AudioStream
    from av.container import InputContainer
    from av.video.stream import VideoStream

MAX_PIXELS = 80_000_000  # more than any camera films; a header that says so lies
_IO_TIMEOUT_S = 20.0
_BUFFER_BYTES = 1 << 18
_DEMUXERS = (
    # Containers.
    *("avi", "mov", "matroska", "mpegts", "mpeg", "mpegvideo", "asf", "flv", "ogg", "mxf", "nut"),
    *("rm", "ivf", "wtv", "dv", "gxf", "nsv", "amv", "swf", "vivo", "roq", "smk", "bink", "flic"),
    # Single streams.
    *("h261", "h263", "h264", "hevc", "vvc", "av1", "obu", "vc1", "m4v", "cavsvideo", "dirac"),
    *("dnxhd", "mjpeg", "yuv4mpegpipe", "gif", "apng", "webp", "evc", "avs2", "avs3"),
    # Sound alone.
    *("wav", "w64", "mp3", "aac", "ac3", "eac3", "dts", "flac", "amr", "aiff", "au", "caf", "ape"),
    *("tta", "wv", "mpc", "mpc8", "tak"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """An open file and the one of its video streams that is shown.

    Nothing of a stream may be read after :meth:`close`: FFmpeg frees it then.
    """

    container: InputContainer
    stream: VideoStream
    file: BufferedReader

    @property
    def number(self) -> int:
        """Which of the video streams it is, counted from 1."""
        return self.container.streams.video.index(self.stream) + 1

    def close(self) -> None:
        self.container.close()
        self.file.close()


@contextmanager
def opened(path: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The container and the video stream that is shown; a CodecError where there is none."""
    film = open_film(path)
    try:
        yield film.container, film.stream
    finally:
        film.close()


def open_film(path: Path, *, is_careful: bool = False) -> Film:
    """``is_careful`` decodes slower, so that a damaged packet harms no frame before it."""
    container, file = _open(path, _unreadable(path))
    try:
        stream = _shown_stream(container, path)
        _refuse_size(stream, path)
    except CodecError:
        container.close()
        file.close()
        raise
    # With threads for several frames, what follows a damaged packet in the decoder is lost at the
    # end of the file.
    stream.thread_type = "SLICE" if is_careful else "AUTO"
    return Film(container, stream, file)


@contextmanager
def opened_sound(path: Path) -> Iterator[tuple[InputContainer, AudioStream | None]]:
    """The container and its first sound track that can be decoded."""
    unreadable = CodecError(
        "The sound of the file cannot be read",
        where=path,
        hint="the file is damaged, not a video, or a playlist; playlists are never followed",
        rule="audio-unreadable",
    )
    container, file = _open(path, unreadable)
    try:
        known = (each for each in container.streams.audio if _is_decodable(each))
        yield container, next(known, None)
    finally:
        container.close()
        file.close()


def _open(path: Path, unreadable: CodecError) -> tuple[InputContainer, BufferedReader]:
    import av
    from av.error import FFmpegError

    av.logging.set_level(None)  # failures are told by errors, not on standard error
    # Says in the user's words where there is no such file; a pipe would never open.
    file = open_media(path)
    try:
        container = av.open(
            file,
            "r",
            metadata_errors="replace",
            timeout=_IO_TIMEOUT_S,
            buffer_size=_BUFFER_BYTES,
            container_options={
                "format_whitelist": ",".join(_DEMUXERS),
                "protocol_whitelist": "none",
            },
        )
    except (FFmpegError, OSError, ValueError) as error:
        file.close()
        raise unreadable from error
    return container, file


def _shown_stream(container: InputContainer, path: Path) -> VideoStream:
    """The stream that is shown: the one the file says, or the largest, but not a cover."""
    streams = container.streams.video
    if not streams:
        raise CodecError(
            "The file does not contain a video",
            where=path,
            hint="check the file name in the table",
            rule="video-no-stream",
        )
    decodable = [stream for stream in streams if _is_decodable(stream)]
    if not decodable:
        raise CodecError(
            "The video codec is not supported",
            where=path,
            hint="FFmpeg cannot decode it; convert it to another format",
            rule="video-unknown-codec",
        )
    films = [each for each in decodable if not _is_cover(each)] or decodable
    return max(films, key=_rank)  # of equal ones the first


def _rank(stream: VideoStream) -> tuple[bool, int]:
    from av.stream import Disposition

    is_default = bool(stream.disposition & Disposition.default)
    return is_default, stream.codec_context.width * stream.codec_context.height


def _is_decodable(stream: VideoStream | AudioStream) -> bool:
    # Without a decoder there is no context, whatever the types say.
    return getattr(stream, "codec_context", None) is not None


def _is_cover(stream: VideoStream) -> bool:
    from av.stream import Disposition

    return bool(stream.disposition & Disposition.attached_pic)


def _refuse_size(stream: VideoStream, path: Path) -> None:
    width, height = stream.codec_context.width, stream.codec_context.height
    if width * height > MAX_PIXELS:
        raise CodecError(
            f"The video declares frames of {width} by {height} pixels, which is refused",
            where=path,
            hint="its header is probably damaged",
            rule="video-size",
        )


def _unreadable(path: Path) -> CodecError:
    return CodecError(
        "The video cannot be read",
        where=path,
        hint="the file is damaged, not a video, or a playlist; playlists are never followed",
        rule="video-unreadable",
    )


def packets_of(container: InputContainer, stream: VideoStream) -> Iterator[Packet[VideoStream]]:
    """All packets; the last one is empty and makes the decoder give what it has held back.

    A damaged end ends them.
    """
    from av import Packet as MakePacket
    from av.error import FFmpegError

    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except FFmpegError:
            last = cast("Packet[VideoStream]", MakePacket())
            last.stream = stream
            yield last
            return
        if packet is None:
            return
        yield packet


def no_pictures(path: Path) -> CodecError:
    """What is said of a video none of whose frames can be decoded."""
    if _is_encrypted(path):
        return CodecError(
            "The video is encrypted",
            where=path,
            hint="decrypt it with its key, then open the result",
            rule="video-encrypted",
        )
    return CodecError(
        "The video has no frame that can be decoded",
        where=path,
        hint="the file is damaged, truncated or not a video",
        rule="video-no-pictures",
    )


def _is_encrypted(path: Path) -> bool:
    with opened(path) as (container, stream):
        first = next(packets_of(container, stream), None)
        return first is not None and first.has_sidedata("encryption_info")
