"""Puts tables a user names in place of the dataset's own: journals, nodes, world and pools."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from forensicviewer.app.datasets.opening import find_named_table, open_task
from forensicviewer.core.model import Task
from forensicviewer.core.problem import ProblemLog
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
    """The task with the named journal tables instead of its own."""
    if journal_mask is not None:
        task = replace(task, journal_masks=_read(find_named_table(journal_mask, dataset), log))
    if probe_journal_join is not None:
        joins = find_named_table(probe_journal_join, dataset)
        task = replace(task, probe_journals=_read(joins, log))
    return task


def open_provenance_task(
    dataset: Path,
    *,
    name: str,
    index: Path | None = None,
    reference: Path | None = None,
    nodes: Path | None = None,
    world: Path | None = None,
    pool: Path | None = None,
) -> Task:
    """Open a provenance or filtering task; tables that are named replace the dataset's own."""
    _, task = open_task(dataset, name=name, index=index, reference=reference)
    if nodes is not None:
        found = find_named_table(nodes, dataset)
        files = _files_with(task, "ref-node", found)
        task = replace(task, nodes=_read(found, ProblemLog()), files=files)
    if world is not None:
        found = find_named_table(world, dataset)
        files = _files_with(task, "world", found)
        task = replace(task, world=_read(found, ProblemLog()), files=files)
    if pool is not None:
        found = find_named_table(pool, dataset)
        files = _files_with(task, "pool", found)
        task = replace(task, pools=_read(found, ProblemLog()), files=files)
    return task


def _read(path: Path, log: ProblemLog) -> Table:
    return read_table(path, name=path.name, log=log)


def _files_with(task: Task, role: str, path: Path) -> dict[str, str]:
    return {**task.files, role: os.path.relpath(path, task.root)}
