"""Columns with the types that NIST's programs get from pandas; gaps change a type."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np

from forensicviewer.core.array import Flags, Rows

Held: TypeAlias = str | float | None  # whole numbers and truth values included; None is a gap

_MOST_DIGITS = 300  # fewer than a decimal number holds
_WHOLE = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_TRUTHS = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}


# What pandas takes for "no value" in every table it reads, unless told not to.
NO_VALUE = frozenset(
    {
        *("#N/A", "#N/A N/A", "#NA", "N/A", "NA", "n/a", "NULL", "null", "NaN", "nan"),
        *("-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    }
)


class ColumnKind(Enum):
    """The type of a column; a mixed one keeps whatever each cell is."""

    WHOLE = "whole numbers"
    DECIMAL = "numbers"
    TRUTH = "true or false"
    MIXED = "anything"


_TYPES: Mapping[ColumnKind, set[type]] = {
    ColumnKind.TRUTH: {bool},
    ColumnKind.WHOLE: {int},
    ColumnKind.DECIMAL: {int, float},
}


@dataclass(frozen=True, slots=True, eq=False)
class PandasColumn:
    """A column by its distinct values: ``codes`` says which of ``values`` each row holds."""

    kind: ColumnKind
    codes: Rows
    values: tuple[Held, ...]

    @classmethod
    def of(cls, kind: ColumnKind, cells: Iterable[Held]) -> PandasColumn:
        # True and 1 are equal as keys but not as cells.
        seen: dict[tuple[type, Held], int] = {}
        codes = [seen.setdefault((type(cell), cell), len(seen)) for cell in cells]
        return cls(kind, np.array(codes, dtype=np.intp), tuple(cell for _, cell in seen))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def cells(self) -> list[Held]:
        return [self.values[code] for code in self.codes.tolist()]

    @property
    def gaps(self) -> Flags:
        """Which rows hold no value."""
        return np.array([*(value is None for value in self.values), True])[self.codes]

    def take(self, rows: Rows) -> PandasColumn:
        """The cells of these rows; a gap where the row is -1.

        Gaps turn whole numbers into decimals, and truth values into a mixed column.
        """
        codes, values = np.append(self.codes, len(self.values))[rows], (*self.values, None)
        return _settled(self.kind, codes, values)

    def filled(self, text: str) -> PandasColumn:
        """The column with a text in its gaps."""
        if not self.gaps.any():
            return self
        values = tuple(text if value is None else value for value in self.values)
        return PandasColumn(ColumnKind.MIXED, self.codes, values)

    def as_mixed(self) -> PandasColumn:
        return PandasColumn(ColumnKind.MIXED, self.codes, self.values)

    def inferred(self) -> PandasColumn:
        """A mixed column that turns out to hold cells of one type as a column of that type."""
        if self.kind is not ColumnKind.MIXED:
            return self
        types = {type(self.values[code]) for code in np.unique(self.codes).tolist()}
        for kind, held in _TYPES.items():
            if types <= held:
                return PandasColumn(kind, self.codes, self.values)
        return self

    def as_decimal(self) -> PandasColumn:
        """Whole numbers as decimals, as if a decimal had been among them.

        Truth values do not mix with numbers: their column becomes a mixed one.
        """
        if self.kind in (ColumnKind.MIXED, ColumnKind.TRUTH):
            return self.as_mixed()
        values = tuple(None if value is None else float(value) for value in self.values)
        return PandasColumn(ColumnKind.DECIMAL, self.codes, values)

    def printed(self) -> list[str]:
        """The cells as pandas writes them; gaps are blank."""
        texts = [_printed(value) for value in self.values]
        return [texts[code] for code in self.codes.tolist()]


def typed_as_pandas(codes: Rows, distinct: Sequence[str], *, blanks_are_gaps: bool) -> PandasColumn:
    """Guess the type of text cells as pandas does.

    Blanks and words like NA are gaps, or (where NIST's programs tell pandas so) texts like others.
    """
    gaps = NO_VALUE | {""} if blanks_are_gaps else frozenset[str]()
    cells = [cell for cell in distinct if cell not in gaps]
    kind, values = _guess(cells)
    by_cell: dict[str, Held] = dict(zip(cells, values, strict=True))
    return _settled(kind, codes, tuple(by_cell.get(cell) for cell in distinct))


def _settled(kind: ColumnKind, codes: Rows, values: tuple[Held, ...]) -> PandasColumn:
    """The column with its type after all gaps are known."""
    column = PandasColumn(kind, codes, values)
    if kind in (ColumnKind.DECIMAL, ColumnKind.MIXED) or not column.gaps.any():
        return column
    if kind is ColumnKind.TRUTH:
        return column.as_mixed()
    return column.as_decimal()


def _guess(cells: Sequence[str]) -> tuple[ColumnKind, list[Held]]:
    if not cells:
        return ColumnKind.DECIMAL, []
    if all(_WHOLE.fullmatch(cell) for cell in cells):
        # Pandas leaves what no machine word holds as it is written.
        is_long = any(len(cell) > _MOST_DIGITS for cell in cells)
        wholes: list[Held] = [] if is_long else [int(cell) for cell in cells]
        return (ColumnKind.WHOLE, wholes) if wholes else (ColumnKind.MIXED, list(cells))
    if all(_NUMBER.fullmatch(cell) for cell in cells):
        return ColumnKind.DECIMAL, [float(cell) for cell in cells]
    if all(cell in _TRUTHS for cell in cells):
        return ColumnKind.TRUTH, [_TRUTHS[cell] for cell in cells]
    return ColumnKind.MIXED, list(cells)


def _printed(value: Held) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else repr(value)
