"""Leaving out what the system is less sure of: the curve equals scoring what is left."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core.graphsweep import Cut, cut, link_curve, node_curve
from forensicviewer.core.provenance import (
    JournalNode,
    ReferenceGraph,
    ReferenceLink,
    SystemGraph,
    SystemLink,
    SystemNode,
    compare,
)

names = st.sampled_from("abcde")
ends = st.tuples(names, names).filter(lambda pair: pair[0] != pair[1])
sureness = st.sampled_from([None, 0, 0.25, 0.5, 1])


@st.composite
def references(draw: st.DrawFn) -> ReferenceGraph:
    links = {pair for pair in draw(st.sets(ends, max_size=6)) if pair[0] < pair[1]}
    nodes = {name: JournalNode(name, name) for pair in links for name in pair}
    return ReferenceGraph("a", nodes, {pair: ReferenceLink((0,), ("Blur",)) for pair in links})


@st.composite
def systems(draw: st.DrawFn) -> SystemGraph:
    files = draw(st.lists(names, min_size=1, max_size=6))
    nodes = tuple(SystemNode(str(i), file, draw(sureness)) for i, file in enumerate(files))
    position = st.integers(0, len(files) - 1)
    links = draw(st.lists(st.tuples(position, position, sureness), max_size=8))
    return SystemGraph(nodes, tuple(SystemLink(*link) for link in links))


def test_nothing_is_left_out_without_a_threshold() -> None:
    graph = SystemGraph((SystemNode("1", "a", 0.1),))

    assert cut(graph, Cut()) is graph


def test_links_go_with_their_ends() -> None:
    nodes = (SystemNode("1", "a", 0.9), SystemNode("2", "b", 0.2), SystemNode("3", "c", None))
    graph = SystemGraph(nodes, (SystemLink(0, 1, 1), SystemLink(0, 2, 0.4), SystemLink(2, 0, 0.8)))

    left = cut(graph, Cut(nodes=0.5, links=0.5))

    assert {node.file for node in left.nodes} == {"a", "c"}
    assert list(left.by_ends()) == [("c", "a")]


@given(
    reference=references(),
    system=systems(),
    undirected=st.booleans(),
    links_at=st.sampled_from([0.0, 0.5]),
)
def test_the_node_curve_equals_scoring_what_is_left(
    reference: ReferenceGraph, system: SystemGraph, *, undirected: bool, links_at: float
) -> None:
    curve = node_curve(reference, system, undirected=undirected, links_at=links_at)

    for i, threshold in enumerate(curve.confidences):
        left = cut(system, Cut(nodes=float(threshold), links=links_at))
        assert curve.scores(i) == compare(reference, left, undirected=undirected).scores


@given(
    reference=references(),
    system=systems(),
    undirected=st.booleans(),
    nodes_at=st.sampled_from([0.0, 0.5]),
)
def test_the_link_curve_equals_scoring_what_is_left(
    reference: ReferenceGraph, system: SystemGraph, *, undirected: bool, nodes_at: float
) -> None:
    curve = link_curve(reference, system, undirected=undirected, nodes_at=nodes_at)

    for i, threshold in enumerate(curve.confidences):
        left = cut(system, Cut(nodes=nodes_at, links=float(threshold)))
        assert curve.scores(i) == compare(reference, left, undirected=undirected).scores


@given(references(), systems())
def test_the_curves_speak_of_the_same_numbers_as_the_scores(
    reference: ReferenceGraph, system: SystemGraph
) -> None:
    curve = node_curve(reference, system, undirected=False)

    for i in range(len(curve)):
        scores = curve.scores(i)
        assert scores.sim_no == curve.sim_no[i]
        assert scores.sim_nlo == curve.sim_nlo[i]
        assert scores.sim_lo == curve.sim_lo[i] or scores.sim_lo is None
