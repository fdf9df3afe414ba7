"""Tables of text cells, held by column, light enough for a million rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Flags, Floats, Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.table.cells import Cells, TextCells
from forensicviewer.core.table.pandas_types import NO_VALUE, PandasColumn, typed_as_pandas


class Column:
    """One column of text cells; its dictionary and numbers are made when first asked for."""

    def __init__(self, cells: Callable[[], NDArray[np.object_]], length: int) -> None:
        self._make_cells = cells
        self._length = length

    @classmethod
    def of(cls, cells: Iterable[str]) -> Column:
        listed = list(cells)
        array = np.empty(len(listed), dtype=object)
        array[:] = listed
        return cls(lambda: array, len(listed))

    @classmethod
    def coded(cls, codes: Rows, cells: Sequence[str]) -> Column:
        """A column of repeated cells: each row has the position of its cell."""
        renumbered, first = in_order_of_appearance(codes)
        distinct = tuple(cells[code] for code in codes[first].tolist())
        array = np.empty(len(distinct), dtype=object)
        array[:] = distinct
        column = cls(lambda: array[renumbered], len(codes))
        column.__dict__["numbered"] = renumbered, TextCells(distinct)
        return column

    @classmethod
    def constant(cls, cell: str, length: int) -> Column:
        return cls.coded(np.zeros(length, dtype=np.intp), (cell,))

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, row: int) -> str:
        return str(self.cells[row])

    def __iter__(self) -> Iterator[str]:
        return iter(self.cells.tolist())

    @cached_property
    def cells(self) -> NDArray[np.object_]:
        """Every cell as ``str``."""
        return self._make_cells()

    @cached_property
    def numbered(self) -> tuple[Rows, Cells]:
        """(code of each row, distinct cells in order of first appearance)."""
        return _numbered(self.cells)

    @cached_property
    def dictionary(self) -> tuple[Rows, tuple[str, ...]]:
        """As ``numbered``, every distinct cell as text."""
        codes, cells = self.numbered
        return codes, cells.texts if isinstance(cells, TextCells) else (*cells,)

    @cached_property
    def numbers(self) -> Floats:
        """Every cell as a number; NaN where it is none."""
        return self._distinct_numbers[0][self.numbered[0]]

    @cached_property
    def is_numeric(self) -> bool:
        """Whether every cell that is not blank is a number, and at least one is."""
        if not self._length:
            return False
        has_number = self._distinct_numbers[1]
        return bool(has_number.any() and (has_number | self.numbered[1].blanks()).all())

    @cached_property
    def blank(self) -> Flags:
        """Which cells are empty or hold only white space."""
        codes, cells = self.numbered
        return cells.blanks()[codes]

    def among(self, texts: Collection[str]) -> Flags:
        """Which cells equal one of these."""
        codes, cells = self.numbered
        return cells.among(texts)[codes]

    def begins_with(self, signs: str) -> Flags:
        """Which cells begin with one of the (ASCII) signs."""
        codes, distinct = self.dictionary
        flags = [cell.startswith(tuple(signs)) for cell in distinct] or [False]
        return np.array(flags, dtype=np.bool_)[codes]

    def holds(self, text: str) -> bool:
        """Whether some cell contains the text."""
        return any(text in cell for cell in self.dictionary[1])

    def counts(self) -> dict[str, int]:
        """How often each distinct cell occurs."""
        codes, distinct = self.dictionary
        found = np.bincount(codes, minlength=len(distinct))
        return {cell: int(n) for cell, n in zip(distinct, found, strict=True)}

    def stripped(self) -> Column:
        """The cells without the blanks around them."""
        cells = [cell.strip() for cell in self.dictionary[1]]
        return self if tuple(cells) == self.dictionary[1] else self.saying(cells)

    def saying(self, cells: Iterable[str]) -> Column:
        """The column with its distinct cells replaced; some may then be equal."""
        seen: dict[str, int] = {}
        places = [seen.setdefault(cell, len(seen)) for cell in cells]
        codes = np.array(places or [0], dtype=np.intp)[self.dictionary[0]]
        return Column.coded(codes, tuple(seen))

    def take(self, rows: Rows) -> Column:
        """The cells of these rows; a blank where the row is -1."""
        return _TakenColumn(self, rows)

    def typed_as_pandas(self, *, blanks_are_gaps: bool) -> PandasColumn:
        """The column as NIST's programs hold it after reading its file."""
        return typed_as_pandas(*self.dictionary, blanks_are_gaps=blanks_are_gaps)

    @cached_property
    def _distinct_numbers(self) -> tuple[Floats, Flags]:
        return self.numbered[1].numbers()


