"""A full disk, a home that cannot be written, output that is closed: work goes on or says why."""

import errno
import json
import os
import shlex
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import pytest

from forensicviewer.app.datasets.opening import open_submission
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.app.runtime.folders import config_folder, state_folder
from forensicviewer.cli import main
from forensicviewer.core.problem import SubmissionError
from forensicviewer.sources.files.paths import home, private_cache
from tests.build import Built, two_answered_trials


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


@pytest.fixture
def archive(built: Built) -> Path:
    path = built.submission.with_suffix(".tgz")
    with tarfile.open(path, "w:gz") as tape:
        tape.add(built.submission, arcname=built.submission.name)
    return path


@pytest.fixture
def no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder that can never be made, because a file has its name."""
    taken = tmp_path / "taken"
    taken.write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(taken))
    return taken


def fill_the_disk(monkeypatch: pytest.MonkeyPatch, method: str, mode: str = "") -> None:
    """Let every call of that method of paths fail as on a full disk."""
    whole = getattr(Path, method)

    def fail(path: Path, *arguments: object, **named: object) -> object:
        if mode and mode not in arguments:
            return whole(path, *arguments, **named)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, method, fail)


def test_without_a_cache_scores_are_counted_and_only_not_kept(
    built: Built, no_cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"

    code = main(["score", "mask", str(built.root), str(built.submission), "--out", str(out)])

    told = capsys.readouterr()
    assert code == 0
    assert "OptimumMCC" in told.out
    assert f"note: {no_cache}" in told.err
    assert "cannot be saved for the next run" in told.err


def test_without_a_cache_an_archive_says_where_it_cannot_be_unpacked(
    built: Built, archive: Path, no_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["info", str(built.root), str(archive), str(built.submission)])

    told = capsys.readouterr()
    assert code == 1
    assert f"cannot be unpacked into {no_cache}" in told.err
    assert "XDG_CACHE_HOME" in told.err
    assert "2 of 2 trials" in told.out


def test_an_archive_cut_short_by_a_full_disk_is_unpacked_again_next_time(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        fill_the_disk(full, "open", "xb")
        with pytest.raises(SubmissionError, match="No space left") as refused:
            open_submission(archive)
    assert refused.value.rule == "archive.no-room"

    opened = open_submission(archive)

    assert opened.problems == ()
    assert len(opened.answers) == 2


@pytest.mark.parametrize("torn", ["", "[", '[{"severity": "loud"}]', "[7]"])
def test_a_torn_note_about_an_unpacked_archive_means_unpacking_again(
    archive: Path, torn: str
) -> None:
    open_submission(archive)
    note = next((private_cache() / "archives").glob("*/unpacked.json"))
    whole = json.loads(note.read_bytes())
    note.write_text(torn, encoding="utf-8")

    assert len(open_submission(archive).answers) == 2
    assert json.loads(note.read_bytes())["files"].keys() == whole["files"].keys()


def test_a_full_disk_is_told_with_the_file_that_did_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scores.csv"

    def fail(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)

    with pytest.raises(OSError, match=r"scores\.csv"):
        write_atomically(path, "AUC\n")

    assert list(tmp_path.iterdir()) == []


def test_a_store_that_cannot_be_opened_is_not_taken_for_a_broken_one(tmp_path: Path) -> None:
    place = tmp_path / "scores.sqlite"
    place.mkdir()

    with ResultStore(place) as store:
        store.put({"key": b"kept in memory"})
        assert store.get(["key"]) == {"key": b"kept in memory"}

    assert place.is_dir()
    assert [problem.rule for problem in store.problems] == ["store-unusable"]


@pytest.mark.parametrize("arguments", [["rules"], ["rules", "--json"], ["info", "/nowhere"]])
def test_closed_output_is_no_bug(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "forensicviewer", *arguments]
    shell = f"exec {shlex.join(command)} >&- 2>&-"

    done = subprocess.run(["sh", "-c", shell], check=False)

    assert done.returncode == (3 if "/nowhere" in arguments else 0)


def test_folders_named_relatively_are_not_made_wherever_one_happens_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(variable, "relative")
    monkeypatch.setenv("HOME", str(tmp_path))

    places = (config_folder(), state_folder(), private_cache())

    assert all(place.is_relative_to(tmp_path) for place in places)


def test_a_user_without_a_home_gets_a_folder_among_temporary_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unknown(_: str) -> str:
        return "~"

    monkeypatch.setattr(os.path, "expanduser", unknown)

    assert home().parent == Path(tempfile.gettempdir())
