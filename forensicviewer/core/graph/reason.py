"""Explains the outcome of a node or link of a provenance graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from forensicviewer.core.graph.provenance import (
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
from forensicviewer.core.graph.sweep import Cut
from forensicviewer.core.graph.unscored import UnscoredLink, UnscoredNode

Explained: TypeAlias = NodeMatch | LinkMatch | UnscoredNode | UnscoredLink


class Because(Enum):
    """All reasons, as sentences; a :class:`Reason` fills in the ``{parts}``."""

    IMAGE_IN_BOTH = "Correct: this image is in both graphs."
    IMAGE_BELOW = (
        "Missing: the system returned this image with confidence {sure}, below the threshold "
        "{threshold}."
    )
    IMAGE_RENAMED = (
        "Missing: the system names this image {other}, the reference names it {file}; only "
        "identical names match."
    )
    IMAGE_NOT_RETURNED = "Missing: the system did not return this image."
    IMAGE_INDIRECT = (
        "False alarm: this image belongs to the full graph, but it is neither an ancestor "
        "nor a descendant of the probe. Only those count under the direct condition."
    )
    IMAGE_UNLINKED = (
        "False alarm: this image is node {node} of the journal, but no link of the reference "
        "connects it, so it does not count."
    )
    IMAGE_NOT_IN_WORLD = (
        "False alarm: this image is node {node} of the journal, but it is not in the world set, "
        "so it does not count."
    )
    IMAGE_KNOWN_OTHERWISE = (
        "False alarm: the reference names this image {other}; only identical names match."
    )
    IMAGE_STRANGE = "False alarm: this image is not in the journal of the probe."

    LINK_IN_BOTH = "Correct: this link is in both graphs."
    LINK_EITHER_WAY = (
        "Correct: the system reversed this link, but direction does not count in the "
        "undirected condition."
    )
    END_NOT_RETURNED = "Missing: the system did not return {name}."
    ENDS_NOT_RETURNED = "Missing: the system did not return {name} and {other}."
    LINK_BELOW = (
        "Missing: the system returned this link with confidence {sure}, below the threshold "
        "{threshold}."
    )
    LINK_OF_IMAGE_BELOW = (
        "Missing: one of its images is below the node threshold, and a link is dropped with "
        "its images."
    )
    LINK_REVERSED = "Missing: the system reversed this link, which counts as a different link."
    LINK_ROUNDABOUT = "Missing: the system connects the two images only through {between}."
    LINK_NOT_RETURNED = "Missing: the system returned both images but did not link them."
    LINK_TWICE = (
        "False alarm: the system returned this link in both directions, and only one of them "
        "is correct."
    )
    LINK_WRONG_WAY = (
        "False alarm: this link is reversed; the reference leads from {name} to {other}."
    )
    END_STRANGE = "False alarm: {name} is not in the reference."
    ENDS_STRANGE = "False alarm: {name} and {other} are not in the reference."
    LINK_SKIPS = (
        "False alarm: this link skips {between}; the reference reaches the target only through it."
    )
    LINK_TO_ANCESTOR = "False alarm: in the reference, the target is an ancestor of the source."
    LINK_OF_SIBLINGS = (
        "False alarm: both images derive from {name}; neither was made from the other."
    )
    LINK_UNRELATED = (
        "False alarm: both images are in the reference, but neither was made from the other."
    )

    NODE_WITHOUT_IMAGE = (
        "Not scored: the node table lists no image for this journal node, so systems cannot "
        "return it. Links are followed through it."
    )
    UNSCORED_INDIRECT = (
        "Not scored: this image is neither an ancestor nor a descendant of the probe. Only "
        "those count under the direct condition."
    )
    UNSCORED_NOT_IN_WORLD = (
        "Not scored: this image is not in the world set. Links are followed through it."
    )
    UNSCORED_UNLINKED = "Not scored: no link of the reference connects this image."
    STEP_VOID = (
        "Not scored: donor links do not count where an anti-forensic step leads into the "
        "same image."
    )
    STEP_OF_LINK = (
        "Not scored: this step is part of the link from {name} to {other}, which is scored instead."
    )
    STEP_INDIRECT = (
        "Not scored: this step is not on a path to or from the probe, and only those count "
        "under the direct condition."
    )
    STEP_NOT_IN_WORLD = (
        "Not scored: this step starts or ends at an image that is not in the world set."
    )


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for an outcome; as text, in English."""

    because: Because
    parts: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.because.value.format(**self.parts)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Everything an explanation depends on.

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


def why(one: Explained, evidence: Evidence) -> Reason:
    """The reason for the outcome of any node or link."""
    if isinstance(one, NodeMatch):
        return why_node(one, evidence)
    if isinstance(one, LinkMatch):
        return why_link(one, evidence)
    if isinstance(one, UnscoredNode):
        return Reason(_why_unscored_node(one, evidence))
    return _why_unscored_link(one, evidence)


