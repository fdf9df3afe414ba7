"""NIST's GenAI evaluations: an index, images in ``files/``, and a reference where there is one.

The index and its files come as a folder or as an archive of one (plan of 2025, sections 3 and 4).
The plan does not say what a reference looks like, so its label column is found, or named.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from forensicviewer.core import genai
from forensicviewer.core.cached import cached_property
from forensicviewer.core.key_index import KeyIndex, TrialIds, matching_rows
from forensicviewer.core.model import (
    Dataset,
    Edition,
    Media,
    Task,
    TaskKind,
    Trial,
    TrialId,
    Viewing,
)
from forensicviewer.core.problem import CodecError, DatasetError, ProblemLog
from forensicviewer.core.progress import Progress
from forensicviewer.core.table.text_table import Column, Table
from forensicviewer.sources.files.meter import MEGABYTE, Meter
from forensicviewer.sources.layouts.joining import join
from forensicviewer.sources.tables.file_names import report_unsafe_names
from forensicviewer.sources.tables.genai_output import AlikeFiles, tidied
from forensicviewer.sources.tables.separated_text import (
    NAMED_ROWS,
    SUFFIXES,
    read_header,
    read_table,
)

FILES = "files"
NO_LABELS = "genai.no-labels"
_REFERENCE_FOLDERS = ("reference", "references", "ref")
# Of the columns of a reference, the one with the labels; ``None`` leaves it to be found.
LabelChoice: TypeAlias = Callable[[Sequence[str]], str | None]


def _leave_open(_columns: Sequence[str]) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class NamedTables:
    """Tables and columns that the user names instead of those in the dataset."""

    index: Path | None = None
    reference: Path | None = None
    labels: LabelChoice = _leave_open


@dataclass(frozen=True, slots=True)
class FoundTables:
    """The tables of a dataset before they are read: its indexes and what may be references."""

    root: Path
    indexes: tuple[Path, ...]
    references: tuple[Path, ...]


def find(path: Path) -> FoundTables | None:
    """The GenAI dataset at a folder or table; ``None`` where there is none.

    A folder that contains only the dataset's folder is entered, as archives are packed so.
    """
    if path.is_file():
        is_one = path.suffix.lower() in SUFFIXES and _is_index(path)
        return _found(path.parent, (path,)) if is_one else None
    for folder in (path, *_only_folder(path)):
        indexes = [table for table in _tables_in(folder) if _is_index(table)]
        labelled = [table for table in indexes if _is_called_reference(table)]
        chosen = [table for table in indexes if table not in labelled] or labelled
        if chosen:
            return _found(folder, tuple(chosen))
    return None


def read_dataset(
    found: FoundTables,
    named: NamedTables,
    *,
    name: str = "",
    progress: Progress | None = None,
) -> Dataset:
    """Read the tables of a dataset; named tables replace those in it."""
    log = ProblemLog()
    indexes = found.indexes if named.index is None else (named.index,)
    offered = found.references if named.reference is None else (named.reference,)
    meter = Meter(progress, sum(map(_size, (*indexes, *offered))))
    reader = _Reader(found.root, log, meter, named.labels)
    references = [table for table in map(reader.read, offered) if table is not None]
    tasks = [task for task in (reader.task(path, references) for path in indexes) if task]
    if not tasks:
        raise DatasetError(
            "The index cannot be used",
            where=indexes[0],
            hint=next((f"{problem.where}: {problem.message}" for problem in log), ""),
            rule="dataset.no-tables",
        )
    labelled = tasks if len(tasks) == 1 else [_labelled(task) for task in tasks]
    return Dataset(
        root=found.root,
        name=name or found.root.resolve().name,
        edition=Edition.GENAI,
        tasks=tuple(labelled),
        evidence=tuple(_evidence(task) for task in tasks),
        problems=log.freeze(),
    )


@dataclass(frozen=True, slots=True)
class _ReadTable:
    path: Path
    table: Table


class _Reader:
    """Reads tables, makes tasks of them and reports problems."""

    def __init__(self, root: Path, log: ProblemLog, meter: Meter, labels: LabelChoice) -> None:
        self._root = root
        self._log = log
        self._meter = meter
        self._choose = labels

    def read(self, path: Path) -> _ReadTable | None:
        try:
            table = read_table(path, name=self._name(path), log=self._log, count=self._meter.add)
        except CodecError as error:
            self._log.add(error.as_problem())
            return None
        self._meter.add(MEGABYTE)
        return _ReadTable(path, tidied(table))

    def task(self, path: Path, references: Sequence[_ReadTable]) -> Task | None:
        read = self.read(path)
        index = None if read is None else self._with_file_ids(read.table)
        if index is None:
            return None
        report_unsafe_names(index, (genai.FILE,), log=self._log)
        own = genai.find_labels(_cells(index))
        partner = self._partner(path, references)
        reference = None if partner is None else self._with_labels(partner.table)
        if reference is not None:
            reference = _spelled_as(index, reference)
        if reference is None and own is not None:
            reference = index = self._with_target(index, own)
        files = {"index": self._name(path)}
        files |= {} if partner is None else {"reference": self._name(partner.path)}
        table = join(index, reference, kind=TaskKind.GENAI, log=self._log)
        viewing = Viewing.FREE if is_dry_run(path, index) else Viewing.UNASKED
        return Task(
            kind=TaskKind.GENAI,
            edition=Edition.GENAI,
            root=self._root,
            table=table,
            trials=GenAITrials(table, self._root, hides_media=viewing.hides_media),
            index=index,
            reference=reference,
            files=files,
            viewing=viewing,
        )

    def _partner(self, index: Path, references: Sequence[_ReadTable]) -> _ReadTable | None:
        """The reference of an index: named alike where there are several."""
        usable = [each for each in references if genai.FILE in each.table]
        stem = _bare_stem(index)
        alike = [each for each in usable if _bare_stem(each.path) == stem]
        return next(iter(alike or usable), None)

    def _with_file_ids(self, table: Table) -> Table | None:
        if genai.FILE in table:
            return table
        self._log.error(
            f"The table has no column {genai.FILE}",
            where=f"{table.name}:1",
            hint="the table is ignored",
            rule="table.column-missing",
        )
        return None

    def _with_labels(self, table: Table) -> Table | None:
        """The reference with its labels as IsTarget; ``None`` if the labels are unknown."""
        chosen = self._choose(table.names)
        if chosen is not None:
            column = next((name for name in table.names if name.lower() == chosen.lower()), None)
            if column is None:
                self._tell_no_labels(table, f"The reference has no column {chosen!r}")
                return None
            return self._with_target(table, genai.read_labels(column, _distinct(table[column])))
        labels = genai.find_labels(_cells(table))
        if labels is not None:
            return self._with_target(table, labels)
        self._tell_no_labels(
            table, "No known column of the reference says which images are AI-generated"
        )
        return None

    def _tell_no_labels(self, table: Table, message: str) -> None:
        self._log.error(
            message,
            where=f"{table.name}:1",
            hint="name the column with score genai --label-column NAME, or choose it in the "
            f"window; the columns are {', '.join(table.names[:8])}",
            rule=NO_LABELS,
        )

    def _with_target(self, table: Table, labels: genai.Labels) -> Table:
        codes, distinct = table[labels.column].dictionary
        for cell in labels.unread[:NAMED_ROWS]:
            row = int(np.flatnonzero(codes == distinct.index(cell))[0])
            self._log.warn(
                f"{labels.column} {cell[:80]!r} is not a known label",
                where=table.where(row),
                hint="write Y or N; the trial is treated as neither",
                rule="trial.target",
            )
        if labels.column == genai.TARGET and set(distinct) <= {"Y", "N", ""}:
            return table
        target = table[labels.column].saying(labels.meanings)
        return table.with_columns({genai.TARGET: target})

    def _name(self, path: Path) -> str:
        is_inside = path.is_relative_to(self._root)
        return path.relative_to(self._root).as_posix() if is_inside else path.as_posix()


class GenAITrials:
    """Trials over the joined table of a task (a :class:`~forensicviewer.core.model.Trials`).

    Names of images are found when a trial is made; hidden ones are not even looked for.
    """

    def __init__(self, table: Table, root: Path, *, hides_media: bool) -> None:
        self._table = table
        self._root = root
        self._hides_media = hides_media

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, row: int) -> Trial:
        if not 0 <= row < len(self._table):
            raise IndexError(row)
        facts = self._table.row(row)
        file_id = facts[genai.FILE]
        target = facts.get(genai.TARGET, "")
        return Trial(
            id=self._ids[row],
            row=row,
            probe=Media(
                file_id,
                self._file_of(file_id),
                is_hidden=self._hides_media,
                may_be_missing=True,
            ),
            is_target={"Y": True, "N": False}.get(target),
            facts=facts,
        )

    def showing(self, *, media: bool) -> GenAITrials:
        """The same trials, with their media shown or hidden."""
        return GenAITrials(self._table, self._root, hides_media=not media)

    def ids(self) -> Sequence[TrialId]:
        return self._ids

    def row_of(self, trial_id: TrialId) -> int | None:
        """The row of a trial, however its suffix is spelled; of two equal ids the first."""
        row = self._index.row_of(trial_id)
        return self._alike.row_of(trial_id) if row is None else row

    @cached_property
    def _ids(self) -> TrialIds:
        return TrialIds([self._table[genai.FILE]])

    @cached_property
    def _index(self) -> KeyIndex:
        return KeyIndex([self._table[genai.FILE]])

    @cached_property
    def _alike(self) -> AlikeFiles:
        return AlikeFiles(self._table[genai.FILE])

    def _file_of(self, file_id: str) -> str:
        """The name of the trial's image inside the dataset; blank where there is none."""
        if self._hides_media:
            return ""
        named = f"{FILES}/{file_id}"
        if (self._root / named).is_file():
            return named
        names, alike = self._files
        row = alike.row_of(file_id)
        return "" if row is None else f"{FILES}/{names[row]}"

    @cached_property
    def _files(self) -> tuple[Sequence[str], AlikeFiles]:
        """The names of the existing files, and how they are found."""
        try:
            names = sorted(entry.name for entry in os.scandir(self._root / FILES))
        except OSError:
            names = []
        return names, AlikeFiles(Column.of(names))


