from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core.table import packed
from forensicviewer.core.table.digests import digests_of, first_rows
from forensicviewer.core.table.number_cell import number_in
from forensicviewer.core.table.packed import (
    PADDING,
    PackedColumn,
    PackedContent,
    shared_codes,
)
from forensicviewer.core.table.text_table import Column


def packed_column(cells: list[str]) -> PackedColumn:
    encoded = [b"|" + cell.encode() for cell in cells]
    ends = np.cumsum([len(cell) for cell in encoded], dtype=np.uint32)
    before = ends - np.array([len(cell) for cell in encoded], dtype=np.uint32)
    content = np.frombuffer(b"".join(encoded) + bytes(PADDING), dtype=np.uint8)
    return PackedColumn(PackedContent(content), before.astype(np.uint32), ends)


@given(st.lists(st.text(st.characters(blacklist_categories=["Cs"]), max_size=40), max_size=60))
def test_a_packed_column_is_like_a_column_of_text(cells: list[str]) -> None:
    column, expected = packed_column(cells), Column.of(cells)

    assert [column[i] for i in range(len(cells))] == cells
    assert list(column) == cells
    assert np.array_equal(column.dictionary[0], expected.dictionary[0])
    assert column.dictionary[1] == expected.dictionary[1]
    assert np.array_equal(column.numbers, expected.numbers, equal_nan=True)
    assert np.array_equal(column.blank, expected.blank)
    assert np.array_equal(column.begins_with("0/a"), expected.begins_with("0/a"))
    assert column.holds("0") == expected.holds("0")
    assert column.holds("00") == expected.holds("00")


def test_zero_bytes_are_not_taken_for_the_end_of_a_cell() -> None:
    assert packed_column(["a", "a\0", "a\0\0", "a"]).counts() == {"a": 2, "a\0": 1, "a\0\0": 1}


def test_long_cells_are_compared_as_text() -> None:
    long = "x" * 1000

    column = packed_column([long, "y", long, long + "z"])

    assert column.dictionary[0].tolist() == [0, 1, 0, 2]


def test_equal_digests_of_different_cells_do_not_fool_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "first_rows", lambda digests: np.zeros(len(digests), np.intp))

    column = packed_column(["a long cell", "another cell", "a long cell"])

    assert column.dictionary[0].tolist() == [0, 1, 0]


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_first_rows_are_those_of_equal_digest(digests: list[int]) -> None:
    found = first_rows(np.array(digests, dtype=np.uint64))

    assert found.tolist() == [digests.index(digest) for digest in digests]


@given(
    st.lists(st.sampled_from(["", "a", "bb", "1", "2.5"]), min_size=1, max_size=20),
    st.lists(st.integers(-1, 0), max_size=80),
)
def test_taking_rows_is_like_taking_cells(cells: list[str], picks: list[int]) -> None:
    rows = [pick if pick < 0 else i % len(cells) for i, pick in enumerate(picks)]
    expected = Column.of("" if row < 0 else cells[row] for row in rows)

    taken = packed_column(cells).take(np.array(rows, dtype=np.intp))

    assert list(taken) == list(expected)
    assert [taken[i] for i in range(len(rows))] == list(expected)
    assert np.array_equal(taken.dictionary[0], expected.dictionary[0])
    assert taken.dictionary[1] == expected.dictionary[1]


def test_cells_that_differ_in_one_byte_only_have_different_digests() -> None:
    cells = [f"PAR-{number:04d}" for number in range(200)]

    digests = digests_of(packed_column(cells)._cells.words(1))

    assert len(set(digests.tolist())) == len(cells)


numbers = st.one_of(
    st.from_regex(r"[-+]?[0-9]{0,12}\.?[0-9]{0,12}(e-?[0-9]{1,2})?", fullmatch=True),
    st.floats().map(repr),
    st.sampled_from(
        ["", " 1", "1 ", "-", ".", "-.", "--1", "1.2.3", "1_0", "nan", "-inf", "٣", "-0"]
    ),
)


@given(st.lists(numbers, max_size=40))
def test_numbers_are_those_python_reads_to_the_last_bit(cells: list[str]) -> None:
    found = packed_column(cells).numbers

    expected = [number_in(cell) for cell in cells]
    exact = np.array([np.nan if number is None else number for number in expected], np.float64)
    # Compared by their bits: -0.0 and 0.0 are different numbers.
    assert np.array_equal(np.isnan(found), np.isnan(exact))
    assert found[~np.isnan(found)].tobytes() == exact[~np.isnan(exact)].tobytes()


words = st.lists(
    st.sampled_from(["", " ", "a", "NA", "nan", "\u2003", "a long cell of text", "x" * 200])
)


@given(words, st.sets(st.sampled_from(["", "NA", "a long cell of text", "b", "\ud800"])))
def test_cells_among_others_are_found_by_their_bytes(cells: list[str], texts: set[str]) -> None:
    column = packed_column(cells)

    assert column.among(texts).tolist() == [cell in texts for cell in cells]
    assert column.blank.tolist() == [not cell.strip() for cell in cells]
    for text in texts:
        code = column.numbered[1].code_of(text)
        assert (code is not None) == (text in cells)
        assert code is None or column.dictionary[1][code] == text


@given(words, words, st.sampled_from([packed_column, Column.of]))
def test_codes_of_two_columns_agree_where_their_cells_do(
    first: list[str], second: list[str], make: Callable[[list[str]], Column]
) -> None:
    (codes, others), count = shared_codes([packed_column(first), make(second)])

    meant = dict(zip([*codes.tolist(), *others.tolist()], [*first, *second], strict=True))
    assert [meant[code] for code in codes.tolist()] == first
    assert [meant[code] for code in others.tolist()] == second
    assert len(meant) == count == len({*first, *second})


def test_equal_digests_of_two_columns_do_not_fool_them(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = packed_column(["a long cell"]), packed_column(["another cell"])
    assert first.numbered
    assert second.numbered
    monkeypatch.setattr(packed, "first_rows", lambda digests: np.zeros(len(digests), np.intp))

    codes, count = shared_codes([first, second])

    assert ([code.tolist() for code in codes], count) == ([[0], [1]], 2)
