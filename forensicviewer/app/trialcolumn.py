"""One column of the trial list: its cells as text, its order, and what it finds."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Flags, Floats, Rows
from forensicviewer.core.table import Column

# Longer cells are searched one by one: a fixed-width copy of them would not fit into memory.
_LONGEST_SEARCHED = 160
_MOST_NATURAL = 50_000


class NumberColumn:
    """Numbers, NaN where there is none."""

    def __init__(self, name: str, numbers: Floats, *, digits: int) -> None:
        self.name = name
        self.numbers = numbers
        self._digits = digits
        self._orders: dict[bool, Rows] = {}

    def text(self, row: int) -> str:
        number = self.numbers[row]
        if np.isnan(number):
            return ""
        return f"{number:.{self._digits}f}"

    def ordered(self, keep: Flags, *, descending: bool) -> Rows:
        if descending not in self._orders:
            # Negated, not reversed: equal values stay in the dataset's order both ways.
            keys = -self.numbers if descending else self.numbers
            self._orders[descending] = np.argsort(keys, kind="stable")
        order = self._orders[descending]
        return order[keep[order]]

    def among(self, cells: Collection[str]) -> Flags:
        return np.isin(self.numbers, [float(cell) for cell in cells])

    def as_column(self) -> Column:
        return NumericCells(self.numbers)


class TextColumn:
    """Text cells; a column whose filled cells are all numbers is ordered as numbers."""

    def __init__(self, name: str, column: Column) -> None:
        self.name = name
        self._column = column
        self._orders: dict[bool, Rows] = {}

    def text(self, row: int) -> str:
        return self._column[row]

    @property
    def distinct(self) -> tuple[str, ...]:
        return self._column.dictionary[1]

    def as_column(self) -> Column:
        return self._column

    def ordered(self, keep: Flags, *, descending: bool) -> Rows:
        if descending not in self._orders:
            self._orders[descending] = self._order(descending=descending)
        order = self._orders[descending]
        return order[keep[order]]

    def among(self, cells: Collection[str]) -> Flags:
        codes, distinct = self._column.dictionary
        wanted = np.array([cell in cells for cell in distinct] or [False])
        return wanted[codes]

    def counts(self, keep: Flags) -> list[tuple[str, int]]:
        """(cell, how many kept rows have it), the most frequent first."""
        codes, distinct = self._column.dictionary
        found = np.bincount(codes[keep], minlength=len(distinct))
        counted = [(cell, int(n)) for cell, n in zip(distinct, found, strict=True)]
        return sorted(counted, key=lambda pair: (-pair[1], pair[0]))

    def containing(self, word: str, rows: Rows) -> Flags:
        """Whether the cell of each of the rows contains the word, given in lower case."""
        if self._has_few_cells:
            codes, distinct = self._column.dictionary
            hits = np.array([word in cell.casefold() for cell in distinct] or [False])
            return hits[codes[rows]]
        searched = self._searched
        if searched is None:
            cells = self._column.cells[rows]
            return np.array([word in cell.casefold() for cell in cells], dtype=np.bool_)
        asked = searched if len(rows) == len(searched) else searched[rows]
        return np.asarray(np.strings.find(asked, word.encode()) >= 0)

    def nearest(self, text: str, *, limit: int) -> Rows:
        """Rows whose cell is, begins with, contains, or has in order the letters of ``text``.

        The last is left out for very many rows: it would take longer than typing.
        """
        word = text.strip().casefold()
        if not word:
            return np.arange(min(limit, len(self._column)), dtype=np.intp)
        rows = np.flatnonzero(self.containing(word, np.arange(len(self._column))))
        if len(rows) == 0 and len(self._column) <= _MOST_NATURAL:
            rows = self._holding_letters(word)
        return self._ranked(rows[: 50 * limit], word)[:limit]

    def _ranked(self, rows: Rows, word: str) -> Rows:
        def distance(row: int) -> tuple[int, int, str]:
            cell = self._column[row].casefold()
            place = cell.find(word)
            return place if place >= 0 else len(cell), len(cell), cell

        return np.array(sorted((int(row) for row in rows), key=distance), dtype=np.intp)

    def _holding_letters(self, word: str) -> Rows:
        pattern = re.compile(".*?".join(re.escape(letter) for letter in word))
        return np.flatnonzero(
            np.fromiter(
                (pattern.search(cell.casefold()) is not None for cell in self._column),
                dtype=np.bool_,
                count=len(self._column),
            )
        )

    def _order(self, *, descending: bool) -> Rows:
        ranks = self._ranks
        last = ranks.max(initial=0)
        keys = np.where(ranks < 0, last + 1, last - ranks if descending else ranks)
        return np.argsort(_narrow(keys), kind="stable")

    @cached_property
    def _ranks(self) -> NDArray[np.int64]:
        """The place of each cell among the distinct cells in order; -1 for blank cells."""
        codes, distinct = self._column.dictionary
        if self._column.is_numeric:
            values = np.array([float(cell) if cell.strip() else np.nan for cell in distinct])
            _, places = np.unique(values, return_inverse=True)
        else:
            places = _places_in_order(distinct)
        blank = np.array([not cell.strip() for cell in distinct] or [True])
        places = np.where(blank, -1, places) if distinct else np.array([-1])
        ranks: NDArray[np.int64] = places.astype(np.int64)[codes]
        return ranks

    @property
    def _has_few_cells(self) -> bool:
        return len(self._column.dictionary[1]) < len(self._column) // 4

    @cached_property
    def _searched(self) -> NDArray[Any] | None:
        """All cells in lower case as bytes of one width, which numpy searches at once."""
        cells = [cell.casefold().encode() for cell in self._column]
        if max(map(len, cells), default=0) > _LONGEST_SEARCHED:
            return None
        return np.array(cells or [b""], dtype=np.bytes_)[: len(cells)]


class NumericCells(Column):
    """A column of numbers as queries see it, without printing and parsing each."""

    def __init__(self, numbers: Floats) -> None:
        super().__init__(lambda: _printed(numbers), len(numbers))
        self.__dict__["numbers"] = numbers
        self.__dict__["is_numeric"] = True


TrialColumn = NumberColumn | TextColumn


def _places_in_order(distinct: tuple[str, ...]) -> NDArray[np.int64]:
    """The place of each text in order; digits compare as numbers, so probe 9 precedes 10.

    Very many texts compare letter by letter: they are digests or numbers of one width.
    """
    key = _natural if len(distinct) <= _MOST_NATURAL else str.casefold
    keys = [key(cell) for cell in distinct]
    places = np.empty(len(keys), dtype=np.int64)
    places[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return places


_DIGITS = re.compile(r"\d+")


def _natural(cell: str) -> str:
    # Long runs of digits inside hexadecimal ids need no padding: they are compared as they are.
    return _DIGITS.sub(lambda run: run[0].rjust(9, "0"), cell.casefold())


def _narrow(keys: NDArray[np.int64]) -> NDArray[Any]:
    """Few distinct keys fit 16 bits, which numpy sorts by radix, ten times as fast."""
    fits = len(keys) > 0 and keys.max() < 2**16
    return keys.astype(np.uint16) if fits else keys


def _printed(numbers: Floats) -> NDArray[np.object_]:
    cells = np.array([repr(float(number)) for number in numbers], dtype=object)
    cells[np.isnan(numbers)] = ""
    return cells
