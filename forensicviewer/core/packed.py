"""Columns whose cells stay bytes of their file until somebody looks at them."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Flags, Rows
from forensicviewer.core.table import Column

Bytes: TypeAlias = NDArray[np.uint8]  # (size + PADDING,)
Offsets: TypeAlias = NDArray[np.integer]  # (rows,)
Words: TypeAlias = NDArray[np.uint64]  # (rows,) eight bytes of each cell

# Cells are read eight bytes at a time, so the content must go on a little after its last cell.
PADDING = 16

# Longer cells are compared one by one: they are descriptions, few of them alike.
_MOST_WORDS = 16
_MIXER = np.uint64(0x9E3779B97F4A7C15)
_BLOCK_BYTES = 1 << 20


class PackedContent:
    """The bytes of a whole table, shared by its columns."""

    def __init__(self, content: Bytes) -> None:
        self.bytes = content
        self._held: dict[bytes, bool] = {}

    def holds(self, text: str) -> bool:
        """Whether the text occurs anywhere in the table; asked once, answered for all columns."""
        sought = text.encode()
        if sought not in self._held:
            self._held[sought] = any(self._holds(sought, at) for at in self._block_starts)
        return self._held[sought]

    @property
    def _block_starts(self) -> range:
        return range(0, len(self.bytes), _BLOCK_BYTES)

    def _holds(self, sought: bytes, start: int) -> bool:
        block = self.bytes[start : start + _BLOCK_BYTES + len(sought) - 1]
        length = len(block) - len(sought) + 1
        found = np.ones(max(length, 0), dtype=np.bool_)
        for i, sign in enumerate(sought):
            found &= block[i : i + length] == sign
        return bool(found.any())


class PackedColumn(Column):
    """Cells as pieces of UTF-8 content: from ``starts`` up to ``ends``, which it excludes.

    A cell is decoded when it is asked for. The dictionary is found by comparing bytes, so that of
    a million cells only the distinct ones ever become text.
    """

    def __init__(self, content: PackedContent, starts: Offsets, ends: Offsets) -> None:
        super().__init__(self._all_cells, len(ends))
        self._shared = content
        self._content = content.bytes
        self._starts = starts
        self._ends = ends

    def __getitem__(self, row: int) -> str:
        return self._content[self._starts[row] : self._ends[row]].tobytes().decode()

    def begins_with(self, signs: str) -> Flags:
        filled = self._ends > self._starts
        return filled & np.isin(self._content[self._starts], list(signs.encode()))

    def holds(self, text: str) -> bool:
        return self._shared.holds(text) and super().holds(text)

    @cached_property
    def dictionary(self) -> tuple[Rows, tuple[str, ...]]:
        if not len(self):
            return np.empty(0, dtype=np.intp), ()
        return self._by_digest() or self._by_text()

    def _all_cells(self) -> NDArray[np.object_]:
        codes, distinct = self.dictionary
        array = np.empty(len(distinct), dtype=object)
        array[:] = distinct
        return array[codes]

    def _by_text(self) -> tuple[Rows, tuple[str, ...]]:
        content = self._content.tobytes()
        seen: dict[bytes, int] = {}
        codes = np.fromiter(
            (
                seen.setdefault(content[start:end], len(seen))
                for start, end in zip(self._starts.tolist(), self._ends.tolist(), strict=True)
            ),
            dtype=np.intp,
            count=len(self),
        )
        return codes, tuple(cell.decode() for cell in seen)

    def _by_digest(self) -> tuple[Rows, tuple[str, ...]] | None:
        """The dictionary by way of a 64-bit digest of each cell; ``None`` where that cannot be.

        Cells of equal digest are compared in full, so no choice of cells can fool it.
        """
        starts = self._starts.astype(np.int64)
        lengths = self._ends.astype(np.int64) - starts
        if int(lengths.max()) > 8 * _MOST_WORDS:
            return None
        words = self._words(starts, lengths)
        first = first_rows(_digests(lengths, words))
        if not all(np.array_equal(found, found[first]) for found in (lengths, *words)):
            return None
        is_first = first == np.arange(len(first))
        codes = (np.cumsum(is_first) - 1)[first]
        distinct = np.flatnonzero(is_first)
        pieces = zip(starts[distinct].tolist(), (starts + lengths)[distinct].tolist(), strict=True)
        content = self._content.data
        return codes, tuple([str(content[start:end], "utf-8") for start, end in pieces])

    def _words(self, starts: Rows, lengths: Rows) -> list[Words]:
        """The cells eight bytes at a time; bytes beyond the end of a cell are zero."""
        windows = _windows(self._content)
        shortest, longest = int(lengths.min()), int(lengths.max())
        words = []
        for offset in range(0, longest, 8):
            if offset + 8 <= shortest:
                words.append(windows[starts + offset])
                continue
            left = np.clip(lengths - offset, 0, 8)
            # Cells that ended before must not read on: content ends PADDING bytes after the last.
            words.append(windows[np.where(left > 0, starts + offset, 0)] & _KEPT[left])
        return words


def first_rows(digests: Words) -> Rows:
    """For each row the first row of equal digest, without sorting.

    Every round writes the row numbers into a table by a few bits of their digest, the first row
    last so that it stays. Rows whose place was taken by another digest go to the next round.
    """
    rows = np.arange(len(digests), dtype=np.intp)
    first = np.empty(len(digests), dtype=np.intp)
    bits = max(8, (2 * len(digests)).bit_length())
    table = np.empty(1 << bits, dtype=np.int32 if len(digests) < 2**31 else np.int64)
    mixed = digests
    while len(rows):
        mixed = mixed * _MIXER
        places = (mixed >> np.uint64(64 - bits)).astype(np.intp)
        table[places[::-1]] = rows[::-1]
        found = table[places]
        same = digests[found] == digests[rows]
        first[rows[same]] = found[same]
        rows, mixed = rows[~same], mixed[~same]
    return first


def _digests(lengths: Rows, words: list[Words]) -> Words:
    digests = lengths.astype(np.uint64)
    for word in words:
        digests = (digests ^ word) * _MIXER
        digests ^= digests >> np.uint64(32)
    return digests


def _windows(content: Bytes) -> Words:
    """The content as 64-bit words, one beginning at every byte."""
    windows: Words = np.ndarray(
        shape=(len(content) - 7,), dtype=np.uint64, buffer=content.data, strides=(1,)
    )
    return windows


def _masks() -> Words:
    kept = [(1 << (8 * n)) - 1 for n in range(9)]
    if sys.byteorder == "big":
        kept = [((1 << 64) - 1) ^ ((1 << (64 - 8 * n)) - 1) for n in range(9)]
    return np.array(kept, dtype=np.uint64)


_KEPT = _masks()
