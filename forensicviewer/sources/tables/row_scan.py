"""Finds the rows and cells of a plain table in its bytes, a million rows at a time."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.table.packed import PADDING, Bytes, PackedColumn, PackedContent

Count: TypeAlias = Callable[[int], None]
Places: TypeAlias = NDArray[np.uint32]  # (rows,) offsets into the content

_NEWLINE, _RETURN, _QUOTE = ord("\n"), ord("\r"), ord('"')
_BLOCK_BYTES = 1 << 18
_READ_BYTES = 1 << 23
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class FoundRows:
    """The columns of a table, the positions of its rows, and the lines of irregular rows."""

    columns: tuple[PackedColumn, ...]
    lines: Rows
    short: list[int]
    long: list[int]


class TableBytes:
    """The content of a table file with line ends made ``\\n``, and padding at its end."""

    def __init__(self, content: Bytes, size: int) -> None:
        """``content`` has at least ``1 + PADDING`` more bytes after ``size``."""
        content[size:] = 0
        if size and content[size - 1] != _NEWLINE:
            content[size] = _NEWLINE
            size += 1
        self._content = content
        self._size = size

    @classmethod
    def read(cls, path: Path, *, count: Count | None = None) -> TableBytes:
        """Read a file; ``count`` receives the number of further bytes after each read."""
        with path.open("rb", buffering=0) as stream:
            size = path.stat().st_size
            content = np.empty(size + 1 + PADDING, dtype=np.uint8)
            read = 0
            while read < size:
                more = stream.readinto(content.data[read : min(size, read + _READ_BYTES)])
                if not more:
                    break
                read += more
                if count is not None:
                    count(more)
        if content[: len(UTF16_MARKS[0])].tobytes() in UTF16_MARKS:
            return cls.of(content[:read].tobytes().decode("utf-16", errors="replace").encode())
        return cls(*_with_newlines(content, read))

    @classmethod
    def of(cls, content: bytes) -> TableBytes:
        array = np.empty(len(content) + 1 + PADDING, dtype=np.uint8)
        array[: len(content)] = np.frombuffer(content, dtype=np.uint8)
        return cls(*_with_newlines(array, len(content)))

    def as_bytes(self) -> bytes:
        return self._content[: self._size].tobytes()

    def count(self, sign: str, *, start: int = 0) -> int:
        """The number of occurrences of an ASCII character."""
        code = ord(sign)
        return sum(int(np.count_nonzero(block == code)) for block in self._blocks(start))

    @cached_property
    def is_plain(self) -> bool:
        """Whether this is valid UTF-8 that may be cut at separators and line ends."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        try:
            for block in self._blocks(0):
                # A sequence cut by the end of a block leaves a byte over 127 for the next one.
                if block.max() > 127:
                    decoder.decode(block.tobytes())
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
        return True

    @property
    def first_line(self) -> str:
        has_mark = self._content[: len(codecs.BOM_UTF8)].tobytes() == codecs.BOM_UTF8
        start = len(codecs.BOM_UTF8) if has_mark else 0
        return self._content[start : self._rows_start].tobytes().decode()

    def rows(self, *, separator: str, width: int) -> FoundRows | None:
        """The rows below the header; ``None`` if quotes do not simply enclose whole cells."""
        sign = ord(separator)
        line_ends = self.count("\n", start=self._rows_start)
        delimiters = self._delimiters(sign, line_ends)
        lines = _Lines(
            self._content,
            delimiters,
            start=self._rows_start,
            line_ends=line_ends,
            separator=sign,
            width=width,
        )
        columns = [lines.column(i) for i in range(width)]
        quotes = self.count('"', start=self._rows_start)
        if quotes:
            quoted = [_unquoted(self._content, before, ends) for before, ends in columns]
            # Each such cell holds two or more; exactly two each means there are no others.
            if 2 * sum(count for _, _, count in quoted) != quotes:
                return None
            columns = [(before, ends) for before, ends, _ in quoted]
        shared = PackedContent(self._content[: self._size + PADDING])
        return FoundRows(
            columns=tuple(PackedColumn(shared, *column) for column in columns),
            lines=lines.numbers,
            short=lines.too_short(),
            long=lines.too_long(),
        )

    @cached_property
    def _rows_start(self) -> int:
        at = 0
        for block in self._blocks(0):
            ends = np.flatnonzero(block == _NEWLINE)
            if len(ends):
                return at + int(ends[0]) + 1
            at += len(block)
        return self._size

    def _blocks(self, start: int) -> list[Bytes]:
        """Views of the content that fit the processor's cache, which makes scanning fast."""
        return [
            self._content[at : min(at + _BLOCK_BYTES, self._size)]
            for at in range(start, self._size, _BLOCK_BYTES)
        ]

    def _delimiters(self, separator: int, line_ends: int) -> Places:
        """The positions of separators and line ends; buffers are reused, as new memory is slow."""
        start = self._rows_start
        count = self.count(chr(separator), start=start) + line_ends
        places = np.empty(count, dtype=np.uint32)
        is_line_end, is_either = np.empty((2, _BLOCK_BYTES), dtype=np.bool_)
        filled = 0
        for number, block in enumerate(self._blocks(start)):
            either, line_end = is_either[: len(block)], is_line_end[: len(block)]
            np.equal(block, separator, out=either)
            np.equal(block, _NEWLINE, out=line_end)
            np.logical_or(either, line_end, out=either)
            found = np.flatnonzero(either)
            found += start + number * _BLOCK_BYTES
            places[filled : filled + len(found)] = found
            filled += len(found)
        return places