def _why_unscored_node(unscored: UnscoredNode, evidence: Evidence) -> Because:
    if not unscored.is_named:
        return Because.NODE_WITHOUT_IMAGE
    if unscored.file in evidence.whole.nodes:
        return Because.UNSCORED_INDIRECT
    if unscored.file not in evidence.world:
        return Because.UNSCORED_NOT_IN_WORLD
    return Because.UNSCORED_UNLINKED


def _why_unscored_link(unscored: UnscoredLink, evidence: Evidence) -> Reason:
    if unscored.is_void:
        return Reason(Because.STEP_VOID)
    for ends, link in evidence.reference.links.items():
        if unscored.position in link.steps:
            return Reason(Because.STEP_OF_LINK, _named(*ends))
    if evidence.whole is not evidence.reference:
        return Reason(Because.STEP_INDIRECT)
    return Reason(Because.STEP_NOT_IN_WORLD)


def why_node(node: NodeMatch, evidence: Evidence) -> Reason:
    """The reason of a node that counts."""
    if node.match is Match.MATCHED:
        return Reason(Because.IMAGE_IN_BOTH)
    if node.match is Match.MISSED:
        return _why_node_missed(node.file, evidence)
    return _why_node_invented(node.file, evidence)


def _why_node_missed(file: FileName, evidence: Evidence) -> Reason:
    returned = evidence.system.by_file()
    if file in returned:
        sure = str(returned[file].confidence)
        return Reason(Because.IMAGE_BELOW, {"sure": sure, "threshold": f"{evidence.cut.nodes:g}"})
    alike = [name for name in returned if world_id(name) == world_id(file)]
    if alike:
        return Reason(Because.IMAGE_RENAMED, {"other": alike[0], "file": file})
    return Reason(Because.IMAGE_NOT_RETURNED)


def _why_node_invented(file: FileName, evidence: Evidence) -> Reason:
    if file in evidence.whole.nodes:
        return Reason(Because.IMAGE_INDIRECT)
    if file in evidence.named:
        is_there = file in evidence.world
        because = Because.IMAGE_UNLINKED if is_there else Because.IMAGE_NOT_IN_WORLD
        return Reason(because, {"node": evidence.named[file].id})
    alike = [name for name in evidence.reference.nodes if world_id(name) == world_id(file)]
    if alike:
        return Reason(Because.IMAGE_KNOWN_OTHERWISE, {"other": alike[0]})
    return Reason(Because.IMAGE_STRANGE)


def why_link(link: LinkMatch, evidence: Evidence) -> Reason:
    """The reason of a link that counts."""
    if link.match is Match.MATCHED:
        return Reason(Because.LINK_EITHER_WAY if link.is_reversed else Because.LINK_IN_BOTH)
    if link.match is Match.MISSED:
        return _why_link_missed(link.ends, evidence)
    return _why_link_invented(link.ends, evidence)


def _why_link_missed(ends: LinkKey, evidence: Evidence) -> Reason:
    source, target = ends
    returned, links = evidence.system.by_file(), evidence.system.by_ends()
    absent = [name for name in ends if name not in returned]
    if absent:
        one_or_both = Because.END_NOT_RETURNED, Because.ENDS_NOT_RETURNED
        return Reason(one_or_both[len(absent) - 1], _named(*absent))
    if ends in links:
        return _why_below(ends, evidence)
    if (target, source) in links:
        return Reason(Because.LINK_REVERSED)
    way = shortest_way(links, source, target)
    if len(way) > 2:
        return Reason(Because.LINK_ROUNDABOUT, {"between": _between(way)})
    return Reason(Because.LINK_NOT_RETURNED)


def _why_below(ends: LinkKey, evidence: Evidence) -> Reason:
    sure = evidence.system.by_ends()[ends].confidence
    if sure is not None and sure < evidence.cut.links:
        threshold = f"{evidence.cut.links:g}"
        return Reason(Because.LINK_BELOW, {"sure": str(sure), "threshold": threshold})
    return Reason(Because.LINK_OF_IMAGE_BELOW)


def _why_link_invented(ends: LinkKey, evidence: Evidence) -> Reason:
    source, target = ends
    reference = evidence.reference
    if (target, source) in reference.links:
        if evidence.comparison.undirected:
            return Reason(Because.LINK_TWICE)
        return Reason(Because.LINK_WRONG_WAY, _named(target, source))
    strange = [name for name in ends if name not in reference.nodes]
    if strange:
        one_or_both = Because.END_STRANGE, Because.ENDS_STRANGE
        return Reason(one_or_both[len(strange) - 1], _named(*strange))
    way = shortest_way(reference.links, source, target)
    if way:
        return Reason(Because.LINK_SKIPS, {"between": _between(way)})
    if shortest_way(reference.links, target, source):
        return Reason(Because.LINK_TO_ANCESTOR)
    shared = _parents(reference, source) & _parents(reference, target)
    if shared:
        return Reason(Because.LINK_OF_SIBLINGS, _named(min(shared)))
    return Reason(Because.LINK_UNRELATED)


def _named(*files: FileName) -> dict[str, str]:
    return dict(zip(("name", "other"), map(world_id, files), strict=False))


def _between(way: Iterable[FileName]) -> str:
    return ", ".join(world_id(name) for name in tuple(way)[1:-1])


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
