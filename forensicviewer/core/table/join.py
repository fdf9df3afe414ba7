"""Joins tables on the columns they share, as pandas' ``merge`` does for MediScore."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forensicviewer.core.array import Flags, Rows
from forensicviewer.core.table.digests import first_of_each, number_digests, numbered
from forensicviewer.core.table.digests import first_rows as equal_rows
from forensicviewer.core.table.packed import shared_codes
from forensicviewer.core.table.text_table import Column, Table


def common_columns(first: Table, second: Table) -> tuple[str, ...]:
    """The columns both tables have, in the order of the first."""
    return tuple(name for name in first.names if name in second)


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Joined rows, and the rows of both tables they come from; -1 without a match."""

    table: Table
    left_rows: Rows
    right_rows: Rows


def left_join(left: Table, right: Table, *, on: Sequence[str]) -> Joined:
    """Every row of ``left`` with every matching row of ``right``, blank cells without a match."""
    left_rows, right_rows = _pairs(left, right, on=on)
    return _joined(left, right, left_rows, right_rows, on=on)


def inner_join(left: Table, right: Table, *, on: Sequence[str]) -> Joined:
    """The rows of ``left`` with a match in ``right``; rows with equal keys are adjacent."""
    left_rows, right_rows = _pairs(left, right, on=on)
    fits = right_rows >= 0
    left_rows, right_rows = left_rows[fits], right_rows[fits]
    first = first_rows(left, on)[left_rows]
    if (first[1:] < first[:-1]).any():
        order = np.argsort(first, kind="stable")
        left_rows, right_rows = left_rows[order], right_rows[order]
    return _joined(left, right, left_rows, right_rows, on=on)


def first_rows(table: Table, columns: Sequence[str]) -> Rows:
    """For each row, the first row of the table with the same cells in these columns."""
    (codes,), count = _codes([table], columns)
    return first_of_each(codes, count)[codes]


def _pairs(left: Table, right: Table, *, on: Sequence[str]) -> tuple[Rows, Rows]:
    """Row numbers that belong together; -1 on the right where a left row has no partner."""
    (left_codes, right_codes), count = _codes([left, right], on)
    found = np.bincount(right_codes, minlength=count)
    if not (found > 1).any():
        return np.arange(len(left), dtype=np.intp), first_of_each(right_codes, count)[left_codes]
    order = np.argsort(right_codes, kind="stable")
    start = (np.cumsum(found) - found)[left_codes]
    found = found[left_codes]
    repeats = np.maximum(found, 1)
    left_rows = np.repeat(np.arange(len(left), dtype=np.intp), repeats)
    step = np.arange(len(left_rows)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    place = np.repeat(start, repeats) + step
    partnered: Flags = np.repeat(found > 0, repeats)
    right_rows = np.full(len(left_rows), -1, dtype=np.intp)
    right_rows[partnered] = order[place[partnered]]
    return left_rows, right_rows


def _codes(tables: Sequence[Table], columns: Sequence[str]) -> tuple[list[Rows], int]:
    """One number per row and table, equal where rows agree in all columns, and their count."""
    lengths = [len(table) for table in tables]
    parts, count = [np.zeros(length, dtype=np.intp) for length in lengths], 1
    for name in columns:
        added, more = _column_codes([table[name] for table in tables])
        if count == 1:
            parts, count = added, max(more, 1)
        elif more > 1:
            both = np.concatenate([a * more + b for a, b in zip(parts, added, strict=True)])
            codes, first = numbered(equal_rows(number_digests(both)))
            parts, count = np.split(codes, np.cumsum(lengths)[:-1]), len(first)
    return parts, count


def _column_codes(columns: Sequence[Column]) -> tuple[list[Rows], int]:
    """Cells that are numbers in all tables agree as numbers (``1`` and ``1.0``), others as text."""
    if not all(_is_numeric(column) for column in columns):
        return shared_codes(columns)
    numbers = np.concatenate([column.numbers for column in columns])
    distinct, codes = np.unique(numbers, return_inverse=True)
    lengths = [len(column) for column in columns]
    return np.split(codes.astype(np.intp), np.cumsum(lengths)[:-1]), len(distinct)


def _is_numeric(column: Column) -> bool:
    # Most keys are words: one look at the first spares parsing a million of them.
    filled = next((cell for cell in column.numbered[1] if cell.strip()), "")
    return Column.of([filled]).is_numeric and column.is_numeric


def _joined(
    left: Table, right: Table, left_rows: Rows, right_rows: Rows, *, on: Sequence[str]
) -> Joined:
    """Columns of both; a name both have without being joined on gets ``_x`` and ``_y``."""
    twice = {name for name in left.names if name in right and name not in on}
    if not np.array_equal(left_rows, np.arange(len(left))):
        left = left.take(left_rows)
    columns = {
        name + ("_x" if name in twice else ""): column for name, column in left.columns.items()
    }
    for name, column in right.columns.items():
        if name not in on:
            columns[name + ("_y" if name in twice else "")] = column.take(right_rows)
    return Joined(left.with_only(columns), left_rows, right_rows)
