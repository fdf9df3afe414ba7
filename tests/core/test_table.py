import numpy as np

from forensicviewer.core.table import Column, Table


def test_a_table_remembers_where_its_rows_stand() -> None:
    table = Table.of("index.csv", {"ProbeFileID": ["a", "b", "c"]})

    kept = table.filter(np.array([False, True, True]))

    assert [kept.where(i) for i in range(2)] == ["index.csv:3", "index.csv:4"]


def test_a_column_is_numeric_when_every_filled_cell_is_a_number() -> None:
    assert Column.of(["1", "", "2.5e3"]).is_numeric
    assert not Column.of(["1", "two"]).is_numeric
    assert not Column.of(["", ""]).is_numeric


def test_numbers_are_nan_where_the_cell_is_none() -> None:
    assert np.array_equal(
        Column.of(["1", "x", "3"]).numbers, np.array([1.0, np.nan, 3.0]), equal_nan=True
    )


def test_counts_follow_first_appearance() -> None:
    assert list(Column.of(["b", "a", "b"]).counts().items()) == [("b", 2), ("a", 1)]
