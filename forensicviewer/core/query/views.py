"""How the cells of a table compare in a query: as a reader expects, or as NIST's programs do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from forensicviewer.core.array import Flags
from forensicviewer.core.query.nodes import ORDERINGS, TableView, Value
from forensicviewer.core.table.pandas_types import ColumnKind, Held, PandasColumn
from forensicviewer.core.table.text_table import Column, Table

_TRUTHS = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}


@dataclass(frozen=True, slots=True)
class TextView(TableView):
    """Columns of numbers compare as numbers, all others and ``text_columns`` as text.

    Blank cells satisfy no comparison and are not true; comparing text with numbers is refused.
    """

    table: Table
    text_columns: frozenset[str]
    query: str

    def __len__(self) -> int:
        return len(self.table)

    def truths(self, name: str) -> Flags | None:
        codes, distinct = self.table[name].dictionary
        cells = [cell for cell in distinct if cell]
        if name in self.text_columns or not all(cell in _TRUTHS for cell in cells):
            return None
        return np.array([_TRUTHS.get(cell, False) for cell in distinct], dtype=bool)[codes]

    def among(self, name: str, wanted: tuple[Value, ...], *, listed: bool) -> Flags:
        """A number column equals a number in quotes too, as it does for NIST's programs.

        A text never equals a number.
        """
        del listed  # a value alone means the same as a list of one
        column = self.table[name]
        texts = {value for value in wanted if isinstance(value, str)}
        if self._is_numeric(name):
            numbers = [float(value) for value in wanted if not isinstance(value, str)]
            found = np.isin(column.numbers, numbers + _numbers_in(texts))
            return found | column.blank if "" in texts else found
        found = _by_cell(column, lambda cell: cell in texts)
        truth_values = {value for value in wanted if not isinstance(value, str) and value in (0, 1)}
        truths = self.truths(name) if truth_values else None
        if truths is not None:
            found |= np.isin(truths, [bool(value) for value in truth_values]) & ~column.blank
        return found

    def equal_columns(self, left: str, right: str) -> Flags:
        if self._is_numeric(left) != self._is_numeric(right):
            return np.zeros(len(self), dtype=bool)
        if self._is_numeric(left):
            return np.equal(self.table[left].numbers, self.table[right].numbers)
        return np.equal(self.table[left].cells, self.table[right].cells).astype(bool)

    def ordered(self, name: str, sign: str, value: Value) -> Flags:
        column, compare = self.table[name], ORDERINGS[sign]
        if self._is_numeric(name) == isinstance(value, str):
            raise self._mismatch(name, sign, value)
        if not isinstance(value, str):
            return np.asarray(compare(column.numbers, value), dtype=bool)
        return _by_cell(column, lambda cell: bool(compare(cell, value)))

    def ordered_columns(self, left: str, sign: str, right: str) -> Flags:
        if self._is_numeric(left) != self._is_numeric(right):
            raise self.error(
                f"Columns {left!r} and {right!r} cannot be compared: one holds text, the "
                "other numbers"
            )
        first, second = self.table[left], self.table[right]
        if self._is_numeric(left):
            return np.asarray(ORDERINGS[sign](first.numbers, second.numbers), dtype=bool)
        return np.asarray(ORDERINGS[sign](first.cells, second.cells), dtype=bool)

    def _is_numeric(self, name: str) -> bool:
        return name not in self.text_columns and self.table[name].is_numeric

    def _mismatch(self, name: str, sign: str, value: Value) -> Exception:
        if isinstance(value, str):
            return self.error(
                f"Column {name!r} holds numbers and cannot be compared with a text by {sign}",
                hint=f"write the number without quotes: {name} {sign} {value}",
            )
        column = self.table[name]
        return self.error(
            f"Column {name!r} is text and cannot be compared with a number by {sign}",
            hint=f"the first cell is {column[0]!r}" if len(column) else "",
        )


def _numbers_in(texts: set[str]) -> list[float]:
    numbers = Column.of(sorted(texts)).numbers
    return [float(number) for number in numbers if not np.isnan(number)]


def _by_cell(column: Column, holds: Callable[[str], bool]) -> Flags:
    """Decide once per distinct cell: a million rows rarely hold more than a few."""
    codes, distinct = column.dictionary
    decided = np.fromiter((holds(cell) for cell in distinct), dtype=bool, count=len(distinct))
    return decided[codes]


@dataclass(frozen=True, slots=True)
class VerbatimView(TableView):
    """Cells compare as under Python 2 with pandas 0.20: every text is larger than any number."""

    columns: Mapping[str, PandasColumn]
    query: str

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def truths(self, name: str) -> Flags | None:
        column = self.columns[name]
        if not all(value is None or isinstance(value, bool) for value in column.values):
            return None
        return _by_value(column, lambda value: value is True)

    def among(self, name: str, wanted: tuple[Value, ...], *, listed: bool) -> Flags:
        """A list or a text is looked up in a set; there numbers in quotes become numbers.

        They do so only if every wanted value does, and only for a column of nothing but numbers.
        """
        column = self.columns[name]
        is_looked_up = listed or isinstance(wanted[0], str)
        values = _converted(wanted, column.kind) if is_looked_up else wanted
        return _by_value(column, lambda value: value is not None and value in values)

    def equal_columns(self, left: str, right: str) -> Flags:
        pairs = zip(self.columns[left].cells, self.columns[right].cells, strict=True)
        return np.array([a is not None and a == b for a, b in pairs], dtype=bool)

    def ordered(self, name: str, sign: str, value: Value) -> Flags:
        column = self.columns[name]
        if isinstance(value, str) and column.kind is not ColumnKind.MIXED:
            raise self.error(
                f"Column {name!r} holds numbers and cannot be compared with a text by {sign}",
                hint="NIST's program stops here",
            )
        return _by_value(column, lambda cell: cell is not None and _holds(cell, sign, value))

    def ordered_columns(self, left: str, sign: str, right: str) -> Flags:
        first, second = self.columns[left], self.columns[right]
        # A gap is a number (of no value) where the left column is one of numbers.
        blind = first.kind is not ColumnKind.MIXED
        pairs = zip(first.cells, second.cells, strict=True)
        return np.array([_holds_gaps(a, sign, b, blind=blind) for a, b in pairs], dtype=bool)


def _converted(wanted: Sequence[Value], kind: ColumnKind) -> Sequence[Value]:
    as_number = {ColumnKind.WHOLE: int, ColumnKind.TRUTH: int, ColumnKind.DECIMAL: float}.get(kind)
    if as_number is None:
        return wanted
    try:
        return [as_number(value) for value in wanted]
    except ValueError:
        return wanted


def _by_value(column: PandasColumn, holds: Callable[[Held], bool]) -> Flags:
    count = len(column.values)
    decided = np.fromiter((holds(value) for value in column.values), dtype=bool, count=count)
    return decided[column.codes] if count else np.zeros(len(column), dtype=bool)


def _holds(left: str | float, sign: str, right: str | float) -> bool:
    if isinstance(left, str) != isinstance(right, str):
        return isinstance(left, str) == (sign in (">", ">="))
    return bool(ORDERINGS[sign](left, right))


def _holds_gaps(left: Held, sign: str, right: Held, *, blind: bool) -> bool:
    if left is None or right is None:
        return blind and isinstance(right, str) and sign in ("<", "<=")
    return _holds(left, sign, right)