def _spelled_as(index: Table, reference: Table) -> Table:
    """The reference with its file ids as the index writes them: .webP for .webp, and the like."""
    unknown = np.flatnonzero(matching_rows([index[genai.FILE]], [reference[genai.FILE]]) < 0)
    if not len(unknown):
        return reference
    alike, cells = AlikeFiles(reference[genai.FILE]), reference[genai.FILE].cells.copy()
    for place in unknown.tolist():
        row = alike.row_of(index[genai.FILE][place])
        if row is not None:
            cells[row] = index[genai.FILE][place]
    return reference.with_columns({genai.FILE: Column.of(cells.tolist())})


def is_dry_run(index: Path, table: Table) -> bool:
    """Whether an index is that of a dry run, whose images everybody may view."""
    if genai.is_dry_run(index.name):
        return True
    sets = table[genai.DATASET].dictionary[1] if genai.DATASET in table else ()
    return bool(sets) and all(map(genai.is_dry_run, sets))


def _found(root: Path, indexes: tuple[Path, ...]) -> FoundTables:
    folders = [root, *(root / name for name in _REFERENCE_FOLDERS)]
    offered = [table for folder in folders for table in _tables_in(folder)]
    references = [
        table
        for table in offered
        if table not in indexes and (_is_index(table) or _is_reference(table))
    ]
    return FoundTables(root, indexes, tuple(references))


