"""The unscored part of a journal: images outside the world set and their links.

Systems cannot return them, so they never count. They show how the scored images were made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from forensicviewer.core.graph.provenance import (
    Comparison,
    FileName,
    JournalLink,
    JournalNode,
    LinkKey,
    ProvenanceJournal,
    scored_links,
)

UNNAMED = "journal node "  # begins the name of a node that the node table gives no file


@dataclass(frozen=True, slots=True)
class UnscoredNode:
    """A journal node that does not count; ``file`` is its world file or, without one, a name."""

    file: FileName
    node: JournalNode
    is_named: bool  # the node table gives it a world file


@dataclass(frozen=True, slots=True)
class UnscoredLink:
    """A journal link that does not count by itself."""

    source: FileName
    target: FileName
    link: JournalLink
    position: int  # among the journal's links
    is_void: bool  # a donor link beside an anti-forensic step

    @property
    def ends(self) -> LinkKey:
        return self.source, self.target


@dataclass(frozen=True, slots=True, eq=False)
class Unscored:
    """The part of a journal that is drawn but not counted."""

    nodes: Mapping[FileName, UnscoredNode] = field(default_factory=dict)
    links: Mapping[LinkKey, UnscoredLink] = field(default_factory=dict)


def unscored_of(
    journal: ProvenanceJournal, merged: Comparison, named: Mapping[FileName, JournalNode]
) -> Unscored:
    """The rest of the journal around a comparison; ``named`` are the world files of its nodes.

    Of two nodes with one id the last is meant everywhere, so the first stays unnamed.
    """
    positions = journal.positions()
    counted = {node.file for node in merged.nodes}
    files = {positions[node.id]: file for file, node in named.items()}
    files |= {positions[n.reference.id]: n.file for n in merged.nodes if n.reference is not None}
    nodes: dict[FileName, UnscoredNode] = {}
    for i, node in enumerate(journal.nodes):
        is_named = i in files
        file = files.setdefault(i, _name_of(node, i, journal, positions))
        if file not in counted:
            nodes[file] = UnscoredNode(file, node, is_named)
    drawn = {link.ends for link in merged.links}
    scored = set(scored_links(journal))
    links: dict[LinkKey, UnscoredLink] = {}
    for i, link in enumerate(journal.links):
        ends = files[link.source], files[link.target]
        if ends not in drawn:
            links[ends] = UnscoredLink(*ends, link, i, i not in scored)
    return Unscored(nodes, links)


def _name_of(
    node: JournalNode, i: int, journal: ProvenanceJournal, positions: Mapping[str, int]
) -> FileName:
    name = f"{UNNAMED}{node.id}"
    return name if positions[node.id] == i else f"{name} ({i + 1} of {len(journal.nodes)})"
