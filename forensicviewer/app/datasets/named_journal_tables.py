"""Puts journal tables a user names in place of those found in the dataset."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from forensicviewer.core.model import Task
from forensicviewer.core.problem import ProblemLog, UsageError
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.tables.separated_text import read_table


def with_named_journals(
    task: Task,
    *,
    dataset: Path,
    journal_mask: Path | None,
    probe_journal_join: Path | None,
    log: ProblemLog,
) -> Task:
    """The task with the named tables; names are looked for in the dataset, then from here."""
    masks = _named(journal_mask, dataset, log) or task.journal_masks
    joins = _named(probe_journal_join, dataset, log) or task.probe_journals
    return replace(task, journal_masks=masks, probe_journals=joins)


def _named(table: Path | None, dataset: Path, log: ProblemLog) -> Table | None:
    if table is None:
        return None
    path = next((each for each in (dataset / table, table) if each.is_file()), None)
    if path is None:
        raise UsageError(
            "There is no such table",
            where=table,
            hint="name it relative to the dataset or to the working directory",
        )
    return read_table(path, name=path.name, log=log)
