"""Joins the index of a task with its reference, and reports mismatches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from forensicviewer.core.array import Rows
from forensicviewer.core.key_index import matching_rows, repeated_rows
from forensicviewer.core.model import TaskKind, key_columns, trial_id
from forensicviewer.core.problem import ProblemLog
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.layouts.naming import canonical
from forensicviewer.sources.tables.separated_text import NAMED_ROWS


def canonical_table(table: Table) -> Table:
    """The table with the old spellings of its columns replaced by the later ones."""
    if all(canonical(name) == name for name in table.names):
        return table
    columns = dict(table.columns)
    for name in table.names:
        columns.setdefault(canonical(name), columns[name])
        if canonical(name) != name:
            del columns[name]
    return table.with_only(columns)


def join(index: Table | None, reference: Table | None, *, kind: TaskKind, log: ProblemLog) -> Table:
    """One row per trial: the index's columns, then what the reference adds.

    Without an index every row of the reference is a trial. Rows without an id are left out.
    """
    base = _keyed(index if index is not None else reference, kind=kind, log=log)
    if index is None or reference is None:
        return base
    keys = key_columns(kind)
    rows = matching_rows([base[key] for key in keys], [reference[key] for key in keys])
    _report_unmatched(base, reference, rows, log=log)
    added = {name: reference[name] for name in reference.names if name not in base}
    if np.array_equal(rows, np.arange(len(reference))):
        return base.with_columns(added)
    return base.with_columns({name: column.take(rows) for name, column in added.items()})


def _keyed(table: Table | None, *, kind: TaskKind, log: ProblemLog) -> Table:
    assert table is not None
    keys = key_columns(kind)
    blank = np.zeros(len(table), dtype=np.bool_)
    for name in keys:
        blank |= table[name].blank
    for row in np.flatnonzero(blank)[:NAMED_ROWS]:
        log.error(
            f"Row has no {' and no '.join(keys)} and is ignored",
            where=table.where(int(row)),
            hint="give the row its id or delete it",
            rule="trial.no-id",
        )
    kept = table.filter(~blank) if blank.any() else table
    _report_twice(kept, keys, log=log)
    return kept


def _report_twice(table: Table, keys: Sequence[str], *, log: ProblemLog) -> None:
    twice = repeated_rows([table[name] for name in keys])
    for row in twice[:NAMED_ROWS]:
        shown = trial_id(table.cell(name, int(row)) for name in keys)
        log.about(shown).error(
            f"Trial {shown} is listed more than once",
            where=table.where(int(row)),
            hint="the first row counts when the trial is looked up by id",
            rule="trial.id-twice",
        )
    if len(twice) > NAMED_ROWS:
        log.error(
            f"{len(twice) - NAMED_ROWS} more trials are listed more than once",
            where=table.name,
            rule="trial.id-twice",
        )


def _report_unmatched(base: Table, reference: Table, rows: Rows, *, log: ProblemLog) -> None:
    missing = np.flatnonzero(rows < 0)
    if len(missing):
        log.warn(
            f"{len(missing)} of {len(base)} trials have no row in {reference.name}",
            where=base.where(int(missing[0])),
            hint="they are treated as trials without a reference",
            rule="trial.no-reference",
        )
    is_used = np.zeros(len(reference), dtype=np.bool_)
    is_used[rows[rows >= 0]] = True
    unused = int(np.count_nonzero(~is_used))
    if unused:
        log.note(
            f"{unused} of {len(reference)} rows of the reference do not belong to any trial "
            f"of {base.name}",
            where=reference.name,
            hint="the index defines the trials",
            rule="reference.extra-rows",
        )
