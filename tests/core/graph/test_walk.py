"""Walking a graph with the arrow keys."""

from __future__ import annotations

import numpy as np
import pytest

from forensicviewer.core.graph.walk import along, beside

#   a   c
#   b   d   e
PLACES = {
    "a": (0.0, 0.0),
    "b": (0.0, 90.0),
    "c": (300.0, 0.0),
    "d": (300.0, 90.0),
    "e": (600.0, 90.0),
}
LINKS = [("a", "c"), ("d", "b"), ("d", "e"), ("c", "e"), ("a", "a")]


@pytest.mark.parametrize(
    ("start", "side", "reached"),
    [("a", 1, "c"), ("a", -1, None), ("b", 1, "d"), ("e", -1, "d"), ("c", -1, "a")],
)
def test_a_side_key_goes_along_a_link_whichever_way_it_points(
    start: str, side: int, reached: str | None
) -> None:
    assert along(LINKS, start, to_the=side, place_of=PLACES.__getitem__) == reached


@pytest.mark.parametrize(
    ("start", "side", "reached"),
    [("a", 1, "b"), ("d", -1, "c"), ("b", 1, None), ("e", -1, "c")],
)
def test_up_and_down_stay_in_the_column_where_they_can(
    start: str, side: int, reached: str | None
) -> None:
    found = beside(np.array([*PLACES.values()]), PLACES[start], to_the=side)

    assert (None if found is None else [*PLACES][found]) == reached
