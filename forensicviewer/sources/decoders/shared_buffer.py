"""Memory that a decoder writes arrays to and the asker reads them from.

One buffer serves answer after answer: new pages cost three times as much as copying into old ones.
Nothing is in use any more when the next question is asked, so a larger one may take its place.
"""

from __future__ import annotations

import mmap
import os
import secrets
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LEAST_BYTES = 1 << 20
KEPT_BYTES = 128 << 20  # larger buffers are given back after use
_ALIGNMENT = 64
# Numbers and nothing else: memory read as Python's objects would be as good as any program.
_DTYPES = frozenset(
    np.dtype(kind).str
    for kind in ("b1", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8")
)

# Of Linux: a file that cannot shrink any more cannot take pages away from whoever reads it.
_ADD_SEALS, _GET_SEALS, _SEAL_SHRINK = 1033, 1034, 0x0002


@dataclass(frozen=True, slots=True)
class ArraySlot:
    """Where an array lies in the buffer, and what it is."""

    dtype: str
    shape: tuple[int, ...]
    offset: int

    @property
    def size(self) -> int:
        count = 1
        for edge in self.shape:
            count *= edge
        return count * np.dtype(self.dtype).itemsize


class BufferWriter:
    """The decoder's side. ``handle`` is what the reader needs: a descriptor, on Windows a name."""

    def __init__(self) -> None:
        self.handle: int | str | None = None
        self.byte_count = 0
        self._memory: mmap.mmap | None = None

    def write(self, arrays: Sequence[NDArray[Any]]) -> tuple[list[ArraySlot], bool]:
        """Where each array lies now, and whether the buffer is a new one."""
        places, end = [], 0
        for array in arrays:
            places.append(ArraySlot(array.dtype.str, array.shape, end))
            end += -(-array.nbytes // _ALIGNMENT) * _ALIGNMENT
        is_new = end > self.byte_count or self.byte_count > KEPT_BYTES
        if is_new:
            self._replace(end)
        for array, place in zip(arrays, places, strict=True):
            if array.size:
                np.copyto(_view(self._memory, place), array)
        return places, is_new

    def give_back(self) -> None:
        """Let go of memory that only the largest images need."""
        if self.byte_count > KEPT_BYTES:
            self._close()

    def _close(self) -> None:
        if self._memory is not None:
            self._memory.close()
        if isinstance(self.handle, int):
            os.close(self.handle)
        self._memory, self.handle, self.byte_count = None, None, 0

    def _replace(self, byte_count: int) -> None:
        self._close()
        self.byte_count = max(byte_count, _LEAST_BYTES)
        if sys.platform == "win32":
            self.handle = f"forensicviewer-{secrets.token_hex(8)}"
            self._memory = mmap.mmap(-1, self.byte_count, tagname=self.handle)
            return
        self.handle = _new_file()
        os.ftruncate(self.handle, self.byte_count)
        _seal(self.handle)
        self._memory = mmap.mmap(self.handle, self.byte_count)


class BufferReader:
    """The asker's side. It believes nothing: a place outside the buffer is a ValueError."""

    def __init__(self) -> None:
        self._memory: mmap.mmap | None = None
        self._byte_count = 0

    def open(self, handle: int | str, byte_count: int) -> None:
        """Read from another buffer from now on; a descriptor is closed."""
        self.close()
        if sys.platform == "win32":
            self._memory = mmap.mmap(-1, byte_count, tagname=str(handle))
        else:
            assert isinstance(handle, int)
            try:
                _check(handle, byte_count)
                self._memory = mmap.mmap(handle, byte_count, prot=mmap.PROT_READ)
            finally:
                os.close(handle)
        self._byte_count = byte_count

    def read(self, places: Sequence[ArraySlot]) -> list[NDArray[Any]]:
        """Copies of the arrays: the decoder writes over them next time."""
        found = []
        for place in places:
            if place.dtype not in _DTYPES or min((place.offset, *place.shape)) < 0:
                raise ValueError("an array of an impossible shape")
            if place.offset + place.size > self._byte_count:
                raise ValueError("an array outside the buffer")
            found.append(_view(self._memory, place).copy())
        return found

    @property
    def is_large(self) -> bool:
        return self._byte_count > KEPT_BYTES

    def close(self) -> None:
        if self._memory is not None:
            self._memory.close()
        self._memory, self._byte_count = None, 0


def _view(memory: mmap.mmap | None, place: ArraySlot) -> NDArray[Any]:
    if memory is None or not place.size:
        return np.zeros(place.shape, place.dtype)
    return np.ndarray(place.shape, place.dtype, memory, place.offset)


def _new_file() -> int:
    if sys.platform == "linux":
        return os.memfd_create("answers", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _seal(descriptor: int) -> None:
    if sys.platform == "linux":
        import fcntl  # not on Windows

        fcntl.fcntl(descriptor, _ADD_SEALS, _SEAL_SHRINK)


def _check(descriptor: int, byte_count: int) -> None:
    """Refuse what is shorter than it says, or might become so: reading beyond its end kills."""
    is_sealed = True
    if sys.platform == "linux":
        import fcntl  # not on Windows

        is_sealed = bool(fcntl.fcntl(descriptor, _GET_SEALS) & _SEAL_SHRINK)
    if not is_sealed or os.fstat(descriptor).st_size < byte_count:
        raise ValueError("a buffer of another size than declared")
