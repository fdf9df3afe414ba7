"""Writes tables people take elsewhere: CSV, or TSV for the clipboard and spreadsheets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from forensicviewer.app.report.separated_text import write_table
from forensicviewer.app.trials.library import Library
from forensicviewer.core.array import Rows


def trial_rows(library: Library, rows: Rows, names: Sequence[str]) -> list[list[str]]:
    """The cells of some trials in these columns."""
    columns = [library.column(name) for name in names]
    return [[column.text(row) for column in columns] for row in rows.tolist()]


def write_trials(library: Library, rows: Rows, path: Path) -> None:
    """Write trials with all columns; the file's name decides between tabs and commas."""
    write_table(path, library.names, trial_rows(library, rows, library.names))
