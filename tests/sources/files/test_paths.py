import os
import sys
import time
import zipfile
from pathlib import Path

import pytest

from forensicviewer.core.problem import UnsafePathError
from forensicviewer.sources.files.archives import is_archive, unpack
from forensicviewer.sources.files.paths import NamesInside, private_cache, resolve, resolve_inside


def test_a_name_inside_is_found_whether_or_not_the_file_exists(tmp_path: Path) -> None:
    (tmp_path / "probe").mkdir()
    (tmp_path / "probe" / "a.png").write_bytes(b"x")

    assert resolve(tmp_path, "probe/a.png") == tmp_path / "probe" / "a.png"
    assert resolve(tmp_path, "probe/absent.png") == tmp_path / "probe" / "absent.png"
    assert resolve(tmp_path, "probe/a..b.png").name == "a..b.png"


def test_a_link_that_stays_inside_may_be_followed(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"x")
    (tmp_path / "b.png").symlink_to("a.png")

    assert resolve(tmp_path, "b.png").read_bytes() == b"x"


def test_a_dataset_may_itself_be_reached_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "true").mkdir()
    (tmp_path / "true" / "a.png").write_bytes(b"x")
    (tmp_path / "linked").symlink_to("true")

    assert resolve(tmp_path / "linked", "a.png").read_bytes() == b"x"


def test_a_long_refused_name_is_shortened_in_the_message(tmp_path: Path) -> None:
    with pytest.raises(UnsafePathError) as refused:
        resolve(tmp_path, "/" + "x" * 500)

    assert len(refused.value.message) < 200


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("linux", ".cache"), ("darwin", "Library/Caches"), ("win32", "AppData/Local")],
)
def test_the_cache_is_where_the_system_keeps_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, folder: str
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(sys, "platform", platform)

    found = private_cache()

    assert found == tmp_path / folder / "forensicviewer"
    assert found.is_dir()
    assert found.stat().st_mode & 0o077 == 0


def test_what_killed_runs_left_is_cleared_and_a_run_at_work_is_not_disturbed(
    tmp_path: Path,
) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("a/a.csv", "ProbeFileID\n")
    parent = private_cache() / "archives"
    abandoned, at_work = parent / ".unpacking-old", parent / ".unpacking-new"
    for staging in (abandoned, at_work):
        (staging / "content").mkdir(parents=True)
    two_days_ago_s = time.time() - 2 * 86_400
    os.utime(abandoned, (two_days_ago_s, two_days_ago_s))

    unpack(archive)

    assert not abandoned.exists()
    assert at_work.exists()


def test_what_an_interrupted_run_left_is_replaced(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("a/a.csv", "ProbeFileID\n")
    content, _ = unpack(archive)
    (content / "a" / "a.csv").write_text("half", encoding="utf-8")
    (content.parent / "unpacked.json").unlink()

    again, problems = unpack(archive)

    assert again == content
    assert problems == ()
    assert (again / "a" / "a.csv").read_text(encoding="utf-8") == "ProbeFileID\n"
    assert [path.name for path in content.parent.parent.iterdir()] == [content.parent.name]


def test_problems_of_an_archive_are_remembered(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("a/a.csv", "ProbeFileID\n")
        packed.writestr("../evil.csv", "x")

    first = unpack(archive)

    assert [problem.rule for problem in first[1]] == ["archive.entry-path"]
    assert unpack(archive) == first


def test_a_folder_with_the_name_of_an_archive_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.zip").mkdir()

    assert not is_archive(tmp_path / "a.zip")


def test_many_names_of_a_folder_are_found_as_one_by_one(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "mask").mkdir(parents=True)
    outside.mkdir()
    for path in (root / "mask" / "a.png", outside / "a.png"):
        path.touch()
    (root / "away").symlink_to(outside)
    (root / "mask" / "link.png").symlink_to(outside / "a.png")
    names = NamesInside(root)

    (root / "mask" / "dangling.png").symlink_to(outside / "none.png")

    for name in ("mask/a.png", "mask/none.png", "no/a.png"):
        assert names.find(name) == resolve_inside(root, name)
    for name in ("away/a.png", "away/none.png", "mask/link.png", "mask/dangling.png", "mask"):
        assert names.find(name) is None, name
    for name in ("", "../outside/a.png", "mask/../mask/a.png", "/etc/passwd", "C:a", "a\\b", "a\n"):
        assert names.find(name) is None, name
