"""Choosing from a table of both graphs equals comparing what is left of the answer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core.graph.provenance import (
    Comparison,
    LinkMatch,
    ReferenceGraph,
    SystemGraph,
    SystemLink,
    SystemNode,
    compare,
)
from forensicviewer.core.graph.sweep import Cut
from forensicviewer.core.graph.threshold_table import OUTCOMES, ThresholdTable
from tests.core.graph.thresholds import cut, references, systems

thresholds = st.sampled_from([float("-inf"), 0.0, 0.3, 0.5, 1.0, 2.0])


def counted(link: LinkMatch) -> tuple[object, ...]:
    """Without the positions of nodes, which are others in what is left of an answer."""
    given = None if link.system is None else (link.system.confidence, link.system.operation)
    return link.ends, link.match, link.reference, given, link.is_reversed


@given(
    reference=references(),
    system=systems(),
    undirected=st.booleans(),
    nodes_at=thresholds,
    links_at=thresholds,
)
def test_a_choice_equals_comparing_what_is_left(
    reference: ReferenceGraph,
    system: SystemGraph,
    *,
    undirected: bool,
    nodes_at: float,
    links_at: float,
) -> None:
    at = Cut(nodes=nodes_at, links=links_at)
    plain = compare(reference, cut(system, at), undirected=undirected)

    chosen = ThresholdTable(reference, system, undirected=undirected).at(at)

    assert chosen.nodes == plain.nodes
    assert list(map(counted, chosen.links)) == list(map(counted, plain.links))
    assert chosen.scores == plain.scores


@given(reference=references(), system=systems(), undirected=st.booleans())
def test_without_a_threshold_it_is_the_comparison_of_the_command_line(
    reference: ReferenceGraph, system: SystemGraph, *, undirected: bool
) -> None:
    chosen = ThresholdTable(reference, system, undirected=undirected).at(Cut())

    assert chosen == compare(reference, system, undirected=undirected)


@given(reference=references(), system=systems(), undirected=st.booleans(), nodes_at=thresholds)
def test_the_codes_of_all_rows_say_what_the_comparison_says(
    reference: ReferenceGraph, system: SystemGraph, *, undirected: bool, nodes_at: float
) -> None:
    table = ThresholdTable(reference, system, undirected=undirected)
    found = table.outcomes(Cut(nodes=nodes_at))
    compared: Comparison = table.comparison(found)

    said = {name: OUTCOMES[found.nodes[row]] for name, row in table.node_rows.items()}
    drawn = {pair: OUTCOMES[found.links[row]] for pair, row in table.link_rows.items()}

    assert {name: match for name, match in said.items() if match} == {
        node.file: node.match for node in compared.nodes
    }
    assert {pair: match for pair, match in drawn.items() if match} == {
        link.ends: link.match for link in compared.links
    }


def test_links_go_with_their_ends() -> None:
    nodes = (SystemNode("1", "a", 0.9), SystemNode("2", "b", 0.2), SystemNode("3", "c", None))
    graph = SystemGraph(nodes, (SystemLink(0, 1, 1), SystemLink(0, 2, 0.4), SystemLink(2, 0, 0.8)))
    table = ThresholdTable(ReferenceGraph("a", {}, {}), graph, undirected=False)

    left = table.at(Cut(nodes=0.5, links=0.5))

    assert {node.file for node in left.nodes} == {"a", "c"}
    assert [link.ends for link in left.links] == [("c", "a")]
