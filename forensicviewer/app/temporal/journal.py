"""The journal rows that temporal scoring is about, joined as NIST joins them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from forensicviewer.core.array import Rows
from forensicviewer.core.model import Task
from forensicviewer.core.problem import ScoringError
from forensicviewer.core.table.text_table import Table

_JOURNAL_KEY = ("JournalName", "StartNodeID", "EndNodeID")


def journal_rows(task: Task) -> Table:
    """Every operation of every probe: probejournaljoin ⨝ journalmask ⨝ index, as NIST joins them.

    The order is that of NIST's tables too: rows of the same operation stand together, where the
    first of them stands. Columns both tables have are found as ``Name_x`` and ``Name_y``.
    """
    joins, masks, index = task.probe_journals, task.journal_masks, task.index
    if joins is None or masks is None or index is None:
        raise ScoringError(
            "Temporal scoring needs the index, journalmask and probejournaljoin tables",
            where=str(task.root),
            hint="name them with --index, --journal-mask and --probe-journal-join",
            rule="temporal-tables",
        )
    left, right = _matching_rows(joins, masks, on=_JOURNAL_KEY)
    merged = _side_by_side(joins.take(left), masks.take(right), on=_JOURNAL_KEY)
    left, right = _matching_rows(merged, index, on=("ProbeFileID",))
    return _side_by_side(merged.take(left), index.take(right), on=("ProbeFileID",))


def _matching_rows(left: Table, right: Table, *, on: Sequence[str]) -> tuple[Rows, Rows]:
    """Row pairs with equal keys, grouped by key in the order keys first appear on the left."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(_keys(left, on)):
        groups.setdefault(key, []).append(row)
    partners: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(_keys(right, on)):
        partners.setdefault(key, []).append(row)
    pairs = [(i, j) for key, rows in groups.items() for i in rows for j in partners.get(key, ())]
    matched = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    return matched[:, 0], matched[:, 1]


def _keys(table: Table, on: Sequence[str]) -> Iterable[tuple[str, ...]]:
    missing = [name for name in on if name not in table]
    if missing:
        raise ScoringError(
            f"The table has no column {missing[0]}", where=table.name, rule="temporal-tables"
        )
    return zip(*(table[name] for name in on), strict=True)


def _side_by_side(left: Table, right: Table, *, on: Sequence[str]) -> Table:
    columns = dict(left.columns)
    for name, column in right.columns.items():
        if name in on:
            continue
        if name in left:
            columns[f"{name}_x"] = left[name]
            columns[f"{name}_y"] = column
        else:
            columns[name] = column
    return Table(left.name, columns)
