"""Which trials of a task a query selects: by its own columns, or by those of its journals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from forensicviewer.core.array import Flags, Rows
from forensicviewer.core.model import Task, key_columns
from forensicviewer.core.query.grammar import Query
from forensicviewer.core.table.join import Joined, common_columns, left_join
from forensicviewer.core.table.text_table import Table


def trials_matching(task: Task, query: Query, *, table: Table | None = None) -> Flags:
    """The trials a query selects; ``table`` has a row per trial, the task's own by default.

    Where it names a column of the journals (Operation, Purpose …), a trial is selected when one of
    its operations fits the whole query.
    """
    asked = task.table if table is None else table
    # Joining the journals costs seconds with a million trials, so only where they are asked for.
    is_own = all(name in asked for name in query.columns)
    journals = None if is_own else operations_of(task)
    if journals is None:
        return query.matches(asked)
    joined = _joined(task, asked, journals)
    selected = np.zeros(len(asked), dtype=np.bool_)
    selected[joined.left_rows[query.matches(joined.table)]] = True
    return selected


@dataclass(frozen=True, slots=True, eq=False)
class JournalCells:
    """A column of the journals as trials have it: any number of its cells for each."""

    distinct: tuple[str, ...]
    rows: Rows
    codes: Rows
    trials: int

    def among(self, cells: Collection[str]) -> Flags:
        """Whether each trial has one of the cells."""
        wanted = np.array([cell in cells for cell in self.distinct] or [False])
        found = np.zeros(self.trials, dtype=np.bool_)
        found[self.rows[wanted[self.codes]]] = True
        return found

    def counts(self, keep: Flags) -> list[tuple[str, int]]:
        """(cell, how many kept trials have it), the most frequent first."""
        found = np.bincount(self.codes[keep[self.rows]], minlength=len(self.distinct))
        counted = [(cell, int(n)) for cell, n in zip(self.distinct, found, strict=True) if cell]
        return sorted(counted, key=lambda pair: (-pair[1], pair[0]))


def journal_cells(task: Task, names: Sequence[str]) -> dict[str, JournalCells]:
    """Columns of the journals by trial; nothing where the dataset has no journals."""
    journals = operations_of(task)
    if journals is None:
        return {}
    joined = _joined(task, task.table, journals)
    found = {}
    for name in (name for name in names if name in journals and name not in task.table):
        codes, distinct = joined.table[name].dictionary
        rows = [_once(joined.left_rows[codes == code]) for code in range(len(distinct))]
        filled = [each if cell else each[:0] for each, cell in zip(rows, distinct, strict=True)]
        owners = np.repeat(np.arange(len(filled)), [len(each) for each in filled])
        every = np.concatenate([*filled, np.empty(0, dtype=np.intp)])
        found[name] = JournalCells(tuple(distinct), every, owners, len(task.table))
    return found


def _once(rows: Rows) -> Rows:
    """Rising row numbers without repeats: a trial counts once, however often it is named.

    Not ``np.unique`` over pairs: for a million trials that keeps every other thread waiting.
    """
    is_new = np.ones(len(rows), dtype=np.bool_)
    is_new[1:] = rows[1:] != rows[:-1]
    return rows[is_new]


def _joined(task: Task, asked: Table, journals: Table) -> Joined:
    keys = [name for name in (*key_columns(task.kind), "JournalName") if name in journals]
    return left_join(asked, journals, on=[name for name in keys if name in asked])


def operations_of(task: Task) -> Table | None:
    """One row per probe and operation; ``None`` where the dataset has no journals."""
    steps, operations = task.probe_journals, task.journal_masks
    if steps is None or operations is None:
        return None
    return left_join(steps, operations, on=common_columns(steps, operations)).table
