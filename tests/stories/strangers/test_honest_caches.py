"""What is kept from earlier is used only while it is true."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import sys
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from forensicviewer.app.masks.result_store import ResultStore, content_digest
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.cli import main
from forensicviewer.sources.files.archives import unpack
from forensicviewer.sources.files.atomic import write_bytes
from forensicviewer.sources.files.deadline import Deadline
from forensicviewer.sources.files.paths import private_cache
from forensicviewer.sources.video import packet_index
from tests.build import Built, two_answered_trials, write_png
from tests.filmmaking import X264_GOP12, Film, make


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


def replace_unseen(mask: Path, content: bytes) -> None:
    """Put other content of the same size and time of change in a file's place."""
    before = mask.stat()
    other = mask.with_name("other")
    other.write_bytes(content)
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(mask)
    after = mask.stat()
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


def same_size_masks(path: Path) -> tuple[bytes, bytes]:
    """Two masks that differ and take the same number of bytes, as uncompressed ones do."""
    found = []
    for edge in (10, 30):
        grey = np.full((48, 64), 255, np.uint8)
        grey[:edge, :edge] = 0
        write_png(path, grey)
        found.append(path.read_bytes())
    most = max(map(len, found))
    # A decoder passes over what follows the end of a PNG file.
    first, second = (content.ljust(most, b"\0") for content in found)
    return first, second


def scored(built: Built, out: Path) -> str:
    assert main(["score", "mask", str(built.root), str(built.submission), "--out", str(out)]) == 0
    return (out / "mask_scores_perimage.csv").read_text()


def test_a_mask_replaced_unseen_is_scored_again(built: Built, tmp_path: Path) -> None:
    mask = built.submission / "mask" / "p1.png"
    first, second = same_size_masks(mask)
    mask.write_bytes(first)
    before = scored(built, tmp_path / "a")

    replace_unseen(mask, second)
    after = scored(built, tmp_path / "b")
    shutil.rmtree(private_cache())

    assert after != before
    assert after == scored(built, tmp_path / "c")


def test_a_mask_changed_in_place_with_its_time_set_back_is_noticed(tmp_path: Path) -> None:
    mask = tmp_path / "mask.png"
    mask.write_bytes(b"first")
    digest, stamp = content_digest(mask)
    before = mask.stat()
    with ResultStore(tmp_path / "scores.sqlite") as store:
        store.put({}, [(mask, stamp, digest)])
        assert store.known_digests([mask]) == {mask: digest}

        wait_for_another_ctime(tmp_path)
        mask.write_bytes(b"other")
        os.utime(mask, ns=(before.st_atime_ns, before.st_mtime_ns))

        assert store.known_digests([mask]) == {}


def wait_for_another_ctime(folder: Path) -> None:
    """Clocks of file systems tick every few milliseconds."""
    sign = folder / "sign"
    sign.touch()
    first = sign.stat().st_ctime_ns
    while sign.stat().st_ctime_ns == first:
        sign.touch()


def test_a_mask_replaced_unseen_is_shown_again(built: Built) -> None:
    mask = built.submission / "mask" / "p1.png"
    first, second = same_size_masks(mask)
    mask.write_bytes(first)
    desk = Desk(inline_jobs(), Settings())
    desk.open(OpenRequest(built.root, (built.submission,)))
    bench = desk.workbench
    assert bench.state.loaded is not None
    before = bench.state.loaded.probe.systems[0].scores

    replace_unseen(mask, second)
    desk.files.look()

    after = bench.state.loaded.probe.systems[0].scores
    assert before is not None
    assert after is not None
    assert (before > 0).sum() == 100
    assert (after > 0).sum() == 900
    desk.close()


@pytest.mark.parametrize("change", ["payload = x'00'", "checksum = x'00'", "key = 'other'"])
def test_a_stored_result_that_was_changed_is_not_used(tmp_path: Path, change: str) -> None:
    path = tmp_path / "scores.sqlite"
    with ResultStore(path) as store:
        store.put({"key": b"payload"})

    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute(f"UPDATE results SET {change}")

    with ResultStore(path) as store:
        assert store.get(["key"]) == {}
        assert store.get(["other"]) == {}
        store.put({"key": b"counted again"})
        assert store.get(["key"]) == {"key": b"counted again"}
        assert store.problems.freeze() == ()


def damage_content(content: Path) -> None:
    (content / "a" / "a.csv").write_text("ProbeFileIX\n")


def damage_unseen(content: Path) -> None:
    replace_unseen(content / "a" / "a.csv", b"ProbeFileIX\n")


