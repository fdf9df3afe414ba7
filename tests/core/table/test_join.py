"""Joining tables as pandas does."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core.table.join import common_columns, first_rows, inner_join, left_join
from forensicviewer.core.table.text_table import Table


def listed(table: Table) -> list[tuple[str, ...]]:
    return [tuple(row.values()) for row in table.rows()]


def test_common_columns_keep_the_order_of_the_first_table() -> None:
    first = Table.of("a", {"x": [], "y": [], "z": []})
    second = Table.of("b", {"z": [], "x": []})

    assert common_columns(first, second) == ("x", "z")


def test_a_left_join_keeps_rows_without_a_partner_and_repeats_those_with_several() -> None:
    left = Table.of("left", {"key": ["b", "a", "c"], "n": ["1", "2", "3"]})
    right = Table.of("right", {"key": ["a", "b", "b"], "m": ["x", "y", "z"]})

    joined = left_join(left, right, on=["key"]).table

    assert listed(joined) == [("b", "1", "y"), ("b", "1", "z"), ("a", "2", "x"), ("c", "3", "")]
    assert [joined.line(row) for row in range(4)] == [2, 2, 3, 4]
    assert left_join(left, right, on=["key"]).left_rows.tolist() == [0, 0, 1, 2]
    assert left_join(left, right, on=["key"]).right_rows.tolist() == [1, 2, 0, -1]


def test_an_inner_join_brings_equal_keys_together() -> None:
    left = Table.of("left", {"key": ["b", "a", "b", "c"], "n": ["1", "2", "3", "4"]})
    right = Table.of("right", {"key": ["a", "b"]})

    assert listed(inner_join(left, right, on=["key"]).table) == [("b", "1"), ("b", "3"), ("a", "2")]


def test_numbers_fit_as_numbers_and_a_blank_fits_a_blank() -> None:
    left = Table.of("left", {"key": ["1", "", "2.50"]})
    right = Table.of("right", {"key": ["2.5", "1.0", ""], "m": ["x", "y", "z"]})

    assert listed(left_join(left, right, on=["key"]).table) == [
        ("1", "y"),
        ("", "z"),
        ("2.50", "x"),
    ]


def test_other_columns_of_one_name_are_told_apart() -> None:
    left = Table.of("left", {"key": ["a"], "n": ["1"]})
    right = Table.of("right", {"key": ["a"], "n": ["2"]})

    assert left_join(left, right, on=["key"]).table.names == ("key", "n_x", "n_y")


def test_empty_tables_join() -> None:
    left = Table.of("left", {"key": ["a"], "n": ["1"]})
    nothing = Table.of("right", {"key": [], "m": []})

    assert listed(left_join(left, nothing, on=["key"]).table) == [("a", "1", "")]
    assert listed(inner_join(left, nothing, on=["key"]).table) == []
    assert listed(left_join(nothing, left, on=["key"]).table) == []


def test_first_rows_point_at_the_first_of_equal_rows() -> None:
    table = Table.of("t", {"a": ["x", "y", "x", "x"], "b": ["1", "1", "1", "2"]})

    assert first_rows(table, ["a", "b"]).tolist() == [0, 1, 0, 3]


keys = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy")), max_size=8)


@given(left_keys=keys, right_keys=keys)
def test_pandas_joins_the_same(
    left_keys: list[tuple[str, str]], right_keys: list[tuple[str, str]]
) -> None:
    left = {
        "a": [a for a, _ in left_keys],
        "b": [b for _, b in left_keys],
        "n": [f"l{n}" for n in range(len(left_keys))],
    }
    right = {
        "a": [a for a, _ in right_keys],
        "b": [b for _, b in right_keys],
        "m": [f"r{n}" for n in range(len(right_keys))],
    }
    expected = pd.merge(
        pd.DataFrame(left, dtype=object),
        pd.DataFrame(right, dtype=object),
        how="left",
        on=["a", "b"],
    ).replace({np.nan: ""})

    joined = left_join(Table.of("l", left), Table.of("r", right), on=["a", "b"]).table

    assert listed(joined) == [tuple(row) for row in expected.itertuples(index=False)]