class _TakenColumn(Column):
    """Some rows of another column, which does the work once for all that are taken from it."""

    def __init__(self, source: Column, rows: Rows) -> None:
        super().__init__(self._taken_cells, len(rows))
        self._source = source
        self._rows = rows

    def __getitem__(self, row: int) -> str:
        at = int(self._rows[row])
        return self._source[at] if at >= 0 else ""

    @cached_property
    def numbered(self) -> tuple[Rows, Cells]:
        if len(self) < len(self._source) // 8:
            return _numbered(self[row] for row in range(len(self)))
        codes, cells = self._source.numbered
        # Without a blank of its own, the source gets one more code for rows that are not there.
        blank = cells.code_of("") if (self._rows < 0).any() else None
        taken = np.append(codes, len(cells) if blank is None else blank)[self._rows]
        renumbered, first = in_order_of_appearance(taken)
        return renumbered, cells.take(taken[first])

    def typed_as_pandas(self, *, blanks_are_gaps: bool) -> PandasColumn:
        # Types are guessed from the whole file, before rows are chosen from it.
        return self._source.typed_as_pandas(blanks_are_gaps=blanks_are_gaps).take(self._rows)

    def begins_with(self, signs: str) -> Flags:
        return np.append(self._source.begins_with(signs), np.False_)[self._rows]

    def holds(self, text: str) -> bool:
        return self._source.holds(text) and super().holds(text)

    def _taken_cells(self) -> NDArray[np.object_]:
        codes, distinct = self.dictionary
        array = np.empty(len(distinct), dtype=object)
        array[:] = distinct
        return array[codes]


class CleanedColumn(Column):
    """Another column with pandas' words for "no value" as blanks, cleaned on demand."""

    def __init__(self, source: Column) -> None:
        super().__init__(self._cleaned_cells, len(source))
        self._source = source

    def __getitem__(self, row: int) -> str:
        cell = self._source[row]
        return "" if cell in NO_VALUE else cell

    @cached_property
    def numbered(self) -> tuple[Rows, Cells]:
        return self._cleaned.numbered

    def typed_as_pandas(self, *, blanks_are_gaps: bool) -> PandasColumn:
        return self._cleaned.typed_as_pandas(blanks_are_gaps=blanks_are_gaps)

    def _cleaned_cells(self) -> NDArray[np.object_]:
        return self._cleaned.cells

    @cached_property
    def _cleaned(self) -> Column:
        cells = self._source.numbered[1]
        if not cells.among(NO_VALUE).any():
            return self._source
        return self._source.saying("" if cell in NO_VALUE else cell for cell in cells)


def in_order_of_appearance(codes: Rows) -> tuple[Rows, Rows]:
    """(codes renumbered by first appearance, the row where each one first appears)."""
    if not len(codes):
        return codes, codes
    rows = len(codes)
    first = np.full(int(codes.max()) + 1, rows, dtype=np.intp)
    # Of several rows with one code the last one assigned stays, so going backwards finds the first.
    first[codes[::-1]] = np.arange(rows - 1, -1, -1, dtype=np.intp)
    is_first = np.zeros(rows, dtype=np.bool_)
    is_first[first[first < rows]] = True
    appears = np.flatnonzero(is_first)
    renumber = np.empty(len(first), dtype=np.intp)
    renumber[codes[appears]] = np.arange(len(appears), dtype=np.intp)
    return renumber[codes], appears


