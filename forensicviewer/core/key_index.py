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
from forensicviewer.core.table.text_table import Column


class TrialIds(Sequence[TrialId]):
    """The ids of all rows, made of their key cells when looked at."""

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

    def row_of(self, identifier: TrialId) -> int | None:
        if not self._keys:
            return None
        for parts in _splits(identifier, len(self._keys)):
            row = self._row_of_parts(parts)
            if row is not None:
                return row
        return None

    def rows_of(self, identifiers: Sequence[TrialId]) -> Rows:
        """The row of each id; -1 where there is none."""
        if isinstance(identifiers, TrialIds) and len(identifiers.keys) == len(self._keys):
            return matching_rows(identifiers.keys, self._keys)
        found = (self.row_of(identifier) for identifier in identifiers)
        rows = (-1 if row is None else row for row in found)
        return np.fromiter(rows, dtype=np.intp, count=len(identifiers))

    def _row_of_parts(self, parts: Sequence[str]) -> int | None:
        wanted = 0
        for part, codes in zip(parts, self._codes_by_cell, strict=True):
            code = codes.get(part)
            if code is None:
                return None
            wanted = wanted * len(codes) + code
        combined, order = self._in_order
        # Not numpy's search: it would let other threads go on first, which one row is not worth.
        place = bisect_left(combined, wanted)
        is_there = place < len(combined) and combined[place] == wanted
        return int(order[place]) if is_there else None

    @cached_property
    def _codes_by_cell(self) -> tuple[dict[str, int], ...]:
        return tuple(
            {cell: code for code, cell in enumerate(key.dictionary[1])} for key in self._keys
        )

    @cached_property
    def _in_order(self) -> tuple[Rows, Rows]:
        """(combined codes in order, the row of each); equal codes keep the order of their rows."""
        codes = _combined_codes([self._keys])[0]
        order = np.argsort(codes, kind="stable")
        return codes[order], order


def matching_rows(wanted: Sequence[Column], offered: Sequence[Column]) -> Rows:
    """For each row of the wanted keys the first row with equal offered keys; -1 without one."""
    asked, given = _combined_codes([wanted, offered])
    if np.array_equal(asked, given) and not _has_repeats(given):
        # Most references list the trials just as their index does.
        return np.arange(len(asked), dtype=np.intp)
    order = np.argsort(given, kind="stable")
    places = np.searchsorted(given, asked, sorter=order)
    candidates = np.append(order, -1)[np.minimum(places, len(order))]
    return np.where(np.append(given, -1)[candidates] == asked, candidates, -1)


def repeated_rows(keys: Sequence[Column]) -> Rows:
    """Rows whose key already occurred above them."""
    codes = _combined_codes([keys])[0]
    if not _has_repeats(codes):
        return np.empty(0, dtype=np.intp)
    again = np.ones(len(codes), dtype=np.bool_)
    again[np.unique(codes, return_index=True)[1]] = False
    return np.flatnonzero(again)


def _combined_codes(tables: Sequence[Sequence[Column]]) -> list[Rows]:
    """For each table one number per row, equal where the cells of its key columns are equal."""
    combined = [np.zeros(len(keys[0]), dtype=np.intp) for keys in tables]
    for columns in zip(*tables, strict=True):
        numbering: dict[str, int] = {}
        parts = [_shared_codes(column, numbering) for column in columns]
        count = max(len(numbering), 1)
        combined = [above * count + part for above, part in zip(combined, parts, strict=True)]
    return combined


def _shared_codes(column: Column, numbering: dict[str, int]) -> Rows:
    codes, distinct = column.dictionary
    if not numbering:
        numbering.update({cell: code for code, cell in enumerate(distinct)})
        return codes
    shared = [numbering.setdefault(cell, len(numbering)) for cell in distinct]
    return np.asarray(shared or [0], dtype=np.intp)[codes]


def _has_repeats(codes: Rows) -> bool:
    in_order = np.sort(codes)
    return bool((in_order[1:] == in_order[:-1]).any())


def _splits(identifier: str, count: int) -> Iterator[list[str]]:
    """Every way an id can be made of ``count`` parts; more than one where a part holds the sign."""
    pieces = identifier.split(SEPARATOR)
    for cuts in combinations(range(1, len(pieces)), count - 1):
        edges = (0, *cuts, len(pieces))
        yield [SEPARATOR.join(pieces[start:end]) for start, end in pairwise(edges)]
