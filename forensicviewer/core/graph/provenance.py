"""Provenance graphs: journals, what a system should return, and how its answer compares.

Journal links point at positions in the list of nodes. Everything that is compared is compared by
file name, as NIST does: a node is its file name, a link is the pair (source file, target file).
"""

from __future__ import annotations

import posixpath
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeAlias

from forensicviewer.core.cached import cached_property
from forensicviewer.core.problem import ScoringError

FileName: TypeAlias = str
LinkKey: TypeAlias = tuple[FileName, FileName]
Confidence: TypeAlias = int | float

# Joining every way into a left-out image with every way out of it can explode; past this much
# work the journal is damaged or hostile, not large.
MAX_STEPS = 3_000_000


@dataclass(frozen=True, slots=True)
class JournalNode:
    """One image of a journal; ``kind`` is base, donor, interim or final."""

    id: str
    file: str
    kind: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class JournalLink:
    """One step of a journal, between positions in its nodes."""

    source: int
    target: int
    operation: str
    facts: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def is_donor(self) -> bool:
        return self.operation == "Donor"


@dataclass(frozen=True, slots=True)
class ProvenanceJournal:
    """The record of how a set of images was made."""

    nodes: tuple[JournalNode, ...]
    links: tuple[JournalLink, ...]

    def positions(self) -> dict[str, int]:
        """Position of each node id; of a repeated id, the last one."""
        return {node.id: i for i, node in enumerate(self.nodes)}


@dataclass(frozen=True, slots=True)
class SystemNode:
    """One image a system returned; ``confidence`` is ``None`` where it gave no number."""

    id: str
    file: FileName
    confidence: Confidence | None
    file_id: str = ""


@dataclass(frozen=True, slots=True)
class SystemLink:
    """One step a system claims, between positions in its nodes."""

    source: int
    target: int
    confidence: Confidence | None
    operation: str = ""


@dataclass(frozen=True, slots=True)
class SystemGraph:
    """A system's answer for one probe, as written; repeated nodes and links are kept."""

    nodes: tuple[SystemNode, ...] = ()
    links: tuple[SystemLink, ...] = ()

    def by_file(self) -> dict[FileName, SystemNode]:
        """Nodes by file name; of repeated names, the last one counts."""
        return {node.file: node for node in self.nodes}

    def by_ends(self) -> dict[LinkKey, SystemLink]:
        """Links by the file names at their ends; of repeated links, the last one counts."""
        files = [node.file for node in self.nodes]
        return {(files[link.source], files[link.target]): link for link in self.links}


@dataclass(frozen=True, slots=True)
class ReferenceLink:
    """A link the system should return: a path through the journal from image to image."""

    steps: tuple[int, ...]  # positions of journal links
    operations: tuple[str, ...]
    through: tuple[int, ...] = ()  # journal nodes outside the world set that were bridged

    @property
    def is_donor(self) -> bool:
        """Whether only a part of the source was used in the target, at any step."""
        return "Donor" in self.operations


@dataclass(frozen=True, slots=True)
class ReferenceGraph:
    """What a system should return for one probe, by file name."""

    probe: FileName
    nodes: Mapping[FileName, JournalNode]
    links: Mapping[LinkKey, ReferenceLink]


@dataclass(frozen=True, slots=True)
class ReferenceRules:
    """The part of a journal that is scored."""

    direct: bool
    keeps_unlinked: bool


def reference_graph(
    journal: ProvenanceJournal, *, kept: Mapping[int, FileName], probe: int, rules: ReferenceRules
) -> ReferenceGraph:
    """The graph of the ``kept`` journal nodes; links bridge all other nodes.

    ``kept`` maps positions of journal nodes to file names and includes the probe.
    """
    links = bridge(journal, kept=kept.keys())
    if rules.direct:
        along = links_along({(s, t): (s, t) for s, t in links}, through=probe)
        links = {ends: link for ends, link in links.items() if ends in along}
    touched: dict[int, None] = {}
    if rules.keeps_unlinked:
        touched.update(dict.fromkeys([probe] if rules.direct else kept))
    touched.update((i, None) for ends in links for i in ends)
    return ReferenceGraph(
        probe=kept[probe],
        nodes={kept[i]: journal.nodes[i] for i in touched},
        links={(kept[s], kept[t]): link for (s, t), link in links.items()},
    )


def scored_links(journal: ProvenanceJournal) -> list[int]:
    """Positions of the links that count.

    A donor link into an image that also has an anti-forensic step into it does not.
    """
    masked = {link.target for link in journal.links if link.operation.startswith("AntiForensic")}
    return [
        i for i, link in enumerate(journal.links) if not (link.is_donor and link.target in masked)
    ]


