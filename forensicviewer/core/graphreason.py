"""Says in words why a node or link of a provenance graph is counted as it is."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from forensicviewer.core.graphghost import GhostLink, GhostNode
from forensicviewer.core.graphsweep import Cut
from forensicviewer.core.provenance import (
    Comparison,
    FileName,
    JournalNode,
    LinkKey,
    LinkMatch,
    Match,
    NodeMatch,
    ReferenceGraph,
    SystemGraph,
    world_id,
)

Explained: TypeAlias = NodeMatch | LinkMatch | GhostNode | GhostLink


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Everything an explanation looks at.

    ``whole`` is the reference of the full condition, ``named`` every journal node the node table
    names for the probe, ``world`` the names that are in the world set, ``system`` the answer before
    anything was left out at ``cut``.
    """

    comparison: Comparison
    reference: ReferenceGraph
    whole: ReferenceGraph
    named: Mapping[FileName, JournalNode]
    world: Collection[FileName]
    system: SystemGraph
    cut: Cut


def why(one: Explained, evidence: Evidence) -> str:
    """One sentence, or two, on anything that is drawn."""
    if isinstance(one, NodeMatch):
        return why_node(one, evidence)
    if isinstance(one, LinkMatch):
        return why_link(one, evidence)
    if isinstance(one, GhostNode):
        return "Not scored: " + _why_node_ghost(one, evidence)
    return "Not scored: " + _why_link_ghost(one, evidence)


def _why_node_ghost(ghost: GhostNode, evidence: Evidence) -> str:
    if not ghost.is_named:
        return (
            "the node table gives this journal node no image, so nobody can return it. Links are "
            "followed through it."
        )
    if ghost.file in evidence.whole.nodes:
        return (
            "this image is neither ancestor nor descendant of the probe, and only those count "
            "under the direct condition."
        )
    if ghost.file not in evidence.world:
        return "this image is not in the world set. Links are followed through it."
    return "no link of the reference touches this image."


def _why_link_ghost(ghost: GhostLink, evidence: Evidence) -> str:
    if ghost.is_void:
        return "a donor link does not count where an anti-forensic step leads into the same image."
    for (source, target), link in evidence.reference.links.items():
        if ghost.position in link.steps:
            return (
                f"this step is a part of the link from {world_id(source)} to {world_id(target)}, "
                "which counts instead of it."
            )
    if evidence.whole is not evidence.reference:
        return "this step is on no way to or from the probe, as the direct condition asks."
    return "this step leads from or to an image that is not in the world set."


def why_node(node: NodeMatch, evidence: Evidence) -> str:
    """One sentence, or two, on a node."""
    if node.match is Match.MATCHED:
        return "Correct: this image is in both graphs."
    if node.match is Match.MISSED:
        return "Missing: " + _why_node_missed(node.file, evidence)
    return "False alarm: " + _why_node_invented(node.file, evidence)


def _why_node_missed(file: FileName, evidence: Evidence) -> str:
    returned = evidence.system.by_file()
    if file in returned:
        sure = returned[file].confidence
        return (
            f"the system returned this image with confidence {sure}, which is below the "
            f"threshold {evidence.cut.nodes:g}."
        )
    alike = [name for name in returned if world_id(name) == world_id(file)]
    if alike:
        return (
            f"the system calls this image {alike[0]}, the reference {file}; only equal names match."
        )
    return "the system did not return this image."


def _why_node_invented(file: FileName, evidence: Evidence) -> str:
    if file in evidence.whole.nodes:
        return (
            "this image belongs to the whole graph, but it is neither ancestor nor descendant of "
            "the probe, and only those count under the direct condition."
        )
    if file in evidence.named:
        node = evidence.named[file]
        missing = "no link of the reference touches it"
        if file not in evidence.world:
            missing = "it is not in the world set"
        return f"this image is node {node.id} of the journal, but {missing}, so it does not count."
    alike = [name for name in evidence.reference.nodes if world_id(name) == world_id(file)]
    if alike:
        return f"the reference calls this image {alike[0]}; only equal names match."
    return "this image is not in the journal of the probe."


def why_link(link: LinkMatch, evidence: Evidence) -> str:
    """One sentence, or two, on a link."""
    if link.match is Match.MATCHED:
        if link.is_reversed:
            return (
                "Correct, although the system has this link reversed: direction does not count "
                "in the undirected condition."
            )
        return "Correct: both graphs have this link."
    if link.match is Match.MISSED:
        return "Missing: " + _why_link_missed(link.ends, evidence)
    return "False alarm: " + _why_link_invented(link.ends, evidence)


def _why_link_missed(ends: LinkKey, evidence: Evidence) -> str:
    source, target = ends
    returned, links = evidence.system.by_file(), evidence.system.by_ends()
    absent = [world_id(name) for name in ends if name not in returned]
    if absent:
        return f"the system did not return {' and '.join(absent)}."
    if ends in links:
        return _why_below(ends, evidence)
    if (target, source) in links:
        return "the system has this link reversed, which counts as another link."
    way = shortest_way(links, source, target)
    if len(way) > 2:
        between = ", ".join(world_id(name) for name in way[1:-1])
        return f"the system goes from one image to the other only through {between}."
    return "the system returned both images but did not link them."


def _why_below(ends: LinkKey, evidence: Evidence) -> str:
    sure = evidence.system.by_ends()[ends].confidence
    if sure is not None and sure < evidence.cut.links:
        return (
            f"the system is only {sure} sure of this link, which is below the threshold "
            f"{evidence.cut.links:g}."
        )
    return "one of its images is below the node threshold, and a link goes with its images."


def _why_link_invented(ends: LinkKey, evidence: Evidence) -> str:
    source, target = ends
    reference = evidence.reference
    if (target, source) in reference.links:
        if evidence.comparison.undirected:
            return "the system gives this link in both directions, and only one of them counts."
        return (
            "this link is counted wrong because it is reversed: the reference leads from "
            f"{world_id(target)} to {world_id(source)}."
        )
    strange = [world_id(name) for name in ends if name not in reference.nodes]
    if strange:
        verb = "is" if len(strange) == 1 else "are"
        return f"{' and '.join(strange)} {verb} not in the reference."
    way = shortest_way(reference.links, source, target)
    if way:
        between = ", ".join(world_id(name) for name in way[1:-1])
        return f"this link skips {between}: the reference reaches the target only through it."
    if shortest_way(reference.links, target, source):
        return "in the reference the target is an ancestor of the source."
    shared = _parents(reference, source) & _parents(reference, target)
    if shared:
        return f"both images come from {world_id(min(shared))}; neither was made from the other."
    return "both images are in the reference, but neither was made from the other."


def _parents(reference: ReferenceGraph, name: FileName) -> set[FileName]:
    return {source for source, target in reference.links if target == name}


def shortest_way(
    links: Iterable[LinkKey], source: FileName, target: FileName, *, directed: bool = True
) -> tuple[FileName, ...]:
    """The names along a shortest way, both ends included; empty where there is none."""
    after: dict[FileName, list[FileName]] = {}
    for a, b in links:
        after.setdefault(a, []).append(b)
        if not directed:
            after.setdefault(b, []).append(a)
    came_from: dict[FileName, FileName] = {source: source}
    waiting = deque([source])
    while waiting and target not in came_from:
        node = waiting.popleft()
        for other in after.get(node, ()):
            if other not in came_from:
                came_from[other] = node
                waiting.append(other)
    if target not in came_from:
        return ()
    way = [target]
    while way[-1] != source:
        way.append(came_from[way[-1]])
    return tuple(reversed(way))
