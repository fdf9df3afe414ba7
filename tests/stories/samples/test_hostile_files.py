"""Small files made to crash, hang or fill memory: read or refused within bounds."""

from __future__ import annotations

import resource
import shutil
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.sources.files.archives import unpack
from forensicviewer.sources.media.images import read_image
from forensicviewer.sources.media.masks import Polarity, read_bit_planes, read_system_mask
from forensicviewer.sources.video.masks import open_video_mask
from forensicviewer.sources.video.video_file import VideoFile
from tests.stories.samples.shared_files import HOSTILE, names_in, shared_file

SECONDS, MEGABYTES = 10, 400
READ = ""  # it is harmless once what is harmful in it is passed over


def as_image(path: Path) -> None:
    read_image(path)


def as_mask(path: Path) -> None:
    read_system_mask(path, manipulated_is=Polarity.WHITE)


def as_planes(path: Path) -> None:
    read_bit_planes(path)


def as_video_mask(path: Path) -> None:
    open_video_mask(path).close()


def as_video(path: Path) -> None:
    with closing(VideoFile(path)) as video:
        for frame in range(1, len(video.load_index()) + 1):
            video.picture(frame)


def as_archive(path: Path) -> None:
    unpack(path)


FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "bmp_overflow.bmp": (as_image, "codec.unreadable"),
    "exif_struct_valid.jpg": (as_image, READ),
    "h5_digits5000.h5": (as_video_mask, "codec.wrong-shape"),
    "jp2_a.jp2": (as_planes, "codec.too-much-memory"),
    "jp2_b.jp2": (as_image, "codec.too-much-memory"),
    "npz_deep2.npz": (as_mask, "codec.unreadable"),
    "npz_encrypted.npz": (as_mask, "codec.encrypted"),
    "npz_header_bomb.npz": (as_mask, "codec.unreadable"),
    "npz_indent.npz": (as_mask, "codec.unreadable"),
    "npz_item_bomb.npz": (as_mask, "codec.too-much-memory"),
    "npz_tokens.npz": (as_mask, "codec.unreadable"),
    "png_len.png": (as_mask, "codec.truncated"),
    "png_many.png": (as_mask, READ),
    "prores_95.mov": (as_video, "video-colours"),
    "tar_pax_bomb.tgz": (as_archive, "archive.broken"),
    "zip_emptyname.zip": (as_archive, READ),
}
DATABASE = "sqlite_bug1.sqlite"


def test_every_file_is_in_the_table() -> None:
    assert names_in(HOSTILE) == {*FILES, DATABASE}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows counts memory in another way")
@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_read_or_refused_within_bounds(name: str) -> None:
    path = shared_file(HOSTILE, name)
    read, rule = FILES[name]
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started_s = time.monotonic()

    said = READ
    try:
        read(path)
    except ForensicViewerError as error:
        said = error.rule

    assert said == rule
    assert time.monotonic() - started_s < SECONDS
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb) / 1024
    assert grown_mb < MEGABYTES


def test_a_hostile_store_of_scores_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "scores.sqlite"
    shutil.copyfile(shared_file(HOSTILE, DATABASE), path)

    with ResultStore(path) as store:
        assert store.get(["key"]) == {}
        store.known_digests([path])
        store.put({"key": b"payload"})
        store.put({}, [(path, (1, 2, 3, 4), "digest")])

    with ResultStore(path) as store:
        store.put({"key": b"payload"})
        assert store.get(["key"]) == {"key": b"payload"}
        assert store.problems.freeze() == ()
