"""A compared graph as a networkx graph, for notebooks and other programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from forensicviewer.core.graph.provenance import (
    Comparison,
    FileName,
    JournalNode,
    LinkMatch,
    SystemLink,
    SystemNode,
)
from forensicviewer.core.graph.unscored import Unscored

if TYPE_CHECKING:
    from networkx import DiGraph

NOT_SCORED = "NotScored"


def network_of(
    comparison: Comparison,
    *,
    named: Mapping[FileName, JournalNode] | None = None,
    unscored: Unscored | None = None,
) -> DiGraph[FileName]:
    """Both graphs in one; ``outcome`` is NIST's word for what became of a node or link.

    Nodes are file names and may have ``role``, ``confidence`` and ``journal_node``; links may have
    ``operation``, ``confidence`` and ``reversed``. What is not known is absent. ``named`` are the
    world files of journal nodes, ``unscored`` what of the journal is not scored.
    """
    from networkx import DiGraph

    graph: DiGraph[FileName] = DiGraph(probe=comparison.probe)
    for node in comparison.nodes:
        journal = node.reference or (named or {}).get(node.file)
        roles = ("probe" if node.file == comparison.probe else "", journal.kind if journal else "")
        facts = _facts(
            node.match.value,
            node.system,
            role=" ".join(filter(None, roles)),
            journal_node=journal.id if journal else "",
        )
        graph.add_node(node.file, **facts)
    around = unscored or Unscored()
    for file, extra in around.nodes.items():
        entry = extra.node
        graph.add_node(file, **_facts(NOT_SCORED, role=entry.kind, journal_node=entry.id))
    for link in comparison.links:
        facts = _facts(
            link.match.value, link.system, operation=_operation(link), reversed=link.is_reversed
        )
        graph.add_edge(*link.ends, **facts)
    for ends, step in around.links.items():
        # An image below the threshold is not in the comparison, nor are the steps that touch it.
        if ends[0] in graph and ends[1] in graph:
            graph.add_edge(*ends, **_facts(NOT_SCORED, operation=step.link.operation))
    return graph


def _facts(
    outcome: str, given: SystemNode | SystemLink | None = None, **known: str | bool
) -> dict[str, Any]:
    """What is known of a node or link, without what is not."""
    facts: dict[str, Any] = {"outcome": outcome, **{k: v for k, v in known.items() if v}}
    if given is not None and given.confidence is not None:
        facts["confidence"] = float(given.confidence)
    return facts


def _operation(link: LinkMatch) -> str:
    if link.reference is not None:
        return " → ".join(link.reference.operations)
    return "" if link.system is None else link.system.operation
