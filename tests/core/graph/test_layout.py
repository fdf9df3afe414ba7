"""Layouts: links run to the right, nothing overlaps, the same graph gets the same picture."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core.graph.layers import (
    Layers,
    break_cycles,
    crossings,
    insert_bends,
    order_layers,
)
from forensicviewer.core.graph.layout import GraphLayout, Spacing, force, layered, spread

pairs = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=30)


def go_on() -> None:
    pass


def least_distance(layout: GraphLayout) -> float:
    apart = np.abs(layout.points[:, None] - layout.points[None])
    taken = apart / [Spacing().across, Spacing().along]
    np.fill_diagonal(taken[:, :, 0], 9)
    return float(taken.max(axis=2).min())


def crossings_of(layers: Layers) -> int:
    place = np.zeros(len(layers.levels))
    for column in layers.columns:
        place[column] = np.arange(len(column))
    return crossings(layers, place)


def test_a_chain_runs_from_left_to_right_on_one_line() -> None:
    layout = layered(4, [(0, 1), (1, 2), (2, 3)])

    assert np.allclose(np.diff(layout.points[:, 0]), Spacing().across)
    assert np.allclose(layout.points[:, 1], layout.points[0, 1])


def test_an_empty_graph_has_an_empty_layout() -> None:
    assert layered(0, []).points.shape == (0, 2)
    assert force(0, [], start=np.zeros((0, 2))).points.shape == (0, 2)


@given(pairs)
def test_no_two_nodes_overlap_and_every_place_is_a_number(ends: list[tuple[int, int]]) -> None:
    layout = layered(15, ends)

    assert np.isfinite(layout.points).all()
    assert least_distance(layout) > 0.999


@given(pairs)
def test_links_of_a_graph_without_cycles_run_to_the_right(ends: list[tuple[int, int]]) -> None:
    forward = [(a, b) for a, b in ends if a < b]

    x = layered(15, forward).points[:, 0]

    assert all(x[a] < x[b] for a, b in forward)


@given(pairs)
def test_turning_links_round_leaves_no_cycle(ends: list[tuple[int, int]]) -> None:
    turned = [(a, b) for a, b in break_cycles(15, ends) if a != b]

    left = set(turned)
    while left:
        targets = {b for _, b in left}
        free = {(a, b) for a, b in left if a not in targets}
        assert free
        left -= free


@given(pairs)
def test_the_same_graph_gets_the_same_picture(ends: list[tuple[int, int]]) -> None:
    assert np.array_equal(layered(15, ends).points, layered(15, ends).points)


def test_a_long_link_bends_around_the_nodes_between() -> None:
    layout = layered(4, [(0, 1), (1, 2), (2, 3), (0, 3)])

    (bends,) = layout.bends.values()
    assert len(bends) == 2
    assert np.abs(bends[:, 1] - layout.points[1, 1]).min() > 20


def test_the_bends_of_a_link_that_runs_back_follow_its_direction() -> None:
    layout = layered(4, [(0, 1), (1, 2), (2, 3), (3, 0)])

    (bends,) = layout.bends.values()
    assert bends[0, 0] > bends[-1, 0]


def test_a_wide_fan_is_folded_into_several_layers() -> None:
    layout = layered(401, [(0, i) for i in range(1, 401)])

    assert np.ptp(layout.points[:, 1]) < 60 * Spacing().along


def test_unlinked_nodes_stand_in_rows_below() -> None:
    layout = layered(102, [(0, 1)])

    assert layout.points[2:, 1].min() > layout.points[:2, 1].max()
    assert len(np.unique(layout.points[2:, 1])) <= 12


def test_crossings_that_need_not_be_are_undone() -> None:
    # a tree whose children are listed crosswise
    ends = [(0, 4), (1, 3), (0, 6), (1, 5), (2, 0), (2, 1)]
    levels = np.array([1, 1, 0, 2, 2, 2, 2])
    layers = insert_bends(7, ends, levels, [0] * 6)

    order_layers(layers, go_on)

    assert crossings_of(layers) == 0


def test_spread_pools_what_would_cross() -> None:
    wished = np.array([1.0, 5.0, 3.0, 7.0])

    assert spread(wished, np.ones(4)).tolist() == [1.0, 4.0, 4.0, 7.0]


def test_work_stops_when_it_is_no_longer_wanted() -> None:
    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        layered(3, [(0, 1), (1, 2)], check=stop)
    with pytest.raises(InterruptedError):
        force(3, [(0, 1)], start=np.zeros((3, 2)), check=stop)


@pytest.mark.parametrize("count", [30, 700])
def test_forces_push_nodes_apart_and_pull_linked_ones_together(count: int) -> None:
    ends = [(i, i + 1) for i in range(count - 1)]
    start = layered(count, ends).points

    points = force(count, ends, start=start).points

    linked = np.linalg.norm(np.diff(points, axis=0), axis=1)
    assert np.isfinite(points).all()
    assert 20 < np.median(linked) < 600
    assert np.array_equal(points, force(count, ends, start=start).points)


def test_a_graph_with_too_many_bends_goes_without() -> None:
    count = 700
    chain = [(i, i + 1) for i in range(count - 1)]
    long = [(i, count - 1 - i) for i in range(200)]  # each from another node

    assert layered(count, [*chain, *long]).bends == {}


def test_nodes_without_links_only_push_each_other_apart() -> None:
    layout = force(3, [], start=np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))

    assert np.isfinite(layout.points).all()
    assert least_distance(layout) > 0


def test_a_graph_too_large_to_untangle_is_ordered_all_the_same() -> None:
    count = 2600

    layout = layered(count, [(0, node) for node in range(1, count)])

    assert (layout.points[1:, 0] > layout.points[0, 0]).all()
    assert len({*layout.points[1:, 1].tolist()}) == count - 1


def test_a_tangle_too_large_for_exchanges_loses_crossings_all_the_same() -> None:
    half = 1300
    steps = (7, 11, 500)
    ends = [(node, half + node * step % half) for node in range(half) for step in steps]
    levels = np.repeat([0, 1], half)
    layers = insert_bends(2 * half, ends, levels, [0] * len(ends))
    before = crossings_of(layers)

    order_layers(layers, go_on)

    assert crossings_of(layers) < before
