"""Reads the entries of a tar file one after the other, whatever its headers declare.

Python's tarfile reads long names and attributes into memory, takes time by the square of their
length, and goes back where a size is negative, for ever.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from typing import IO, Any

_ATTRIBUTES = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
_LONG_NAMES = (*_ATTRIBUTES, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
# tarfile looks for a length from every digit on (CVE-2024-6232); no attribute has so many.
_DIGITS = re.compile(rb"\d{300}")


def tar_members(
    stream: IO[bytes], *, name_bytes: int, entry_bytes: int, total_bytes: int
) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Every entry with the file to read it from; raises :class:`tarfile.TarError` where it ends.

    ``name_bytes`` is what one long name, or the attributes or holes of one entry may take. None is
    kept, so that many of them need no memory.
    """

    class Member(_Bounded):
        most_bytes = name_bytes

    with tarfile.open(fileobj=stream, tarinfo=Member) as tape:
        before = -1
        while (member := tape.next()) is not None:
            # To pass over an entry takes as long as to unpack it.
            if member.size > entry_bytes or tape.offset > total_bytes:
                raise tarfile.ReadError("an entry, or all of them together, is too large")
            if tape.offset <= before:
                raise tarfile.ReadError("an entry leads back to one before it")
            before = tape.offset
            yield tape, member
            tape.members.clear()  # type: ignore[attr-defined]  # typeshed does not know it


class _Bounded(tarfile.TarInfo):
    """An entry with a limited name, attributes and holes."""

    most_bytes = 0

    def _proc_member(self, tape: tarfile.TarFile) -> tarfile.TarInfo:
        if self.size < 0:
            raise tarfile.ReadError("an entry has a negative size")
        if self.type in _LONG_NAMES and self.size > self.most_bytes:
            raise tarfile.ReadError("the name of an entry is too long")
        plain, held = tape.fileobj, b""
        assert plain is not None
        if self.type in _ATTRIBUTES:
            held = plain.read(-(-self.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE)
            if _DIGITS.search(held):
                raise tarfile.ReadError("the attributes of an entry are damaged")
        if held or self.type == tarfile.GNUTYPE_SPARSE:
            tape.fileobj = _Rationed(held, plain, self.most_bytes)  # type: ignore[assignment]  # it reads
        try:
            # Where Python itself decides by the kind of entry how it goes on.
            found: tarfile.TarInfo = super()._proc_member(tape)  # type: ignore[misc]
            return found
        finally:
            tape.fileobj = plain


class _Rationed:
    """A stream that gives once more what was read of it, and after that so much and no more."""

    def __init__(self, held: bytes, stream: Any, most_bytes: int) -> None:
        self._held, self._left_bytes = held, most_bytes
        self._stream = stream
        self.seek, self.tell = stream.seek, stream.tell

    def read(self, count: int) -> bytes:
        if self._held:
            found, self._held = self._held[:count], self._held[count:]
            return found
        self._left_bytes -= count
        if self._left_bytes < 0:
            raise tarfile.ReadError("the attributes of an entry are too long")
        return bytes(self._stream.read(count))
