"""Videos that players show wrongly or not at all: every frame is right, or says what is wrong."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import av
import numpy as np
import pytest
from av.stream import Disposition

from forensicviewer.core.array import RgbImage, Size
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.media.orientation import turn_back
from forensicviewer.sources.video.audio import read_waveform
from forensicviewer.sources.video.frame_reader import video_thumbnail
from forensicviewer.sources.video.video_file import VideoFile
from tests.filmmaking import (
    HEIGHT,
    WIDTH,
    X264_GOP12,
    Film,
    barcode,
    make,
    number_in,
    with_matrix,
)


@contextmanager
def watched(path: Path) -> Iterator[VideoFile]:
    with closing(VideoFile(path)) as video:
        video.load_index()
        yield video


def decoded_in_order(path: Path) -> list[RgbImage]:
    """What FFmpeg alone decodes from start to end."""
    with av.open(str(path)) as container:
        return [
            np.asarray(frame.to_ndarray(format="rgb24"), np.uint8)
            for frame in container.decode(video=0)
        ]


def test_a_jump_knows_which_version_of_x264_made_the_video(tmp_path: Path) -> None:
    """Versions before 151 coded 4:4:4 in another way; decoders find out from the first packet.

    A video that only says it is so old cannot be decoded right: whoever does so did not look.
    """
    options = {"g": "1", "preset": "veryfast", "crf": "18"}
    film = Film("x.mp4", "libx264", frames=40, pixel_format="yuv444p", options=options)
    path = make(film, tmp_path)
    right = decoded_in_order(path)[29]
    content = path.read_bytes()
    at = content.index(b"x264 - core ") + len(b"x264 - core ")
    path.write_bytes(content[:at] + b"150" + content[at + 3 :])

    with watched(path) as video:
        assert (video.picture(30).pixels != right).any()


@pytest.mark.parametrize("name", ["refresh.mp4", "refresh.ts"])
def test_frames_between_two_refreshes_are_whole(name: str, tmp_path: Path) -> None:
    options = {"preset": "veryfast", "x264-params": "intra-refresh=1:keyint=30:bframes=0"}
    path = make(Film(name, "libx264", options=options), tmp_path)
    expected = decoded_in_order(path)

    for frame in (110, 95, 62, 31):
        with watched(path) as video:
            picture = video.picture(frame)
            assert (picture.pixels == expected[frame - 1]).all()
            assert not picture.is_incomplete


MATRICES = {
    1: (1, 0, 0, 1),
    2: (-1, 0, 0, 1),
    3: (-1, 0, 0, -1),
    4: (1, 0, 0, -1),
    5: (0, 1, 1, 0),
    6: (0, 1, -1, 0),
    7: (0, -1, -1, 0),
    8: (0, -1, 1, 0),
}


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("film")
    return make(Film("f.mp4", "libx264", frames=24, options=X264_GOP12), folder)


@pytest.mark.parametrize("orientation", MATRICES)
def test_mirrored_and_turned_videos_are_shown_upright(
    orientation: int, film: Path, tmp_path: Path
) -> None:
    path = with_matrix(film, tmp_path / "m.mp4", MATRICES[orientation])

    with watched(path) as video:
        pixels = video.picture(9).pixels
        facts = video.facts

    assert number_in(turn_back(pixels, orientation)) == 9
    assert facts.size == Size.of(pixels)
    assert facts.stored_size == Size(WIDTH, HEIGHT)
    assert facts.is_mirrored == (orientation in (2, 4, 5, 7))
    assert not facts.is_oddly_turned


@pytest.mark.parametrize("matrix", [(0.7, 0.7, -0.7, 0.7), (0, 0, 0, 0), (1, 0, 0.5, 1)])
def test_an_odd_turn_is_not_shown_and_said(
    matrix: tuple[float, float, float, float], film: Path, tmp_path: Path
) -> None:
    path = with_matrix(film, tmp_path / "m.mp4", matrix)

    with watched(path) as video:
        assert number_in(video.picture(9).pixels) == 9
        assert video.facts.is_oddly_turned


def with_two_videos(path: Path, *, sizes: tuple[int, int], default: int | None) -> Path:
    with av.open(str(path), "w") as container:
        streams = []
        for at, width in enumerate(sizes):
            stream = container.add_stream("mpeg4", rate=25, options={"g": "5", "qscale": "3"})
            assert isinstance(stream, av.VideoStream)
            stream.width, stream.height, stream.pix_fmt = width, HEIGHT, "yuv420p"
            stream.disposition = Disposition.default if at == default else Disposition(0)
            streams.append(stream)
        for number in range(1, 11):
            for at, stream in enumerate(streams):
                picture = barcode(number + 100 * at, width=sizes[at])
                frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
                frame.pts = number - 1
                container.mux(stream.encode(frame))
        for stream in streams:
            container.mux(stream.encode(None))
    return path


@pytest.mark.parametrize(
    ("sizes", "default", "chosen"),
    [((192, 384), None, 2), ((384, 192), None, 1), ((384, 192), 1, 2)],
)
def test_of_several_videos_the_preferred_or_largest_is_shown(
    sizes: tuple[int, int], default: int | None, chosen: int, tmp_path: Path
) -> None:
    path = with_two_videos(tmp_path / "two.mkv", sizes=sizes, default=default)

    with watched(path) as video:
        assert number_in(video.picture(7).pixels) == 7 + 100 * (chosen - 1)
        assert (video.facts.stream, video.facts.streams) == (chosen, 2)
        assert video.facts.size.width == sizes[chosen - 1]


def test_an_encrypted_video_is_called_encrypted(tmp_path: Path) -> None:
    path = tmp_path / "secret.mp4"
    secrets = {
        "encryption_scheme": "cenc-aes-ctr",
        "encryption_key": "76a6c65c5ea762046bd749a2e632ccbb",
        "encryption_kid": "a7e61c373e219033c21091fa607bf3b8",
    }
    with av.open(str(path), "w", container_options=secrets) as container:
        stream = container.add_stream("libx264", rate=25, options=dict(X264_GOP12))
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for number in range(1, 11):
            frame = av.VideoFrame.from_ndarray(barcode(number), format="rgb24")
            frame.pts = number - 1
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))

    for read in (VideoFile, lambda path: video_thumbnail(path, edge_px=64)):
        with pytest.raises(CodecError, match="The video is encrypted") as caught:
            read(path)
        assert caught.value.rule == "video-encrypted"


def test_every_picture_before_a_cut_is_shown(tmp_path: Path) -> None:
    options = {**X264_GOP12, "g": "250"}
    path = tmp_path / "cut.mp4"
    with av.open(str(path), "w", container_options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=30, options={**options, "threads": "1"})
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for number in range(1, 97):
            frame = av.VideoFrame.from_ndarray(barcode(number), format="rgb24")
            frame.pts = number - 1
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 2 // 3])
    alone = []
    with av.open(str(path)) as old:
        film = old.streams.video[0]
        film.thread_type = "SLICE"
        for packet in old.demux(film):
            with suppress(av.error.FFmpegError):
                alone += [frame.pts for frame in packet.decode()]

    with watched(path) as video:
        index = video.index
        assert index is not None
        shown = []
        for number in range(1, len(index) + 1):
            with suppress(CodecError):
                assert number_in(video.picture(number).pixels) == number
                shown.append(index.pts_of(number))

    assert shown == sorted(pts for pts in alone if pts is not None)
    assert len(shown) > 40


PLAYLISTS = {
    "hls": "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{target}\n#EXT-X-ENDLIST\n",
    "concat": "ffconcat version 1.0\nfile '{target}'\n",
    "sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\n"
    "m=video {port} RTP/AVP 96\n",
    "dash": '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static">'
    "<BaseURL>{target}</BaseURL><Period/></MPD>",
}


@pytest.mark.parametrize("kind", PLAYLISTS)
def test_a_playlist_is_never_followed(kind: str, film: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for target in (str(film), f"http://127.0.0.1:{port}/x.ts"):
            path = tmp_path / "innocent.mp4"
            path.write_text(PLAYLISTS[kind].format(target=target, port=port))

            with pytest.raises(CodecError, match="cannot be read") as caught:
                VideoFile(path)
            assert caught.value.rule == "video-unreadable"
            with pytest.raises(CodecError, match="sound of the file cannot be read"):
                read_waveform(path)

        server.settimeout(0.05)
        with pytest.raises(TimeoutError):
            server.accept()


def test_images_are_not_taken_for_videos(tmp_path: Path) -> None:
    path = tmp_path / "p001.ppm"
    path.write_bytes(b"P6 4 4 255\n" + bytes(48))

    with pytest.raises(CodecError, match="cannot be read"):
        VideoFile(path)


def test_colours_nobody_can_convert_are_not_supported(tmp_path: Path) -> None:
    path = make(Film("p.mov", "prores_ks", frames=3, pixel_format="yuv422p10le"), tmp_path)
    content = bytearray(path.read_bytes())
    at = content.find(b"icpf")
    while at >= 0:
        content[at + 4 + 14 : at + 4 + 17] = bytes([95, 95, 95])  # primaries, transfer, matrix
        at = content.find(b"icpf", at + 4)
    path.write_bytes(content)

    with pytest.raises(CodecError, match="The colours of the video"):
        VideoFile(path)
