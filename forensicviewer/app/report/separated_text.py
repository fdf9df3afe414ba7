"""Tables as separated text: CSV, or TSV for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from forensicviewer.app.runtime.atomic import write_atomically


def as_text(columns: Sequence[str], rows: Iterable[Sequence[str]], *, separator: str) -> str:
    """The table as text, cells quoted where they must be."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return stream.getvalue()


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    separator = "\t" if path.suffix.lower() in (".tsv", ".txt") else ","
    write_atomically(path, as_text(columns, rows, separator=separator))