def bridge(
    journal: ProvenanceJournal, *, kept: Collection[int]
) -> dict[tuple[int, int], ReferenceLink]:
    """Links between kept nodes: shortest paths through other nodes only."""
    outgoing: dict[int, list[int]] = defaultdict(list)
    for i in scored_links(journal):
        outgoing[journal.links[i].source].append(i)
    found: dict[tuple[int, int], ReferenceLink] = {}
    steps = 0
    for source in kept:
        came_by = _ways_from(source, journal, outgoing, kept=kept)
        steps += len(came_by)
        for target in came_by:
            if target in kept:
                way = _way_back(target, source, journal, came_by)
                steps += len(way)
                found[source, target] = _reference_link(journal, way)
        if steps > MAX_STEPS:
            raise ScoringError(
                "The journal has too many paths between the images of the world set",
                hint="check that the node table belongs to this journal",
                rule="provenance.tangled",
            )
    return found


def _ways_from(
    source: int,
    journal: ProvenanceJournal,
    outgoing: Mapping[int, Sequence[int]],
    *,
    kept: Collection[int],
) -> dict[int, int]:
    """The link by which each node is first reached without passing a kept node."""
    came_by: dict[int, int] = {}
    waiting = deque([source])
    while waiting:
        for i in outgoing.get(waiting.popleft(), ()):
            target = journal.links[i].target
            if target in came_by:
                continue
            came_by[target] = i
            if target not in kept:
                waiting.append(target)
    return came_by


def _way_back(
    target: int, source: int, journal: ProvenanceJournal, came_by: Mapping[int, int]
) -> tuple[int, ...]:
    way = [came_by[target]]
    while journal.links[way[-1]].source != source:
        way.append(came_by[journal.links[way[-1]].source])
    return tuple(reversed(way))


def _reference_link(journal: ProvenanceJournal, way: tuple[int, ...]) -> ReferenceLink:
    links = [journal.links[i] for i in way]
    return ReferenceLink(
        steps=way,
        operations=tuple(link.operation for link in links),
        through=tuple(link.target for link in links[:-1]),
    )


def links_along(ends: Mapping[Any, tuple[Any, Any]], *, through: object) -> set[Any]:
    """Keys of the links on a directed way to or from one node."""
    import networkx as nx

    graph = nx.DiGraph(ends.values())
    graph.add_node(through)
    before, after = nx.ancestors(graph, through), nx.descendants(graph, through)
    into, out_of = before | {through}, after | {through}
    return {key for key, (source, target) in ends.items() if target in into or source in out_of}


def find_cycle(ends: Iterable[tuple[Any, Any]]) -> tuple[Any, ...]:
    """Nodes of one directed cycle in order; empty when there is none."""
    # Not networkx: its search takes seconds where a large graph has no cycle.
    order: TopologicalSorter[Any] = TopologicalSorter()
    for source, target in ends:
        order.add(target, source)
    try:
        order.prepare()
    except CycleError as error:
        return tuple(error.args[1][1:])
    return ()


def reduced_to_direct(graph: SystemGraph, *, probe: FileName) -> SystemGraph:
    """The part of a system's graph on ways to and from the probe, and the probe itself."""
    files = [node.file for node in graph.nodes]
    ends = {i: (files[link.source], files[link.target]) for i, link in enumerate(graph.links)}
    along = links_along(ends, through=probe)
    names = {name for i in along for name in ends[i]} | {probe}
    chosen = [i for i, name in enumerate(files) if name in names]
    place = {old: new for new, old in enumerate(chosen)}
    return SystemGraph(
        nodes=tuple(graph.nodes[i] for i in chosen),
        links=tuple(
            SystemLink(place[link.source], place[link.target], link.confidence, link.operation)
            for i, link in enumerate(graph.links)
            if i in along
        ),
    )


def world_id(file: FileName) -> str:
    """The id NIST prints for a file name: its last part without the extension."""
    return posixpath.splitext(posixpath.basename(file))[0]


class Match(Enum):
    """The outcome of a node or link; the value is NIST's word."""

    MATCHED = "Correct"
    MISSED = "Missing"
    INVENTED = "FalseAlarm"


@dataclass(frozen=True, slots=True)
class NodeMatch:
    """One image of either graph."""

    file: FileName
    match: Match
    reference: JournalNode | None
    system: SystemNode | None


