"""Partition queries: NIST's grammar, its oddities, and the careful reading."""

import pytest

from forensicviewer.core.problem import QueryError
from forensicviewer.core.query.partition import Partitions, partitions

COLUMNS = ("Purpose", "Operation", "Width", "Score")


def read(text: str, *, knows_greater: bool = False, verbatim: bool = True) -> Partitions:
    return partitions(text, columns=COLUMNS, knows_greater=knows_greater, verbatim=verbatim)


def test_every_combination_of_the_lists_is_a_part_in_their_order() -> None:
    found = read("Purpose==['add', 'remove'] & Operation==['Fill','Paste']")

    assert found.factors == ("Purpose", "Operation")
    assert [part.query for part in found.parts] == [
        "Purpose=='add' & Operation=='Fill'",
        "Purpose=='add' & Operation=='Paste'",
        "Purpose=='remove' & Operation=='Fill'",
        "Purpose=='remove' & Operation=='Paste'",
    ]
    assert found.parts[1].labels == ("'add'", "'Paste'")


def test_less_than_terms_are_conditions_of_every_part() -> None:
    found = read("Purpose==['add'] and 10<=Width<=20 & Score<0.5")

    assert found.factors == ("Purpose", "Width", "Score")
    assert found.parts[0].query == "Purpose=='add' & 10<=Width<=20 & Score<0.5"
    assert found.parts[0].labels == ("'add'", "10<=Width<=20", "Score<0.5")


def test_other_terms_are_ignored_and_named() -> None:
    text = "Purpose==['add'] & Operation!=['Fill'] & Score>0.5"

    assert read(text).ignored == ("Operation!=['Fill']", "Score>0.5")
    assert read(text, knows_greater=True).ignored == ("Operation!=['Fill']",)


def test_a_later_list_for_the_same_column_replaces_the_earlier_one() -> None:
    found = read("Purpose==['add'] & Purpose==['remove']")

    assert [part.query for part in found.parts] == ["Purpose=='remove'"]
    assert found.factors == ("Purpose", "Purpose")


def test_nist_drops_spaces_inside_values_and_the_careful_reading_keeps_them() -> None:
    text = "Operation == ['Paste Sampled']"

    assert read(text).parts[0].query == "Operation=='PasteSampled'"
    assert read(text, verbatim=False).parts[0].query == "Operation=='Paste Sampled'"


def test_nist_cuts_words_at_and_where_the_careful_reading_does_not() -> None:
    text = "Operation==['Handmade'] and Purpose==['add']"

    with pytest.raises(QueryError):
        read(text)
    assert read(text, verbatim=False).parts[0].query == "Operation=='Handmade' & Purpose=='add'"


@pytest.mark.parametrize("text", ["Purpose==add", "Purpose==[]", "Purpose==[1,2]"])
def test_a_list_of_texts_is_required(text: str) -> None:
    with pytest.raises(QueryError, match="list of texts"):
        read(text)


@pytest.mark.parametrize("text", ["", "Purpose!=['add']"])
def test_a_partition_names_something_to_partition_by(text: str) -> None:
    with pytest.raises(QueryError, match="not a column to partition by"):
        read(text)


def test_conditions_alone_make_one_part() -> None:
    found = read("Width<5")

    assert [(part.query, part.labels) for part in found.parts] == [("Width<5", ("Width<5",))]
