"""Checks the file names in a table before any of them is opened."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from forensicviewer.core.problem import ProblemLog, UnsafePathError
from forensicviewer.core.table.text_table import Column, Table
from forensicviewer.sources.files.paths import check_name
from forensicviewer.sources.tables.separated_text import NAMED_ROWS


def report_unsafe_names(table: Table, names: Sequence[str], *, log: ProblemLog) -> None:
    """Report file names that lead outside their folder; opening them is refused again."""
    for name in names:
        column = table.columns.get(name)
        if column is not None and _is_suspicious(column):
            _report(table, name, column, log=log)


def _is_suspicious(column: Column) -> bool:
    """Whether each distinct cell needs a check; for a million names, checking takes a while."""
    signs = ("..", ":", "\\", "\0")
    return bool(column.begins_with("/").any()) or any(column.holds(sign) for sign in signs)


def _report(table: Table, name: str, column: Column, *, log: ProblemLog) -> None:
    codes, distinct = column.dictionary
    refusals = [_refusal(cell) for cell in distinct]
    refused = np.array([refusal is not None for refusal in refusals], dtype=np.bool_)
    rows = np.flatnonzero(refused[codes])
    for row in rows[:NAMED_ROWS].tolist():
        error = refusals[codes[row]]
        assert error is not None
        log.error(
            f"{name}: {error.message}", where=table.where(row), hint=error.hint, rule=error.rule
        )
    if len(rows) > NAMED_ROWS:
        log.error(
            f"{name}: {len(rows) - NAMED_ROWS} more names are refused",
            where=table.name,
            rule="path.more",
        )


def _refusal(cell: str) -> UnsafePathError | None:
    if not cell.strip():
        return None
    try:
        check_name(cell)
    except UnsafePathError as error:
        return error
    return None
