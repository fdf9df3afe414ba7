"""What a dataset folder holds: which evaluation, which tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from forensicviewer.core.model import Dataset, Edition
from forensicviewer.core.problem import (
    DatasetError,
    ForensicViewerError,
    Problem,
    ProblemLog,
    SubmissionError,
)
from forensicviewer.core.progress import Progress
from forensicviewer.sources.files import archives
from forensicviewer.sources.layouts import genai, nist, scan
from forensicviewer.sources.layouts.genai import NamedTables
from forensicviewer.sources.plugins.registry import Registry, describe

__all__ = ["LAYOUTS", "DatasetLayout", "Detection", "detect", "read_dataset"]


@dataclass(frozen=True, slots=True)
class Detection:
    """What a path was recognised as; ``evidence`` names the files that told it."""

    layout: str
    editions: tuple[Edition, ...]
    tasks: tuple[str, ...]
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DatasetLayout:
    """How datasets of one kind lie in folders. ``detect`` looks at names and headers only.

    ``read`` gets a path that ``detect`` recognised, and how to report progress.
    """

    name: str
    detect: Callable[[Path], Detection | None]
    read: Callable[[Path, Progress | None], Dataset]


def detect(path: Path) -> Detection | None:
    """Recognise a dataset by the names and headers of its tables, without reading them."""
    found = _find_layout(path.absolute())
    return None if found is None else found[1]


def _find_layout(path: Path) -> tuple[DatasetLayout, Detection] | None:
    # NIST's tables are known by a few column names: whoever knows better comes first.
    for layout in sorted(LAYOUTS, key=lambda each: each.name == "nist"):
        try:
            found = layout.detect(path)
        except Exception as error:
            if LAYOUTS.is_built_in(layout.name):
                raise
            LAYOUTS.report(layout.name, describe(error))
            continue
        if found is not None:
            return layout, found
    return None


def _detect_genai(path: Path) -> Detection | None:
    found = genai.find(path)
    if found is None:
        return None
    names = tuple(index.name for index in found.indexes)
    return Detection("genai", (Edition.GENAI,), ("genai",), names)


def _detect_nist(path: Path) -> Detection | None:
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
        return _read_folder(path, progress)
    if found is None:
        raise DatasetError(
            "Only datasets of GenAI evaluations can be opened from an archive",
            where=path,
            hint="unpack it and name the folder; submissions can stay packed",
            rule="dataset.archive",
        )
    name = path.name.split(".")[0] if opened is not path else ""
    dataset = genai.read_dataset(found, named or NamedTables(), name=name, progress=progress)
    return replace(dataset, problems=(*problems, *dataset.problems))


def _read_folder(path: Path, progress: Progress | None) -> Dataset:
    """A dataset as it lies on disk, by a layout of another package or else by NIST's."""
    added = any(not LAYOUTS.is_built_in(layout.name) for layout in LAYOUTS)
    found = _find_layout(path.absolute()) if added else None
    if found is None or LAYOUTS.is_built_in(found[0].name):
        return nist.read_dataset(path, progress=progress)
    try:
        return found[0].read(path, progress)
    except ForensicViewerError:
        raise
    except Exception as error:
        raise DatasetError(
            f"The plug-in {found[0].name} (layouts) cannot read the dataset: {describe(error)}",
            where=path,
            hint="update or uninstall the package of the plug-in",
            rule="plugin.failed",
        ) from error


def _read_genai(path: Path, progress: Progress | None) -> Dataset:
    return read_dataset(path, progress=progress)


def _read_nist(path: Path, progress: Progress | None) -> Dataset:
    return nist.read_dataset(path, progress=progress)


LAYOUTS = Registry(
    "layouts",
    DatasetLayout,
    lambda: (
        DatasetLayout("genai", _detect_genai, _read_genai),
        DatasetLayout("nist", _detect_nist, _read_nist),
    ),
)


def _unpacked(path: Path, *, progress: Progress | None) -> tuple[Path, tuple[Problem, ...]]:
    if not archives.is_archive(path):
        return path, ()
    try:
        return archives.unpack(path, progress=progress)
    except SubmissionError as error:
        hint = error.hint or "unpack it and name the folder"
        raise DatasetError(error.message, where=path, hint=hint, rule=error.rule) from error
