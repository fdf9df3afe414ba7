"""The query language: what it means, what it refuses, and that pandas agrees."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core.problem import QueryError
from forensicviewer.core.query.grammar import name_in_query, parse
from forensicviewer.core.table.text_table import Table

TRIALS = Table.of(
    "trials.csv",
    {
        "Name": ["x", "y", "z", ""],
        "Count": ["1", "2", "3", "4"],
        "Score": [".1", "", "3e-1", "-0.4"],
        "Cropped": ["True", "False", "True", "False"],
        "Two words": ["a b", "it's", 'say "hi"', "back\\slash"],
    },
)


def rows(text: str, *, text_columns: tuple[str, ...] = ()) -> list[int]:
    return [
        int(row) for row in np.flatnonzero(parse(text).matches(TRIALS, text_columns=text_columns))
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Name=='x'", [0]),
        ('Name == "x"', [0]),
        ("Name==['x','y']", [0, 1]),
        ("Name==('x','y',)", [0, 1]),
        ("Name!=['x','y']", [2, 3]),
        ("Name in ['x']", [0]),
        ("Name not in ['x']", [1, 2, 3]),
        ("'x'==Name", [0]),
        ("'x' in Name", [0]),
        ("Name==[]", []),
        ("Name==()", []),
        ("Name==''", [3]),
        ("Name<'y'", [0, 3]),
        ("Name==Name", [0, 1, 2, 3]),
        ("Name<`Two words`", [3]),
        ("Count==Score", []),
        ("Count>Score", [0, 2, 3]),
        ("Count==Name", []),
        ("Name==1", []),
        ("Name!=1", [0, 1, 2, 3]),
        ("Count>=2", [1, 2, 3]),
        ("2>Count", [0]),
        ("2<=Count<4", [1, 2]),
        ("Count<2<3", [0]),
        ("Count==-1 or Count==+1", [0]),
        ("Count==1_0", []),
        ("Count==[1, 3.0]", [0, 2]),
        ("Count=='1'", [0]),
        ("Count==True", [0]),
        ("Score<0.2", [0, 3]),
        ("Score!=0.1", [1, 2, 3]),
        ("Score!=[.1]", [1, 2, 3]),
        ("Cropped", [0, 2]),
        ("not Cropped", [1, 3]),
        ("~Cropped", [1, 3]),
        ("~~Cropped and not not Cropped", [0, 2]),
        ("Cropped==False", [1, 3]),
        ("Cropped=='True'", [0, 2]),
        ("Cropped==[1]", [0, 2]),
        ("True", [0, 1, 2, 3]),
        ("Name=='x' & Count<3", [0]),
        ("Name=='x' | Count==3 & Score>0.2", [0, 2]),
        ("not Name=='x' and Count==2", [1]),
        ("not (Name=='x' or Count==2)", [2, 3]),
        ("~(Name=='x') & (Count!=2)", [2, 3]),
        ("`Two words`=='a b'", [0]),
        ('`Two words`=="it\'s"', [1]),
        (r"`Two words`=='it\'s'", [1]),
        (r"`Two words`=='back\\slash'", [3]),
        (r"Name==u'\x78' or Name=='\d'", [0]),
        ("1==1 and 'a'<'b'", [0, 1, 2, 3]),
    ],
)
def test_a_query_selects_rows_as_pandas_reads_it(text: str, expected: list[int]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("Name=='x' and", "ends too early"),
        ("Name = 'x'", "write == to compare"),
        ("Name=='x", "A quotation mark is not closed"),
        ("Name==x", "no column 'x'"),
        ("Nmae=='x'", "did you mean Name?"),
        ("count==1", "did you mean Count?"),
        ("Zzzzzz==1", "columns: Name, Count, Score"),
        ("Name<1", "is text"),
        ("Count<'1'", "write the number without quotes"),
        ("Name<Count", "cannot be compared: one holds text"),
        ("Count<[1]", "use == or in with a list"),
        ("'a'<1", "cannot be compared"),
        ("Name", "compare it"),
        ("'x'", "not a condition"),
        ("['x']", "not a condition"),
        ("Name=='x' and 1", "not a condition"),
        ("(Name=='x')==True", "cannot be compared"),
        ("~Name=='x'", "cannot be compared"),
        ("Name.str.len()==1", "'.' is not part"),
        ("Count*2==4", "'*' is not part"),
        ("Count+1==2", "Unexpected '+'"),
        ("__import__('os')", "Unexpected '('"),
        ("@x==1", "'@' is not part"),
        ("(Name=='x'", "closing parenthesis"),
        ("Name==['x' 'y']", "expected ','"),
        ("Name==[-'x']", "expected a text"),
        ("Name=='x')", "Unexpected ')'"),
        ("Count==0x1", "'0' is not part"),
        ("(" * 101 + "Cropped" + ")" * 101, "nested too deeply"),
    ],
)
def test_a_query_that_cannot_be_answered_says_why(text: str, told: str) -> None:
    with pytest.raises(QueryError) as error:
        rows(text)

    assert told in str(error.value)


def test_text_columns_are_compared_as_text() -> None:
    assert rows("Count=='1'", text_columns=("Count",)) == [0]
    assert rows("Count==1", text_columns=("Count",)) == []
    assert rows("Cropped==True", text_columns=("Cropped",)) == []
    with pytest.raises(QueryError, match="is text"):
        rows("Count<2", text_columns=("Count",))


def verbatim(text: str, *, fills: bool = True) -> list[int]:
    columns = {name: TRIALS[name].typed_as_pandas(blanks_are_gaps=True) for name in TRIALS.names}
    if fills:
        columns = {name: column.filled("") for name, column in columns.items()}
    return np.flatnonzero(parse(text).matches_verbatim(columns)).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Score>5", [1]),
        ("Score<5", [0, 2, 3]),
        ("Score=='.1'", []),
        ("Score==.1", [0]),
        ("Score==['.1','']", [1]),
        ("Score!=['.1','']", [0, 2, 3]),
        ("Count=='1'", [0]),
        ("Count==['1','x']", []),
        ("Count==['1',2]", [0, 1]),
        ("Count=='1.5'", []),
        ("Name>5", [0, 1, 2, 3]),
        ("5>=Name", []),
        ("Name<'y'", [0, 3]),
        ("Name==1", []),
        ("Cropped", [0, 2]),
        ("not Cropped", [1, 3]),
        ("Cropped==True", [0, 2]),
        ("Cropped==['1']", [0, 2]),
        ("Cropped=='True'", []),
        ("Name>Count", [0, 1, 2, 3]),
        ("Count<Name", [0, 1, 2, 3]),
        ("Count>Score", [0, 2, 3]),
        ("Count==Score", []),
    ],
)
def test_cells_compare_verbatim_as_under_python_2(text: str, expected: list[int]) -> None:
    assert verbatim(text) == expected


def test_gaps_compare_verbatim_with_nothing_but_texts() -> None:
    assert verbatim("Score>-9", fills=False) == [0, 2, 3]
    assert verbatim("Score=='.1'", fills=False) == [0]
    assert verbatim("Score!=3", fills=False) == [0, 1, 2, 3]
    assert verbatim("Score<Name", fills=False) == [0, 1, 2]
    assert verbatim("Name>Score", fills=False) == [0, 2]


def test_what_stops_nists_programs_is_refused_verbatim_too() -> None:
    with pytest.raises(QueryError, match="cannot be compared with a text"):
        verbatim("Count>'2'")
    with pytest.raises(QueryError, match="not a condition"):
        verbatim("Count and Cropped")


def test_blanks_among_truth_values_are_not_true() -> None:
    table = Table.of("t.csv", {"Done": ["True", "", "False"]})

    assert parse("Done").matches(table).tolist() == [True, False, False]
    assert parse("Done==False").matches(table).tolist() == [False, False, True]


def test_a_blank_is_found_among_numbers() -> None:
    assert rows("Score==''") == [1]
    assert rows("Score!=['']") == [0, 2, 3]


def test_a_query_knows_its_columns_in_order_of_use() -> None:
    assert parse("B==1 and (A=='x' or B==2) and `C D`==3").columns == ("B", "A", "C D")


def test_an_empty_table_has_no_matching_row() -> None:
    empty = Table.of("empty.csv", {"Name": []})

    assert parse("Name=='x'").matches(empty).tolist() == []
    with pytest.raises(QueryError, match="no column"):
        parse("Other=='x'").matches(empty)


def test_long_flat_queries_need_no_depth() -> None:
    text = " or ".join(f"Count=={n}" for n in range(5000)) + " and " + "not " * 200 + "Cropped"

    assert rows(text) == [0, 1, 2, 3]


texts = st.sampled_from(["a", "b", "c", "it's", "A b"])
numbers = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0])
equalities = st.sampled_from(["==", "!="])
orderings = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
memberships = st.sampled_from(["==", "!=", "in", "not in"])


def compared(
    column: str, signs: st.SearchStrategy[str], value: st.SearchStrategy[object]
) -> st.SearchStrategy[str]:
    return st.builds(lambda sign, value: f"{column} {sign} {value!r}", signs, value)


comparisons = st.one_of(
    compared("T", orderings, texts),
    compared("T", memberships, st.lists(texts, min_size=1, max_size=3)),
    compared("N", orderings, numbers),
    compared("N", memberships, st.lists(numbers, min_size=1, max_size=3)),
    compared("T", equalities, numbers),
    compared("`F x`", orderings, numbers),
    compared("B", equalities, st.booleans()),
    st.just("B"),
    st.just("T == U"),
    st.just("N < `F x`"),
    st.builds(lambda low, high: f"{low!r} <= N < {high!r}", numbers, numbers),
)
conditions = st.recursive(
    comparisons,
    lambda inner: st.one_of(
        st.builds(
            lambda a, sign, b: f"{a} {sign} {b}",
            inner,
            st.sampled_from(["and", "or", "&", "|"]),
            inner,
        ),
        st.builds(lambda a: f"not {a}", inner),
        st.builds(lambda a: f"({a})", inner),
        st.builds(lambda a: f"~({a})", inner),
    ),
    max_leaves=6,
)
tables = st.lists(
    st.tuples(texts, texts, numbers, st.one_of(numbers, st.none()), st.booleans()),
    min_size=2,
    max_size=8,
)


@given(cells=tables, text=conditions)
def test_pandas_selects_the_same_rows(
    cells: list[tuple[str, str, float, float | None, bool]], text: str
) -> None:
    names = ["T", "U", "N", "F x", "B"]
    frame = pd.DataFrame(cells, columns=names).astype({"F x": float, "T": object, "U": object})
    columns = {
        name: ["" if cell is None else str(cell) for cell in column]
        for name, column in zip(names, zip(*cells, strict=True), strict=True)
    }
    if all(row[3] is None for row in cells):
        columns["F x"] = ["nan"] * len(cells)

    ours = np.flatnonzero(parse(text).matches(Table.of("t", columns), text_columns=("T", "U")))

    assert ours.tolist() == frame.query(text, engine="python").index.tolist()


@given(text=st.text(alphabet="ab'\"`()[],=<>!&|~ 1.-\\\n#@", max_size=30))
def test_any_text_is_parsed_or_refused_in_words(text: str) -> None:
    try:
        told = " ".join(parse(text).columns)
    except QueryError as error:
        told = error.message

    assert isinstance(told, str)


@pytest.mark.parametrize(
    ("column", "written"),
    [
        ("MCC", "MCC"),
        ("Größe", "Größe"),
        ("Donor MCC", "`Donor MCC`"),
        ("2nd", "`2nd`"),
        ("in", "`in`"),
        ("True", "`True`"),
    ],
)
def test_a_column_is_written_so_that_a_query_reads_it(column: str, written: str) -> None:
    assert name_in_query(column) == written
    assert parse(f"{written} == 1").columns == (column,)


@pytest.mark.parametrize("text", ["Donor MCC < 1", "x-y > 1", "A.B > 1"])
def test_a_name_with_signs_is_said_to_need_backticks(text: str) -> None:
    with pytest.raises(QueryError) as error:
        parse(text)

    assert "backticks" in error.value.hint
