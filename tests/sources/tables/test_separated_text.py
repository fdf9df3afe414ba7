from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from forensicviewer.core.problem import CodecError, ProblemLog
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.tables import separated_text
from forensicviewer.sources.tables.row_scan import TableBytes
from forensicviewer.sources.tables.separated_text import read_first_rows, read_header, read_table

_CELLS = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters='\r\n|"'))


def _read(path: Path, content: bytes, log: ProblemLog | None = None) -> Table:
    file = path / "t.csv"
    file.write_bytes(content)
    return read_table(file, name="t.csv", log=ProblemLog() if log is None else log)


def _rows(table: Table) -> list[list[str]]:
    return [list(row.values()) for row in table.rows()]


@pytest.mark.parametrize(
    "content",
    [
        b"A|B\n1|x y\n2|\n",
        b"A\tB\r\n1\tx y\r\n2\t\r\n",
        b"A,B\r1,x y\r2,\r",
        b'"A"|"B"\n"1"|"x y"\n"2"|""\n',
        b"A;B\n1;x y\n2;",
        b"\xef\xbb\xbfA|B\n1|x y\n\n2|\n",
        "A|B\n1|x y\n2|\n".encode("utf-16"),
    ],
    ids=["pipes", "tabs and CRLF", "commas and CR", "quotes", "no last line end", "BOM", "UTF-16"],
)
def test_every_dialect_gives_the_same_cells(tmp_path: Path, content: bytes) -> None:
    table = _read(tmp_path, content)

    assert table.names == ("A", "B")
    assert _rows(table) == [["1", "x y"], ["2", ""]]


@given(
    rows=st.lists(st.lists(_CELLS, min_size=1, max_size=5), max_size=12),
    separator=st.sampled_from(["|", "\t", ","]),
)
@example(rows=[["", "", "", "\x1f"]], separator="|")
def test_the_quick_and_the_careful_way_agree(rows: list[list[str]], separator: str) -> None:
    body = [separator.join(cell.replace(separator, " ") for cell in row) for row in rows]
    content = "\n".join([separator.join("ABC"), *body]).encode()

    careful_log, quick_log = ProblemLog(), ProblemLog()
    careful = separated_text._read_by_record(content, name="t", log=careful_log)
    found = TableBytes.of(content).rows(separator=separator, width=3)

    assert found is not None
    separated_text._report_ragged(found.short, found.long, width=3, name="t", log=quick_log)
    quick = separated_text._packed_table(found, ["A", "B", "C"], name="t", quoted_names=())
    assert _rows(quick) == _rows(careful)
    assert [quick.line(i) for i in range(len(quick))] == [
        careful.line(i) for i in range(len(careful))
    ]
    assert list(quick_log) == list(careful_log)
    for name in "ABC":
        assert np.array_equal(quick[name].cells, careful[name].cells)
        assert np.array_equal(quick[name].dictionary[0], careful[name].dictionary[0])
        assert quick[name].dictionary[1] == careful[name].dictionary[1]


def test_quotes_may_hold_separators_line_ends_and_quotes(tmp_path: Path) -> None:
    log = ProblemLog()

    table = _read(tmp_path, b'A|B\n"1|1"|"two\nlines"\n2|"say ""hi"""\n3|5" lens\n', log)

    assert _rows(table) == [["1|1", "two\nlines"], ["2", 'say "hi"'], ["3", '5" lens']]
    assert [table.line(i) for i in range(3)] == [2, 4, 5]
    assert not len(log)


def test_a_stray_quote_beside_a_cell_of_two_lines_is_no_problem(tmp_path: Path) -> None:
    log = ProblemLog()

    table = _read(tmp_path, b'A|B\n5" lens|"two\nlines"\n2|6" lens', log)

    assert _rows(table) == [['5" lens', "two\nlines"], ["2", '6" lens']]
    assert not len(log)


def test_a_quote_that_is_never_closed_costs_only_its_row(tmp_path: Path) -> None:
    log = ProblemLog()

    table = _read(tmp_path, b'A|B\n1|x\n2|"lost\n3|z\n4|"fine"\n', log)

    assert [row[0] for row in _rows(table)] == ["1", "2", "3", "4"]
    assert [(p.rule, p.where) for p in log] == [("table.quote", "t.csv:3")]


