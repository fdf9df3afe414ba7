"""Columns as NIST's programs hold them after reading: types, gaps and how they print."""

from __future__ import annotations

import numpy as np
import pytest

from forensicviewer.core.table.pandas_types import ColumnKind
from forensicviewer.core.table.text_table import Column


@pytest.mark.parametrize(
    ("cells", "kind", "printed"),
    [
        (["007", "-1"], ColumnKind.WHOLE, ["7", "-1"]),
        (["007", "1.50"], ColumnKind.DECIMAL, ["7.0", "1.5"]),
        (["TRUE", "False"], ColumnKind.TRUTH, ["True", "False"]),
        (["TRUE", "no"], ColumnKind.MIXED, ["TRUE", "no"]),
        (["3", "x"], ColumnKind.MIXED, ["3", "x"]),
    ],
)
def test_a_type_is_guessed_from_all_cells(
    cells: list[str], kind: ColumnKind, printed: list[str]
) -> None:
    column = Column.of(cells).typed_as_pandas(blanks_are_gaps=False)

    assert (column.kind, column.printed()) == (kind, printed)


def test_a_blank_is_a_text_or_a_gap() -> None:
    cells = Column.of(["3", ""])

    as_text, as_gap = (cells.typed_as_pandas(blanks_are_gaps=gaps) for gaps in (False, True))

    assert (as_text.kind, as_text.printed()) == (ColumnKind.MIXED, ["3", ""])
    assert (as_gap.kind, as_gap.printed()) == (ColumnKind.DECIMAL, ["3.0", ""])


def test_a_column_of_blanks_holds_numbers_without_any() -> None:
    assert Column.of(["", ""]).typed_as_pandas(blanks_are_gaps=True).kind is ColumnKind.DECIMAL


@pytest.mark.parametrize(
    ("cells", "kind", "printed"),
    [
        (["1", "2"], ColumnKind.DECIMAL, ["2.0", ""]),
        (["True", "False"], ColumnKind.MIXED, ["False", ""]),
        (["a", "b"], ColumnKind.MIXED, ["b", ""]),
    ],
)
def test_gaps_of_a_join_change_the_type(
    cells: list[str], kind: ColumnKind, printed: list[str]
) -> None:
    taken = Column.of(cells).take(np.array([1, -1])).typed_as_pandas(blanks_are_gaps=False)

    assert (taken.kind, taken.printed()) == (kind, printed)


def test_rows_are_taken_without_guessing_again() -> None:
    taken = Column.of(["1", "x"]).take(np.array([0])).typed_as_pandas(blanks_are_gaps=False)

    assert (taken.kind, taken.cells) == (ColumnKind.MIXED, ["1"])


def test_filled_gaps_make_a_column_mixed() -> None:
    column = Column.of(["1", "2"]).typed_as_pandas(blanks_are_gaps=False)

    assert column.filled("") is column
    assert column.take(np.array([0, -1])).filled("").cells == [1.0, ""]


@pytest.mark.parametrize(
    ("cells", "rows", "kind"),
    [
        (["True", "", "False"], [0, 2], ColumnKind.TRUTH),
        (["True", "", "False"], [0, 1], ColumnKind.MIXED),
        (["1", "x"], [0], ColumnKind.MIXED),
    ],
)
def test_types_are_inferred_from_the_cells_that_are_left(
    cells: list[str], rows: list[int], kind: ColumnKind
) -> None:
    taken = Column.of(cells).typed_as_pandas(blanks_are_gaps=True).take(np.array(rows))

    assert taken.filled("").inferred().kind is kind


def test_whole_numbers_become_decimals_but_truth_values_stay() -> None:
    numbers = Column.of(["1", "2"]).typed_as_pandas(blanks_are_gaps=True)
    truths = Column.of(["True", "False"]).typed_as_pandas(blanks_are_gaps=True)

    assert numbers.as_decimal().printed() == ["1.0", "2.0"]
    assert truths.as_decimal().printed() == ["True", "False"]
    assert truths.as_decimal().inferred().kind is ColumnKind.TRUTH


def test_numbers_of_thousands_of_digits_stay_text() -> None:
    long = "9" * 5000

    column = Column.of(["1", long]).typed_as_pandas(blanks_are_gaps=True)

    assert column.kind is ColumnKind.MIXED
    assert column.printed() == ["1", long]
