"""Writes a compared graph as GraphML and as a table."""

from __future__ import annotations

from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from forensicviewer.app.graph.document import GraphDocument
from forensicviewer.app.graph.facts import operation_label
from forensicviewer.app.graph.moves import Place
from forensicviewer.app.graph.state import GraphState
from forensicviewer.app.report.score_output import pipe_separated
from forensicviewer.core.graph.provenance import (
    Comparison,
    Confidence,
    LinkMatch,
    NodeMatch,
    world_id,
)
from forensicviewer.core.graph.unscored import UNNAMED, GhostNode

_NODE_KEYS = ("file", "mapping", "role", "confidence", "journal_node", "x", "y")
_LINK_KEYS = ("mapping", "operation", "confidence", "reversed")
_NUMBERS = ("confidence", "x", "y")
NOT_SCORED = "NotScored"
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


def graphml(state: GraphState, places: Mapping[str, Place]) -> str:
    """Both graphs in one, every node and link with what became of it."""
    document, comparison = state.document, state.comparison
    assert document is not None
    assert comparison is not None
    ids = {node.file: f"n{i}" for i, node in enumerate(comparison.nodes)}
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        *(_key(name, "node") for name in _NODE_KEYS),
        *(_key(name, "edge") for name in _LINK_KEYS),
        f'<graph id={quoteattr(document.trial.id)} edgedefault="directed">',
    ]
    for node in comparison.nodes:
        values = _node_values(document, node, places.get(node.file, (0.0, 0.0)))
        lines += [f'<node id="{ids[node.file]}">', *_data("node", values), "</node>"]
    for ghost in document.ghosts.nodes.values():
        ids[ghost.file] = f"n{len(ids)}"
        values = _ghost_values(ghost, places.get(ghost.file, (0.0, 0.0)))
        lines += [f'<node id="{ids[ghost.file]}">', *_data("node", values), "</node>"]
    edges = [(link.ends, _link_values(link)) for link in comparison.links]
    for ends, step in document.ghosts.links.items():
        # An image below the threshold is not in the comparison, nor are the steps that touch it.
        if ends[0] in ids and ends[1] in ids:
            edges.append((ends, {"mapping": NOT_SCORED, "operation": step.link.operation}))
    for (source, target), values in edges:
        lines.append(f'<edge source="{ids[source]}" target="{ids[target]}">')
        lines += [*_data("edge", values), "</edge>"]
    return "\n".join([*lines, "</graph>", "</graphml>", ""])


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
    return pipe_separated(TABLE_COLUMNS, [*rows, *_ghost_rows(state, document, comparison)])


def _ghost_rows(
    state: GraphState, document: GraphDocument, comparison: Comparison
) -> list[tuple[str, ...]]:
    """The rest of the journal as it is drawn, by journal node."""
    rows: list[tuple[str, ...]] = []
    for node in document.ghosts.nodes.values():
        why = str(document.explain(node, comparison, state.cut))
        kind = node.node.kind
        rows.append(("node", _ghost_id(node.file), "", NOT_SCORED, "", kind, "", why))
    for link in document.ghosts.links.values():
        ends = _ghost_id(link.source), _ghost_id(link.target)
        why = str(document.explain(link, comparison, state.cut))
        rows.append(("link", *ends, NOT_SCORED, "", "", link.link.operation, why))
    return rows


def _ghost_id(file: str) -> str:
    return file if file.startswith(UNNAMED) else world_id(file)


def _node_values(document: GraphDocument, node: NodeMatch, place: Place) -> dict[str, str]:
    journal = document.journal_node(node.file)
    roles = ["probe"] if node.file == document.merged.probe else []
    return {
        "file": node.file,
        "mapping": node.match.value,
        "role": " ".join([*roles, document.kind_of(node.file)]).strip(),
        "confidence": _number(None if node.system is None else node.system.confidence),
        "journal_node": "" if journal is None else journal.id,
        "x": f"{place[0]:g}",
        "y": f"{place[1]:g}",
    }


def _ghost_values(ghost: GhostNode, place: Place) -> dict[str, str]:
    return {
        "file": ghost.file if ghost.is_named else "",
        "mapping": NOT_SCORED,
        "role": ghost.node.kind,
        "journal_node": ghost.node.id,
        "x": f"{place[0]:g}",
        "y": f"{place[1]:g}",
    }


def _link_values(link: LinkMatch) -> dict[str, str]:
    return {
        "mapping": link.match.value,
        "operation": operation_label(link),
        "confidence": _number(None if link.system is None else link.system.confidence),
        "reversed": "yes" if link.is_reversed else "",
    }


def _key(name: str, place: str) -> str:
    kind = "double" if name in _NUMBERS else "string"
    return f'<key id="{place}_{name}" for="{place}" attr.name="{name}" attr.type="{kind}"/>'


def _data(place: str, values: Mapping[str, str]) -> list[str]:
    filled = ((name, value) for name, value in values.items() if value)
    return [f'<data key="{place}_{name}">{escape(value)}</data>' for name, value in filled]


def _number(confidence: Confidence | None) -> str:
    return "" if confidence is None else repr(confidence)