def _is_index(table: Path) -> bool:
    return genai.is_index(read_header(table), name=table.name)


def _is_called_reference(table: Path) -> bool:
    words = _bare_stem(table, keeps_role=True).split("_")
    return "ref" in words or "reference" in words


def _is_reference(table: Path) -> bool:
    """Whether a table beside an index can be its reference: it lists files, and no scores."""
    columns = {genai.canonical(column) for column in read_header(table)}
    return genai.FILE in columns and genai.SCORE not in columns


def _bare_stem(table: Path, *, keeps_role: bool = False) -> str:
    """The name of a table without its role, to find which tables belong together."""
    words = table.stem.lower().replace("-", "_").split("_")
    roles = () if keeps_role else ("index", "ref", "reference")
    return "_".join(word for word in words if word not in roles)


def _only_folder(folder: Path) -> list[Path]:
    try:
        entries = [entry for entry in folder.iterdir() if not entry.name.startswith((".", "__"))]
    except OSError:
        return []
    folders = [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
    has_tables = any(entry.suffix.lower() in SUFFIXES for entry in entries)
    return folders if len(folders) == 1 and not has_tables else []


def _tables_in(folder: Path) -> list[Path]:
    """The tables directly in a folder; links are never followed."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    return [
        entry
        for entry in entries
        if entry.suffix.lower() in SUFFIXES and entry.is_file() and not entry.is_symlink()
    ]


def _cells(table: Table) -> list[tuple[str, Sequence[str]]]:
    names = [name for name in table.names if name not in genai.OUTPUT_COLUMNS]
    return [(name, _distinct(table[name])) for name in names]


def _distinct(column: Column) -> Sequence[str]:
    return column.dictionary[1]


def _labelled(task: Task) -> Task:
    return replace(task, label=f"{task.kind.value}:{_bare_stem(Path(task.files['index']))}")


def _evidence(task: Task) -> str:
    kind = "dry run" if task.viewing is Viewing.FREE else "test set"
    return f"{task.files['index']}: index of a GenAI {kind} by its columns"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size + MEGABYTE
    except OSError:
        return MEGABYTE
