"""Opens a provenance task with the node and world tables a user names."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from forensicviewer.app.datasets.opening import open_task
from forensicviewer.core.model import Task
from forensicviewer.core.problem import ProblemLog, UsageError
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.tables.separated_text import read_table


def open_provenance_task(
    dataset: Path,
    *,
    name: str,
    index: Path | None = None,
    reference: Path | None = None,
    nodes: Path | None = None,
    world: Path | None = None,
) -> Task:
    """Open a provenance or filtering task; tables that are named replace the dataset's own."""
    _, task = open_task(dataset, name=name, index=index, reference=reference)
    if not task.kind.is_provenance:
        raise UsageError(
            f"The task {task.name} has no provenance graphs", hint="choose another with --task"
        )
    files = dict(task.files)
    return replace(
        task,
        nodes=_named(nodes, dataset, "ref-node", files) or task.nodes,
        world=_named(world, dataset, "world", files) or task.world,
        files=files,
    )


def _named(table: Path | None, dataset: Path, role: str, files: dict[str, str]) -> Table | None:
    if table is None:
        return None
    root = dataset if dataset.is_dir() else dataset.parent
    found = next((path for path in (root / table, Path.cwd() / table) if path.is_file()), None)
    if found is None:
        raise UsageError(
            "There is no such table",
            where=table,
            hint="name it relative to the dataset or to the working directory",
            rule="dataset.no-such-table",
        )
    files[role] = os.path.relpath(found, root)
    return read_table(found, name=found.name, log=ProblemLog())
