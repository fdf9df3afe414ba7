"""Archives whose headers alone would fill memory, and entries no name fits."""

from __future__ import annotations

import gzip
import io
import tarfile
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

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


TABLE = b"ProbeFileID|ConfidenceScore"


def tar_of(path: Path, *blocks: bytes) -> Path:
    """A table, and after it blocks that a well-behaved program would not write."""
    table = tarfile.TarInfo("s/s.csv")
    table.size = len(TABLE)
    start = table.tobuf(tarfile.USTAR_FORMAT) + TABLE.ljust(512, b"\0")
    path.write_bytes(start + b"".join(blocks) + bytes(1024))
    return path


def entry_of(kind: bytes, *, size: int) -> bytes:
    """A header; tarfile itself writes negative sizes, in base 256."""
    entry = tarfile.TarInfo("s/more")
    entry.type, entry.size = kind, size
    return entry.tobuf(tarfile.GNU_FORMAT)


def attributes(**values: str) -> bytes:
    make: Any = tarfile.TarInfo
    return bytes(make._create_pax_generic_header(values, tarfile.XHDTYPE, "utf-8"))


@pytest.mark.parametrize(
    "blocks",
    [
        (entry_of(tarfile.REGTYPE, size=-512),),
        (entry_of(tarfile.DIRTYPE, size=-1024),),
        (entry_of(tarfile.GNUTYPE_SPARSE, size=-512),),
        (attributes(size="-1536"), entry_of(tarfile.REGTYPE, size=0)),
        (entry_of(tarfile.XHDTYPE, size=900_000), b"1" * 900_096),
        (
            attributes(**{"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}),
            entry_of(tarfile.REGTYPE, size=4_000_256),
            (b"1000000\n" + b"0\n1\n" * 1_000_000).ljust(4_000_256, b"\0"),
        ),
    ],
    ids=["back to itself", "back to the table", "sparse", "by attributes", "digits", "holes"],
)
def test_headers_of_a_tar_file_end_and_cost_little(
    blocks: tuple[bytes, ...], tmp_path: Path
) -> None:
    """Each of them kept Python's tarfile busy for minutes or for ever, or filled memory."""
    path = tar_of(tmp_path / "a.tar", *blocks)

    tracemalloc.start()
    folder, problems = unpack(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert [problem.rule for problem in problems][-1] == "archive.damaged"
    assert (folder / "s" / "s.csv").read_bytes() == TABLE
    assert peak < 20_000_000


def test_a_tar_file_called_zip_is_looked_at_as_carefully(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(entry_of(tarfile.XHDTYPE, size=900_000) + b"1" * 900_096 + bytes(1024))

    with pytest.raises(SubmissionError, match="not a zip file"):
        unpack(path)


def test_entries_refused_for_the_same_reason_are_counted(tmp_path: Path) -> None:
    path = tar_of(tmp_path / "a.tar", *[entry_of(tarfile.SYMTYPE, size=0)] * 250)

    _, problems = unpack(path)

    assert problems[-1].message == "150 more entries were refused for the same reason"
    assert problems[-1].where == "a.tar"


def test_holes_of_a_sparse_file_are_filled(tmp_path: Path) -> None:
    sparse = attributes(
        **{"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "9"}
    )
    holes = b"1\n4\n2\n".ljust(512, b"\0") + b"ab".ljust(512, b"\0")
    path = tar_of(tmp_path / "a.tar", sparse, entry_of(tarfile.REGTYPE, size=514), holes)

    folder, problems = unpack(path)

    assert problems == ()
    assert (folder / "s" / "more").read_bytes() == b"\0\0\0\0ab\0\0\0"


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
