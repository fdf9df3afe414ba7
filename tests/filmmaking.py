"""Makes small videos whose every frame carries its own number, so that a picture can be checked."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import av
import cv2
import numpy as np
from av.stream import Disposition
from numpy.typing import NDArray

from forensicviewer.core.array import RgbImage

BITS = 12
WIDTH, HEIGHT = 192, 96


@dataclass(frozen=True)
class Film:
    """How a video is made; ``gaps`` says how many ticks each frame lasts (repeating)."""

    name: str
    codec: str
    frames: int = 120
    rate: int = 30
    gaps: tuple[int, ...] = (1,)
    options: Mapping[str, str] = field(default_factory=dict)
    pixel_format: str = "yuv420p"
    width: int = WIDTH
    height: int = HEIGHT


X264_GOP12 = {"g": "12", "bf": "3", "sc_threshold": "0", "preset": "veryfast", "crf": "18"}
X265 = {
    "preset": "ultrafast",
    "x265-params": "keyint=20:bframes=3:open-gop=1:log-level=none",
}
MPEG2 = {"g": "15", "bf": "2", "qscale": "3"}
VP9 = {"g": "30", "deadline": "realtime", "cpu-used": "8", "lag-in-frames": "10"}
ALPHA = {"profile": "4444"}
FILMS = (
    Film("h264-gop12.mp4", "libx264", options=X264_GOP12),
    Film("h264-gop250.mp4", "libx264", frames=300, options={**X264_GOP12, "g": "250"}),
    Film("h264-open-gop.mkv", "libx264", options={**X264_GOP12, "x264-params": "open-gop=1"}),
    Film("h264-vfr.mp4", "libx264", gaps=(1, 1, 3, 7, 2, 1, 15), options=X264_GOP12),
    Film("h264.mov", "libx264", options=X264_GOP12),
    Film("mpeg4.avi", "mpeg4", options={"g": "12", "bf": "0", "qscale": "3"}),
    Film("mpeg4-b.avi", "mpeg4", options={"g": "60", "bf": "2", "qscale": "3"}),
    Film("mpeg2.mpg", "mpeg2video", options=MPEG2),
    Film("h264-in.avi", "libx264", options=X264_GOP12),
    Film("hevc-open-gop.mp4", "libx265", frames=90, options=X265),
    Film("wmv2.wmv", "wmv2", options={"g": "12", "qscale": "3"}),
    Film("picture.gif", "gif", frames=40, rate=25, pixel_format="rgb8"),
    Film("vfr.gif", "gif", frames=30, rate=10, gaps=(20, 3, 50, 4), pixel_format="rgb8"),
    Film("h264-vfr.mkv", "libx264", gaps=(1, 1, 3, 7, 2, 1, 15), options=X264_GOP12),
    Film("mpeg2-open-gop.mpg", "mpeg2video", options={**MPEG2, "flags": "-cgop"}),
    Film("mpeg2-interlaced.mpg", "mpeg2video", options={**MPEG2, "flags": "+ildct+ilme"}),
    Film("h264.ts", "libx264", options=X264_GOP12),
    Film("vp9.webm", "libvpx-vp9", frames=90, options=VP9),
    Film("prores-alpha.mov", "prores_ks", frames=40, pixel_format="yuva444p10le", options=ALPHA),
)


def barcode(number: int, *, width: int = WIDTH, height: int = HEIGHT) -> RgbImage:
    """A picture with the number as black and white bars, over a drifting texture."""
    picture = np.roll(_texture(width, height), -3 * number, axis=1).copy()
    bar = width // BITS
    for bit in range(BITS):
        picture[: height // 2, bit * bar : (bit + 1) * bar] = 235 if number >> bit & 1 else 16
    return picture


@lru_cache(maxsize=4)
def _texture(width: int, height: int) -> RgbImage:
    """Soft blobs, as much work for a codec as an out-of-focus background."""
    chance = np.random.default_rng(5)
    coarse = chance.integers(40, 216, (max(2, height // 24), max(2, width // 24), 3), np.uint8)
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


def number_in(picture: NDArray[np.uint8]) -> int:
    """The number a picture shows, whatever its rotation was turned back to."""
    bar = picture.shape[1] // BITS
    middle = picture[picture.shape[0] // 8 : picture.shape[0] * 3 // 8, :, 1]
    bits = [middle[:, bit * bar + 4 : (bit + 1) * bar - 4].mean() > 128 for bit in range(BITS)]
    return sum(1 << i for i, is_set in enumerate(bits) if is_set)


def make(film: Film, folder: Path, *, sound: bool = False) -> Path:
    """Write the film; frame numbers in the pictures start at 1."""
    path = folder / film.name
    with av.open(str(path), "w") as container:
        video = container.add_stream(film.codec, rate=film.rate, options=dict(film.options))
        assert isinstance(video, av.VideoStream)
        video.width, video.height, video.pix_fmt = film.width, film.height, film.pixel_format
        ticks = film.rate * (10 if len(film.gaps) > 1 else 1)
        if len(film.gaps) > 1:
            video.codec_context.time_base = Fraction(1, ticks)
        audio = container.add_stream("aac", rate=16_000, layout="mono") if sound else None
        pts = 0
        for number in range(1, film.frames + 1):
            frame = av.VideoFrame.from_ndarray(
                barcode(number, width=film.width, height=film.height), format="rgb24"
            )
            frame.pts, frame.time_base = pts, Fraction(1, ticks)
            pts += film.gaps[number % len(film.gaps)]
            container.mux(video.encode(frame))
        container.mux(video.encode(None))
        if audio is not None:
            _add_sound(container, audio, seconds=film.frames / film.rate)
    return path


def _add_sound(
    container: av.container.OutputContainer, stream: av.AudioStream, *, seconds: float
) -> None:
    """A tone that is loud in the second half."""
    count = int(seconds * 16_000)
    wave = np.sin(np.arange(count) * 0.2) * np.where(np.arange(count) < count // 2, 0.1, 0.8)
    for start in range(0, count, 1024):
        part = (wave[start : start + 1024] * 32767).astype(np.int16)[None, :]
        frame = av.AudioFrame.from_ndarray(part, format="s16", layout="mono")
        frame.sample_rate, frame.pts = 16_000, start
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


def with_edit_list(source: Path, target: Path, *, start: int, rate: int = 30) -> Path:
    """Cut a film without decoding, at a frame that is no key frame: an edit list hides the rest."""
    with (
        av.open(str(source)) as old,
        av.open(str(target), "w", container_options={"avoid_negative_ts": "disabled"}) as new,
    ):
        stream = old.streams.video[0]
        copy = new.add_stream_from_template(stream)
        packets = [packet for packet in old.demux(stream) if packet.size]
        assert stream.time_base is not None
        offset = round(Fraction(start - 1, rate) / stream.time_base)
        keys = [i for i, packet in enumerate(packets) if packet.is_keyframe]
        first = max(i for i in keys if (packets[i].pts or 0) <= offset)
        for packet in packets[first:]:
            assert packet.pts is not None
            assert packet.dts is not None
            packet.pts -= offset
            packet.dts -= offset
            packet.stream = copy
            new.mux(packet)
    return target


def with_cover(source: Path, target: Path) -> Path:
    """A copy of a film whose first video stream is the picture of its cover."""
    with av.open(str(source)) as old, av.open(str(target), "w") as new:
        cover = new.add_stream("mjpeg", rate=1)
        assert isinstance(cover, av.VideoStream)
        cover.width, cover.height, cover.pix_fmt = 64, 64, "yuvj420p"
        cover.disposition = Disposition.attached_pic
        film = old.streams.video[0]
        copy = new.add_stream_from_template(film)
        picture = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")
        new.mux([*cover.encode(picture), *cover.encode(None)])
        for packet in old.demux(film):
            if packet.size:
                packet.stream = copy
                new.mux(packet)
    return target


def without_first_key_frame(source: Path, target: Path) -> Path:
    """Copy a film from a packet that is no key frame."""
    with av.open(str(source)) as old, av.open(str(target), "w") as new:
        stream = old.streams.video[0]
        copy = new.add_stream_from_template(stream)
        packets = [packet for packet in old.demux(stream) if packet.size]
        start = packets[4].dts
        assert start is not None
        for packet in packets[4:]:
            assert packet.pts is not None
            assert packet.dts is not None
            packet.pts -= start
            packet.dts -= start
            packet.stream = copy
            new.mux(packet)
    return target


def turned(source: Path, target: Path, *, degrees: int) -> Path:
    """A copy of an MP4 file whose header says that it is to be shown turned clockwise."""
    matrices = {
        90: (0, 1, -1, 0),
        180: (-1, 0, 0, -1),
        270: (0, -1, 1, 0),
    }
    return with_matrix(source, target, matrices[degrees])


def with_matrix(source: Path, target: Path, matrix: tuple[float, float, float, float]) -> Path:
    """A copy of an MP4 file with (a, b, c, d) in the display matrix of its header."""
    a, b, c, d = matrix
    content = bytearray(source.read_bytes())
    box = content.index(b"tkhd")
    # version and flags 4, times and ids 20, reserved 8, layer to volume 8
    at = box + 4 + 4 + 20 + 8 + 8
    one = 1 << 16
    numbers = [int(number * one) for number in (a, b, 0, c, d, 0, 0, 0)]
    content[at : at + 36] = struct.pack(">9i", *numbers, 1 << 30)
    target.write_bytes(content)
    return target


def packed_divx(target: Path, *, frames: int = 61) -> Path:
    """An AVI file as old DivX programs wrote it: a packet with two pictures, then an empty one."""
    codec = av.codec.CodecContext.create("mpeg4", "w")
    assert isinstance(codec, av.VideoCodecContext)
    codec.width, codec.height, codec.pix_fmt = WIDTH, HEIGHT, "yuv420p"
    codec.time_base, codec.framerate = Fraction(1, 30), Fraction(30)
    codec.options = {"g": "24", "bf": "1", "b_strategy": "0", "qscale": "3"}
    packets = []
    for number in range(1, frames + 1):
        frame = av.VideoFrame.from_ndarray(barcode(number), format="rgb24")
        frame = frame.reformat(format="yuv420p")
        frame.pts, frame.time_base = number - 1, Fraction(1, 30)
        packets += codec.encode(frame)
    packets += codec.encode(None)
    with av.open(str(target), "w", format="avi") as container:
        stream = container.add_stream("mpeg4", rate=30)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        container.start_encoding()
        for at, (content, is_key) in enumerate(_packed(packets)):
            packet = av.Packet(content)
            packet.stream, packet.is_keyframe = stream, is_key
            packet.pts = packet.dts = at
            packet.time_base, packet.duration = Fraction(1, 30), 1
            container.mux(packet)
    return target


_VOP = b"\x00\x00\x01\xb6"
_EMPTY_VOP = _VOP + b"\x50\x4f"  # "not coded": shows what the packet before it held second
_SAYS_PACKED = b"\x00\x00\x01\xb2DivX503b1393p"


def _packed(packets: list[av.Packet[av.VideoStream]]) -> list[tuple[bytes, bool]]:
    """(content, whether it is a key frame): every second picture goes with the one it needs."""
    found: list[tuple[bytes, bool]] = []
    for packet in packets:
        content = bytes(packet)
        if packet.is_keyframe:
            content = content.replace(_VOP, _SAYS_PACKED + _VOP, 1)
        if packet.pts is not None and packet.pts < len(found):
            held, is_key = found.pop()
            found += [(held + content, is_key), (_EMPTY_VOP, False)]
        else:
            found.append((content, packet.is_keyframe))
    return found
