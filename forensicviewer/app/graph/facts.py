"""What is known about a selected node or link, as lines of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from forensicviewer.app.graph.document import GraphDocument
from forensicviewer.app.language.words import tr
from forensicviewer.core.graph.provenance import (
    Confidence,
    FileName,
    JournalNode,
    LinkMatch,
    NodeMatch,
    world_id,
)
from forensicviewer.core.graph.reason import Explained
from forensicviewer.core.graph.unscored import UnscoredLink, UnscoredNode

Fact: TypeAlias = tuple[str, str]

_LONGEST = 300
# Positions on the journal tool's own canvas, and what is said elsewhere already.
_LEFT_OUT = {"id", "file", "nodetype", "xpos", "ypos", "source", "target", "op", "exifdiff"}


def facts_of(document: GraphDocument, one: Explained) -> list[Fact]:
    """All that is known of a node or link."""
    if isinstance(one, NodeMatch):
        return node_facts(document, one)
    if isinstance(one, LinkMatch):
        return link_facts(document, one)
    return (
        unscored_node_facts(one)
        if isinstance(one, UnscoredNode)
        else unscored_link_facts(document, one)
    )


def unscored_node_facts(unscored: UnscoredNode) -> list[Fact]:
    """The journal entry of an image that does not count."""
    facts = [
        (tr("File"), unscored.file if unscored.is_named else tr("missing from the node table"))
    ]
    facts += [(tr("Role"), role_in_words(unscored.node.kind)), *_journal_entry(unscored.node)]
    return [fact for fact in facts if fact[1]]


def unscored_link_facts(document: GraphDocument, unscored: UnscoredLink) -> list[Fact]:
    """The journal entry of a step that does not count as it stands."""
    nodes = document.journal.nodes
    return [
        (tr("From"), nodes[unscored.link.source].id),
        (tr("To"), nodes[unscored.link.target].id),
        (tr("Operation"), unscored.link.operation),
        *_entry(unscored.link.facts),
    ]


def _journal_entry(node: JournalNode) -> list[Fact]:
    return [
        (tr("Journal node"), node.id),
        (tr("Journal file"), node.file),
        *_entry(node.facts),
    ]


def node_facts(document: GraphDocument, node: NodeMatch) -> list[Fact]:
    """Name, kind, confidence and journal entry of a node."""
    facts = [(tr("Image"), world_id(node.file)), (tr("File"), node.file)]
    is_probe = node.file == document.merged.probe
    roles = ["probe" if is_probe else "", document.kind_of(node.file)]
    facts.append((tr("Role"), ", ".join(role_in_words(role) for role in roles if role)))
    if node.system is not None:
        facts.append((tr("Confidence"), printed(node.system.confidence)))
        facts.append((tr("Rank"), document.place_in_ranking(node.file)))
    journal = document.journal_node(node.file)
    facts += [] if journal is None else _journal_entry(journal)
    return [fact for fact in facts if fact[1]]


def link_facts(document: GraphDocument, link: LinkMatch) -> list[Fact]:
    """Ends, operations, confidence and journal entries of a link."""
    facts = [(tr("From"), world_id(link.source)), (tr("To"), world_id(link.target))]
    if link.system is not None:
        facts.append((tr("Confidence"), printed(link.system.confidence)))
        facts.append((tr("Returned by the system"), link.system.operation))
    if link.reference is not None:
        facts.append((tr("Operation"), " → ".join(link.reference.operations)))
        through = [document.journal.nodes[i].id for i in link.reference.through]
        facts.append((tr("Through"), ", ".join(through)))
        for i in link.reference.steps:
            facts += _entry(document.journal.links[i].facts)
    return [fact for fact in facts if fact[1]]


def role_in_words(role: str) -> str:
    """What an image is to the journal and to NIST's tables; other words are said as they are."""
    known = {
        "probe": tr("probe", context="role"),
        "base": tr("base", context="role"),
        "donor": tr("donor", context="role"),
        "interim": tr("interim", context="role"),
        "final": tr("final", context="role"),
    }
    return known.get(role, role)


def operation_label(link: LinkMatch) -> str:
    """What stands on a link: its operations, or what the system calls it."""
    if link.reference is not None:
        named = link.reference.operations
        return named[0] if len(named) == 1 else f"{named[0]} … {named[-1]}"
    return link.system.operation if link.system is not None else ""


def short_name(file: FileName) -> str:
    """An image's id, shortened in the middle."""
    return shortened(world_id(file), longest=18)


def shortened(name: str, *, longest: int) -> str:
    """A name without its middle where it is too long: the ends of hashes distinguish them."""
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


def printed(confidence: Confidence | None) -> str:
    return tr("none") if confidence is None else f"{confidence:.6g}"


def _entry(facts: Mapping[str, Any]) -> list[Fact]:
    return [
        (key, _shown(value))
        for key, value in facts.items()
        if key not in _LEFT_OUT and value not in (None, "", [], {})
    ]


def _shown(value: object) -> str:
    if isinstance(value, dict):
        text = ", ".join(f"{key}: {each}" for key, each in value.items())
    else:
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
