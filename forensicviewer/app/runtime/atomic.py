"""Writes files whole or not at all, and names their content."""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path


def file_digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_atomically(path: Path, text: str) -> None:
    """Write a whole text file, or leave the old one as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # File names that are no valid text are escaped as JSON does it, not refused.
    write_bytes(path, text.encode("utf-8", errors="backslashreplace"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file, or leave the old one as it was."""
    # Not tempfile: its files are readable by their owner alone, and results are to be shared.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            # A full disk does not say what did not fit, and nobody knows the temporary name.
            error.filename = str(path)
        raise