def _with_newlines(content: Bytes, size: int) -> tuple[Bytes, int]:
    """The content with every line end made a newline, and how much of it there is.

    In numpy, because ``bytes.replace`` keeps every other thread waiting for as long as it takes.
    """
    written = content[:size]
    blocks = (written[at : at + _BLOCK_BYTES] for at in range(0, size, _BLOCK_BYTES))
    if not any((block == _RETURN).any() for block in blocks):
        return content, size
    returns = written == _RETURN
    doubled = returns[:-1] & (written[1:] == _NEWLINE)
    written[returns] = _NEWLINE
    kept = written[np.append(~doubled, True)]
    content[: len(kept)] = kept
    return content, len(kept)


class _Lines:
    """The lines of a table as runs of delimiters, each run ending in a line end.

    Lines without any content (blank ones, and separators only) are left out.
    """

    def __init__(
        self,
        content: Bytes,
        delimiters: Places,
        *,
        start: int,
        line_ends: int,
        separator: int,
        width: int,
    ) -> None:
        self._content = content
        self._blanks = (ord(" "), ord("\t"), separator)
        self._delimiters = delimiters
        self._width = width
        self._is_regular = self._fits(start, line_ends)
        if not self._is_regular:
            self._first, self._counts = self._find_lines(start)

    def _fits(self, start: int, line_ends: int) -> bool:
        """Whether every line has content and as many cells as the header."""
        width = self._width
        if not line_ends or len(self._delimiters) != width * line_ends:
            return False
        ends = self._delimiters[width - 1 :: width]
        before = np.empty(len(ends), dtype=np.uint32)
        before[0], before[1:] = start - 1, ends[:-1]
        if not (self._content[ends] == _NEWLINE).all() or (ends - before == width).any():
            return False
        self._before = before
        self.numbers: Rows = np.arange(2, len(ends) + 2, dtype=np.intp)
        return True

    def _find_lines(self, start: int) -> tuple[Rows, Rows]:
        """(the first delimiter of each line, how many it has)."""
        delimiters = self._delimiters
        last = np.flatnonzero(self._content[delimiters] == _NEWLINE)
        first = np.append(0, last + 1)[: len(last)]
        counts = last - first + 1
        ends = delimiters[last]
        before = np.append(np.uint32(start - 1), ends)[: len(last)].astype(np.uint32)
        filled = ends - before != counts
        self.numbers = (np.flatnonzero(filled) + 2).astype(np.intp)
        self._before = before[filled]
        return first[filled], counts[filled]

    def column(self, number: int) -> tuple[Places, Places]:
        """(the byte before the cell in this column, its end) for each line."""
        if self._is_regular:
            before = self._delimiters[number - 1 :: self._width] if number else self._before
            return before, self._delimiters[number :: self._width]
        ends = self._delimiters[self._first + np.minimum(number, self._counts - 1)]
        if number == 0:
            return self._before, ends
        before = self._delimiters[self._first + np.minimum(number - 1, self._counts - 1)]
        # A cell that is not there is an empty one at the end of its line.
        return np.where(self._counts > number, before, ends - np.uint32(1)), ends

    def too_short(self) -> list[int]:
        """Lines with fewer cells than the header."""
        if self._is_regular:
            return []
        return [int(number) for number in self.numbers[self._counts < self._width]]

    def too_long(self) -> list[int]:
        """Lines with content in cells beyond the header's."""
        if self._is_regular:
            return []
        width = self._width
        rows = np.flatnonzero(self._counts > width)
        edge = self._delimiters[self._first[rows] + width - 1].astype(np.int64)
        end = self._delimiters[self._first[rows] + self._counts[rows] - 1].astype(np.int64)
        # Between the edge and the end stand the separators of the cells beyond, and their content.
        beyond = end - edge > self._counts[rows] - width
        rows, at, end = rows[beyond], edge[beyond] + 1, end[beyond]
        has_text = np.zeros(len(rows), dtype=np.bool_)
        # Past the blanks and separators in front; rows of nothing else end without any text.
        left = np.arange(len(rows))
        while len(left):
            is_blank = np.isin(self._content[at[left]], self._blanks)
            has_text[left[~is_blank]] = True
            at[left] += 1
            left = left[is_blank & (at[left] < end[left])]
        return [int(number) for number in self.numbers[rows[has_text]]]


def _unquoted(content: Bytes, before: Places, ends: Places) -> tuple[Places, Places, int]:
    """The cells without the quotes that enclose them, and how many were enclosed."""
    enclosed = ends - before > 2
    enclosed &= content[before + np.uint32(1)] == _QUOTE
    enclosed &= content[ends - np.uint32(1)] == _QUOTE
    inset = enclosed.astype(np.uint32)
    return before + inset, ends - inset, int(np.count_nonzero(enclosed))
