"""Finds the tables of a dataset directory without walking through its media."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from forensicviewer.core.model import Edition, TaskKind
from forensicviewer.core.problem import LINKS, Problem, ProblemLog, Severity, UnsafePathError
from forensicviewer.sources.files.links import follows_links
from forensicviewer.sources.files.paths import is_folder_entry, resolve
from forensicviewer.sources.layouts import naming
from forensicviewer.sources.layouts.naming import Role
from forensicviewer.sources.tables.separated_text import SUFFIXES, read_first_rows, read_header

_TABLE_FOLDERS = {"indexes", "index", "reference", "references"}
# Folders inside ``reference`` that hold one file per probe, thousands of them, and no table.
_MEDIA_FOLDERS = {"mask", "masks", "journals", "jsons", "probe", "world"}
_MAX_DEPTH = 3
_ROLE_NAME = r"[-_.](index|ref|probejournaljoin|journalmask|node|world)$"
_ROLE_WORDS = r"(index|reference|ref|probejournaljoin|journalmask|node|world|traindata|pool)"


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table found in a dataset, as known from its name and header.

    ``prefix`` is the part of the name before the task (``NC2017``), ``variant`` what else is said
    (``sub``, ``jt``).
    """

    path: Path
    name: str
    role: Role
    kind: TaskKind | None
    prefix: str
    variant: str
    header: tuple[str, ...]

    @property
    def edition(self) -> Edition:
        return naming.edition_of_name(self.path.name)


def root_of(path: Path) -> Path:
    """The folder that file names in a table at ``path`` (or in this folder) are relative to."""
    folder = path if path.is_dir() else path.parent
    for candidate in (folder, *list(folder.parents)[:_MAX_DEPTH]):
        if candidate.name.lower() in _TABLE_FOLDERS and _is_dataset(candidate.parent):
            return candidate.parent
    return folder


def datasets_in(folder: Path) -> list[Path]:
    """The folders directly below that look like datasets."""
    if not folder.is_dir():
        return []
    inner = sorted(entry for entry in folder.iterdir() if entry.is_dir())
    return [entry for entry in inner if any((entry / name).is_dir() for name in _TABLE_FOLDERS)]


def submissions_in(folder: Path) -> list[Path]:
    """The folders directly below that are named like the table in them, as submissions are."""
    if not folder.is_dir():
        return []
    inner = sorted(entry for entry in folder.iterdir() if entry.is_dir())
    return [entry for entry in inner if (entry / f"{entry.name}.csv").is_file()]


def find_tables(folder: Path, *, root: Path, log: ProblemLog) -> list[TableFile]:
    """Every table of the dataset in ``folder``, in the order of their names."""
    found = []
    for path in sorted(_table_paths(folder, depth=0, root=root, log=log)):
        try:
            # Beside a reference that the user named there may be tables outside the dataset.
            around = root if path.is_relative_to(root) else folder
            resolve(around, path.relative_to(around).as_posix())
        except UnsafePathError as error:
            problem = error.as_problem()
            if problem.rule != LINKS:
                problem = replace(problem, where=_name_of(path, root), hint="it was not read")
            log.add(problem)
            continue
        table = table_file(path, root=root) if path.is_file() else None
        if table is not None:
            found.append(table)
        elif path.is_file():
            _note_unrecognised(path, root=root, log=log)
    return found


def _note_unrecognised(path: Path, *, root: Path, log: ProblemLog) -> None:
    header = read_header(path)
    if naming.is_submission(header):
        return
    # A table that is called an index but cannot be one is missed by whoever put it there.
    tell = log.error if re.search(_ROLE_NAME, path.stem.lower()) else log.note
    tell(
        "No columns of a dataset table were recognised",
        where=_name_of(path, root),
        hint=_what_it_has(header) if header else _no_header(path),
        rule="table.unrecognised",
    )


def _what_it_has(header: tuple[str, ...]) -> str:
    if any("\0" in column for column in header):
        return "it looks like UTF-16; save it as UTF-8"
    known = {name.lower() for name in naming.KEY_COLUMNS}
    if any(column not in naming.KEY_COLUMNS and column.lower() in known for column in header):
        return "write column names as NIST does, for example ProbeFileID"
    return "its columns are " + ", ".join(repr(column[:60])[1:-1] for column in header[:6])


def _no_header(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return (
                "its first row does not contain column names" if stream.read(1) else "it is empty"
            )
    except OSError as error:
        return f"it cannot be read ({error.strerror})"


def table_file(path: Path, *, root: Path) -> TableFile | None:
    """What the table at ``path`` is; ``None`` where it is not a table of a dataset."""
    header = read_header(path)
    role = naming.role_of(header)
    if role is None:
        return None
    stem = path.name[: -len(path.suffix)]
    named = naming.kind_of_name(stem) or _kind_of_folder(path.parent)
    kind, word = named or (None, "")
    before, _, after = stem.lower().partition(word) if word else ("", "", stem)
    return TableFile(
        path=path,
        name=_name_of(path, root),
        role=role,
        kind=kind,
        prefix=stem[: len(before)].strip("-_. "),
        variant=re.sub(_ROLE_WORDS, "", after.lower()).strip("-_. "),
        header=header,
    )


def _name_of(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _kind_of_folder(folder: Path) -> tuple[TaskKind, str] | None:
    named = naming.kind_of_name(folder.name)
    return None if named is None else (named[0], "")


def _is_dataset(folder: Path) -> bool:
    try:
        names = {entry.name.lower() for entry in os.scandir(folder) if is_folder_entry(entry)}
    except OSError:
        return False
    return bool(names & {"probe", "world"}) or names >= {"indexes", "reference"}


def _table_paths(folder: Path, *, depth: int, root: Path, log: ProblemLog) -> Iterator[Path]:
    """The paths of tables; links to folders are followed if trusted."""
    try:
        entries = list(os.scandir(folder))
    except OSError as error:
        problem = Problem(
            Severity.ERROR,
            f"The folder cannot be listed ({error.strerror})",
            where=_name_of(folder, root),
            hint="get read permission for it; its tables are ignored",
            rule="dataset.folder-unreadable",
        )
        log.add(problem)
        return
    for entry in entries:
        is_named_table = entry.name.lower().endswith(SUFFIXES)
        if is_named_table and not is_folder_entry(entry):
            yield Path(entry.path)
        elif is_named_table:
            log.warn(
                "A folder has the name of a table",
                where=_name_of(Path(entry.path), root),
                hint="it was not read; check whether the table is inside it",
                rule="table.folder",
            )
        elif is_folder_entry(entry) and _is_worth_entering(entry.name.lower(), depth=depth):
            if entry.is_symlink() and not follows_links(root):
                yield Path(entry.path)
            else:
                yield from _table_paths(Path(entry.path), depth=depth + 1, root=root, log=log)


def _is_worth_entering(name: str, *, depth: int) -> bool:
    if depth == 0:
        return name in _TABLE_FOLDERS
    return depth < _MAX_DEPTH and name not in _MEDIA_FOLDERS


def first_cells(table: TableFile) -> tuple[str, str]:
    """(TaskID, media file name) of the first row, as far as the table has them."""
    header, row = read_first_rows(table.path)
    cells = dict(zip(map(naming.canonical, header), row, strict=False))
    return cells.get("TaskID", ""), cells.get("ProbeFileName", "")
