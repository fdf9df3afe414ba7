"""Archives whose headers alone would fill memory, and entries no name fits."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from forensicviewer.core.problem import SubmissionError
from forensicviewer.sources.files.archives import ArchiveLimits, unpack
from forensicviewer.sources.files.limits import FileLimits
from forensicviewer.sources.files.zip_directory import directory_bytes


def long_named(path: Path, kind: bytes, *, size: int) -> Path:
    """A tar file that begins with a long name, or attributes, of so many bytes."""
    entry = tarfile.TarInfo("x")
    entry.type, entry.size = kind, size
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(entry.tobuf(tarfile.USTAR_FORMAT))
        for _ in range(size >> 20):
            stream.write(b" " * (1 << 20))
    return path


@pytest.mark.parametrize(
    "kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK]
)
def test_a_name_of_megabytes_is_refused_unread(kind: bytes, tmp_path: Path) -> None:
    path = long_named(tmp_path / "a.tgz", kind, size=64 << 20)

    with pytest.raises(SubmissionError) as caught:
        unpack(path)
    assert caught.value.rule == "archive.broken"


def test_an_ordinary_long_name_is_fine(tmp_path: Path) -> None:
    name = "sys/" + "long" * 40 + ".csv"
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        path = tmp_path / f"{form}.tgz"
        with tarfile.open(path, "w:gz", format=form) as tape:
            entry = tarfile.TarInfo(name)
            entry.size = 3
            tape.addfile(entry, io.BytesIO(b"abc"))

        folder, problems = unpack(path)

        assert problems == ()
        assert (folder / name).read_bytes() == b"abc"


def test_an_entry_that_declares_too_much_is_not_passed_over(tmp_path: Path) -> None:
    huge = tarfile.TarInfo("huge")
    huge.size = 5_000_000_000
    with gzip.open(tmp_path / "a.tgz", "wb") as stream:
        stream.write(huge.tobuf(tarfile.GNU_FORMAT))

    with pytest.raises(SubmissionError) as caught:
        unpack(tmp_path / "a.tgz")
    assert "too large" in caught.value.message


def test_an_entry_without_a_name_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("sys/sys.csv", "x")
        entry = zipfile.ZipInfo("placeholder")
        entry.filename = ""
        packed.writestr(entry, "evil")

    folder, problems = unpack(path)

    assert [problem.rule for problem in problems] == ["archive.entry-kind"]
    assert (folder / "sys" / "sys.csv").read_text() == "x"


def test_a_list_of_too_many_entries_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for number in range(100):
            packed.writestr(f"{number}.csv", "")
    with path.open("rb") as stream:
        listed = directory_bytes(stream)

    assert 100 * 46 < listed < path.stat().st_size
    with pytest.raises(SubmissionError, match="too long"):
        unpack(path, limits=ArchiveLimits(header_bytes=listed - 1))


def test_a_large_archive_may_not_grow_a_thousandfold(tmp_path: Path) -> None:
    """Deflate cannot shrink more than that, so a higher limit would never be reached."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("sys/zeros", bytes(20_000_000))

    with pytest.raises(SubmissionError, match="more than 100 times"):
        unpack(path, limits=ArchiveLimits(ratio_from_bytes=1_000_000))


def test_the_size_a_user_allows_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORENSICVIEWER_UNPACKED_GB", "7")
    monkeypatch.setenv("FORENSICVIEWER_DOCUMENT_MB", "nonsense")
    assert ArchiveLimits.from_environment().total_bytes == FileLimits().unpacked_gb * 1_000_000_000

    monkeypatch.setenv("FORENSICVIEWER_DOCUMENT_MB", "9")
    assert ArchiveLimits.from_environment().total_bytes == 7_000_000_000
    assert FileLimits.from_environment() == FileLimits(7, 9)