def test_rows_of_the_wrong_length_are_told_and_kept(tmp_path: Path) -> None:
    log = ProblemLog()

    table = _read(tmp_path, b"A|B|C\n1\n1|2|3\n1|2|3|4|5\n1|2|3||\n", log)

    assert _rows(table) == [["1", "", ""], ["1", "2", "3"], ["1", "2", "3"], ["1", "2", "3"]]
    assert [(p.rule, p.where) for p in log] == [
        ("table.short-row", "t.csv:2"),
        ("table.long-row", "t.csv:4"),
    ]


def test_many_bad_rows_are_summed_up(tmp_path: Path) -> None:
    log = ProblemLog()

    table = _read(tmp_path, b"A|B\n" + b"1\n" * 1000, log)

    assert len(table) == 1000
    assert len(log) == separated_text.NAMED_ROWS + 1
    assert "980 more rows" in list(log)[-1].message


def test_a_column_that_occurs_twice_is_kept_under_another_name(tmp_path: Path) -> None:
    log = ProblemLog()

    table = _read(tmp_path, b"A|A||A\n1|2|3|4\n", log)

    assert table.names == ("A", "A_2", "Column3", "A_3")
    assert [p.rule for p in log] == ["table.column-twice", "table.column-twice"]


def test_a_row_that_is_not_utf8_is_read_as_latin1_and_told(tmp_path: Path) -> None:
    log = ProblemLog()

    table = _read(tmp_path, b"A|B\n1|caf\xe9\n2|caf\xc3\xa9\n", log)

    assert _rows(table) == [["1", "café"], ["2", "café"]]
    assert [(p.rule, p.where) for p in log] == [("table.encoding", "t.csv:2")]


@pytest.mark.parametrize("content", [b"", b"\n", b"   \nA|B\n", b"\xef\xbb\xbf"])
def test_a_table_without_header_is_no_table(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(CodecError) as refused:
        _read(tmp_path, content)

    assert refused.value.rule == "table.empty"


def test_a_header_alone_is_a_table_without_rows(tmp_path: Path) -> None:
    table = _read(tmp_path, b"A|B")

    assert table.names == ("A", "B")
    assert len(table) == 0
    assert table["A"].dictionary[1] == ()
    assert not table["A"].is_numeric


def test_the_header_is_read_without_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"A|B\n1|2\n" + b"x" * 200_000)

    assert read_first_rows(path) == (("A", "B"), ("1", "2"))
    assert read_header(tmp_path / "absent.csv") == ()


def test_a_table_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(CodecError, match="cannot be read"):
        read_table(tmp_path, name="folder", log=ProblemLog())


def test_a_cell_too_long_for_the_csv_module_costs_only_its_row(tmp_path: Path) -> None:
    log = ProblemLog()

    table = _read(tmp_path, b'A|B\n1|"a|b"\n2|"' + b"x" * 200_000 + b'"\n3|z\n', log)

    assert [row[0] for row in _rows(table)] == ["1", "2", "3"]
    assert [p.rule for p in log] == ["table.quote"]


def test_a_header_without_end_is_refused_before_its_columns_are_made(tmp_path: Path) -> None:
    header = b"|".join(b"c%d" % number for number in range(separated_text.MAX_COLUMNS + 1))

    with pytest.raises(CodecError, match="more than 10000 columns"):
        _read(tmp_path, header + b"\n1\n")


def test_rows_with_nul_bytes_are_told(tmp_path: Path) -> None:
    log = ProblemLog()

    _read(tmp_path, b"A|B\n1|x\n2|y\0z\n", log)

    assert [(problem.rule, problem.where) for problem in log] == [("table.nul", "t.csv:3")]


def test_a_comma_in_a_column_name_does_not_hide_the_semicolons(tmp_path: Path) -> None:
    assert _read(tmp_path, b"A;B, really;C\n1;2;3\n").names == ("A", "B, really", "C")


@pytest.mark.parametrize("rest", [b"\n1|x|2\n", b'\n1|"x\ny"|2\n'], ids=["quick", "careful"])
def test_names_in_quotes_are_remembered(tmp_path: Path, rest: bytes) -> None:
    table = _read(tmp_path, b'A|"B"|"C"' + rest)

    assert table.names == ("A", "B", "C")
    assert table.quoted_names == {"B", "C"}
    assert table.take(np.array([0])).quoted_names == {"B", "C"}
