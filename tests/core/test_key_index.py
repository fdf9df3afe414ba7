import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core.key_index import KeyIndex, TrialIds, matching_rows, repeated_rows
from forensicviewer.core.model import TaskKind, TrialId, key_columns, trial_id
from forensicviewer.core.table.text_table import Column

_PAIRS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy+")), max_size=12)


def _columns(pairs: list[tuple[str, str]]) -> list[Column]:
    return [Column.of(pair[i] for pair in pairs) for i in range(2)]


@given(_PAIRS, _PAIRS)
def test_rows_match_where_all_keys_are_equal(
    wanted: list[tuple[str, str]], offered: list[tuple[str, str]]
) -> None:
    expected = [offered.index(pair) if pair in offered else -1 for pair in wanted]

    assert matching_rows(_columns(wanted), _columns(offered)).tolist() == expected


@given(_PAIRS)
def test_repeated_rows_are_those_seen_before(pairs: list[tuple[str, str]]) -> None:
    expected = [i for i, pair in enumerate(pairs) if pair in pairs[:i]]

    assert repeated_rows(_columns(pairs)).tolist() == expected


def test_an_id_is_found_even_if_a_part_holds_the_separator() -> None:
    index = KeyIndex([Column.of(["a+b", "a", "z"]), Column.of(["c", "b+d", "z"])])

    assert index.row_of(TrialId("a+b+c")) == 0
    assert index.row_of(TrialId("a+b+d")) == 1
    assert index.row_of(TrialId("a+b")) is None
    assert index.row_of(TrialId("nothing")) is None
    assert index.rows_of([TrialId("z+z"), TrialId("q+q")]).tolist() == [2, -1]


def test_an_index_without_keys_finds_nothing() -> None:
    index = KeyIndex([])

    assert index.row_of(TrialId("a")) is None
    assert index.rows_of([TrialId("a")]).tolist() == [-1]


def test_ids_are_a_sequence_made_on_demand() -> None:
    ids = TrialIds([Column.of(["p1", "p2"]), Column.of(["d1", "d2"])])

    assert list(ids) == ["p1+d1", "p2+d2"]
    assert ids[1:] == ["p2+d2"]
    assert len(ids) == 2
    assert np.array_equal(KeyIndex(ids.keys).rows_of(ids), [0, 1])


def test_every_task_has_its_key() -> None:
    assert key_columns(TaskKind.MANIPULATION) == ("ProbeFileID",)
    assert key_columns(TaskKind.EVENT) == ("ProbeFileID", "EventName")
    assert key_columns(TaskKind.FILTERING) == ("ProvenanceProbeFileID",)
    assert trial_id(["a", "b"]) == "a+b"


@given(_PAIRS, _PAIRS, _PAIRS)
def test_an_index_asked_again_and_for_others_in_between_answers_alike(
    first: list[tuple[str, str]], second: list[tuple[str, str]], offered: list[tuple[str, str]]
) -> None:
    index = KeyIndex(_columns(offered))
    asked = [TrialIds(_columns(pairs)) for pairs in (first, second)]

    found = [index.rows_of(asked[turn]) for turn in (0, 0, 1, 0)]

    expected = [
        [offered.index(p) if p in offered else -1 for p in pairs] for pairs in (first, second)
    ]
    assert [rows.tolist() for rows in found] == [expected[turn] for turn in (0, 0, 1, 0)]
    assert found[0] is found[1]
