"""Columns whose cells stay bytes of their file until they are used."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Flags, Floats, Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.table.cells import Cells, TextCells
from forensicviewer.core.table.digests import (
    SHORT,
    Words,
    digests_of,
    first_rows,
    numbered,
    row_blocks,
    short_digests_of,
)
from forensicviewer.core.table.number_cell import number_in
from forensicviewer.core.table.text_table import Column

Bytes: TypeAlias = NDArray[np.uint8]  # (size + PADDING,)
Offsets: TypeAlias = NDArray[np.integer]  # (rows,)

# Cells are read eight bytes at a time, so the content must go on a little after its last cell.
PADDING = 16

# Longer cells are compared one by one: they are descriptions, few of them alike.
_MOST_WORDS = 16
# A double holds every whole number of so many digits, and the power of ten it is divided by.
_EXACT_DIGITS = 15
_LONGEST_NUMBER = 24
_BLOCK_BYTES = 1 << 20


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
        # Most bytes are not the first: the others are compared at its places alone.
        places = np.flatnonzero(block[:length] == sought[0])
        for i, sign in enumerate(sought[1:], start=1):
            places = places[block[places + i] == sign]
        return bool(len(places))


class PackedCells:
    """Cells as slices of UTF-8 content, between the bytes at ``before`` and ``ends``."""

    def __init__(self, content: Bytes, before: Offsets, ends: Offsets) -> None:
        self._content = content
        # Often views of one array of delimiters, which costs no memory at all.
        self._before = before
        self._ends = ends

    @classmethod
    def of(cls, texts: Sequence[str]) -> PackedCells:
        encoded = [b"|" + text.encode() for text in texts]
        ends = np.cumsum([len(cell) for cell in encoded], dtype=np.int64)
        before = ends - np.array([len(cell) for cell in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded) + bytes(PADDING), np.uint8), before, ends)

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, code: int) -> str:
        return self._content[int(self._before[code]) + 1 : self._ends[code]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        content = self._content.data
        return (str(content[before + 1 : end], "utf-8") for before, end in self.pieces())

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Pairs of numbers, a block at a time: no other thread goes on while a list is made."""
        for block in row_blocks(len(self)):
            yield from zip(self._before[block].tolist(), self._ends[block].tolist(), strict=True)

    def code_of(self, text: str) -> int | None:
        if self._searched is None:
            return self._as_text.code_of(text)
        try:
            sought = PackedCells.of([text])
        except UnicodeEncodeError:
            return None  # half a character, which no file holds
        if sought.longest > self.longest:
            return None
        digests, order = self._searched
        wanted = digests_of(sought.words(self.word_count))[0]
        # Not numpy's search: it would let other threads go on first, which one row is not worth.
        place = bisect_left(digests, wanted)
        while place < len(digests) and digests[place] == wanted:
            if self[int(order[place])] == text:
                return int(order[place])
            place += 1
        return None

    def take(self, codes: Rows) -> PackedCells:
        # A piece that ends right after it begins is blank.
        before = np.append(self._before, 0)[codes]
        return PackedCells(self._content, before, np.append(self._ends, 1)[codes])

    def among(self, texts: Collection[str]) -> Flags:
        encoded = [text.encode(errors="replace") for text in texts]
        fits = np.isin(self._lengths, [len(cell) for cell in encoded])
        fits &= (self._lengths == 0) | np.isin(self._leads, [cell[0] for cell in encoded if cell])
        return self._checked(fits, texts.__contains__)

    def blanks(self) -> Flags:
        leads = self._leads
        # Whatever might be white space: control signs, the space, letters beyond ASCII.
        return self._checked(
            (self._lengths == 0) | (leads <= ord(" ")) | (leads > 127),
            lambda cell: not cell.strip(),
        )

    def numbers(self) -> tuple[Floats, Flags]:
        values = np.full(len(self), np.nan)
        is_number = np.zeros(len(self), dtype=np.bool_)
        for block in row_blocks(len(self)):
            values[block], is_number[block] = self._decimals(block)
        for code in np.flatnonzero(~is_number).tolist():
            found = number_in(self[code])
            if found is not None:
                values[code], is_number[code] = found, True
        return values, is_number

    @cached_property
    def longest(self) -> int:
        """The bytes of the longest cell."""
        return int((self._ends - self._before).max()) - 1 if len(self) else 0

    @property
    def word_count(self) -> int:
        return -(-self.longest // 8)

    @property
    def has_words(self) -> bool:
        """Whether the cells are short enough to be compared by words."""
        return self.word_count <= _MOST_WORDS

    def words(self, count: int) -> NDArray[np.uint64]:
        """(1 + count, cells): the lengths of the cells, then their bytes by eights.

        Bytes beyond the end of a cell are zero.
        """
        found = np.empty((1 + count, len(self)), dtype=np.uint64)
        self.put_words(found)
        return found

    def put_words(self, found: NDArray[np.uint64]) -> None:
        """As :meth:`words`, into an array of that shape."""
        aligned = self._content[: len(self._content) // 8 * 8].view(np.uint64)
        for block in row_blocks(len(self)):
            starts = self._before[block].astype(np.int64) + 1
            lengths = self._ends[block].astype(np.int64) - starts
            found[0, block] = lengths
            shortest = int(lengths.min())
            # Two words side by side hold the eight bytes at any place.
            at, shift = starts >> 3, ((starts & 7) << 3).astype(np.uint64)
            low = aligned.take(at, mode="clip")
            for number in range(len(found) - 1):
                at += 1
                # Cells that ended long before must not read beyond the end of the content.
                high = aligned.take(at, mode="clip")
                word = _joined_words(low, high, shift)
                if 8 * number + 8 > shortest:
                    word &= _KEPT[np.minimum(np.maximum(lengths - 8 * number, 0), 8)]
                found[1 + number, block], low = word, high

    def numbered(self) -> tuple[Rows, Rows] | None:
        """(number of each cell by appearance, where each first appears), by digest.

        ``None`` where that cannot be. Cells of equal digest are compared in full, so no choice of
        cells can fool it.
        """
        if not self.has_words:
            return None
        return same_words(self.words(self.word_count), is_short=self.longest <= SHORT)

    @property
    def _lengths(self) -> NDArray[np.int64]:
        return self._ends.astype(np.int64) - self._before - 1

    @property
    def _leads(self) -> Bytes:
        """The first byte of each cell; whatever follows an empty one."""
        return self._content[self._before.astype(np.int64) + 1]

    def _checked(self, suspects: Flags, decide: Callable[[str], bool]) -> Flags:
        codes = np.flatnonzero(suspects)
        suspects[codes] = np.fromiter(map(decide, self.take(codes)), np.bool_, len(codes))
        return suspects

    def _decimals(self, block: slice) -> tuple[Floats, Flags]:
        """(number, whether it is plain) of cells like ``-12.5``, to the last digit as ``float``."""
        starts = self._before[block].astype(np.int64) + 1
        lengths = self._ends[block].astype(np.int64) - starts
        width = int(min(lengths.max(), _LONGEST_NUMBER))
        whole = np.zeros(len(starts), dtype=np.int64)
        digits, behind = np.zeros((2, len(starts)), dtype=np.int64)
        has_point = np.zeros(len(starts), dtype=np.bool_)
        plain = lengths <= width
        for place in range(width):
            sign = self._content.take(starts + place, mode="clip")
            digit = sign - np.uint8(ord("0"))
            is_inside = lengths > place
            is_digit = is_inside & (digit < 10)
            is_point = is_inside & (sign == ord("."))
            fits = is_digit | (is_point & ~has_point)
            if place == 0:
                fits |= sign == ord("-")
            plain &= fits | ~is_inside
            np.add(whole * 10, digit, out=whole, where=is_digit & (digits < _EXACT_DIGITS))
            digits += is_digit
            behind += is_digit & has_point
            has_point |= is_point
        plain &= (digits > 0) & (digits <= _EXACT_DIGITS)
        values = whole / _POWERS[np.minimum(behind, _EXACT_DIGITS)]
        negative = (lengths > 0) & (self._content[starts] == ord("-"))
        np.negative(values, out=values, where=negative)
        values[~plain] = np.nan
        return values, plain

    @cached_property
    def _as_text(self) -> TextCells:
        return TextCells([*self])

    @cached_property
    def _searched(self) -> tuple[Words, Rows] | None:
        """(digests in order, the cell of each); ``None`` where cells are too long for digests."""
        if not self.has_words:
            return None
        digests = digests_of(self.words(self.word_count))
        order = np.argsort(digests)
        return digests[order], order


class PackedColumn(Column):
    """A column of packed cells.

    The dictionary is found by comparing bytes, so that of a million cells only the distinct ones
    ever become text, and only where somebody asks for them.
    """

    def __init__(self, content: PackedContent, before: Offsets, ends: Offsets) -> None:
        super().__init__(self._all_cells, len(ends))
        self._shared = content
        self._content = content.bytes
        self._before = before
        self._ends = ends
        self._cells = PackedCells(content.bytes, before, ends)

    def __getitem__(self, row: int) -> str:
        return self._cells[row]

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
    def numbered(self) -> tuple[Rows, Cells]:
        found = self._cells.numbered() if len(self) else None
        return self._by_text() if found is None else (found[0], self._cells.take(found[1]))

    def _all_cells(self) -> NDArray[np.object_]:
        codes, distinct = self.dictionary
        array = np.empty(len(distinct), dtype=object)
        cells = np.empty(len(codes), dtype=object)
        # Other threads may go on between two blocks, but not while objects are copied.
        for block in row_blocks(len(distinct)):
            array[block] = distinct[block]
        for block in row_blocks(len(codes)):
            cells[block] = array[codes[block]]
        return cells

    def _by_text(self) -> tuple[Rows, Cells]:
        content = self._content.data
        seen: dict[bytes, int] = {}
        codes = np.fromiter(
            (
                seen.setdefault(bytes(content[before + 1 : end]), len(seen))
                for before, end in self._cells.pieces()
            ),
            dtype=np.intp,
            count=len(self),
        )
        return codes, TextCells([cell.decode() for cell in seen])


def shared_codes(columns: Sequence[Column]) -> tuple[list[Rows], int]:
    """For each column a code per row, equal where cells are equal, and how many codes there are."""
    codes = [column.numbered[0] for column in columns]
    cells = [column.numbered[1] for column in columns]
    if len(columns) == 1:
        return codes, len(cells[0])
    translated, count = _by_words(cells) or _by_dictionary(cells)
    # The cells of one column are distinct, so the first one keeps its codes.
    return [
        codes[0],
        *(table[own] for table, own in zip(translated, codes[1:], strict=True)),
    ], count


def same_words(words: NDArray[np.uint64], *, is_short: bool) -> tuple[Rows, Rows] | None:
    """(number of each cell, where each first appears); ``None`` where digests agree by chance."""
    first = first_rows(short_digests_of(words) if is_short else digests_of(words))
    if not is_short:
        again = np.flatnonzero(first != np.arange(len(first)))
        if not all(np.array_equal(word[again], word[first[again]]) for word in words):
            return None
    return numbered(first)


def _by_words(groups: Sequence[Cells]) -> tuple[list[Rows], int] | None:
    """The codes of later groups translated to common codes."""
    packed = [cells for cells in groups if isinstance(cells, PackedCells) and cells.has_words]
    if len(packed) < len(groups):
        return None
    ends = np.cumsum([len(cells) for cells in packed]).tolist()
    words = np.empty((1 + max(cells.word_count for cells in packed), ends[-1]), dtype=np.uint64)
    for cells, end in zip(packed, ends, strict=True):
        cells.put_words(words[:, end - len(cells) : end])
    found = same_words(words, is_short=max(cells.longest for cells in packed) <= SHORT)
    if found is None:
        return None
    codes, first = found
    return np.split(codes, ends[:-1])[1:], len(first)


def _by_dictionary(groups: Sequence[Cells]) -> tuple[list[Rows], int]:
    first, *others = groups
    seen = {cell: code for code, cell in enumerate(first)}
    translated = [
        np.array([seen.setdefault(cell, len(seen)) for cell in cells], dtype=np.intp)
        for cells in others
    ]
    return translated, len(seen)


def _joined_words(low: Words, high: Words, shift: Words) -> Words:
    if np.little_endian:
        # By 64 bits: nothing is left, which numpy knows and C does not promise.
        return (low >> shift) | (high << (np.uint64(64) - shift))
    return (low << shift) | (high >> (np.uint64(64) - shift))


def _is_blank(signs: Bytes) -> Flags:
    return np.isin(signs, (ord(" "), ord("\t")))


def _masks() -> Words:
    """Words that keep the first bytes of another, none to eight, whichever end they begin at."""
    return np.frombuffer(b"".join(b"\xff" * n + bytes(8 - n) for n in range(9)), dtype=np.uint64)


_KEPT = _masks()
_POWERS = 10.0 ** np.arange(_EXACT_DIGITS + 1)
