"""The scores of a system graph without nodes and links of low confidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from forensicviewer.core.array import Counts, Floats
from forensicviewer.core.graph.provenance import (
    Confidence,
    FileName,
    GraphScores,
    LinkKey,
    MatchCounts,
    ReferenceGraph,
    SystemGraph,
)

EVERYTHING = -math.inf


@dataclass(frozen=True, slots=True)
class Cut:
    """The minimum confidence of nodes and links; those without a confidence are always kept."""

    nodes: float = EVERYTHING
    links: float = EVERYTHING


def _passes(confidence: Confidence | None, least: float) -> bool:
    return confidence is None or confidence >= least


@dataclass(frozen=True, slots=True, eq=False)
class SweepCurve:
    """The scores at every confidence at which they change."""

    confidences: Floats
    nodes: tuple[Counts, Counts, Counts]  # matched, reference, system
    links: tuple[Counts, Counts, Counts]

    def __len__(self) -> int:
        return len(self.confidences)

    def scores(self, i: int) -> GraphScores:
        return GraphScores(_counts_at(self.nodes, i), _counts_at(self.links, i))

    @property
    def sim_no(self) -> Floats:
        return _overlap(*self.nodes)

    @property
    def sim_lo(self) -> Floats:
        return _overlap(*self.links)

    @property
    def sim_nlo(self) -> Floats:
        return _overlap(*(n + e for n, e in zip(self.nodes, self.links, strict=True)))


def node_curve(
    reference: ReferenceGraph,
    system: SystemGraph,
    *,
    undirected: bool,
    links_at: float = EVERYTHING,
) -> SweepCurve:
    """The scores over the node threshold; a link is dropped with either of its ends."""
    nodes = _node_confidences(system)
    links = {
        ends: min(nodes[ends[0]], nodes[ends[1]])
        for ends, link in system.by_ends().items()
        if _passes(link.confidence, links_at)
    }
    return _curve(reference, nodes, links, steps=nodes.values(), undirected=undirected)


def link_curve(
    reference: ReferenceGraph,
    system: SystemGraph,
    *,
    undirected: bool,
    nodes_at: float = EVERYTHING,
) -> SweepCurve:
    """The scores over the link threshold; nodes do not change."""
    kept = {name: math.inf for name, sure in _node_confidences(system).items() if sure >= nodes_at}
    links = {
        ends: _sureness(link.confidence)
        for ends, link in system.by_ends().items()
        if ends[0] in kept and ends[1] in kept
    }
    return _curve(reference, kept, links, steps=links.values(), undirected=undirected)


def _sureness(confidence: Confidence | None) -> float:
    return math.inf if confidence is None else float(confidence)


def _node_confidences(system: SystemGraph) -> dict[FileName, float]:
    return {name: _sureness(node.confidence) for name, node in system.by_file().items()}


def _curve(
    reference: ReferenceGraph,
    nodes: dict[FileName, float],
    links: dict[LinkKey, float],
    *,
    steps: Iterable[float],
    undirected: bool,
) -> SweepCurve:
    at = np.array(sorted({step for step in steps if math.isfinite(step)}), dtype=np.float64)
    hits = [nodes[name] for name in reference.nodes if name in nodes]
    return SweepCurve(
        at,
        _counts(at, hits, len(reference.nodes), list(nodes.values())),
        _counts(
            at,
            _link_hits(reference, links, undirected=undirected),
            len(reference.links),
            list(links.values()),
        ),
    )


def _link_hits(
    reference: ReferenceGraph, links: dict[LinkKey, float], *, undirected: bool
) -> list[float]:
    """The confidence of each reference link that the system returned."""
    hits = []
    for source, target in reference.links:
        found = [links.get((source, target))]
        # The link the other way serves the reference's own link the other way first.
        if undirected and (target, source) not in reference.links:
            found.append(links.get((target, source)))
        sure = [each for each in found if each is not None]
        if sure:
            hits.append(max(sure))
    return hits


def _counts(
    at: Floats, hits: Sequence[float], reference: int, system: Sequence[float]
) -> tuple[Counts, Counts, Counts]:
    return (
        _at_least(at, hits),
        np.full(len(at), reference, dtype=np.int64),
        _at_least(at, system),
    )


def _at_least(at: Floats, values: Sequence[float]) -> Counts:
    ordered = np.sort(np.array(values, dtype=np.float64))
    return (len(ordered) - np.searchsorted(ordered, at, side="left")).astype(np.int64)


def _overlap(matched: Counts, reference: Counts, system: Counts) -> Floats:
    total = reference + system
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, 2 * matched / np.maximum(total, 1), np.nan)


def _counts_at(counts: tuple[Counts, Counts, Counts], i: int) -> MatchCounts:
    matched, reference, system = (int(each[i]) for each in counts)
    return MatchCounts(matched, reference - matched, system - matched)
