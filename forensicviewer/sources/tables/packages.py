"""Finds the tables of submissions in folders and archives, also several in one package.

NC2017's plan packs experiments as ``TEAM_YEAR_DATA_NUMBER/EXPID/EXPID.csv``, any number of them
(Appendix A-b). One of a package is named like a file in it: ``package.tgz/EXPID``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from forensicviewer.core.problem import ProblemLog, SubmissionError
from forensicviewer.core.progress import Progress
from forensicviewer.sources.files import archives
from forensicviewer.sources.tables.separated_text import SUFFIXES

_MOST_PARENTS = 5


def experiments_in(path: Path, *, progress: Progress | None = None) -> tuple[Path, ...]:
    """The paths of the submissions of a package, or the path itself if it is one."""
    if path.is_dir():
        folder = path
    elif archives.is_archive(path):
        folder, _ = archives.unpack(path, progress=progress)
    else:
        return (path,)
    _, inner = _folder_with_table(folder)
    if len(inner) < 2:
        return (path,)
    return tuple(entry if path.is_dir() else path / entry.name for entry in inner)


def package_of(path: Path) -> Path:
    """The file or folder on disk that contains a submission, such as its archive."""
    return path.parent if not path.exists() and archives.is_archive(path.parent) else path


def locate(path: Path, *, log: ProblemLog, progress: Progress | None) -> tuple[Path, Path]:
    """(folder file names are relative to, path of the table)."""
    package = package_of(path)
    if archives.is_archive(package):
        folder, problems = archives.unpack(package, progress=progress)
        log.extend(problems)
        return _table_in(folder if package == path else _chosen(folder, path), origin=path, log=log)
    if path.is_dir():
        return _table_in(path, origin=path, log=log)
    if not path.is_file():
        raise SubmissionError(
            "The file or folder does not exist", where=path, rule="submission.missing"
        )
    return path.parent, path


def _chosen(folder: Path, path: Path) -> Path:
    """The folder of one submission of an unpacked archive."""
    _, inner = _folder_with_table(folder)
    found = next((entry for entry in inner if entry.name == path.name), None)
    if found is None:
        raise SubmissionError(
            f"The archive does not contain the submission {path.name}",
            where=path.parent,
            hint=_which(path.parent, inner) if inner else "name the archive itself",
            rule="submission.missing",
        )
    return found


def _which(package: Path, several: Sequence[Path]) -> str:
    folder = package.resolve().name
    named = ", ".join(f"{folder}/{path.name}" for path in several[:8])
    return f"name one of {named}; info, validate and score read all of them"


def _table_in(folder: Path, *, origin: Path, log: ProblemLog) -> tuple[Path, Path]:
    folder, inner = _folder_with_table(folder)
    tables = _tables_in(folder)
    # An archive is unpacked to a folder of our own naming, so the archive's name counts as well.
    is_unpacked = archives.is_archive(origin)
    wanted = {folder.name, origin.name.split(".")[0]}
    named = [table for table in tables if table.stem in wanted]
    if named:
        return folder, named[0]
    if len(tables) == 1:
        log.warn(
            f"The table name differs from its {'archive' if is_unpacked else 'folder'} "
            f"{origin.name if is_unpacked else folder.name}",
            where=tables[0].name,
            hint="NIST expects <name>/<name>.csv",
            rule="submission.name",
        )
        return folder, tables[0]
    packed = [entry for entry in _entries(folder) if archives.is_archive(entry)]
    raise _no_table(origin, tables or inner, packed, log=log)


def _folder_with_table(folder: Path) -> tuple[Path, list[Path]]:
    """The folder with the table, entering single subfolders; otherwise the subfolders.

    Folders are often packed with their parents.
    """
    for _ in range(_MOST_PARENTS):
        if _tables_in(folder):
            return folder, []
        folders = _folders_in(folder)
        with_tables = [entry for entry in folders if _tables_in(entry)]
        ways = with_tables or folders
        if len(ways) != 1:
            return folder, with_tables
        folder = ways[0]
    return folder, []


def _no_table(
    origin: Path, several: Sequence[Path], packed: Sequence[Path], *, log: ProblemLog
) -> SubmissionError:
    what = "archive" if archives.is_archive(origin) else "folder"
    if several:
        return SubmissionError(
            f"The {what} contains several submissions",
            where=origin,
            hint=_which(origin, several),
            rule="submission.several",
        )
    damage = next((problem.message[0].lower() + problem.message[1:] for problem in log), "")
    inside = f"it contains the archive {packed[0].name}; open that one" if packed else ""
    return SubmissionError(
        f"The {what} does not contain a table",
        where=origin,
        hint=damage
        or inside
        or "a submission is <name>/<name>.csv with masks; you can also name the table itself",
        rule="submission.no-table",
    )


def _folders_in(folder: Path) -> list[Path]:
    return [entry for entry in _entries(folder) if entry.is_dir()]


def _tables_in(folder: Path) -> list[Path]:
    return [
        entry for entry in _entries(folder) if entry.suffix.lower() in SUFFIXES and entry.is_file()
    ]


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if _is_meant(entry))
    except OSError as error:
        raise SubmissionError(
            f"The folder cannot be listed ({error.strerror})",
            where=folder,
            hint="get read permission for it",
            rule="submission.unreadable",
        ) from error


def _is_meant(entry: Path) -> bool:
    """Whether an entry is the user's: neither a link nor an extra of the packing program."""
    return not (entry.is_symlink() or entry.name.startswith(".") or entry.name == "__MACOSX")
