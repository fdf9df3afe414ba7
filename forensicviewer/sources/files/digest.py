"""The MD5 of files, which NIST's plans use to distinguish versions."""

from __future__ import annotations

import hashlib
from pathlib import Path


def md5_of(path: Path) -> str:
    """The MD5 of a file as hexadecimal digits; read in pieces, so that its size does not matter."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
