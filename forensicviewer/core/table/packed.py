"""Columns whose cells stay bytes of their file until somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Flags, Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.table.text_table import Column

Bytes: TypeAlias = NDArray[np.uint8]  # (size + PADDING,)
Offsets: TypeAlias = NDArray[np.integer]  # (rows,)
Words: TypeAlias = NDArray[np.uint64]  # (rows,) eight bytes of each cell

# Cells are read eight bytes at a time, so the content must go on a little after its last cell.
PADDING = 16

# Longer cells are compared one by one: they are descriptions, few of them alike.
_MOST_WORDS = 16
_SHORT = 7
_MIXER = np.uint64(0x9E3779B97F4A7C15)
_BLOCK_BYTES = 1 << 20
_BLOCK_ROWS = 1 << 13


class PackedContent:
    """The bytes of a whole table, shared by its columns."""

    def __init__(self, content: Bytes) -> None:
        """``content`` ends in ``PADDING`` bytes that belong to no cell."""
        self.bytes = content
        self._held: dict[bytes, bool] = {}

    def holds(self, text: str) -> bool:
        """Whether the text occurs anywhere in the table; asked once, answered for all columns."""
        sought = text.encode()
        if sought not in self._held:
            starts = range(0, len(self.bytes) - PADDING, _BLOCK_BYTES)
            self._held[sought] = any(self._holds(sought, at) for at in starts)
        return self._held[sought]

    def _holds(self, sought: bytes, start: int) -> bool:
        end = min(start + _BLOCK_BYTES + len(sought) - 1, len(self.bytes) - PADDING)
        block = self.bytes[start:end]
        length = max(len(block) - len(sought) + 1, 0)
        found = block[:length] == sought[0]
        for i, sign in enumerate(sought[1:], start=1):
            found &= block[i : i + length] == sign
        return bool(found.any())


class PackedColumn(Column):
    """Cells as pieces of UTF-8 content, between the bytes at ``before`` and at ``ends``.

    A cell is decoded when it is asked for. The dictionary is found by comparing bytes, so that of
    a million cells only the distinct ones ever become text.
    """

    def __init__(self, content: PackedContent, before: Offsets, ends: Offsets) -> None:
        super().__init__(self._all_cells, len(ends))
        self._shared = content
        self._content = content.bytes
        # Often views of one array of delimiters, which costs no memory at all.
        self._before = before
        self._ends = ends

    def __getitem__(self, row: int) -> str:
        return self._content[int(self._before[row]) + 1 : self._ends[row]].tobytes().decode()

    def begins_with(self, signs: str) -> Flags:
        starts = self._before + np.uint32(1)
        return (self._ends > starts) & np.isin(self._content[starts], list(signs.encode()))

    def holds(self, text: str) -> bool:
        return self._shared.holds(text) and super().holds(text)

    def stripped(self) -> Column:
        before, ends, content = self._before, self._ends, self._content
        one = np.uint32(1)
        while (leads := (ends - before > one) & _is_blank(content[before + one])).any():
            before = before + leads.astype(np.uint32)
        while (trails := (ends - before > one) & _is_blank(content[ends - one])).any():
            ends = ends - trails.astype(np.uint32)
        is_same = before is self._before and ends is self._ends
        return self if is_same else PackedColumn(self._shared, before, ends)

    @cached_property
    def dictionary(self) -> tuple[Rows, tuple[str, ...]]:
        if not len(self):
            return np.empty(0, dtype=np.intp), ()
        return self._by_digest() or self._by_text()

    def _all_cells(self) -> NDArray[np.object_]:
        codes, distinct = self.dictionary
        array = np.empty(len(distinct), dtype=object)
        cells = np.empty(len(codes), dtype=object)
        # Other threads may go on between two blocks, but not while objects are copied.
        for block in _row_blocks(len(distinct)):
            array[block] = distinct[block]
        for block in _row_blocks(len(codes)):
            cells[block] = array[codes[block]]
        return cells

    def _by_text(self) -> tuple[Rows, tuple[str, ...]]:
        content = self._content.data
        seen: dict[bytes, int] = {}
        codes = np.fromiter(
            (
                seen.setdefault(bytes(content[before + 1 : end]), len(seen))
                for before, end in _pieces(self._before, self._ends)
            ),
            dtype=np.intp,
            count=len(self),
        )
        return codes, tuple([cell.decode() for cell in seen])

    def _by_digest(self) -> tuple[Rows, tuple[str, ...]] | None:
        """The dictionary by way of a 64-bit digest of each cell; ``None`` where that cannot be.

        Short cells are their own digest. Longer cells of equal digest are compared in full, so no
        choice of cells can fool it.
        """
        longest = int((self._ends - self._before).max()) - 1
        if longest > 8 * _MOST_WORDS:
            return None
        words = self._all_words(-(-longest // 8))
        first = first_rows(_short_digests(words) if longest <= _SHORT else _digests(words))
        if longest > _SHORT and not all(np.array_equal(word, word[first]) for word in words):
            return None
        is_first = first == np.arange(len(first))
        codes = (np.cumsum(is_first) - 1)[first]
        distinct = np.flatnonzero(is_first)
        pieces = _pieces(self._before[distinct], self._ends[distinct])
        content = self._content.data
        return codes, tuple([str(content[before + 1 : end], "utf-8") for before, end in pieces])

    def _all_words(self, count: int) -> NDArray[np.uint64]:
        """(1 + count, rows): the lengths of the cells, then their bytes by eights.

        Bytes beyond the end of a cell are zero.
        """
        found = np.empty((1 + count, len(self)), dtype=np.uint64)
        windows = _windows(self._content)
        for block in _row_blocks(len(self)):
            starts = self._before[block].astype(np.int64) + 1
            lengths = self._ends[block].astype(np.int64) - starts
            found[0, block] = lengths
            shortest = int(lengths.min())
            for number in range(count):
                offset = 8 * number
                # Cells that ended long before must not read beyond the end of the content.
                words = windows[np.minimum(starts + offset, len(windows) - 1)]
                if offset + 8 > shortest:
                    words &= _KEPT[np.minimum(np.maximum(lengths - offset, 0), 8)]
                found[1 + number, block] = words
        return found


def _is_blank(signs: Bytes) -> Flags:
    return np.isin(signs, (ord(" "), ord("\t")))


def _pieces(before: Offsets, ends: Offsets) -> Iterator[tuple[int, int]]:
    """Pairs of numbers, made a block at a time: no other thread goes on while a list is made."""
    for block in _row_blocks(len(ends)):
        yield from zip(before[block].tolist(), ends[block].tolist(), strict=True)


def _short_digests(words: NDArray[np.uint64]) -> Words:
    """Cells of up to seven bytes and their length fit into one word."""
    digests: Words = words[0] << np.uint64(56)
    if len(words) > 1:
        digests |= words[1]
    # An odd number keeps them apart.
    digests *= _MIXER
    return digests


def _digests(words: NDArray[np.uint64]) -> Words:
    digests = np.empty(words.shape[1], dtype=np.uint64)
    for block in _row_blocks(len(digests)):
        mixed = words[0, block] * _MIXER
        for word in words[1:, block]:
            mixed ^= mixed >> np.uint64(32)
            mixed ^= word
            mixed *= _MIXER
        digests[block] = mixed
    return digests


def first_rows(digests: Words) -> Rows:
    """For each row the first row of equal digest, without sorting.

    Row numbers are written into a table by a few bits of their digest, where the first to come
    stays. Rows that find another digest in their place go to the next round, with other bits.
    """
    first = np.empty(len(digests), dtype=np.intp)
    bits = max(8, (2 * len(digests)).bit_length())
    rows = np.arange(len(digests), dtype=np.intp)
    mixer = int(_MIXER)
    while len(rows):
        table = np.full(1 << bits, -1, dtype=np.intp)
        left = []
        for block in _row_blocks(len(rows)):
            asked = rows[block]
            found = _placed(table, asked, digests[asked] * np.uint64(mixer), bits)
            first[asked] = found
            left.append(asked[digests[found] != digests[asked]])
        rows = np.concatenate(left)
        mixer = mixer * int(_MIXER) % 2**64
    return first


def _placed(table: Rows, rows: Rows, mixed: Words, bits: int) -> Rows:
    """The row that has the place of each of these rows, after they took those still free."""
    places = (mixed >> np.uint64(64 - bits)).astype(np.intp)
    free = np.flatnonzero(table[places] < 0)[::-1]
    # Written from the end, so that of several rows with one place the first one stays.
    table[places[free]] = rows[free]
    return table[places]


def _row_blocks(count: int) -> list[slice]:
    """Rows in portions that fit the processor's cache, which is several times as fast."""
    return [slice(start, min(start + _BLOCK_ROWS, count)) for start in range(0, count, _BLOCK_ROWS)]


def _windows(content: Bytes) -> Words:
    """The content as 64-bit words, one beginning at every byte."""
    windows: Words = np.ndarray(
        shape=(len(content) - 7,), dtype=np.uint64, buffer=content.data, strides=(1,)
    )
    return windows


def _masks() -> Words:
    """Words that keep the first bytes of another, none to eight, whichever end they begin at."""
    return np.frombuffer(b"".join(b"\xff" * n + bytes(8 - n) for n in range(9)), dtype=np.uint64)


_KEPT = _masks()
