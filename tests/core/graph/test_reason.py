"""Every kind of mismatch is explained."""

from __future__ import annotations

import pytest

from forensicviewer.core.graph.provenance import (
    JournalNode,
    ReferenceGraph,
    ReferenceLink,
    SystemGraph,
    SystemLink,
    SystemNode,
)
from forensicviewer.core.graph.reason import Evidence, shortest_way, why_link, why_node
from forensicviewer.core.graph.sweep import Cut
from forensicviewer.core.graph.threshold_table import ThresholdTable


def a_reference(*links: str) -> ReferenceGraph:
    ends = {(f"w/{x[0]}.jpg", f"w/{x[1]}.jpg"): ReferenceLink((0,), ("Blur",)) for x in links}
    nodes = {name: JournalNode(name, name) for pair in ends for name in pair}
    return ReferenceGraph("w/a.jpg", nodes, ends)


def a_system(*links: str, extra: str = "", sure: float = 1.0) -> SystemGraph:
    names = list(dict.fromkeys([*(name for link in links for name in link), *extra]))
    nodes = tuple(SystemNode(name, f"w/{name}.jpg", sure) for name in names)
    steps = (SystemLink(names.index(x[0]), names.index(x[1]), sure) for x in links)
    return SystemGraph(nodes, tuple(steps))


def evidence_of(
    reference: ReferenceGraph,
    system: SystemGraph,
    *,
    whole: ReferenceGraph | None = None,
    named: dict[str, JournalNode] | None = None,
    world: tuple[str, ...] = (),
    undirected: bool = False,
    at: Cut | None = None,
) -> Evidence:
    limit = at or Cut()
    comparison = ThresholdTable(reference, system, undirected=undirected).at(limit)
    return Evidence(comparison, reference, whole or reference, named or {}, world, system, limit)


def node_reason(evidence: Evidence, name: str) -> str:
    (node,) = [n for n in evidence.comparison.nodes if n.file == f"w/{name}.jpg"]
    return str(why_node(node, evidence))


def link_reason(evidence: Evidence, ends: str) -> str:
    wanted = (f"w/{ends[0]}.jpg", f"w/{ends[1]}.jpg")
    (link,) = [x for x in evidence.comparison.links if x.ends == wanted]
    return str(why_link(link, evidence))


def test_what_both_graphs_have_is_correct() -> None:
    evidence = evidence_of(a_reference("ab"), a_system("ab"))

    assert node_reason(evidence, "a") == "Correct: this image is in both graphs."
    assert link_reason(evidence, "ab") == "Correct: this link is in both graphs."


def test_a_reversed_link_is_counted_wrong_because_it_is_reversed() -> None:
    evidence = evidence_of(a_reference("ab"), a_system("ba"))

    assert link_reason(evidence, "ba") == (
        "False alarm: this link is reversed; the reference leads from a to b."
    )
    assert "reversed" in link_reason(evidence, "ab")


def test_a_reversed_link_counts_where_direction_does_not() -> None:
    turned = evidence_of(a_reference("ab"), a_system("ba"), undirected=True)
    both = evidence_of(a_reference("ab"), a_system("ab", "ba"), undirected=True)

    assert link_reason(turned, "ab").startswith("Correct: the system reversed")
    assert "both directions" in link_reason(both, "ba")


@pytest.mark.parametrize(
    ("system", "link", "part"),
    [
        (("ab", "xc"), "bc", "returned both images but did not link them"),
        (("ax", "xb", "bc"), "ab", "only through x"),
        (("bc",), "ab", "did not return a"),
    ],
)
def test_a_missing_link_says_what_the_system_has_instead(
    system: tuple[str, ...], link: str, part: str
) -> None:
    assert part in link_reason(evidence_of(a_reference("ab", "bc"), a_system(*system)), link)


@pytest.mark.parametrize(
    ("link", "part"),
    [
        ("ac", "skips b"),
        ("ca", "the target is an ancestor"),
        ("bd", "both images derive from a"),
        ("cd", "neither was made from the other"),
        ("ax", "x is not in the reference"),
        ("yx", "y and x are not in the reference"),
    ],
)
def test_an_invented_link_says_what_the_reference_has_instead(link: str, part: str) -> None:
    reference = a_reference("ab", "bc", "ad")

    assert part in link_reason(evidence_of(reference, a_system(link)), link)


def test_what_a_threshold_took_away_says_so() -> None:
    system = a_system("ab", sure=0.3)
    nodes = evidence_of(a_reference("ab"), system, at=Cut(nodes=0.5))
    links = evidence_of(a_reference("ab"), system, at=Cut(links=0.5))

    assert "confidence 0.3, below the threshold 0.5" in node_reason(nodes, "a")
    assert "dropped with its images" in link_reason(nodes, "ab")
    assert "confidence 0.3, below the threshold" in link_reason(links, "ab")


def test_a_missing_image_says_whether_it_goes_by_another_name() -> None:
    system = SystemGraph((SystemNode("1", "other/b.png", 1),))
    evidence = evidence_of(a_reference("ab"), system)
    invented = next(n for n in evidence.comparison.nodes if n.file == "other/b.png")

    assert "the system names this image other/b.png" in node_reason(evidence, "b")
    assert "did not return this image" in node_reason(evidence, "a")
    assert "the reference names this image w/b.jpg" in str(why_node(invented, evidence))


def test_an_invented_image_says_where_it_comes_from() -> None:
    named = {"w/n.jpg": JournalNode("note", "n")}
    evidence = evidence_of(
        a_reference("ab"), a_system("ab", extra="dnx"), whole=a_reference("ab", "ad"), named=named
    )

    assert "direct condition" in node_reason(evidence, "d")
    assert "node note of the journal" in node_reason(evidence, "n")
    assert "not in the journal" in node_reason(evidence, "x")


def test_ways_are_found_with_and_against_the_direction() -> None:
    links = [("a", "b"), ("c", "b")]

    assert shortest_way(links, "a", "c") == ()
    assert shortest_way(links, "a", "c", directed=False) == ("a", "b", "c")
    assert shortest_way(links, "a", "a") == ("a",)


def test_an_invented_image_of_the_journal_says_why_it_does_not_count() -> None:
    named = {"w/n.jpg": JournalNode("note", "n"), "w/o.jpg": JournalNode("other", "o")}
    system = a_system("ab", extra="no")
    evidence = evidence_of(a_reference("ab"), system, named=named, world=("w/o.jpg",))

    assert "but it is not in the world set" in node_reason(evidence, "n")
    assert "but no link of the reference connects it" in node_reason(evidence, "o")