def _numbered(cells: Iterable[str]) -> tuple[Rows, Cells]:
    seen: dict[str, int] = {}
    codes = [seen.setdefault(cell, len(seen)) for cell in cells]
    return np.array(codes, dtype=np.intp), TextCells([*seen])


class Table:
    """Named columns of equal length, and the line of each row in its file.

    ``name`` is the file's name as messages say it. ``lines`` are line numbers as a text editor
    counts them (the header is line 1); without them rows are numbered from 2. ``quoted_names`` are
    the columns whose names stand in quotes in the file.
    """

    def __init__(
        self,
        name: str,
        columns: Mapping[str, Column],
        *,
        lines: Rows | None = None,
        quoted_names: Collection[str] = (),
    ) -> None:
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"columns of different length in {name}: {sorted(lengths)}")
        self.name = name
        self.columns: Mapping[str, Column] = dict(columns)
        self._length = lengths.pop() if lengths else 0
        self._lines = lines
        self.quoted_names = frozenset(quoted_names)

    @classmethod
    def of(cls, name: str, columns: Mapping[str, Sequence[str]]) -> Table:
        return cls(name, {key: Column.of(cells) for key, cells in columns.items()})

    def __len__(self) -> int:
        return self._length

    def __contains__(self, column: str) -> bool:
        return column in self.columns

    def __getitem__(self, column: str) -> Column:
        return self.columns[column]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def cell(self, column: str, row: int) -> str:
        """The cell's text; blank when the table has no such column."""
        found = self.columns.get(column)
        return "" if found is None else found[row]

    def row(self, row: int) -> dict[str, str]:
        return {name: column[row] for name, column in self.columns.items()}

    def rows(self) -> Iterator[dict[str, str]]:
        return (self.row(i) for i in range(len(self)))

    def line(self, row: int) -> int:
        return int(self._lines[row]) if self._lines is not None else row + 2

    def row_at(self, line: int) -> int | None:
        """The row that begins on a line, if any."""
        if self._lines is None:
            return line - 2 if 0 <= line - 2 < len(self) else None
        found = np.flatnonzero(self._lines == line)
        return int(found[0]) if len(found) else None

    def where(self, row: int) -> str:
        """The place of a row for messages."""
        return f"{self.name}:{self.line(row)}"

    def rows_with(self, cells: Mapping[str, str]) -> Rows:
        """The rows that hold all of these cells, by column; none where a column is missing."""
        keep = np.ones(len(self), np.bool_)
        for name, cell in cells.items():
            codes, distinct = self[name].dictionary if name in self else (keep, ())
            if cell not in distinct:
                return np.zeros(0, np.intp)
            keep &= codes == distinct.index(cell)
        return np.flatnonzero(keep)

    def take(self, rows: Rows) -> Table:
        lines = self._lines[rows] if self._lines is not None else rows + 2
        taken = {name: column.take(rows) for name, column in self.columns.items()}
        return Table(self.name, taken, lines=lines, quoted_names=self.quoted_names)

    def cut(self, rows: Iterable[int]) -> Table:
        """A copy of a few rows, so that computations never read all others."""
        kept = np.fromiter(rows, np.intp)
        copied = {
            name: Column.of(column[int(row)] for row in kept)
            for name, column in self.columns.items()
        }
        lines = np.array([self.line(int(row)) for row in kept], np.intp)
        return Table(self.name, copied, lines=lines, quoted_names=self.quoted_names)

    def filter(self, keep: Flags) -> Table:
        return self.take(np.flatnonzero(keep))

    def with_only(self, columns: Mapping[str, Column]) -> Table:
        """The same rows with other columns."""
        return Table(self.name, columns, lines=self._lines, quoted_names=self.quoted_names)

    def with_columns(self, columns: Mapping[str, Column]) -> Table:
        return self.with_only({**self.columns, **columns})
