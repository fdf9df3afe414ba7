"""Leaving out what the system is less sure of: the curve equals scoring what is left."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core.graph.provenance import ReferenceGraph, SystemGraph, compare
from forensicviewer.core.graph.sweep import Cut, link_curve, node_curve
from tests.core.graph.thresholds import cut, references, systems


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
