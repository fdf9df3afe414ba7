"""One column of the trial list: its cells as text, its order, and what it finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forensicviewer.app.report.numbers import printed, printed_count
from forensicviewer.core.array import Flags, Floats, Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.model import SEPARATOR, TrialId
from forensicviewer.core.table.text_table import Column
from forensicviewer.core.table.word_search import FramedCells, SearchedCells

_MOST_NATURAL = 50_000
_RANKED = 50  # for each one that is wanted


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

    def exact_text(self, row: int) -> str:
        """The number with every digit, as files have it."""
        number = float(self.numbers[row])
        return printed(number) if self._digits else printed_count(number)

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
        self._searched: SearchedCells | None = None
        self._framed: FramedCells | None = None
        self._may_be_framed = True

    def text(self, row: int) -> str:
        return self._column[row]

    def exact_text(self, row: int) -> str:
        return self.text(row)

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

    def containing(self, word: str) -> Flags:
        """Whether each cell contains the word, in whatever case."""
        return self.rows_with((self._framed or self.searched).containing(word))

    def being(self, word: str) -> Flags:
        """Whether each cell is the word, in whatever case."""
        return self.rows_with(self.searched.being(word))

    def beginning_with(self, word: str) -> Flags:
        return self.rows_with(self.searched.beginning_with(word))

    def ending_with(self, word: str) -> Flags:
        return self.rows_with(self.searched.ending_with(word))

    @property
    def searched(self) -> SearchedCells:
        """The distinct cells, ready to be searched."""
        # Not a cached property: in Python 3.11 all columns would wait for one another's.
        if self._searched is None:
            self._searched = SearchedCells(self.distinct)
        return self._searched

    def frame(self, others: Sequence[TextColumn]) -> None:
        """Search one of the others in place of this one if the cells are the other's in a frame."""
        waiting, self._may_be_framed = self._may_be_framed, False
        for other in others if waiting else ():
            if other is not self and self._framed is None:
                self._framed = FramedCells.of(self.distinct, other.distinct, other.searched)

    def nearest(self, text: str, *, limit: int) -> Rows:
        """Rows whose cell is, begins or ends with, contains, or has in order these letters.

        Ids of one dataset often begin alike, so that people know them by their ends.
        """
        word = text.strip()
        if not word:
            return np.arange(min(limit, len(self._column)), dtype=np.intp)
        rows: Rows = np.empty(0, dtype=np.intp)
        is_taken = np.zeros(len(self._column), dtype=np.bool_)
        # In this order: of very many that contain a word only the first are ranked.
        for find in (self.being, self.beginning_with, self.ending_with, self.containing):
            if len(rows) < limit:
                more = np.flatnonzero(find(word) & ~is_taken)[: _RANKED * limit]
                is_taken[more] = True
                rows = np.concatenate([rows, more])
        if len(rows) == 0:
            rows = self._holding_letters(word, limit=limit)
        return self._ranked(rows, word.casefold())[:limit]

    def rows_with(self, hits: Flags) -> Flags:
        """Whether the cell of each row is among some of the distinct cells."""
        if not hits.any():
            return np.zeros(len(self._column), dtype=np.bool_)
        codes, _ = self._column.dictionary
        return hits[codes]

    def _ranked(self, rows: Rows, word: str) -> Rows:
        def distance(row: int) -> tuple[bool, int, int, str]:
            cell = self.text(row).casefold()
            place = cell.find(word)
            is_inside = place != 0 and not cell.endswith(word)
            return is_inside, place if place >= 0 else len(cell), len(cell), cell

        return np.array(sorted((int(row) for row in rows), key=distance), dtype=np.intp)

    def _holding_letters(self, word: str, *, limit: int) -> Rows:
        return np.flatnonzero(self.rows_with(self.with_letters(word, limit=limit)))

    def with_letters(self, word: str, *, limit: int) -> Flags:
        """Whether each distinct cell holds the letters in order."""
        hits = np.zeros(len(self.distinct), dtype=np.bool_)
        hits[self.searched.holding_letters(word, limit=limit)] = True
        return hits

    def _order(self, *, descending: bool) -> Rows:
        ranks = self.ranks
        last = ranks.max(initial=0)
        keys = np.where(ranks < 0, last + 1, last - ranks if descending else ranks)
        return np.argsort(_narrow(keys), kind="stable")

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
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


class IdColumn(TextColumn):
    """Ids made of several key columns, which do the work: they have far fewer distinct cells."""

    def __init__(self, name: str, ids: Sequence[TrialId], keys: Sequence[TextColumn]) -> None:
        super().__init__(name, Column(lambda: _listed(ids), len(ids)))
        self._ids = ids
        self._keys = tuple(keys)
        self._may_be_framed = False

    def text(self, row: int) -> str:
        return self._ids[row]

    def containing(self, word: str) -> Flags:
        found = np.zeros(len(self._ids), dtype=np.bool_)
        for key in self._keys:
            found |= key.containing(word)
        # Across the sign between two keys: the end of one and the beginning of the next.
        for place in (i for i, sign in enumerate(word) if sign == SEPARATOR):
            for key, following in pairwise(self._keys):
                ends = key.rows_with(key.searched.ending_with(word[:place]))
                begins = following.searched.beginning_with(word[place + 1 :])
                found |= ends & following.rows_with(begins)
        return found

    def being(self, word: str) -> Flags:
        return self._made_of(word, TextColumn.being)

    def beginning_with(self, word: str) -> Flags:
        if SEPARATOR in word:
            return self._made_of(word, TextColumn.beginning_with)
        return self._keys[0].beginning_with(word)

    def ending_with(self, word: str) -> Flags:
        if SEPARATOR in word:
            return self.containing(word)
        return self._keys[-1].ending_with(word)

    def _made_of(self, word: str, last: Callable[[TextColumn, str], Flags]) -> Flags:
        """Whether the first keys are the first parts of a word, and the next fits what is left."""
        *firsts, rest = word.split(SEPARATOR, len(self._keys) - 1)
        found = last(self._keys[len(firsts)], rest)
        for key, part in zip(self._keys, firsts, strict=False):
            found = found & key.being(part)
        return found

    def _holding_letters(self, word: str, *, limit: int) -> Rows:
        """In one of the keys; letters on both sides of a ``+`` in one key and the next."""
        first, _, second = word.partition(SEPARATOR)
        found = np.zeros(len(self._ids), dtype=np.bool_)
        if second:
            found |= True
            for key, letters in zip(self._keys, (first, second), strict=False):
                found &= key.rows_with(key.with_letters(letters, limit=len(key.distinct)))
        else:
            for key in self._keys:
                found |= key.rows_with(key.with_letters(first, limit=limit))
        return np.flatnonzero(found)[:limit]

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        combined = np.zeros(len(self._ids), dtype=np.int64)
        for key in self._keys:
            combined = combined * (key.ranks.max(initial=0) + 2) + key.ranks + 1
        return combined


def _listed(ids: Sequence[TrialId]) -> NDArray[np.object_]:
    cells = np.empty(len(ids), dtype=object)
    cells[:] = list(ids)
    return cells


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
