"""Which trials of a task a query selects: by its own columns, or by those of its journals."""

from __future__ import annotations

import numpy as np

from forensicviewer.core.array import Flags
from forensicviewer.core.join import common_columns, left_join
from forensicviewer.core.model import Task
from forensicviewer.core.query import Query
from forensicviewer.core.table import Table
from forensicviewer.core.trialkey import key_columns


def trials_matching(task: Task, query: Query, *, table: Table | None = None) -> Flags:
    """The trials a query selects; ``table`` has a row per trial, the task's own by default.

    Where it names a column of the journals (Operation, Purpose …), a trial is selected when one of
    its operations fits the whole query.
    """
    asked = task.table if table is None else table
    # Joining the journals costs seconds with a million trials, so only where they are asked for.
    is_own = all(name in asked for name in query.columns)
    journals = None if is_own else _journals(task)
    if journals is None:
        return query.matches(asked)
    keys = [name for name in (*key_columns(task.kind), "JournalName") if name in journals]
    shared = [name for name in keys if name in asked]
    joined = left_join(asked, journals, on=shared)
    selected = np.zeros(len(asked), dtype=np.bool_)
    selected[joined.left_rows[query.matches(joined.table)]] = True
    return selected


def _journals(task: Task) -> Table | None:
    """One row per probe and operation; ``None`` where the dataset has no journals."""
    steps, operations = task.probe_journals, task.journal_masks
    if steps is None or operations is None:
        return None
    return left_join(steps, operations, on=common_columns(steps, operations)).table
