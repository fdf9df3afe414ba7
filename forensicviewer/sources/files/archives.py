"""Unpacks archives into a private cache folder, and refuses everything that could harm."""

from __future__ import annotations

import errno
import hashlib
import io
import lzma
import shutil
import stat
import tarfile
import tempfile
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

from forensicviewer.core.problem import (
    Problem,
    ProblemLog,
    SubmissionError,
    UnsafePathError,
)
from forensicviewer.core.progress import Progress
from forensicviewer.sources.files.limits import FileLimits
from forensicviewer.sources.files.meter import Meter
from forensicviewer.sources.files.paths import NamesInside, private_cache, resolve_inside
from forensicviewer.sources.files.tar_members import tar_members
from forensicviewer.sources.files.unpacked import CONTENT, read_list, write_list
from forensicviewer.sources.files.zip_directory import directory_bytes

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

SUFFIXES = (".tgz", ".tar.gz", ".tar", ".tar.bz2", ".tar.xz", ".zip")


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How much an archive may unpack to; more is a bomb, not a submission.

    ``header_bytes`` is what one long name or the list of all entries may take.
    """

    entries: int = 500_000
    entry_bytes: int = 4_000_000_000
    total_bytes: int = 50_000_000_000
    # Masks are packed already and tables shrink twentyfold. Deflate shrinks at most a thousandfold,
    # which a small archive of blank masks may do; a large one that does is a bomb.
    ratio: int = 100
    ratio_from_bytes: int = 2_000_000_000
    header_bytes: int = 256_000_000
    name_bytes: int = 1_000_000

    @classmethod
    def from_environment(cls) -> ArchiveLimits:
        """With the size a user allows."""
        return cls(total_bytes=FileLimits.from_environment().unpacked_gb * 1_000_000_000)


# What the standard library raises for content that is broken, encrypted or not what it says.
_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
)
_CHUNK_BYTES = 1 << 20
_NAMED_ENTRIES = 100  # that are refused for the same reason; the others are counted
# How zip, gzip, bzip2 and xz files begin, whatever they are called.
_PACKED = (b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
_STAGING = ".unpacking-"
# No archive within the limits takes a day to unpack.
_ABANDONED_S = 86_400


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry of an archive; ``refused`` says why it cannot be unpacked, blank when it can."""

    name: str
    is_folder: bool
    refused: str
    open: Callable[[], IO[bytes] | None]


def is_archive(path: Path) -> bool:
    """Whether the path is a file that is called an archive, or begins like one."""
    return path.is_file() and (path.name.lower().endswith(SUFFIXES) or _begins_packed(path))


