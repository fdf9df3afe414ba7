"""Tables as separated text: CSV, or TSV for spreadsheets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.core.table.number_cell import number_in

# Cells that begin so are calculated by spreadsheets; the last four are the wide forms of the first.
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001


def as_text(columns: Sequence[str], rows: Iterable[Sequence[str]], *, separator: str) -> str:
    """The table as text for spreadsheets: cells quoted where they must be, none a formula."""
    safe = (map(_without_formula, line) for line in (columns, *rows))
    return joined(safe, separator=separator)


def joined(lines: Iterable[Iterable[str]], *, separator: str) -> str:
    """Lines of cells as they are; a cell with separator, quote or line break is quoted.

    Not Python's csv: it does not quote a carriage return, which spreadsheets take for a line break.
    """
    special = re.compile(f'[{re.escape(separator)}"\r\n]')

    def quoted(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if special.search(cell) else cell

    def line_of(cells: Sequence[str]) -> str:
        line = separator.join(cells)
        # Few of a million lines need quotes; one look at the whole line finds them.
        is_plain = line.count(separator) == len(cells) - 1 and '"' not in line
        is_plain = is_plain and "\n" not in line and "\r" not in line
        return (line if is_plain else separator.join(map(quoted, cells))) + "\n"

    return "".join(line_of(list(line)) for line in lines)


def _without_formula(cell: str) -> str:
    """A cell that is text and begins like a formula gets an apostrophe, as spreadsheets mark text.

    Names and notes come from strangers, and a formula may send the cells beside it elsewhere.
    """
    return f"'{cell}" if cell.startswith(_FORMULA_SIGNS) and number_in(cell) is None else cell


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    separator = "\t" if path.suffix.lower() in (".tsv", ".txt") else ","
    write_atomically(path, as_text(columns, rows, separator=separator))
