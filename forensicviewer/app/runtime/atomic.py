"""Writes files whole or not at all, and names their content."""

from __future__ import annotations

import hashlib
from pathlib import Path

from forensicviewer.sources.files import atomic

write_bytes = atomic.write_bytes


def file_digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_atomically(path: Path, text: str) -> None:
    """Write a whole text file, or leave the old one as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # File names that are no valid text are escaped as JSON does it, not refused.
    write_bytes(path, text.encode("utf-8", errors="backslashreplace"))