@dataclass(frozen=True, slots=True)
class LinkMatch:
    """One link of either graph; ``is_reversed`` where an undirected match runs the other way."""

    source: FileName
    target: FileName
    match: Match
    reference: ReferenceLink | None
    system: SystemLink | None
    is_reversed: bool = False

    @property
    def ends(self) -> LinkKey:
        return self.source, self.target


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many nodes or links were matched, missed and invented."""

    matched: int = 0
    missed: int = 0
    invented: int = 0

    @classmethod
    def of(cls, matches: Iterable[NodeMatch | LinkMatch]) -> MatchCounts:
        # Counted by the list itself: this runs at every step of a slider.
        found = [one.match for one in matches]
        return cls(*(found.count(match) for match in Match))

    def __add__(self, other: MatchCounts) -> MatchCounts:
        return MatchCounts(
            self.matched + other.matched,
            self.missed + other.missed,
            self.invented + other.invented,
        )

    @property
    def reference(self) -> int:
        return self.matched + self.missed

    @property
    def system(self) -> int:
        return self.matched + self.invented

    @property
    def overlap(self) -> float | None:
        """2·|R∩S| / (|R|+|S|), the vertex/edge overlap of the plans' section 7."""
        total = self.reference + self.system
        return 2 * self.matched / total if total else None

    @property
    def recall(self) -> float | None:
        return self.matched / self.reference if self.reference else None


@dataclass(frozen=True, slots=True)
class GraphScores:
    """SimNO, SimLO, SimNLO and node recall; ``None`` where both graphs are empty."""

    nodes: MatchCounts
    links: MatchCounts

    @property
    def sim_no(self) -> float | None:
        return self.nodes.overlap

    @property
    def sim_lo(self) -> float | None:
        return self.links.overlap

    @property
    def sim_nlo(self) -> float | None:
        return (self.nodes + self.links).overlap

    @property
    def node_recall(self) -> float | None:
        return self.nodes.recall


@dataclass(frozen=True)
class Comparison:
    """A reference graph and a system graph, matched."""

    probe: FileName
    nodes: tuple[NodeMatch, ...]
    links: tuple[LinkMatch, ...]
    undirected: bool = False

    @cached_property
    def scores(self) -> GraphScores:
        return GraphScores(MatchCounts.of(self.nodes), MatchCounts.of(self.links))

    @cached_property
    def by_file(self) -> Mapping[FileName, NodeMatch]:
        return {node.file: node for node in self.nodes}

    @cached_property
    def by_ends(self) -> Mapping[LinkKey, LinkMatch]:
        return {link.ends: link for link in self.links}


def compare(reference: ReferenceGraph, system: SystemGraph, *, undirected: bool) -> Comparison:
    """Match nodes by file name and links by their ends."""
    returned = system.by_file()
    names = dict.fromkeys((*reference.nodes, *returned))
    match_links = _undirected_links if undirected else _directed_links
    return Comparison(
        probe=reference.probe,
        nodes=tuple(
            node_match(name, reference.nodes.get(name), returned.get(name)) for name in names
        ),
        links=tuple(match_links(reference.links, system.by_ends())),
        undirected=undirected,
    )


def _match(reference: object, system: object) -> Match:
    if reference is None:
        return Match.INVENTED
    return Match.MISSED if system is None else Match.MATCHED


def node_match(
    name: FileName, reference: JournalNode | None, system: SystemNode | None
) -> NodeMatch:
    """An image that is in one of the graphs, or in both."""
    return NodeMatch(name, _match(reference, system), reference, system)


def link_match(
    ends: LinkKey,
    reference: ReferenceLink | None,
    system: SystemLink | None,
    *,
    is_reversed: bool = False,
) -> LinkMatch:
    """A link that is in one of the graphs, or in both."""
    return LinkMatch(*ends, _match(reference, system), reference, system, is_reversed)


def _directed_links(
    reference: Mapping[LinkKey, ReferenceLink], system: Mapping[LinkKey, SystemLink]
) -> Iterable[LinkMatch]:
    for ends in dict.fromkeys((*reference, *system)):
        yield link_match(ends, reference.get(ends), system.get(ends))


def _undirected_links(
    reference: Mapping[LinkKey, ReferenceLink], system: Mapping[LinkKey, SystemLink]
) -> Iterable[LinkMatch]:
    # A system link may serve one reference link only: returned both ways, one is invented.
    unused = dict(system)
    exact = {ends: unused.pop(ends) for ends in reference if ends in unused}
    for ends, link in reference.items():
        if ends in exact:
            yield link_match(ends, link, exact[ends])
        else:
            turned = unused.pop((ends[1], ends[0]), None)
            yield link_match(ends, link, turned, is_reversed=turned is not None)
    for ends, claimed in unused.items():
        yield link_match(ends, None, claimed)
