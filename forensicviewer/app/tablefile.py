"""Writes tables people take elsewhere: CSV, or TSV for the clipboard and spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from forensicviewer.app.library import Library
from forensicviewer.app.outputs import write_atomically
from forensicviewer.core.array import Rows


def as_text(columns: Sequence[str], rows: Iterable[Sequence[str]], *, separator: str) -> str:
    """The table as text, cells quoted where they must be."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()


def trial_rows(library: Library, rows: Rows) -> list[list[str]]:
    """The cells of some trials, in every column."""
    columns = [library.column(name) for name in library.names]
    return [[column.text(row) for column in columns] for row in rows.tolist()]


def write_trials(library: Library, rows: Rows, path: Path) -> None:
    """Write trials with all columns; the file's name decides between tabs and commas."""
    separator = "\t" if path.suffix.lower() in (".tsv", ".txt") else ","
    write_atomically(path, as_text(library.names, trial_rows(library, rows), separator=separator))
