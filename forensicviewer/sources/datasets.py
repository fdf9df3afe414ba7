"""Recognises and opens datasets of every layout: the built-in ones and those of other packages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from forensicviewer.core.model import Dataset, Edition, TaskKind
from forensicviewer.core.problem import (
    DatasetError,
    ForensicViewerError,
    Problem,
    ProblemLog,
    SubmissionError,
)
from forensicviewer.core.progress import Progress
from forensicviewer.sources.files import archives
from forensicviewer.sources.imdl import dataset as imdl
from forensicviewer.sources.layouts import DatasetLayout, Detection, genai, nist, scan
from forensicviewer.sources.layouts.genai import NamedTables
from forensicviewer.sources.plugins.registry import Registry, describe

IMDL = "imdl"
_LAST = {"nist": 1, IMDL: 2}


def detect(path: Path) -> Detection | None:
    """Recognise a dataset by the names and headers of its tables, without reading them."""
    found = _find_layout(path.absolute())
    return None if found is None else found[1]


def _find_layout(path: Path) -> tuple[DatasetLayout, Detection] | None:
    # NIST's tables are known by a few column names, images and masks by those of folders: whoever
    # knows better comes first. NIST's own release of NIST16 has both.
    for layout in sorted(LAYOUTS, key=lambda each: _LAST.get(each.name, 0)):
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
    choices: imdl.DatasetChoices | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Open a dataset directory, a single table of one, or an archive of a GenAI evaluation.

    ``named`` are the tables to use for GenAI, whose references lie anywhere; ``choices`` is what
    the user settled about a dataset of images and masks.
    """
    opened, problems = _unpacked(path, progress=progress)
    if opened is path:
        return _read_unpacked(path, named, choices or imdl.DatasetChoices(), progress)
    found = genai.find(opened.absolute())
    if found is None:
        raise DatasetError(
            "Only datasets of GenAI evaluations can be opened from an archive",
            where=path,
            hint="unpack it and name the folder; submissions can stay packed",
            rule="dataset.archive",
        )
    name = path.name.split(".")[0]
    dataset = genai.read_dataset(found, named or NamedTables(), name=name, progress=progress)
    return replace(dataset, problems=(*problems, *dataset.problems))


def _read_unpacked(
    path: Path, named: NamedTables | None, choices: imdl.DatasetChoices, progress: Progress | None
) -> Dataset:
    """A dataset as it lies on disk, by the layout that knows it; NIST's says why none does."""
    found = _find_layout(path.absolute())
    layout = None if found is None else found[0]
    # Whoever says how images find their masks has a dataset of these, whatever its folders' names.
    is_said = layout is None and choices != imdl.DatasetChoices()
    if is_said or (layout is not None and layout.name == IMDL):
        return imdl.read_dataset(path, choices)
    if layout is None:
        return nist.read_dataset(path, progress=progress)
    if layout.name == "genai" and named is not None:
        return _read_genai(path, progress, named)
    try:
        return layout.read(path, progress)
    except ForensicViewerError:
        raise
    except Exception as error:
        if LAYOUTS.is_built_in(layout.name):
            raise
        raise DatasetError(
            f"The plug-in {layout.name} (layouts) cannot read the dataset: {describe(error)}",
            where=path,
            hint="update or uninstall the package of the plug-in",
            rule="plugin.failed",
        ) from error


def _detect_imdl(path: Path) -> Detection | None:
    if not path.exists() or not imdl.looks_like_dataset(path):
        return None
    return Detection(IMDL, (Edition.IMDL,), (TaskKind.IMDL.value,), (path.name,))


def _read_genai(path: Path, progress: Progress | None, named: NamedTables | None = None) -> Dataset:
    found = genai.find(path.absolute())
    assert found is not None
    return genai.read_dataset(found, named or NamedTables(), progress=progress)


def _read_nist(path: Path, progress: Progress | None) -> Dataset:
    return nist.read_dataset(path, progress=progress)


def _read_imdl(path: Path, progress: Progress | None) -> Dataset:
    del progress
    return imdl.read_dataset(path, imdl.DatasetChoices())


LAYOUTS = Registry(
    "layouts",
    DatasetLayout,
    lambda: (
        DatasetLayout("genai", _detect_genai, _read_genai),
        DatasetLayout("nist", _detect_nist, _read_nist),
        DatasetLayout(IMDL, _detect_imdl, _read_imdl),
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
