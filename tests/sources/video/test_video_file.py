"""Videos: every frame exactly, whatever the file; broken files end with an error, not a hang."""

import os
import random
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.core.array import Size
from forensicviewer.core.problem import CodecError
from forensicviewer.sources.decoders.pool import decoders
from forensicviewer.sources.decoders.process import DecoderProcess
from forensicviewer.sources.files.deadline import CalledOffError, Deadline
from forensicviewer.sources.video.audio import read_waveform, stream_samples
from forensicviewer.sources.video.frame_reader import video_thumbnail
from forensicviewer.sources.video.packet_index import build_index, load_index
from forensicviewer.sources.video.video_file import VideoFile
from tests.filmmaking import (
    FILMS,
    HEIGHT,
    WIDTH,
    Film,
    make,
    number_in,
    packed_divx,
    turned,
    with_cover,
    with_edit_list,
    without_first_key_frame,
)

GOP12, GOP250, VFR = FILMS[0], FILMS[1], FILMS[3]


class MadeFilms(dict[str, Path]):
    """Films by name, each made when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def __missing__(self, name: str) -> Path:
        film = next(film for film in FILMS if film.name == name)
        self[name] = make(film, self._folder)
        return self[name]


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return MadeFilms(tmp_path_factory.mktemp("films"))


@pytest.fixture
def gop12(films: dict[str, Path]) -> Iterator[VideoFile]:
    video = VideoFile(films[GOP12.name])
    yield video
    video.close()


def shown(video: VideoFile, frame: int, *, direction: int = 0) -> int:
    return number_in(video.picture(frame, direction=direction).pixels)


@pytest.mark.parametrize("film", FILMS, ids=lambda film: film.name)
def test_every_seek_and_step_shows_the_right_frame(film: Film, films: dict[str, Path]) -> None:
    # A budget of 24 frames, so that the ring has to let go of frames all the time.
    video = VideoFile(films[film.name], cache_bytes=24 * WIDTH * HEIGHT * 3 // 2)
    index = video.load_index()
    chance = random.Random(7)
    jumps = [chance.randint(1, film.frames) for _ in range(200)]

    assert len(index) == film.frames
    assert [shown(video, frame) for frame in jumps] == jumps
    assert _walk(video, range(1, film.frames + 1), direction=1) == []
    assert _walk(video, range(film.frames, 0, -1), direction=-1) == []
    video.close()


def test_packed_pictures_of_old_divx_files_are_told_apart(tmp_path: Path) -> None:
    video = VideoFile(packed_divx(tmp_path / "packed.avi"))
    chance = random.Random(3)
    jumps = [chance.randint(1, 61) for _ in range(200)]

    assert len(video.load_index()) == 61
    assert [shown(video, frame) for frame in jumps] == jumps
    assert _walk(video, range(1, 62), direction=1) == []
    assert _walk(video, range(61, 0, -1), direction=-1) == []
    video.close()


def _walk(video: VideoFile, frames: range, *, direction: int) -> list[tuple[int, int]]:
    """(wanted, shown) where they differ."""
    found = [(frame, shown(video, frame, direction=direction)) for frame in frames]
    return [(wanted, got) for wanted, got in found if wanted != got]


def test_stepping_back_after_a_jump_shows_the_right_frames(films: dict[str, Path]) -> None:
    video = VideoFile(films[GOP250.name])

    for start in (290, 120, 255, 249, 30):
        assert shown(video, start) == start
        assert _walk(video, range(start - 1, start - 12, -1), direction=-1) == []
    video.close()


def test_an_edit_list_hides_frames_and_numbers_start_after_it(
    films: dict[str, Path], tmp_path: Path
) -> None:
    video = VideoFile(with_edit_list(films[GOP12.name], tmp_path / "cut.mp4", start=20))
    frames = len(video.load_index())
    chance = random.Random(3)
    jumps = [chance.randint(1, frames) for _ in range(60)]

    assert frames == GOP12.frames - 19
    assert [shown(video, frame) for frame in jumps] == [19 + frame for frame in jumps]
    assert [shown(video, frame, direction=-1) for frame in range(frames, 0, -1)] == list(
        range(GOP12.frames, 19, -1)
    )
    video.close()


def test_pictures_before_the_first_key_frame_are_not_counted(
    films: dict[str, Path], tmp_path: Path
) -> None:
    video = VideoFile(without_first_key_frame(films[GOP12.name], tmp_path / "headless.mp4"))
    index = video.load_index()

    assert (len(index), index.hidden > 0) == (108, True)
    assert [shown(video, frame) for frame in (108, 1, 50, 12, 13)] == [120, 13, 62, 24, 25]
    video.close()


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_turned_video_is_shown_upright_and_says_so(
    films: dict[str, Path], tmp_path: Path, degrees: int
) -> None:
    video = VideoFile(turned(films[GOP12.name], tmp_path / "turned.mp4", degrees=degrees))

    pixels = video.picture(37).pixels

    assert video.facts.rotation == degrees
    assert video.facts.stored_size == Size(WIDTH, HEIGHT)
    assert video.facts.size == Size.of(pixels)
    assert number_in(np.rot90(pixels, k=degrees // 90)) == 37
    video.close()


def test_the_first_picture_needs_no_index(gop12: VideoFile) -> None:
    assert number_in(gop12.first_picture().pixels) == 1
    assert gop12.index is None


def test_facts_are_those_of_the_file(gop12: VideoFile) -> None:
    assert gop12.facts.codec == "h264"
    assert gop12.facts.size == Size(WIDTH, HEIGHT)
    assert gop12.facts.declared_frames == GOP12.frames
    assert gop12.facts.declared_rate == 30
    assert (gop12.facts.is_interlaced, gop12.facts.has_audio) == (False, False)


def test_an_interlaced_video_says_so(tmp_path: Path) -> None:
    options = {"g": "12", "bf": "0", "qscale": "3", "flags": "+ildct+ilme", "field_order": "tt"}
    film = Film("interlaced.mpg", "mpeg2video", frames=12, options=options)

    video = VideoFile(make(film, tmp_path))

    assert video.facts.is_interlaced
    video.close()


def test_only_variable_rates_are_called_variable(films: dict[str, Path]) -> None:
    for film in FILMS:
        index = load_index(films[film.name], deadline=Deadline(30))
        assert index.is_variable == (len(film.gaps) > 1), film.name


def test_times_are_those_of_the_packets(films: dict[str, Path]) -> None:
    steady = load_index(films[GOP12.name], deadline=Deadline(30))
    variable = load_index(films[VFR.name], deadline=Deadline(30))

    assert steady.time_s(31) == pytest.approx(1.0)
    assert steady.frame_at(1.0) == 31
    assert (steady.frame_at(-5), steady.frame_at(1e9)) == (1, GOP12.frames)
    assert steady.rate == pytest.approx(30)
    assert steady.duration_s == pytest.approx(4.0)
    assert variable.frame_at(variable.time_s(60)) == 60
    assert (steady.is_key(13), steady.is_key(14), steady.key_before(20)) == (True, False, 13)


def test_memory_stays_within_the_budget(films: dict[str, Path]) -> None:
    budget = 10 * WIDTH * HEIGHT * 3 // 2
    video = VideoFile(films[GOP250.name], cache_bytes=budget)

    for frame in (*range(1, 80), *range(200, 120, -1)):
        video.picture(frame, direction=1 if frame < 80 else -1)
        assert video.cached_bytes <= budget
    video.close()


def test_stepping_back_does_not_decode_a_group_of_pictures_per_step(
    films: dict[str, Path],
) -> None:
    video = VideoFile(films[GOP250.name])
    video.picture(240, direction=-1)
    video.settle()

    kept = set(video.cached_frames)

    assert set(range(200, 241)) <= kept
    video.close()


def test_the_direction_of_travel_is_decoded_ahead(gop12: VideoFile) -> None:
    gop12.picture(40, direction=1)
    gop12.settle()

    assert set(range(40, 60)) <= set(gop12.cached_frames)


def test_a_frame_outside_the_video_is_refused(gop12: VideoFile) -> None:
    for frame in (0, -3, GOP12.frames + 1):
        with pytest.raises(CodecError, match="does not exist: the video has"):
            gop12.picture(frame)


def test_the_index_is_kept_and_renewed_with_the_file(
    films: dict[str, Path], tmp_path: Path
) -> None:
    path = tmp_path / "changing.mp4"
    path.write_bytes(films[GOP12.name].read_bytes())
    first = load_index(path, deadline=Deadline(30))
    again = load_index(path, deadline=Deadline(0.0, is_called_off=lambda: True))
    path.write_bytes(films[GOP250.name].read_bytes())

    assert np.array_equal(first.pts, again.pts)
    assert len(load_index(path, deadline=Deadline(30))) == GOP250.frames


def test_a_damaged_kept_index_is_made_again(
    films: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    load_index(films[GOP12.name], deadline=Deadline(30))
    for kept in tmp_path.rglob("*.npz"):
        kept.write_bytes(b"nonsense")

    assert len(load_index(films[GOP12.name], deadline=Deadline(30))) == GOP12.frames


def test_work_can_be_called_off_and_has_a_budget(films: dict[str, Path]) -> None:
    with pytest.raises(CalledOffError):
        build_index(films[GOP12.name], deadline=Deadline(30, is_called_off=lambda: True))
    with pytest.raises(CodecError, match="longer than"):
        build_index(films[GOP12.name], deadline=Deadline(-1))


def test_a_truncated_video_shows_what_it_has(films: dict[str, Path], tmp_path: Path) -> None:
    content = films["mpeg2.mpg"].read_bytes()
    cut = tmp_path / "cut.mpg"
    cut.write_bytes(content[: len(content) // 2])

    video = VideoFile(cut)
    frames = len(video.load_index())

    assert 20 < frames < 120
    assert shown(video, frames - 5) == frames - 5
    video.close()


def test_damage_in_the_middle_costs_only_the_damaged_frames(
    films: dict[str, Path], tmp_path: Path
) -> None:
    content = bytearray(films["mpeg4.avi"].read_bytes())
    middle = len(content) // 2
    content[middle : middle + 300] = bytes(300)
    broken = tmp_path / "broken.avi"
    broken.write_bytes(content)

    video = VideoFile(broken)
    last = len(video.load_index())

    assert shown(video, 5) == 5
    assert 110 <= shown(video, last) <= 120
    video.close()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.mp4", b""),
        ("text.avi", b"this is no video\n" * 50),
        ("zeros.mkv", bytes(5000)),
        ("header.mp4", b"\0\0\0\x18ftypisom\0\0\x02\0isomiso2" + bytes(3000)),
    ],
)
def test_a_file_that_is_no_video_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(CodecError) as raised:
        VideoFile(path)

    assert str(path) in raised.value.where


def test_a_video_cut_off_before_its_table_of_frames_is_refused(
    films: dict[str, Path], tmp_path: Path
) -> None:
    path = tmp_path / "cut.mp4"
    path.write_bytes(films[GOP12.name].read_bytes()[:6000])

    with pytest.raises(CodecError):
        VideoFile(path)


def test_a_header_that_lies_about_the_size_is_refused(tmp_path: Path) -> None:
    # Pictures of this codec do not repeat their size, so the header is all there is to believe.
    content = bytearray(make(Film("x.avi", "msmpeg4", frames=5), tmp_path).read_bytes())
    at = content.index(b"strf") + 8
    content[at + 4 : at + 8] = (15_000).to_bytes(4, "little")
    content[at + 8 : at + 12] = (15_000).to_bytes(4, "little")
    path = tmp_path / "huge.avi"
    path.write_bytes(content)

    with pytest.raises(CodecError, match="15000 by 15000"):
        VideoFile(path)


def test_a_codec_nobody_knows_is_told(tmp_path: Path) -> None:
    content = make(Film("x.avi", "mpeg4", frames=5), tmp_path).read_bytes()
    path = tmp_path / "unknown.avi"
    path.write_bytes(content.replace(b"FMP4", b"QQQQ"))

    with pytest.raises(CodecError, match="not supported") as caught:
        VideoFile(path)

    assert caught.value.rule == "video-unknown-codec"


def test_a_cover_is_not_taken_for_the_film(tmp_path: Path) -> None:
    path = with_cover(make(Film("x.mp4", "libx264", frames=12), tmp_path), tmp_path / "both.mp4")

    video = VideoFile(path)

    assert len(video.load_index()) == 12
    assert shown(video, 7) == 7
    video.close()


def test_a_pipe_is_no_video(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.mp4")

    for read in (VideoFile, read_waveform):
        with pytest.raises(CodecError, match="a device, pipe or socket, not a file"):
            read(tmp_path / "pipe.mp4")


def test_a_header_that_lies_about_the_frame_count_is_not_believed(
    films: dict[str, Path], tmp_path: Path
) -> None:
    content = bytearray(films["mpeg4.avi"].read_bytes())
    at = content.index(b"avih") + 8 + 16
    content[at : at + 4] = (999_999).to_bytes(4, "little")
    path = tmp_path / "lying.avi"
    path.write_bytes(content)

    assert len(load_index(path, deadline=Deadline(30))) == 120


def test_a_sound_file_holds_no_video(tmp_path: Path) -> None:
    film = make(Film("both.mp4", "libx264", frames=30), tmp_path, sound=True)
    sound_only = tmp_path / "sound.wav"
    parts = list(stream_samples(film, start_s=0, rate=16_000))
    _write_wav(sound_only, np.concatenate(parts))

    with pytest.raises(CodecError, match="not contain a video"):
        VideoFile(sound_only)


def _write_wav(path: Path, samples: np.ndarray) -> None:
    import wave

    with wave.open(str(path), "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(16_000)
        out.writeframes(samples.tobytes())


def test_the_waveform_knows_where_it_is_loud(tmp_path: Path) -> None:
    path = make(Film("loud.mp4", "libx264", frames=60), tmp_path, sound=True)

    sound = read_waveform(path)

    assert sound is not None
    assert sound.sample_rate == 16_000
    assert sound.duration_s == pytest.approx(2.0, abs=0.15)
    quiet = sound.between(0.1, 0.9, columns=20)
    loud = sound.between(1.1, 1.9, columns=20)
    assert quiet[:, 1].max() < 0.3 < loud[:, 1].min()
    assert len(sound.between(50, 60, columns=10)) == 0


def test_a_silent_film_has_no_waveform(films: dict[str, Path]) -> None:
    assert read_waveform(films[GOP12.name]) is None
    assert list(stream_samples(films[GOP12.name], start_s=0, rate=8000)) == []


def test_a_file_without_readable_sound_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "no.mp4"
    path.write_bytes(b"no")

    with pytest.raises(CodecError, match="sound"):
        read_waveform(path)


def test_a_stream_without_time_stamps_is_counted(tmp_path: Path) -> None:
    film = Film("bare.h264", "libx264", frames=40, options={"g": "12", "bf": "2"})
    video = VideoFile(make(film, tmp_path), cache_bytes=8 * WIDTH * HEIGHT * 3 // 2)
    index = video.load_index()

    assert (len(index), index.is_counted, index.is_variable) == (40, True, False)
    assert [shown(video, frame) for frame in (33, 2, 40, 17)] == [33, 2, 40, 17]
    assert _walk(video, range(40, 0, -1), direction=-1) == []
    assert load_index(video.path, deadline=Deadline(30)).is_counted
    video.close()


def test_stamps_in_storage_order_are_told_from_those_in_showing_order(
    films: dict[str, Path],
) -> None:
    index = load_index(films["h264-in.avi"], deadline=Deadline(30))
    again = load_index(films["h264-in.avi"], deadline=Deadline(30))

    assert index.stamps is not None
    assert again.stamps is not None
    assert np.array_equal(index.stamps, again.stamps)
    assert index.time_s(31) == pytest.approx(1.0)
    assert (index.is_key(1), index.key_before(20)) == (True, 13)
    assert index.frame_of(10**9) is None


def test_a_thumbnail_is_the_first_picture_made_small(
    films: dict[str, Path], tmp_path: Path
) -> None:
    small = video_thumbnail(films[GOP12.name], edge_px=48)
    on_its_side = turned(films[GOP12.name], tmp_path / "side.mp4", degrees=90)

    assert small.shape == (24, 48, 3)
    assert video_thumbnail(on_its_side, edge_px=48).shape == (48, 24, 3)


def test_a_closed_video_calls_its_work_off(films: dict[str, Path]) -> None:
    video = VideoFile(films[GOP250.name])
    video.load_index()
    video.close()

    with pytest.raises(CalledOffError):
        video.picture(240)


def test_a_frame_that_cannot_be_decoded_is_told_and_others_are_shown(
    films: dict[str, Path], tmp_path: Path
) -> None:
    content = bytearray(films["h264-gop12.mp4"].read_bytes())
    index = build_index(films["h264-gop12.mp4"], deadline=Deadline(30))
    for place, size, pts in index.packets.tolist():
        if index.frame_of(pts) in range(13, 25):
            content[place : place + size] = bytes(size)
    path = tmp_path / "hole.mp4"
    path.write_bytes(content)
    video = VideoFile(path)

    with pytest.raises(CodecError, match="Frame 18 cannot be decoded"):
        video.picture(18)
    with pytest.raises(CodecError):
        video.picture(18)

    assert (shown(video, 5), shown(video, 100)) == (5, 100)
    video.close()


def test_a_decoder_that_dies_at_rest_costs_nothing(films: dict[str, Path]) -> None:
    video = VideoFile(films[GOP250.name])
    video.load_index()

    for frame in (240, 17, 130):
        process = decoder_of(video)
        os.kill(process.pid, signal.SIGKILL)
        while process.is_alive:
            pass
        assert shown(video, frame, direction=-1) == frame
    video.close()


def test_a_decoder_that_dies_at_a_frame_is_told_and_the_next_one_is_shown(
    films: dict[str, Path],
) -> None:
    video = VideoFile(films[GOP250.name])
    video.load_index()
    # Stopped first, so that it surely dies while it is asked.
    pid = decoder_of(video).pid
    os.kill(pid, signal.SIGSTOP)
    threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()

    with pytest.raises(CodecError, match="The decoder ended while reading the file"):
        video.picture(20)

    assert shown(video, 20) == 20
    assert shown(video, 21, direction=1) == 21
    video.close()


def test_a_decoder_that_hangs_is_ended_and_replaced(films: dict[str, Path]) -> None:
    video = VideoFile(films[GOP250.name])
    video.load_index()
    pool, before = decoders(), decoders().limits
    pool.limits = replace(before, seconds=0.5)
    os.kill(decoder_of(video).pid, signal.SIGSTOP)

    try:
        with pytest.raises(CodecError, match=r"took longer than 0\.5 s"):
            video.picture(20)
        pool.limits = before
        assert shown(video, 20) == 20
    finally:
        pool.limits = before
        video.close()


def decoder_of(video: VideoFile) -> DecoderProcess:
    process = video._reader.seat.process
    assert process is not None
    return process