def _begins_packed(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(8).startswith(_PACKED)
    except OSError:
        return False


def first_names(path: Path, count: int) -> tuple[str, ...]:
    """The names of the first entries of an archive, of its first two megabytes at most."""

    def stop(done: int, _total: int) -> None:
        if done > 1:
            raise EOFError("enough was read")

    names: list[str] = []
    with suppress(*_BROKEN), _opened(path, Meter(stop, 1 << 62), ArchiveLimits()) as entries:
        names.extend(entry.name for entry in islice(entries, count))
    return tuple(names)


def bytes_to_read(path: Path) -> int:
    """How much is read of an archive: all of it for its digest, and once more to unpack it."""
    return 2 * path.stat().st_size


def unpack(
    path: Path, *, limits: ArchiveLimits | None = None, progress: Progress | None = None
) -> tuple[Path, tuple[Problem, ...]]:
    """Unpack into the private cache; return the folder and what was refused.

    The folder is named by the archive's digest, so the same archive is unpacked once. Nothing is
    ever written outside it: every entry is written here, as a plain file, under a checked name.
    ``progress`` counts megabytes of the archive; what it raises ends the unpacking.
    """
    meter = Meter(progress, bytes_to_read(path))
    folder = private_cache() / "archives" / _digest(path, meter)[:32]
    known = read_list(folder)
    if known is not None:
        return folder / CONTENT, known
    try:
        return folder / CONTENT, _unpack_into(
            folder, path, limits or ArchiveLimits.from_environment(), meter
        )
    except OSError as error:
        raise SubmissionError(
            f"The archive cannot be unpacked into {folder.parent} ({error.strerror})",
            where=path,
            hint="free some space there, or set XDG_CACHE_HOME to another folder",
            rule="archive.no-room",
        ) from error


class _MeteredFile(io.FileIO):
    """A file that tells a meter what is read of it."""

    def __init__(self, path: Path, meter: Meter) -> None:
        super().__init__(path, "r")
        self._meter = meter

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        count = super().readinto(buffer)
        self._meter.add(count)
        return count


def _metered(path: Path, meter: Meter) -> io.BufferedReader:
    return io.BufferedReader(_MeteredFile(path, meter), _CHUNK_BYTES)


def _unpack_into(
    folder: Path, path: Path, limits: ArchiveLimits, meter: Meter
) -> tuple[Problem, ...]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    _clear_abandoned(folder.parent)
    staging = Path(tempfile.mkdtemp(dir=folder.parent, prefix=_STAGING))
    try:
        unpacking = _Unpacking(path, staging / CONTENT, limits, meter)
        problems = unpacking.run()
        write_list(staging, unpacking.digests, problems)
        _put_in_place(staging, folder)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return problems


def _clear_abandoned(parent: Path) -> None:
    """Remove what runs that were killed had unpacked; another window may be at work on the rest."""
    latest_s = time.time() - _ABANDONED_S
    for staging in parent.glob(f"{_STAGING}*"):
        with suppress(OSError):
            if staging.stat(follow_symlinks=False).st_mtime < latest_s:
                shutil.rmtree(staging, ignore_errors=True)


class _Unpacking:
    """One archive on its way to a folder, with a running account of what it has grown to."""

    def __init__(self, path: Path, target: Path, limits: ArchiveLimits, meter: Meter) -> None:
        self._path = path
        self._meter = meter
        self._target = target
        # Nothing here is a link, nor becomes one: every entry is written as a plain file.
        self._names = NamesInside(target)
        self._refused: Counter[str] = Counter()  # how many, by the rule
        self._limits = limits
        self._log = ProblemLog()
        self._archive_bytes = max(path.stat().st_size, 1)
        self._written_bytes = 0
        self.digests: dict[str, str] = {}  # by the names of the files in the target

    def run(self) -> tuple[Problem, ...]:
        self._target.mkdir()
        try:
            with _opened(self._path, self._meter, self._limits) as entries:
                for count, entry in enumerate(entries, start=1):
                    if count > self._limits.entries:
                        raise self._bomb(f"The archive has more than {count - 1} entries")
                    self._unpack(entry)
        except _BROKEN as error:
            if _is_disk_full(error):
                # Kept as it is, the half of it would be taken for the whole next time.
                raise
            self._say_broken(error)
        for rule, count in self._refused.items():
            if count > _NAMED_ENTRIES:
                self._log.error(
                    f"{count - _NAMED_ENTRIES} more entries were refused for the same reason",
                    where=self._path.name,
                    hint="these entries were not unpacked",
                    rule=rule,
                )
        return self._log.freeze()

    def _unpack(self, entry: _Entry) -> None:
        if entry.refused:
            self._refuse(entry, entry.refused, rule="archive.entry-kind")
            return
        try:
            path = self._names.find(entry.name) or resolve_inside(self._target, entry.name)
        except UnsafePathError as error:
            self._refuse(entry, error.message, rule="archive.entry-path")
            return
        if entry.is_folder:
            self._make_folder(entry, path)
        else:
            self._write(entry, path)

    def _make_folder(self, entry: _Entry, path: Path) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            if _is_disk_full(error):
                raise
            self._refuse(
                entry, "A file already has the name of this folder", rule="archive.entry-twice"
            )

    def _write(self, entry: _Entry, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as target:
                digest = self._copy(entry, target)
            self.digests[path.relative_to(self._target).as_posix()] = digest
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            self._refuse(
                entry, "The name occurs twice; the first entry counts", rule="archive.entry-twice"
            )
        except _BROKEN as error:
            if _is_disk_full(error):
                raise
            path.unlink(missing_ok=True)
            self._refuse(
                entry,
                f"The entry cannot be unpacked ({_reason(error)})",
                rule="archive.entry-broken",
            )

    def _copy(self, entry: _Entry, target: IO[bytes]) -> str:
        """Write the entry; returns its digest."""
        source = entry.open()
        if source is None:
            raise ValueError("no content")
        digest, entry_bytes = hashlib.sha256(), 0
        with source:
            while chunk := source.read(_CHUNK_BYTES):
                entry_bytes += len(chunk)
                self._written_bytes += len(chunk)
                self._check_size(entry_bytes)
                digest.update(chunk)
                target.write(chunk)
        return digest.hexdigest()

    def _check_size(self, entry_bytes: int) -> None:
        limits, written = self._limits, self._written_bytes
        if entry_bytes > limits.entry_bytes:
            raise self._bomb(f"An entry is larger than {limits.entry_bytes / 1e9:g} GB")
        if written > limits.total_bytes:
            raise self._bomb(
                f"The archive unpacks to more than {limits.total_bytes / 1e9:g} GB",
                hint="if the archive is trustworthy, raise “Size of an unpacked archive” in "
                "the settings",
            )
        if written > limits.ratio_from_bytes and written > limits.ratio * self._archive_bytes:
            raise self._bomb(
                f"The archive grows to more than {limits.ratio} times its size when unpacked"
            )

    def _bomb(self, message: str, *, hint: str = "no entry was kept") -> SubmissionError:
        return SubmissionError(message, where=self._path, hint=hint, rule="archive.bomb")

    def _refuse(self, entry: _Entry, message: str, *, rule: str) -> None:
        self._refused[rule] += 1
        if self._refused[rule] > _NAMED_ENTRIES:
            return
        self._log.error(
            message,
            where=f"{self._path.name}:{entry.name[:200]!r}",
            hint="the entry was not unpacked",
            rule=rule,
        )

    def _say_broken(self, error: BaseException) -> None:
        if not any(self._target.iterdir()):
            raise SubmissionError(
                f"The archive cannot be read ({_reason(error)})",
                where=self._path,
                hint="pack it again as .tgz or .zip",
                rule="archive.broken",
            ) from error
        self._log.error(
            f"The archive is damaged; entries before the damage were unpacked ({_reason(error)})",
            where=self._path.name,
            hint="pack it again or copy it again",
            rule="archive.damaged",
        )


def _is_disk_full(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def _reason(error: BaseException) -> str:
    """The first line: tarfile lists what every kind of compression has to say about the file."""
    return next(iter(str(error).splitlines()), type(error).__name__).rstrip(": ")


@contextmanager
def _opened(path: Path, meter: Meter, limits: ArchiveLimits) -> Iterator[Iterator[_Entry]]:
    if _is_zip(path):
        with path.open("rb") as stream:
            if directory_bytes(stream) > limits.header_bytes:
                raise zipfile.BadZipFile("the list of its entries is too long")
        with _metered(path, meter) as stream, zipfile.ZipFile(stream) as packed:
            yield (_zip_entry(packed, member) for member in packed.infolist())
    else:
        with _metered(path, meter) as stream:
            yield _tar_entries(stream, limits)


def _is_zip(path: Path) -> bool:
    """By its first bytes: archives are renamed more often than they are packed again."""
    with path.open("rb") as stream:
        is_marked = stream.read(2) == b"PK"
    return is_marked or (path.name.lower().endswith(".zip") and not _is_tar(path))


def _is_tar(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            next(_tar_entries(stream, ArchiveLimits()), None)
    except _BROKEN:
        return False
    return True


def _zip_entry(packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> _Entry:
    kind = stat.S_IFMT(member.external_attr >> 16)
    refused = ""
    if not member.filename:
        refused = "The entry has no name"
    elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        refused = "The entry is a link or a device"
    elif member.flag_bits & 1:
        refused = "The entry is encrypted"
    return _Entry(
        # zipfile cuts a name at its first NUL; the name as written shows what was tried.
        name=member.orig_filename if "\0" in member.orig_filename else member.filename,
        is_folder=member.filename.endswith("/"),
        refused=refused,
        open=lambda: packed.open(member),
    )


def _tar_entries(stream: IO[bytes], limits: ArchiveLimits) -> Iterator[_Entry]:
    members = tar_members(
        stream,
        name_bytes=limits.name_bytes,
        entry_bytes=limits.entry_bytes,
        total_bytes=2 * limits.total_bytes,
    )
    return (_tar_entry(tape, member) for tape, member in members)


def _tar_entry(tape: tarfile.TarFile, member: tarfile.TarInfo) -> _Entry:
    plain = member.isreg() or member.isdir()
    return _Entry(
        name=member.name,
        is_folder=member.isdir(),
        refused="" if plain else "The entry is a link or a device",
        open=lambda: tape.extractfile(member),
    )


def _digest(path: Path, meter: Meter) -> str:
    try:
        with _metered(path, meter) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise SubmissionError(
            f"The archive cannot be read ({error.strerror})",
            where=path,
            hint="check the permissions of the file and the disk it is on",
            rule="archive.broken",
        ) from error


def _put_in_place(staging: Path, folder: Path) -> None:
    try:
        staging.rename(folder)
    except OSError:
        # Another process unpacked the same archive meanwhile, or left half of it: ours is whole.
        if read_list(folder) is None:
            shutil.rmtree(folder, ignore_errors=True)
            staging.rename(folder)
