"""Reads and writes zip files that list every file in them with its size and digest.

Nothing is believed that is not listed, and nothing listed may be missing: an entry that leads
elsewhere, is a link, is encrypted, occurs twice, or is larger than it says refuses the whole file.
"""

from __future__ import annotations

import errno
import hashlib
import json
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from forensicviewer.core.problem import ForensicViewerError, UnsafePathError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.files.archives import ArchiveLimits
from forensicviewer.sources.files.paths import check_name, resolve_inside
from forensicviewer.sources.files.zip_directory import directory_bytes

MANIFEST = "manifest.json"
_MOST_MANIFEST_BYTES = 32 << 20
_MOST_ENTRIES = 20_000
_CHUNK_BYTES = 1 << 20
_RATIO, _RATIO_FROM_BYTES = 1100, 1 << 26
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError)
# Names that are devices on Windows, whatever their ending.
_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sealed:
    """One file as the manifest lists it."""

    path: str
    size: int
    sha256: str

    def as_json(self) -> dict[str, object]:
        return {"path": self.path, "size": self.size, "sha256": self.sha256}


def write_sealed(
    stream: IO[bytes], manifest: Mapping[str, Any], files: Iterable[tuple[str, Path]]
) -> None:
    """Write a manifest and the files it lists, by their paths in the zip."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        text = json.dumps(manifest, ensure_ascii=False, indent=1)
        packed.writestr(_entry(MANIFEST), text.encode("utf-8", errors="backslashreplace"))
        for name, path in files:
            with path.open("rb") as source, packed.open(_entry(name), "w") as target:
                while chunk := source.read(_CHUNK_BYTES):
                    target.write(chunk)


def _entry(name: str) -> zipfile.ZipInfo:
    """An entry without the time and rights of this machine."""
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (stat.S_IFREG | 0o644) << 16
    return entry


def read_manifest(path: Path) -> dict[str, Any]:
    """The manifest of a sealed zip; its files are neither read nor checked."""
    with _opened(path) as sealed:
        return sealed.manifest


def unpack_sealed(
    path: Path, folder: Path, *, progress: Progress = lambda _done, _total: None
) -> dict[str, Any]:
    """Check every entry and unpack it into an empty folder; returns the manifest."""
    with _opened(path) as sealed:
        for number, one in enumerate(sealed.files):
            progress(number, len(sealed.files))
            sealed.unpack(one, folder)
        return sealed.manifest


@contextmanager
def _opened(path: Path) -> Iterator[_Sealed]:
    if path.exists() and not path.is_file():
        raise refused("The case file is not an ordinary file", path)
    try:
        with path.open("rb") as stream:
            yield _Sealed(path, stream)
    except _BROKEN as error:
        raise refused(f"The case file cannot be read ({error})", path) from error
    except OSError as error:
        # The place of an entry leads before the file's beginning; a full disk is another matter.
        if error.errno != errno.EINVAL:
            raise
        raise refused("The case file refers to positions outside the file", path) from error


def refused(message: str, path: Path) -> ForensicViewerError:
    return ForensicViewerError(
        message, where=path, hint="ask the sender for the file again", rule="case.refused"
    )


class _Sealed:
    """An opened zip whose entries are exactly the files of its manifest."""

    def __init__(self, path: Path, stream: IO[bytes]) -> None:
        self._path, self._limits = path, ArchiveLimits.from_environment()
        if directory_bytes(stream) > self._limits.header_bytes:  # type: ignore[arg-type]
            raise refused("The list of its entries is too long", path)
        stream.seek(0)
        self._zip = zipfile.ZipFile(stream)
        self._entries = self._checked_entries()
        self.manifest = self._read_manifest()
        self.files = self._listed()

    def _checked_entries(self) -> dict[str, zipfile.ZipInfo]:
        entries = self._zip.infolist()
        if len(entries) > _MOST_ENTRIES:
            raise refused(f"The case file has more than {_MOST_ENTRIES} entries", self._path)
        total = sum(entry.file_size for entry in entries)
        if total > self._limits.total_bytes:
            raise refused("The case file exceeds the size limit when unpacked", self._path)
        packed = max(1, self._path.stat().st_size)
        if total > _RATIO_FROM_BYTES and total > _RATIO * packed:
            raise refused("The case file grows too much when unpacked", self._path)
        found: dict[str, zipfile.ZipInfo] = {}
        folded: set[str] = set()
        for entry in entries:
            self._check_entry(entry)
            key = entry.filename.casefold()
            if key in folded:
                raise refused(f"The entry {entry.filename!r} occurs twice", self._path)
            folded.add(key)
            found[entry.filename] = entry
        return found

    def _check_entry(self, entry: zipfile.ZipInfo) -> None:
        name = entry.filename
        check_path(name, self._path)
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or entry.is_dir():
            raise refused(f"The entry {name!r} is not a plain file", self._path)
        if entry.flag_bits & 1:
            raise refused(f"The entry {name!r} is encrypted", self._path)
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise refused(f"The entry {name!r} uses an unsupported compression method", self._path)
        if entry.orig_filename != name:
            raise refused(f"The entry {entry.orig_filename!r} has two names", self._path)

    def _read_manifest(self) -> dict[str, Any]:
        entry = self._entries.get(MANIFEST)
        if entry is None:
            raise refused(f"This is not a case file: it has no {MANIFEST}", self._path)
        if entry.file_size > _MOST_MANIFEST_BYTES:
            raise refused("The manifest is too long", self._path)
        with self._zip.open(entry) as source:
            content = source.read(_MOST_MANIFEST_BYTES + 1)
        try:
            manifest = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise refused("The manifest is not JSON", self._path) from error
        if not isinstance(manifest, dict):
            raise refused("The manifest is empty", self._path)
        return manifest

    def _listed(self) -> tuple[Sealed, ...]:
        try:
            files = tuple(
                Sealed(str(one["path"]), int(one["size"]), str(one["sha256"]))
                for one in self.manifest["files"]
            )
        except (ArithmeticError, KeyError, TypeError, ValueError) as error:
            raise refused("The manifest does not list the files", self._path) from error
        names = [one.path for one in files]
        if len(set(names)) < len(names):
            raise refused("The manifest lists a file twice", self._path)
        missing = sorted(set(names) - set(self._entries))
        if missing:
            raise refused(f"The file {missing[0]!r} is missing", self._path)
        extra = sorted(set(self._entries) - set(names) - {MANIFEST})
        if extra:
            raise refused(f"The file {extra[0]!r} is not in the manifest", self._path)
        return files

    def unpack(self, one: Sealed, folder: Path) -> None:
        target = resolve_inside(folder, one.path)
        digest, size = hashlib.sha256(), 0
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with self._zip.open(one.path) as source, target.open("xb") as stream:
                while chunk := source.read(_CHUNK_BYTES):
                    size += len(chunk)
                    if size > one.size:
                        raise refused(
                            f"The file {one.path!r} is larger than the manifest says", self._path
                        )
                    digest.update(chunk)
                    stream.write(chunk)
        except (FileExistsError, NotADirectoryError) as error:
            raise refused(
                f"The name {one.path!r} conflicts with another file", self._path
            ) from error
        if size != one.size or digest.hexdigest() != one.sha256:
            raise refused(f"The file {one.path!r} differs from the manifest", self._path)


def check_path(name: str, where: Path) -> None:
    """Refuse names that lead elsewhere, on any system."""
    try:
        check_name(name)
    except UnsafePathError as error:
        raise refused(error.message, where) from error
    parts = PurePosixPath(name).parts
    is_odd = "\\" in name or ":" in name or "/".join(parts) != name or "." in parts
    if is_odd or any(_DEVICE.match(part) or part != part.rstrip(" .") for part in parts):
        raise refused(f"The name {name!r} is not allowed on every system", where)
