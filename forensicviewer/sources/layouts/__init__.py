"""What a dataset folder holds: which evaluation, which tasks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from forensicviewer.core.model import Dataset, Edition
from forensicviewer.core.problem import DatasetError, Problem, ProblemLog, SubmissionError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.files import archives
from forensicviewer.sources.layouts import genai, nist, scan
from forensicviewer.sources.layouts.genai import NamedTables

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
    found = genai.find(path)
    if found is not None:
        names = tuple(index.name for index in found.indexes)
        return Detection("genai", (Edition.GENAI,), ("genai",), names)
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


def read_dataset(
    path: Path,
    *,
    named: NamedTables | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Open a dataset directory, a single table of one, or an archive of a GenAI evaluation.

    ``named`` are the tables to use for GenAI, whose references lie anywhere.
    """
    opened, problems = _unpacked(path, progress=progress)
    found = genai.find(opened.absolute())
    if found is None and opened is path:
        return nist.read_dataset(path, progress=progress)
    if found is None:
        raise DatasetError(
            "Only datasets of GenAI evaluations can be opened from an archive",
            where=path,
            hint="unpack it and name the folder; submissions may stay packed",
            rule="dataset.archive",
        )
    name = path.name.split(".")[0] if opened is not path else ""
    dataset = genai.read_dataset(found, named or NamedTables(), name=name, progress=progress)
    return replace(dataset, problems=(*problems, *dataset.problems))


def _unpacked(path: Path, *, progress: Progress | None) -> tuple[Path, tuple[Problem, ...]]:
    if not archives.is_archive(path):
        return path, ()
    try:
        return archives.unpack(path, progress=progress)
    except SubmissionError as error:
        hint = error.hint or "unpack it and name the folder"
        raise DatasetError(error.message, where=path, hint=hint, rule=error.rule) from error
