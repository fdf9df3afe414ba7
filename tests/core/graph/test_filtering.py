"""Rankings and recall, and the sort NIST's rankings depend on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core.graph.filtering import (
    Wanted,
    cuts,
    findings_at,
    quicksort_order,
    ranking,
    recall_at,
    recall_curve,
)
from forensicviewer.core.graph.provenance import Match, SystemNode
from forensicviewer.core.model import Edition
from forensicviewer.core.rules import MEDISCORE, PLAN, VERBATIM, RuleSet


def returned(**confidences: float | None) -> list[SystemNode]:
    return [SystemNode(name, name, confidence) for name, confidence in confidences.items()]


def wanted(*names: str) -> list[Wanted]:
    return [Wanted(name, "interim") for name in names]


def test_the_surest_image_comes_first_and_unrated_ones_last() -> None:
    ranked = ranking(returned(a=0.1, b=None, c=0.9, d=0.5), rules=MEDISCORE)

    assert [node.file for node in ranked] == ["c", "d", "a", "b"]


def test_recall_counts_wanted_images_among_the_first() -> None:
    ranked = ranking(returned(a=4, x=3, b=2, c=1), rules=MEDISCORE)

    recall = recall_at(3, ranked, wanted("a", "b", "c", "d"))

    assert (recall.matched, recall.missed, recall.invented, recall.value) == (2, 2, 1, 0.5)


def test_findings_say_line_by_line_what_recall_counts() -> None:
    ranked = ranking(returned(a=3, x=2), rules=MEDISCORE)

    lines = findings_at(2, ranked, wanted("a", "d"))

    assert [(line.file, line.match) for line in lines] == [
        ("a", Match.MATCHED),
        ("d", Match.MISSED),
        ("x", Match.INVENTED),
    ]


def test_nothing_to_find_has_no_recall() -> None:
    assert recall_at(50, ranking(returned(a=1), rules=MEDISCORE), []).value is None
    assert recall_curve(returned(a=1), []) == (0.0,)


def test_the_recall_curve_climbs_at_every_hit() -> None:
    assert recall_curve(returned(a=3, x=2, b=1), wanted("a", "b")) == (0.5, 0.5, 1.0)


@pytest.mark.parametrize(
    ("rules", "edition", "lengths"),
    [
        (MEDISCORE, Edition.NC2017, (50, 100, 200, 300, 500)),
        (VERBATIM, Edition.MFC2019, (50, 100, 200, 300)),
        (PLAN, Edition.NC2017, (50, 100, 200)),
        (PLAN, Edition.MFC2019, (300,)),
    ],
)
def test_each_rule_set_has_its_list_lengths(
    rules: RuleSet, edition: Edition, lengths: tuple[int, ...]
) -> None:
    assert cuts(rules, edition) == lengths


# Orders numpy 1.16 gave for these values.
@pytest.mark.parametrize(
    ("values", "order"),
    [
        ([1, 0, 1, 0], [1, 3, 0, 2]),
        ([0] * 17, [0, 14, 13, 12, 11, 10, 9, 15, 8, 6, 5, 4, 3, 2, 1, 7, 16]),
    ],
)
def test_ties_fall_as_numpy_leaves_them(values: list[float], order: list[int]) -> None:
    assert quicksort_order(values) == order


@given(st.lists(st.integers(0, 9), max_size=300))
def test_whatever_the_ties_the_order_is_sorted(values: list[int]) -> None:
    order = quicksort_order(values)

    assert sorted(order) == list(range(len(values)))
    assert [values[i] for i in order] == sorted(values)


def test_uneven_parts_fall_back_to_a_heap_and_are_sorted() -> None:
    # Built so that the median of three is always nearly the smallest value.
    half = 500
    values = [0] * (2 * half)
    for i in range(1, half + 1):
        values[i - 1] = i if i % 2 else half + i - 1
        values[half + i - 1] = 2 * i

    order = quicksort_order(values)

    assert [values[i] for i in order] == sorted(values)
