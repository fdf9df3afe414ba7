import numpy as np
import pytest

from forensicviewer.core.table.text_table import Column, Table


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


def test_a_constant_column_and_rows_as_mappings() -> None:
    table = Table("t", {"A": Column.of(["1", "2"]), "B": Column.constant("x", 2)})

    assert list(table.rows()) == [{"A": "1", "B": "x"}, {"A": "2", "B": "x"}]
    assert table.cell("C", 0) == ""
    assert table.names == ("A", "B")
    assert "A" in table


def test_columns_of_one_table_have_one_length() -> None:
    with pytest.raises(ValueError, match="different length"):
        Table.of("t", {"A": ["1"], "B": []})


def test_numbers_with_underscores_are_no_numbers() -> None:
    assert not Column.of(["1_000"]).is_numeric
    assert Column.of(["1e3", " 2 "]).numbers.tolist() == [1000.0, 2.0]


def test_a_few_rows_of_many_are_taken_without_looking_at_the_others() -> None:
    column = Column.of([str(i) for i in range(100)]).take(np.array([7, -1, 7]))

    assert column.dictionary[0].tolist() == [0, 1, 0]
    assert column.dictionary[1] == ("7", "")
    assert column.begins_with("7").tolist() == [True, False, True]
    assert column.holds("7")
    assert not column.holds("99")


def test_other_columns_keep_the_rows_places() -> None:
    table = Table.of("t", {"A": ["1", "2"]}).take(np.array([1]))

    renamed = table.with_only({"B": table["A"]})

    assert renamed.where(0) == "t:3"
    assert renamed.names == ("B",)
    assert len(Table("empty", {})) == 0


def test_a_row_is_found_by_its_line_in_tables_that_were_read_and_that_were_made() -> None:
    made = Table.of("index.csv", {"ProbeFileID": ["a", "b", "c"]})
    kept = made.filter(np.array([False, True, True]))

    assert [made.row_at(line) for line in (1, 2, 4, 5)] == [None, 0, 2, None]
    assert [kept.row_at(line) for line in (2, 3, 4, 5)] == [None, 0, 1, None]
