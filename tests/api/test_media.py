"""Images and videos of the Python API are those the window shows."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest

import forensicviewer as fv
from tests.build import write_png
from tests.filmmaking import HEIGHT, WIDTH, X264_GOP12, Film, make, number_in
from tests.mediafiles import write_heic

FRAMES = 40


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Frames that carry their numbers, from 1, and last 1, 3, 1, 3 … ticks."""
    film = Film("film.mp4", "libx264", frames=FRAMES, gaps=(1, 3), options=X264_GOP12)
    return make(film, tmp_path_factory.mktemp("film"))


def test_an_image_is_rgb(tmp_path: Path) -> None:
    pixels = np.zeros((4, 6, 3), np.uint8)
    pixels[:2] = (200, 30, 4)

    read = fv.read_image(str(write_png(tmp_path / "image.png", pixels)))

    assert read.dtype == np.uint8
    assert np.array_equal(read, pixels)


def test_an_image_is_upright(tmp_path: Path) -> None:
    pixels = np.full((32, 64, 3), 250, np.uint8)
    pixels[:, :32] = 5
    write_heic(tmp_path / "turned.heic", pixels, quarter_turns=1)

    read = fv.read_image(tmp_path / "turned.heic")

    assert read.shape == (64, 32, 3)


def test_what_is_not_an_image_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("not an image")

    with pytest.raises(fv.ForensicViewerError) as refused:
        fv.read_image(tmp_path / "text.png")
    with pytest.raises(fv.ForensicViewerError, match="The file does not exist"):
        fv.read_image(tmp_path / "nowhere.png")

    assert refused.value.where == str(tmp_path / "text.png")


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file whose bytes cannot be read")
@pytest.mark.parametrize("read", [fv.read_image, fv.open_video])
def test_a_disk_that_fails_is_not_told_as_a_bug(read: Callable[[str], object]) -> None:
    with pytest.raises(fv.ForensicViewerError, match="The file cannot be read: Input/output error"):
        read("/proc/self/mem")


def test_frames_are_exact_and_counted_from_0(film: Path) -> None:
    with fv.open_video(film) as video:
        numbers = [number_in(video[k]) - 1 for k in (0, 7, FRAMES - 1, 3, -1, -FRAMES)]

        assert len(video) == FRAMES
        assert video.shape == (FRAMES, HEIGHT, WIDTH, 3)
        assert numbers == [0, 7, FRAMES - 1, 3, FRAMES - 1, 0]


def test_slices_and_iteration_are_those_of_a_list(film: Path) -> None:
    numbers = list(range(FRAMES))
    with fv.open_video(film) as video:
        assert [number_in(frame) - 1 for frame in video] == numbers
        for part in (slice(2, 6), slice(None, None, 13), slice(-3, None), slice(5, 1, -2)):
            assert [number_in(frame) - 1 for frame in video[part]] == numbers[part]
        assert video[7:7] == []
        assert number_in(next(reversed(video))) == FRAMES


@pytest.mark.parametrize("frame", [FRAMES, -FRAMES - 1])
def test_a_frame_beyond_the_end_is_an_index_error(film: Path, frame: int) -> None:
    with fv.open_video(film) as video, pytest.raises(IndexError, match="with 40 frames"):
        video[frame]


def test_times_are_those_of_the_frames(film: Path) -> None:
    with av.open(str(film)) as container:
        stamps = [frame.time for frame in container.decode(video=0)]

    with fv.open_video(film) as video:
        assert video.times.tolist() == [stamp - stamps[0] for stamp in stamps]
        assert set(np.diff(video.times).round(4)) == {0.01, 0.0033}


def test_a_closed_video_says_so(film: Path) -> None:
    video = fv.open_video(film)
    shown = repr(video)
    video.close()
    video.close()

    assert shown == f"<Video film.mp4: {FRAMES} frames of {WIDTH}×{HEIGHT}>"  # noqa: RUF001 - as it is told
    assert repr(video).startswith("<Video film.mp4: closed of ")
    with pytest.raises(fv.ForensicViewerError, match="The video is closed"):
        video[0]
    with pytest.raises(fv.ForensicViewerError, match="The video is closed"), video:
        pass


def test_what_a_user_changes_is_their_own(film: Path) -> None:
    with fv.open_video(film) as video:
        first, times = video[0].copy(), video.times.copy()
        video[0][:] = 0
        video.times[:] = 0

        assert np.array_equal(video[0], first)
        assert np.array_equal(video.times, times)


def test_a_video_can_be_sent_to_another_process(film: Path) -> None:
    with fv.open_video(film) as video, pickle.loads(pickle.dumps(video)) as other:
        assert np.array_equal(other[3], video[3])


@pytest.mark.parametrize("frame", [1.0, "1", None, (0, 1)], ids=str)
def test_a_frame_is_a_whole_number(film: Path, frame: Any) -> None:
    with fv.open_video(film) as video, pytest.raises(TypeError, match="frame must be a whole"):
        video[frame]


def test_a_frame_is_what_opencv_decodes(film: Path) -> None:
    capture = cv2.VideoCapture(str(film))
    _, first = capture.read()
    capture.release()

    with fv.open_video(film) as video:
        difference = np.abs(video[0].astype(int) - first[:, :, ::-1])

    assert difference.mean() < 2


def test_what_is_not_a_video_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("not a video")

    for name in ("text.mp4", "nowhere.mp4"):
        with pytest.raises(fv.ForensicViewerError) as refused:
            fv.open_video(tmp_path / name)
        assert refused.value.where == str(tmp_path / name)
