"""Opens the files datasets and submissions name: by their path, or as they were handed over.

A decoder process opens no paths: its callers open the files and hand them over, and
:func:`open_media` then finds them by the path they were opened by.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import SEEK_CUR, SEEK_SET, BufferedReader, RawIOBase
from pathlib import Path
from typing import TypeAlias

from forensicviewer.core.problem import CodecError, ForensicViewerError

MISSING = "codec.missing"  # the rule of a file that is not there

_BUFFER_BYTES = 1 << 15

# What stands for a path in a decoder process: a descriptor, or why there is none.
Handed: TypeAlias = int | ForensicViewerError

# Of a path that several want to read, one for each; the last one given is read.
_handed: dict[Path, list[Handed]] | None = None


def open_media(path: Path) -> BufferedReader:
    """Open a regular file for reading, or say in the user's words why that cannot be."""
    if _handed is not None:
        # A small file is read with one call, whatever is looked at in it.
        return BufferedReader(_HandedFile(_descriptor_of(path), path), _BUFFER_BYTES)
    try:
        mode = path.stat().st_mode
        # A pipe or device would block or never end.
        if not stat.S_ISREG(mode):
            what = "a folder" if stat.S_ISDIR(mode) else "a device, pipe or socket"
            raise CodecError(
                f"This is {what}, not a file",
                where=path,
                hint="check the file name in the table",
                rule="codec.not-a-file",
            )
        return _opened(path)
    except FileNotFoundError as error:
        raise missing_file(path) from error
    except (OSError, ValueError) as error:
        raise CodecError(
            "The file cannot be opened",
            where=path,
            hint=getattr(error, "strerror", None) or str(error),
            rule="codec.unopenable",
        ) from error


def _opened(path: Path) -> BufferedReader:
    """Open a file; a pipe that took its place since it was looked at is not waited for."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no longer an ordinary file")
    return os.fdopen(descriptor, "rb")


def missing_file(path: Path) -> CodecError:
    """The problem of a missing file, the same wherever it is found."""
    return CodecError(
        "The file does not exist",
        where=path,
        hint="check the file name in the table, including upper and lower case",
        rule=MISSING,
    )


@contextmanager
def path_for_library(path: Path) -> Iterator[Path]:
    """A path with the file's content, for libraries that take nothing else.

    In a decoder process it leads to a copy in memory: the file itself has no path there.
    """
    if _handed is None:
        yield path
        return
    copy = os.memfd_create("media", os.MFD_CLOEXEC)
    try:
        with open_media(path) as stream, os.fdopen(os.dup(copy), "wb") as written:
            while part := stream.read(1 << 20):
                written.write(part)
        yield Path(f"/proc/self/fd/{copy}")
    finally:
        os.close(copy)


def hand_over(files: Mapping[Path, Handed]) -> None:
    """Open no path from now on, only these files and those handed over before."""
    global _handed
    _handed = {} if _handed is None else _handed
    for path, handed in files.items():
        _handed.setdefault(path, []).append(handed)


def take_back(files: Mapping[Path, Handed]) -> None:
    """Close what was handed over."""
    assert _handed is not None
    for path, handed in files.items():
        _handed[path].remove(handed)
        if not _handed[path]:
            del _handed[path]
        if isinstance(handed, int):
            os.close(handed)


def _descriptor_of(path: Path) -> int:
    assert _handed is not None
    if path not in _handed:
        raise missing_file(path)
    handed = _handed[path][-1]
    if isinstance(handed, ForensicViewerError):
        raise handed
    return handed


class _HandedFile(RawIOBase):
    """Reads a descriptor from a separate place: several may read the same one."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor = descriptor
        self._path = path
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        start = {SEEK_SET: 0, SEEK_CUR: self._at}.get(whence)
        at = offset + (os.fstat(self._descriptor).st_size if start is None else start)
        if at < 0:
            # As the system says it of a file.
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._at = at
        return at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]  # typeshed names its parameter otherwise
        try:
            count = os.preadv(self._descriptor, [buffer], self._at)
        except OSError as error:
            # A disk or network that fails is no fault of the decoder.
            raise CodecError(
                f"The file cannot be read: {error.strerror}",
                where=self._path,
                hint="check the disk or the network connection",
                rule="codec.unreadable",
            ) from error
        self._at += count
        return count
