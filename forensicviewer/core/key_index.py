"""Finds rows by the cells of one or more key columns, a million at a time or one by one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import overload

import numpy as np

from forensicviewer.core.array import Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.model import SEPARATOR, TrialId, trial_id
from forensicviewer.core.table.digests import (
    first_of_each,
    first_rows,
    number_digests,
    numbered,
)
from forensicviewer.core.table.packed import shared_codes
from forensicviewer.core.table.text_table import Column


class TrialIds(Sequence[TrialId]):
    """The ids of all rows, made from their key cells on demand."""

    def __init__(self, keys: Sequence[Column]) -> None:
        self.keys = tuple(keys)

    def __len__(self) -> int:
        return len(self.keys[0])

    @overload
    def __getitem__(self, row: int) -> TrialId: ...

    @overload
    def __getitem__(self, row: slice) -> list[TrialId]: ...

    def __getitem__(self, row: int | slice) -> TrialId | list[TrialId]:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        return trial_id(key[row] for key in self.keys)

    def __iter__(self) -> Iterator[TrialId]:
        return (trial_id(parts) for parts in zip(*self.keys, strict=True))


class KeyIndex:
    """The first row of each key."""

    def __init__(self, keys: Sequence[Column]) -> None:
        self._keys = tuple(keys)
        # What was last asked for: opening asks for the trials of one task several times.
        self._known: tuple[TrialIds, Rows] | None = None

    def row_of(self, identifier: TrialId) -> int | None:
        if not self._keys:
            return None
        for parts in _splits(identifier, len(self._keys)):
            row = self._row_of_parts(parts)
            if row is not None:
                return row
        return None

    def rows_of(self, identifiers: Sequence[TrialId]) -> Rows:
        """The row of each id; -1 where there is none. Not to be written to."""
        if isinstance(identifiers, TrialIds) and len(identifiers.keys) == len(self._keys):
            known = self._known
            if known is None or known[0] is not identifiers:
                known = identifiers, matching_rows(identifiers.keys, self._keys)
                known[1].setflags(write=False)
                self._known = known
            return known[1]
        found = (self.row_of(identifier) for identifier in identifiers)
        rows = (-1 if row is None else row for row in found)
        return np.fromiter(rows, dtype=np.intp, count=len(identifiers))

    def _row_of_parts(self, parts: Sequence[str]) -> int | None:
        codes = [key.numbered[1].code_of(part) for key, part in zip(self._keys, parts, strict=True)]
        found = [code for code in codes if code is not None]
        if len(found) < len(codes):
            return None
        if len(found) == 1:
            return int(self._first_of_code[found[0]])
        wanted = 0
        for key, code in zip(self._keys, found, strict=True):
            wanted = wanted * max(len(key.numbered[1]), 1) + code
        combined, order = self._in_order
        # Not numpy's search: it would let other threads go on first, which one row is not worth.
        place = bisect_left(combined, wanted)
        is_there = place < len(combined) and combined[place] == wanted
        return int(order[place]) if is_there else None

    @cached_property
    def _first_of_code(self) -> Rows:
        codes, cells = self._keys[0].numbered
        return first_of_each(codes, len(cells))

    @cached_property
    def _in_order(self) -> tuple[Rows, Rows]:
        """(combined codes in order, the row of each); equal codes keep the order of their rows."""
        codes = _combined_codes([self._keys])[0]
        order = np.argsort(codes, kind="stable")
        return codes[order], order


def matching_rows(wanted: Sequence[Column], offered: Sequence[Column]) -> Rows:
    """For each row of the wanted keys the first row with equal offered keys; -1 without one."""
    (asked, given), count = _dense_codes([wanted, offered])
    return first_of_each(given, count)[asked]


def repeated_rows(keys: Sequence[Column]) -> Rows:
    """Rows whose key already occurred above them."""
    (codes,), count = _dense_codes([keys])
    return np.flatnonzero(first_of_each(codes, count)[codes] != np.arange(len(codes)))


def _dense_codes(tables: Sequence[Sequence[Column]]) -> tuple[list[Rows], int]:
    """For each table one number per row, equal where the cells of its key columns are equal."""
    if len(tables[0]) == 1:
        return shared_codes([keys[0] for keys in tables])
    combined = _combined_codes(tables)
    codes, first = numbered(first_rows(number_digests(np.concatenate(combined))))
    return np.split(codes, np.cumsum([len(part) for part in combined])[:-1]), len(first)


def _combined_codes(tables: Sequence[Sequence[Column]]) -> list[Rows]:
    """As :func:`_dense_codes`, with the numbers of several columns concatenated."""
    combined = [np.zeros(len(keys[0]), dtype=np.intp) for keys in tables]
    for columns in zip(*tables, strict=True):
        parts, count = shared_codes(columns)
        combined = [
            above * max(count, 1) + part for above, part in zip(combined, parts, strict=True)
        ]
    return combined


def _splits(identifier: str, count: int) -> Iterator[list[str]]:
    """All ways to split an id into ``count`` parts; several if a part contains the separator."""
    pieces = identifier.split(SEPARATOR)
    for cuts in combinations(range(1, len(pieces)), count - 1):
        edges = (0, *cuts, len(pieces))
        yield [SEPARATOR.join(pieces[start:end]) for start, end in pairwise(edges)]
