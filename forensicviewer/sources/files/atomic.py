"""Writes files whole or not at all, and tells whether a file is still the one it was."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from itertools import islice
from pathlib import Path
from typing import TypeAlias

# Size, time of change of the content, of the entry, and the entry's number. Programs can set the
# second, as copying does; nobody but the system sets the others.
Stamp: TypeAlias = tuple[int, int, int, int]

_SUFFIX = ".part"
# No file takes an hour to write: what is older was left by a process that was killed.
_ABANDONED_S = 3600
_LOOKED_AT = 1000


def stamp_of(path: Path) -> Stamp:
    """What changes when a file is changed or replaced; raises OSError where there is none."""
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file, or leave the old one as it was, also when the power fails.

    The temporary file beside it is new: a link or file that waits under its name is never used.
    """
    # Not tempfile: its files are readable by their owner alone, and results are to be shared.
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}{_SUFFIX}")
    _clear_abandoned(path)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        flags |= getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(temporary, flags, 0o666), "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            # A full disk does not say what did not fit, and nobody knows the temporary name.
            error.filename = str(path)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have the system write down which files are in a folder, where it can."""
    with contextlib.suppress(OSError):
        # Windows cannot open folders; some network disks cannot sync them.
        opened = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _clear_abandoned(path: Path) -> None:
    """Remove what processes that were killed left of the same file."""
    start = f".{path.name[:100]}."
    with contextlib.suppress(OSError), os.scandir(path.parent) as entries:
        for entry in islice(entries, _LOOKED_AT):
            if entry.name.startswith(start) and entry.name.endswith(_SUFFIX):
                _remove_if_old(Path(entry.path))


def _remove_if_old(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.lstat().st_mtime < time.time() - _ABANDONED_S:
            path.unlink()
