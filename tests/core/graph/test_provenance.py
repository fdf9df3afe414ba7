"""Reference graphs and their comparison, by hand and by property."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forensicviewer.core.graph import provenance
from forensicviewer.core.graph.provenance import (
    JournalLink,
    JournalNode,
    Match,
    MatchCounts,
    ProvenanceJournal,
    ReferenceGraph,
    ReferenceRules,
    SystemGraph,
    SystemLink,
    SystemNode,
    bridge,
    compare,
    find_cycle,
    reduced_to_direct,
    reference_graph,
    scored_links,
)
from forensicviewer.core.problem import ScoringError

FULL = ReferenceRules(direct=False, keeps_unlinked=False)
DIRECT = ReferenceRules(direct=True, keeps_unlinked=False)


def a_journal(*links: str) -> ProvenanceJournal:
    """``ab`` is a link from a to b, ``ab:Donor`` one with that operation; a is node 0."""
    last = max((ord(name) for link in links for name in link[:2]), default=ord("a"))
    nodes = tuple(JournalNode(chr(c), f"{chr(c)}.png") for c in range(ord("a"), last + 1))
    steps = (
        JournalLink(ord(link[0]) - 97, ord(link[1]) - 97, link[3:] or "Blur") for link in links
    )
    return ProvenanceJournal(nodes, tuple(steps))


def keep(names: str) -> dict[int, str]:
    return {ord(name) - 97: name for name in names}


def reference_of(
    journal: ProvenanceJournal, names: str, probe: str, rules: ReferenceRules
) -> ReferenceGraph:
    return reference_graph(journal, kept=keep(names), probe=ord(probe) - 97, rules=rules)


def a_system(nodes: str, *links: str) -> SystemGraph:
    return SystemGraph(
        tuple(SystemNode(name, name, 1) for name in nodes),
        tuple(SystemLink(nodes.index(link[0]), nodes.index(link[1]), 1) for link in links),
    )


def ends_of(reference: ReferenceGraph) -> set[str]:
    return {source + target for source, target in reference.links}


def test_images_outside_the_world_set_are_bridged() -> None:
    journal = a_journal("ab", "bc", "bd", "ae")

    reference = reference_of(journal, "acde", "d", FULL)

    assert ends_of(reference) == {"ac", "ad", "ae"}
    assert reference.links["a", "c"].through == (1,)


def test_a_bridge_takes_the_shortest_way_and_names_its_operations() -> None:
    journal = a_journal("ab:Crop", "bc:Blur", "cd:Paste", "bd:Save")

    link = reference_of(journal, "ad", "d", FULL).links["a", "d"]

    assert link.operations == ("Crop", "Save")
    assert link.steps == (0, 3)


def test_a_way_through_a_kept_image_is_no_link_of_its_own() -> None:
    assert ends_of(reference_of(a_journal("ab", "bc"), "abc", "c", FULL)) == {"ab", "bc"}


def test_a_donor_link_beside_an_anti_forensic_step_does_not_count() -> None:
    journal = a_journal("ac:Donor", "bc:AntiForensicExif", "ad:Donor")

    assert scored_links(journal) == [1, 2]


def test_the_direct_reference_holds_ancestors_and_descendants_only() -> None:
    journal = a_journal("ab", "bc", "ad", "ce", "de")

    reference = reference_of(journal, "abcde", "b", DIRECT)

    assert ends_of(reference) == {"ab", "bc", "ce"}
    assert set(reference.nodes) == set("abce")


def test_a_probe_without_links_has_an_empty_reference() -> None:
    journal = a_journal("ab", "bc")

    assert reference_of(journal, "c", "c", FULL).nodes == {}


def test_unlinked_images_stay_where_the_rules_keep_them() -> None:
    journal = a_journal("ab", "ac", "de")
    rules = ReferenceRules(direct=False, keeps_unlinked=True)
    direct = ReferenceRules(direct=True, keeps_unlinked=True)

    assert set(reference_of(journal, "bcd", "b", rules).nodes) == set("bcd")
    assert set(reference_of(journal, "bcd", "b", direct).nodes) == {"b"}


def test_too_many_ways_are_refused_rather_than_walked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provenance, "MAX_STEPS", 3)

    with pytest.raises(ScoringError, match="too many paths"):
        bridge(a_journal("ab", "bc", "ac", "ad", "bd"), kept=[0, 1, 2, 3])


def test_a_long_chain_outside_the_world_set_is_bridged() -> None:
    n = 100_000
    nodes = tuple(JournalNode(str(i), "") for i in range(n))
    links = tuple(JournalLink(i, i + 1, "Blur") for i in range(n - 1))

    found = bridge(ProvenanceJournal(nodes, links), kept={0, n - 1})

    assert list(found) == [(0, n - 1)]


@pytest.mark.parametrize(
    ("links", "length"),
    [((), 0), (("ab", "bc", "ac"), 0), (("ab", "ba"), 2), (("aa",), 1), (("ab", "cd", "dc"), 2)],
)
def test_cycles_are_found_wherever_they_are(links: tuple[str, ...], length: int) -> None:
    assert len(find_cycle([(link[0], link[1]) for link in links])) == length


def test_a_found_cycle_follows_the_links() -> None:
    links = {("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("d", "e")}

    cycle = find_cycle(sorted(links))

    assert set(cycle) == {"b", "c", "d"}
    assert set(zip(cycle, (*cycle[1:], cycle[0]), strict=True)) <= links


def test_nodes_and_links_are_matched_missed_or_invented() -> None:
    reference = reference_of(a_journal("ab", "bc", "cd"), "abcd", "d", FULL)

    comparison = compare(reference, a_system("abdx", "ab", "db"), undirected=False)

    assert {node.file: node.match for node in comparison.nodes} == {
        "a": Match.MATCHED,
        "b": Match.MATCHED,
        "c": Match.MISSED,
        "d": Match.MATCHED,
        "x": Match.INVENTED,
    }
    scores = comparison.scores
    assert scores.nodes == MatchCounts(matched=3, missed=1, invented=1)
    assert scores.links == MatchCounts(matched=1, missed=2, invented=1)
    assert scores.sim_no == 6 / 8
    assert scores.sim_lo == 2 / 5
    assert scores.sim_nlo == 8 / 13
    assert scores.node_recall == 3 / 4


def test_an_undirected_link_counts_in_either_direction_but_once() -> None:
    reference = reference_of(a_journal("ab", "bc"), "abc", "c", FULL)

    turned = compare(reference, a_system("abc", "ba"), undirected=True)
    both = compare(reference, a_system("abc", "ab", "ba"), undirected=True)

    assert turned.scores.links == MatchCounts(matched=1, missed=1)
    assert [link.is_reversed for link in turned.links] == [True, False]
    assert both.scores.links == MatchCounts(matched=1, missed=1, invented=1)


def test_two_empty_graphs_have_no_similarity() -> None:
    empty = compare(ReferenceGraph("p", {}, {}), SystemGraph(), undirected=False).scores

    assert (empty.sim_no, empty.sim_lo, empty.sim_nlo, empty.node_recall) == (None,) * 4


def test_the_last_of_repeated_nodes_and_links_counts() -> None:
    nodes = (SystemNode("1", "a", 0.1), SystemNode("2", "a", 0.9), SystemNode("3", "b", 1))
    graph = SystemGraph(nodes, (SystemLink(0, 2, 0.3), SystemLink(1, 2, 0.4)))

    assert graph.by_file()["a"].confidence == 0.9
    assert graph.by_ends()["a", "b"].confidence == 0.4


def test_a_system_graph_reduces_to_ways_through_the_probe() -> None:
    graph = reduced_to_direct(a_system("abcdx", "ab", "bc", "ad"), probe="b")

    assert {node.file for node in graph.nodes} == set("abc")
    assert set(graph.by_ends()) == {("a", "b"), ("b", "c")}


names = st.sampled_from("abcdef")
links = st.sets(st.tuples(names, names).filter(lambda ends: ends[0] < ends[1]), max_size=12)


@given(links)
def test_a_system_that_returns_the_reference_scores_one(ends: set[tuple[str, str]]) -> None:
    journal = a_journal(*(a + b for a, b in sorted(ends)), "af")
    reference = reference_of(journal, "abcdef", "f", FULL)
    touched = "".join(sorted(reference.nodes))

    scores = compare(
        reference, a_system(touched, *sorted(ends_of(reference))), undirected=False
    ).scores

    assert (scores.sim_no, scores.sim_lo, scores.sim_nlo, scores.node_recall) == (1, 1, 1, 1)


@given(links, st.sets(names, min_size=2))
def test_bridges_join_what_left_out_images_join(ends: set[tuple[str, str]], kept: set[str]) -> None:
    journal = a_journal(*(a + b for a, b in sorted(ends)), "af")
    outgoing = {(journal.nodes[x.source].id, journal.nodes[x.target].id) for x in journal.links}

    found = {(a + b) for a, b in _by_name(bridge(journal, kept=keep("".join(kept))))}

    assert found == {a + b for a in kept for b in kept if _joined(a, b, outgoing, kept)}


def _by_name(found: Iterable[tuple[int, int]]) -> set[tuple[str, str]]:
    return {(chr(97 + a), chr(97 + b)) for a, b in found}


def _joined(a: str, b: str, ends: set[tuple[str, str]], kept: set[str]) -> bool:
    return (a, b) in ends or any(
        _joined(middle, b, ends, kept)
        for source, middle in ends
        if source == a and middle not in kept
    )


def test_links_along_a_node_are_found_once_where_ways_meet_again() -> None:
    ends = {"ab": "ab", "ac": "ac", "bd": "bd", "cd": "cd", "xd": "xd", "de": "de"}
    pairs = {key: (end[0], end[1]) for key, end in ends.items()}

    assert provenance.links_along(pairs, through="d") == {"ab", "ac", "bd", "cd", "xd", "de"}
    assert provenance.links_along(pairs, through="b") == {"ab", "bd", "de"}
