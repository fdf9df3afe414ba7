"""What a dataset folder holds: which evaluation, which tasks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from forensicviewer.core.model import Edition
from forensicviewer.core.problem import DatasetError, ProblemLog
from forensicviewer.sources.layouts import nist, scan
from forensicviewer.sources.layouts.nist import read_dataset

__all__ = ["Detection", "detect", "read_dataset"]


@dataclass(frozen=True, slots=True)
class Detection:
    """What a path was recognised as; ``evidence`` names the files that told it."""

    layout: str
    editions: tuple[Edition, ...]
    tasks: tuple[str, ...]
    evidence: tuple[str, ...]


def detect(path: Path) -> Detection | None:
    """Recognise a dataset by the names and headers of its tables, without reading them."""
    path = path.absolute()
    root = scan.root_of(path)
    try:
        tables = nist.tables_at(path, root=root, log=ProblemLog())
    except DatasetError:
        return None
    plans = nist.plan_tasks(tables)
    if not plans:
        return None
    editions = dict.fromkeys(nist.edition_of(plan) for plan in plans)
    return Detection(
        layout="nist",
        editions=tuple(editions),
        tasks=tuple(dict.fromkeys(plan.kind.value for plan in plans)),
        evidence=tuple(nist.evidence_of(table) for table in tables),
    )