def add_a_file(content: Path) -> None:
    (content / "a" / "b.csv").write_text("more")


def take_a_file(content: Path) -> None:
    (content / "a" / "m.png").unlink()


def link_a_file(content: Path) -> None:
    (content / "a" / "m.png").unlink()
    (content / "a" / "m.png").symlink_to("/etc/hostname")


def change_the_list(content: Path) -> None:
    listed = content.parent / "unpacked.json"
    listed.write_text(listed.read_text().replace("a/m.png", "a/n.png"))
    (content / "a" / "m.png").rename(content / "a" / "n.png")


@pytest.mark.parametrize(
    "damage",
    [damage_content, damage_unseen, add_a_file, take_a_file, link_a_file, change_the_list],
)
def test_an_unpacked_archive_that_was_changed_is_unpacked_again(
    tmp_path: Path, damage: object
) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("a/a.csv", "ProbeFileID\n")
        packed.writestr("a/m.png", "pixels")
    content, _ = unpack(archive)

    assert callable(damage)
    damage(content)
    again, problems = unpack(archive)

    assert problems == ()
    files = sorted(path for path in again.rglob("*") if path.is_file())
    assert [path.name for path in files] == ["a.csv", "m.png"]
    assert [path.read_text() for path in files] == ["ProbeFileID\n", "pixels"]
    assert not any(path.is_symlink() for path in files)


def test_an_unpacked_archive_that_was_copied_is_used_after_reading_it(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("a/a.csv", "ProbeFileID\n")
    content, _ = unpack(archive)
    copied = content / "a" / "copied"
    shutil.copyfile(content / "a" / "a.csv", copied)
    copied.replace(content / "a" / "a.csv")
    number = (content / "a" / "a.csv").stat().st_ino

    unpack(archive)

    assert (content / "a" / "a.csv").stat().st_ino == number


def test_the_index_of_a_video_that_was_changed_is_made_again(tmp_path: Path) -> None:
    film = Film("a.mp4", "libx264", frames=12, options=X264_GOP12, width=64, height=48)
    path = make(film, tmp_path)
    index = packet_index.load_index(path, deadline=Deadline(60))
    kept = next((private_cache() / "video-index").iterdir())
    whole = kept.read_bytes()

    for damaged in (whole[:-1], whole[:70] + b"x" + whole[71:], b"", b"\n" + whole):
        kept.write_bytes(damaged)
        again = packet_index.load_index(path, deadline=Deadline(60))
        assert len(again) == len(index) == 12
        assert kept.read_bytes()[:65] == whole[:65]


def test_a_temporary_file_never_follows_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    monkeypatch.setattr("secrets.token_hex", lambda _: "token")
    (tmp_path / ".out.csv.token.part").symlink_to(victim)

    with pytest.raises(FileExistsError):
        write_bytes(tmp_path / "out.csv", b"content")

    assert victim.read_text() == "untouched"
    assert not (tmp_path / "out.csv").exists()


def test_what_a_killed_process_left_is_cleared_and_what_is_written_now_is_not(
    tmp_path: Path,
) -> None:
    old, new = tmp_path / ".out.csv.1.part", tmp_path / ".out.csv.2.part"
    for path in (old, new, tmp_path / ".other.csv.3.part"):
        path.touch()
    os.utime(old, (0, 0))

    write_bytes(tmp_path / "out.csv", b"content")

    assert not old.exists()
    assert new.exists()
    assert (tmp_path / "out.csv").read_bytes() == b"content"


def test_a_file_is_on_the_disk_before_it_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync, replace = os.fsync, Path.replace

    def told_sync(descriptor: int) -> None:
        is_folder = os.path.isdir(f"/proc/self/fd/{descriptor}")  # noqa: PTH112 - a descriptor
        done.append("folder" if is_folder else "file")
        sync(descriptor)

    def told_replace(path: Path, target: Path) -> Path:
        done.append("replace")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", told_sync)
    monkeypatch.setattr(Path, "replace", told_replace)

    write_bytes(tmp_path / "out.csv", b"content")

    expected = ["file", "replace", "folder"] if sys.platform == "linux" else done
    assert done == expected


def test_many_writers_of_one_file_leave_one_whole_file(tmp_path: Path) -> None:
    contents = [bytes([65 + number]) * 5000 for number in range(8)]
    path = tmp_path / "out.csv"

    threads = [threading.Thread(target=write_bytes, args=(path, one)) for one in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert path.read_bytes() in contents
    assert [each.name for each in tmp_path.iterdir()] == ["out.csv"]
