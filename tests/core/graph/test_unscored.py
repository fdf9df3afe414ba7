"""What of a journal is drawn without being counted."""

from __future__ import annotations

from forensicviewer.core.graph.fold import donors_by_target, folded_away
from forensicviewer.core.graph.provenance import (
    Comparison,
    JournalLink,
    JournalNode,
    ProvenanceJournal,
    ReferenceRules,
    SystemGraph,
    SystemNode,
    compare,
    reference_graph,
)
from forensicviewer.core.graph.reason import Evidence, why
from forensicviewer.core.graph.sweep import Cut
from forensicviewer.core.graph.unscored import Unscored, unscored_of


def a_journal(*links: str, nodes: str = "") -> ProvenanceJournal:
    """Links as ``ab`` or ``ab:Operation`` between nodes of one letter."""
    ends = [link[:2] for link in links]
    names = list(dict.fromkeys([*"".join(ends), *nodes]))
    steps = [
        JournalLink(names.index(pair[0]), names.index(pair[1]), link[3:] or "Blur")
        for pair, link in zip(ends, links, strict=True)
    ]
    return ProvenanceJournal(
        tuple(JournalNode(name, f"{name}.png") for name in names), tuple(steps)
    )


def evidence_for(
    journal: ProvenanceJournal, kept: str, *, probe: str, direct: bool = False, returned: str = ""
) -> Evidence:
    positions = journal.positions()
    files = {positions[name]: f"w/{name}" for name in kept}
    rules = ReferenceRules(direct=direct, keeps_unlinked=False)
    whole_rules = ReferenceRules(direct=False, keeps_unlinked=False)
    reference = reference_graph(journal, kept=files, probe=positions[probe], rules=rules)
    whole = reference
    if direct:
        whole = reference_graph(journal, kept=files, probe=positions[probe], rules=whole_rules)
    system = SystemGraph(tuple(SystemNode(name, f"w/{name}", 1) for name in returned))
    compared = compare(reference, system, undirected=False)
    named = {f"w/{name}": journal.nodes[positions[name]] for name in kept}
    return Evidence(compared, reference, whole, named, set(files.values()), system, Cut())


def unscored_in(journal: ProvenanceJournal, evidence: Evidence) -> Unscored:
    return unscored_of(journal, evidence.comparison, evidence.named)


def test_nodes_outside_the_world_set_are_unscored_with_their_links() -> None:
    journal = a_journal("ab", "bc", "dc:Donor")
    evidence = evidence_for(journal, "acd", probe="c")

    unscored = unscored_in(journal, evidence)

    assert set(unscored.nodes) == {"journal node b"}
    assert set(unscored.links) == {("w/a", "journal node b"), ("journal node b", "w/c")}
    (node,) = unscored.nodes.values()
    assert "lists no image for this journal node" in str(why(node, evidence))
    reasons = [str(why(link, evidence)) for link in unscored.links.values()]
    assert all("part of the link from a to c" in words for words in reasons)


def test_a_named_image_that_is_not_in_the_world_set_says_so() -> None:
    journal = a_journal("ab", "bc")
    evidence = evidence_for(journal, "ac", probe="c")
    named = {**evidence.named, "w/b": journal.nodes[1]}

    (node,) = unscored_of(journal, evidence.comparison, named).nodes.values()

    assert node.file == "w/b"
    assert "not in the world set" in str(why(node, evidence))


def test_an_unscored_node_the_system_returns_is_counted() -> None:
    journal = a_journal("ab", "bc")
    evidence = evidence_for(journal, "ac", probe="c", returned="b")

    unscored = unscored_of(journal, evidence.comparison, {"w/b": journal.nodes[1]})

    assert not unscored.nodes
    assert set(unscored.links) == {("w/a", "w/b"), ("w/b", "w/c")}


def test_the_direct_condition_leaves_nodes_unscored() -> None:
    journal = a_journal("ab", "ac", "cd")
    evidence = evidence_for(journal, "abcd", probe="b", direct=True)

    unscored = unscored_in(journal, evidence)

    assert set(unscored.nodes) == {"w/c", "w/d"}
    assert "direct condition" in str(why(unscored.nodes["w/d"], evidence))
    assert "direct condition" in str(why(unscored.links["w/c", "w/d"], evidence))


def test_a_donor_link_beside_an_anti_forensic_step_is_void() -> None:
    journal = a_journal("ab:AntiForensicNoise", "db:Donor", "ed")
    evidence = evidence_for(journal, "abde", probe="b")

    unscored = unscored_in(journal, evidence)

    assert set(unscored.links) == {("w/d", "w/b")}
    assert "anti-forensic step" in str(why(unscored.links["w/d", "w/b"], evidence))


def test_images_without_a_scored_link_say_so() -> None:
    journal = a_journal("ab", "xy", nodes="z")
    evidence = evidence_for(journal, "abz", probe="b")

    unscored = unscored_in(journal, evidence)

    assert "no link of the reference connects" in str(why(unscored.nodes["w/z"], evidence))
    step = unscored.links["journal node x", "journal node y"]
    assert "not in the world set" in str(why(step, evidence))


def test_two_nodes_with_one_id_stay_two() -> None:
    twice = (JournalNode("a", "1"), JournalNode("a", "2"), JournalNode("b", "3"))
    journal = ProvenanceJournal(twice, (JournalLink(0, 2, "Blur"), JournalLink(1, 2, "Blur")))
    evidence = evidence_for(journal, "ab", probe="b")

    assert set(unscored_in(journal, evidence).nodes) == {"journal node a (1 of 3)"}


def test_unscored_donors_fold_with_what_leads_to_them() -> None:
    journal = a_journal("ab", "db:Donor", "ed", "fe")
    evidence = evidence_for(journal, "ab", probe="b")
    unscored = unscored_in(journal, evidence)
    compared: Comparison = evidence.comparison

    assert donors_by_target(compared, unscored) == {"w/b": ["journal node d"]}
    hidden = folded_away(compared, ["w/b"], unscored)
    assert set(hidden) == {f"journal node {name}" for name in "def"}
    assert set(hidden.values()) == {"w/b"}
