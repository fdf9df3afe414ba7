"""Joins tables on the columns they share, as pandas' ``merge`` does for MediScore."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Flags, Rows
from forensicviewer.core.table.text_table import Column, Table


def common_columns(first: Table, second: Table) -> tuple[str, ...]:
    """The columns both tables have, in the order of the first."""
    return tuple(name for name in first.names if name in second)


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Joined rows, and the row of either table each one comes from; -1 where none fits."""

    table: Table
    left_rows: Rows
    right_rows: Rows


def left_join(left: Table, right: Table, *, on: Sequence[str]) -> Joined:
    """Every row of ``left`` with every fitting row of ``right``, blank cells where none fits."""
    left_rows, right_rows = _pairs(left, right, on=on)
    return _joined(left, right, left_rows, right_rows, on=on)


def inner_join(left: Table, right: Table, *, on: Sequence[str]) -> Joined:
    """The rows of ``left`` that fit one of ``right``; rows with equal keys come together."""
    left_rows, right_rows = _pairs(left, right, on=on)
    fits = right_rows >= 0
    left_rows, right_rows = left_rows[fits], right_rows[fits]
    order = np.argsort(first_rows(left, on)[left_rows], kind="stable")
    return _joined(left, right, left_rows[order], right_rows[order], on=on)


def first_rows(table: Table, columns: Sequence[str]) -> Rows:
    """For each row, the first row of the table with the same cells in these columns."""
    codes = _codes([table], columns)[0]
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return first[inverse].astype(np.intp)


def _pairs(left: Table, right: Table, *, on: Sequence[str]) -> tuple[Rows, Rows]:
    """Row numbers that belong together; -1 on the right where a left row has no partner."""
    left_codes, right_codes = _codes([left, right], on)
    order = np.argsort(right_codes, kind="stable")
    ranked = right_codes[order]
    start = np.searchsorted(ranked, left_codes, side="left")
    found = np.searchsorted(ranked, left_codes, side="right") - start
    repeats = np.maximum(found, 1)
    left_rows = np.repeat(np.arange(len(left), dtype=np.intp), repeats)
    step = np.arange(len(left_rows)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    place = np.repeat(start, repeats) + step
    partnered: Flags = np.repeat(found > 0, repeats)
    right_rows = np.full(len(left_rows), -1, dtype=np.intp)
    right_rows[partnered] = order[place[partnered]]
    return left_rows, right_rows


def _codes(tables: Sequence[Table], columns: Sequence[str]) -> list[NDArray[np.int64]]:
    """One number per row and table, equal where the rows agree in all the columns."""
    lengths = [len(table) for table in tables]
    total = np.zeros(sum(lengths), dtype=np.int64)
    for name in columns:
        part = _column_codes([table[name] for table in tables])
        if not total.any():
            total = part
        elif part.any():
            total = np.unique(total * (part.max() + 1) + part, return_inverse=True)[1]
    return np.split(total.astype(np.int64), np.cumsum(lengths)[:-1])


def _column_codes(columns: Sequence[Column]) -> NDArray[np.int64]:
    """Cells that are numbers in all tables agree as numbers (``1`` and ``1.0``), others as text."""
    if all(_is_numeric(column) for column in columns):
        numbers = np.concatenate([column.numbers for column in columns])
        return np.unique(numbers, return_inverse=True)[1].astype(np.int64)
    first, distinct = columns[0].dictionary
    parts = [first.astype(np.int64)]
    seen = {cell: code for code, cell in enumerate(distinct)}
    for column in columns[1:]:
        codes, distinct = column.dictionary
        known = np.array([seen.setdefault(cell, len(seen)) for cell in distinct], dtype=np.int64)
        parts.append(known[codes] if len(codes) else np.empty(0, dtype=np.int64))
    return np.concatenate(parts)


def _is_numeric(column: Column) -> bool:
    # Most keys are words: one look at the first spares parsing a million of them.
    filled = next((cell for cell in column.dictionary[1] if cell.strip()), "")
    return Column.of([filled]).is_numeric and column.is_numeric


def _joined(
    left: Table, right: Table, left_rows: Rows, right_rows: Rows, *, on: Sequence[str]
) -> Joined:
    """Columns of both; a name both have without being joined on gets ``_x`` and ``_y``."""
    twice = {name for name in left.names if name in right and name not in on}
    columns = {
        name + ("_x" if name in twice else ""): column
        for name, column in left.take(left_rows).columns.items()
    }
    for name, column in right.columns.items():
        if name not in on:
            columns[name + ("_y" if name in twice else "")] = column.take(right_rows)
    return Joined(left.take(left_rows).with_only(columns), left_rows, right_rows)
