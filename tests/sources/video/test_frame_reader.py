"""What only happens inside a decoder: how far a frame is, and how long it may take."""

from pathlib import Path

import pytest

from forensicviewer.core.progress import Progress
from forensicviewer.sources.files.deadline import CalledOffError, Deadline
from forensicviewer.sources.video.frame_reader import FrameReader, VideoPicture
from tests.filmmaking import FILMS, make, number_in

GIF = next(film for film in FILMS if film.name == "picture.gif")


@pytest.fixture(scope="module")
def gif(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """It has one key frame: everything before a frame is decoded for it."""
    return make(GIF, tmp_path_factory.mktemp("films"))


def open_reader(path: Path) -> FrameReader:
    reader = FrameReader(path, cache_bytes=1 << 24)
    reader.use_index(reader.build_index(deadline=Deadline(30)))
    return reader


def read(
    reader: FrameReader, frame: int, progress: Progress, deadline: Deadline | None = None
) -> VideoPicture:
    limit = deadline or Deadline(20)
    return reader.picture(frame, direction=0, deadline=limit, progress=progress)


def test_a_frame_far_from_any_key_frame_says_how_far_it_is(gif: Path) -> None:
    reader = open_reader(gif)
    told: list[tuple[int, int]] = []

    picture = read(reader, 30, lambda done, total: told.append((done, total)))

    assert number_in(picture.pixels) == 30
    assert told[-1] == (30, 30)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    reader.close()


def test_what_was_called_off_goes_on_where_it_stopped(gif: Path) -> None:
    reader = open_reader(gif)
    told: list[int] = []
    called_off = Deadline(60, is_called_off=lambda: len(told) >= 20)
    with pytest.raises(CalledOffError):
        read(reader, 35, lambda done, _: told.append(done), called_off)
    rest: list[int] = []

    picture = read(reader, 35, lambda done, _: rest.append(done))

    assert number_in(picture.pixels) == 35
    assert 0 < len(rest) <= 35 - 20
    reader.close()


def test_a_budget_is_for_one_picture_not_for_all_on_the_way(
    gif: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = [0.0]
    monkeypatch.setattr("forensicviewer.sources.files.deadline.time.monotonic", lambda: now_s[0])
    reader = open_reader(gif)

    def pass_time(_done: int, _total: int) -> None:
        now_s[0] += 5

    picture = read(reader, 30, pass_time, Deadline(8))

    assert number_in(picture.pixels) == 30
    assert now_s[0] > 100
    reader.close()


def test_pictures_share_one_converter(gif: Path) -> None:
    """Each with its own would start threads for every picture that is kept."""
    reader = open_reader(gif)
    tasks = Path("/proc/self/task")
    if not tasks.is_dir():
        pytest.skip("only Linux lists the threads of a process")
    read(reader, 1, lambda *_: None)
    before = len(list(tasks.iterdir()))

    for frame in range(2, 30):
        read(reader, frame, lambda *_: None)

    assert len(list(tasks.iterdir())) <= before + 2
    reader.close()
