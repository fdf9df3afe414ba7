"""Cells of strangers' tables as numbers: anything may stand in them."""

import pytest

from forensicviewer.core.table.number_cell import digits_in, number_in, whole_in


@pytest.mark.parametrize(
    ("cell", "number"),
    [("1.5", 1.5), (" 2 ", 2.0), ("1e3", 1000.0), ("1_000", None), ("", None), ("None", None)],
)
def test_a_number_is_what_other_programs_take_for_one(cell: str, number: float | None) -> None:
    assert number_in(cell) == number


@pytest.mark.parametrize(
    ("cell", "number"),
    [("9", 9), ("9.0", 9), ("-1", -1), ("nan", None), ("inf", None), ("-1e999", None), ("", None)],
)
def test_what_is_not_finite_is_not_a_whole_number(cell: str, number: int | None) -> None:
    assert whole_in(cell) == number


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("12", 12),
        ("007", 7),
        ("²", None),
        ("٣", None),
        ("-1", None),
        ("", None),
        ("9" * 5000, None),
    ],
)
def test_plain_digits_are_those_every_program_reads(cell: str, number: int | None) -> None:
    assert digits_in(cell) == number
