"""The anchor beside a log: the digest of every line, so that the log's end can be checked, too."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.core.problem import ForensicViewerError

_BEGUN_AGAIN = "#"
_LATE = "+"
_MOST_BYTES = 256 << 20


@dataclass(frozen=True, slots=True)
class Anchors:
    """The digests of all lines of a log; ``begun_again`` names the line where it was lost.

    ``late`` are the positions of digests that were written down only with the line after theirs.
    """

    digests: tuple[str, ...]
    begun_again: int = 0
    late: tuple[int, ...] = ()


def anchor_path(log: Path) -> Path:
    return log.with_name(f"{log.name}.anchor")


def read_anchor(log: Path) -> Anchors | None:
    """The anchor of a log; ``None`` where there is none. A torn last line is not part of it."""
    path = anchor_path(log)
    if not path.exists():
        return None
    if not path.is_file() or path.stat().st_size > _MOST_BYTES:
        raise ForensicViewerError(
            f"The anchor is not a file of at most {_MOST_BYTES >> 20} MB",
            where=path,
            hint="ask the judge for the original file",
            rule="verdict.foreign",
        )
    written = path.read_bytes()
    lines = written[: written.rfind(b"\n") + 1].decode("ascii", errors="replace").split("\n")[:-1]
    again = 0
    if lines and lines[0].startswith(_BEGUN_AGAIN):
        with suppress(ValueError):
            again = int(lines[0][1:])
        lines = lines[1:]
    late = tuple(place for place, line in enumerate(lines) if line.startswith(_LATE))
    return Anchors(tuple(line.removeprefix(_LATE) for line in lines), again, late)


def write_anchor(log: Path, digests: Iterable[str], *, begun_again: int = 0) -> None:
    """Write a whole anchor anew."""
    first = f"{_BEGUN_AGAIN}{begun_again}\n" if begun_again else ""
    write_bytes(anchor_path(log), (first + "".join(f"{one}\n" for one in digests)).encode())


def add_to_anchor(log: Path, digests: Sequence[str]) -> None:
    """Anchor the last of the digests; those before it were left out, and are marked so."""
    path = anchor_path(log)
    written = path.read_bytes()
    added = "".join(f"{_LATE}{one}\n" for one in digests[:-1]) + f"{digests[-1]}\n"
    with path.open("r+b") as stream:
        stream.truncate(written.rfind(b"\n") + 1)
        stream.seek(0, os.SEEK_END)
        write_through(stream, added.encode())


def write_through(stream: IO[bytes], written: bytes) -> None:
    """Write, and return once it is on the disk."""
    stream.write(written)
    stream.flush()
    os.fsync(stream.fileno())
