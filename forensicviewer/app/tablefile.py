"""Writes tables people take elsewhere: CSV, or TSV for the clipboard and spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from forensicviewer.app.library import Library
from forensicviewer.app.outputs import write_atomically, write_bytes
from forensicviewer.app.verdicts import SUFFIX, VerdictBook
from forensicviewer.core.array import Rows
from forensicviewer.core.verdict import Fate, Verdict, fates


def as_text(columns: Sequence[str], rows: Iterable[Sequence[str]], *, separator: str) -> str:
    """The table as text, cells quoted where they must be."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()


def trial_rows(library: Library, rows: Rows, names: Sequence[str]) -> list[list[str]]:
    """The cells of some trials in these columns."""
    columns = [library.column(name) for name in names]
    return [[column.text(row) for column in columns] for row in rows.tolist()]


def write_trials(library: Library, rows: Rows, path: Path) -> None:
    """Write trials with all columns; the file's name decides between tabs and commas."""
    _write(path, library.names, trial_rows(library, rows, library.names))


def write_verdicts(book: VerdictBook, path: Path) -> None:
    """Write every verdict ever given, or this judge's log as it is for another judge to add."""
    if path.name.lower().endswith(SUFFIX):
        write_bytes(path, book.log_path.read_bytes())
        return
    _write(path, *verdict_table(fates(book.entries)))


def verdict_table(
    said: Sequence[tuple[Verdict, Fate]],
) -> tuple[Sequence[str], list[list[str]]]:
    """The columns and rows of a table of verdicts."""
    facts = sorted({name for verdict, _ in said for name in verdict.facts})
    rows = [
        [
            *(verdict.trial_id, verdict.task, verdict.judge, verdict.ruling.label, fate.value),
            *(verdict.note, verdict.said_at),
            *(verdict.facts.get(name, "") for name in facts),
        ]
        for verdict, fate in said
    ]
    return ["Trial", "Task", "Judge", "Verdict", "Fate", "Note", "When", *facts], rows


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    separator = "\t" if path.suffix.lower() in (".tsv", ".txt") else ","
    write_atomically(path, as_text(columns, rows, separator=separator))
