"""Whether an unpacked archive is still what was unpacked: its files, their stamps and digests."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from forensicviewer.core.problem import Problem, Severity
from forensicviewer.sources.files.atomic import stamp_of, write_bytes

CONTENT = "content"
# What was unpacked and what was refused; written last, so that a folder with it is whole.
_LIST = "unpacked.json"
_KEPT = ("message", "where", "hint", "rule", "times")  # of a problem with an archive
_CHECKSUM = "checksum"


def write_list(folder: Path, digests: Mapping[str, str], problems: tuple[Problem, ...]) -> None:
    """Note what was unpacked; ``digests`` are of the files, by their names in the content."""
    content = folder / CONTENT
    listed = {name: [digest, *stamp_of(content / name)] for name, digest in digests.items()}
    rows = [
        {"severity": problem.severity.value, **{name: getattr(problem, name) for name in _KEPT}}
        for problem in problems
    ]
    document = {"files": listed, "problems": rows}
    write_bytes(folder / _LIST, _signed(document))


def read_list(folder: Path) -> tuple[Problem, ...] | None:
    """What was refused when the folder was unpacked; ``None`` where it is not what it was."""
    try:
        document = json.loads((folder / _LIST).read_bytes())
        checksum = document.pop(_CHECKSUM)
        if json.loads(_signed(document))[_CHECKSUM] != checksum:
            return None
        if not _is_unchanged(folder / CONTENT, document["files"]):
            return None
        return tuple(
            Problem(**{**one, "severity": Severity(one["severity"])})
            for one in document["problems"]
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _signed(document: Mapping[str, Any]) -> bytes:
    text = json.dumps(document, sort_keys=True)
    checksum = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps({**document, _CHECKSUM: checksum}).encode()


def _is_unchanged(content: Path, listed: Mapping[str, Any]) -> bool:
    """Whether there are these files and no others; only those with other stamps are read."""
    found = set()
    for place, folders, names in os.walk(content):
        if any((Path(place) / name).is_symlink() for name in (*folders, *names)):
            return False
        found |= {(Path(place) / name).relative_to(content).as_posix() for name in names}
    if not content.is_dir() or found != set(listed):
        return False
    return all(_is_same(content / name, *listed[name]) for name in found)


def _is_same(path: Path, digest: str, *stamp: int) -> bool:
    if stamp_of(path) == stamp:
        return True
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == digest
