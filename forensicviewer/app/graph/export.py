"""Writes a compared graph as GraphML and as a table."""

from __future__ import annotations

import re
from collections.abc import Mapping

from forensicviewer.app.graph.document import GraphDocument
from forensicviewer.app.graph.facts import operation_label
from forensicviewer.app.graph.moves import Position
from forensicviewer.app.graph.state import GraphState
from forensicviewer.app.report.separated_text import as_text
from forensicviewer.core.graph.network import NOT_SCORED, network_of
from forensicviewer.core.graph.provenance import Comparison, Confidence, world_id
from forensicviewer.core.graph.unscored import UNNAMED

_XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TITLE = "Provenance graph"  # of drawings in files
TABLE_COLUMNS = (
    "Kind",
    "WorldFileID",
    "TargetWorldFileID",
    "Mapping",
    "Confidence",
    "Role",
    "Operation",
    "Explanation",
)


def graphml(state: GraphState, places: Mapping[str, Position]) -> str:
    """Both graphs in one, every node and link with what became of it."""
    import networkx as nx

    document, comparison = state.document, state.comparison
    assert document is not None
    assert comparison is not None
    graph = network_of(comparison, named=document.named, unscored=document.unscored)
    graph.graph["id"] = document.trial.id
    for file, facts in graph.nodes(data=True):
        is_file = file not in document.unscored.nodes or document.unscored.nodes[file].is_named
        facts |= {"file": file} if is_file else {}
        facts["x"], facts["y"] = map(float, places.get(file, (0.0, 0.0)))
    numbered = nx.relabel_nodes(graph, {file: f"n{i}" for i, file in enumerate(graph)})
    nodes, links = numbered.nodes(data=True), numbered.edges(data=True)
    for facts in (numbered.graph, *(facts for *_, facts in (*nodes, *links))):
        facts |= {name: _xml(value) for name, value in facts.items() if isinstance(value, str)}
    return "\n".join([_XML_HEAD, *nx.generate_graphml(numbered), ""])


def _xml(text: str) -> str:
    """A text without signs no XML file can hold; they are written as Python does."""
    return _NOT_XML.sub(lambda sign: sign[0].encode("unicode_escape").decode(), text)


def comparison_table(state: GraphState) -> str:
    """Nodes and links, one line each, with what became of them and why."""
    document, comparison = state.document, state.comparison
    assert document is not None
    assert comparison is not None
    rows = [
        (
            "node",
            world_id(node.file),
            "",
            node.match.value,
            _number(None if node.system is None else node.system.confidence),
            document.kind_of(node.file),
            "",
            str(document.explain(node, comparison, state.cut)),
        )
        for node in comparison.nodes
    ]
    rows += [
        (
            "link",
            world_id(link.source),
            world_id(link.target),
            link.match.value,
            _number(None if link.system is None else link.system.confidence),
            "",
            operation_label(link),
            str(document.explain(link, comparison, state.cut)),
        )
        for link in comparison.links
    ]
    every = [*rows, *_unscored_rows(state, document, comparison)]
    return as_text(TABLE_COLUMNS, every, separator="|")


def _unscored_rows(
    state: GraphState, document: GraphDocument, comparison: Comparison
) -> list[tuple[str, ...]]:
    """The rest of the journal as it is drawn, by journal node."""
    rows: list[tuple[str, ...]] = []
    for node in document.unscored.nodes.values():
        why = str(document.explain(node, comparison, state.cut))
        kind = node.node.kind
        rows.append(("node", _unscored_id(node.file), "", NOT_SCORED, "", kind, "", why))
    for link in document.unscored.links.values():
        ends = _unscored_id(link.source), _unscored_id(link.target)
        why = str(document.explain(link, comparison, state.cut))
        rows.append(("link", *ends, NOT_SCORED, "", "", link.link.operation, why))
    return rows


def _unscored_id(file: str) -> str:
    return file if file.startswith(UNNAMED) else world_id(file)


def _number(confidence: Confidence | None) -> str:
    return "" if confidence is None else repr(confidence)
