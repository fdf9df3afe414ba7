"""Small graphs, and what is left of one at a threshold, made the slow and plain way."""

from __future__ import annotations

from hypothesis import strategies as st

from forensicviewer.core.graph.provenance import (
    Confidence,
    JournalNode,
    ReferenceGraph,
    ReferenceLink,
    SystemGraph,
    SystemLink,
    SystemNode,
)
from forensicviewer.core.graph.sweep import Cut

names = st.sampled_from("abcde")
ends = st.tuples(names, names)
sureness = st.sampled_from([None, 0, 0.25, 0.5, 1])


@st.composite
def references(draw: st.DrawFn) -> ReferenceGraph:
    links = draw(st.sets(ends, max_size=6))
    nodes = {name: JournalNode(name, name) for pair in links for name in pair}
    return ReferenceGraph("a", nodes, {pair: ReferenceLink((0,), ("Blur",)) for pair in links})


@st.composite
def systems(draw: st.DrawFn) -> SystemGraph:
    files = draw(st.lists(names, min_size=1, max_size=6))
    nodes = tuple(SystemNode(str(i), file, draw(sureness)) for i, file in enumerate(files))
    position = st.integers(0, len(files) - 1)
    links = draw(st.lists(st.tuples(position, position, sureness), max_size=8))
    return SystemGraph(nodes, tuple(SystemLink(*link) for link in links))


def cut(graph: SystemGraph, at: Cut) -> SystemGraph:
    """The nodes at least that sure, and the links at least that sure between them.

    Of an image or link given several times the last counts, here as in scoring.
    """
    kept = {name for name, node in graph.by_file().items() if _passes(node.confidence, at.nodes)}
    sure = graph.by_ends()
    chosen = [i for i, node in enumerate(graph.nodes) if node.file in kept]
    place = {old: new for new, old in enumerate(chosen)}
    files = [node.file for node in graph.nodes]
    links = []
    for link in graph.links:
        ends = files[link.source], files[link.target]
        if ends[0] in kept and ends[1] in kept and _passes(sure[ends].confidence, at.links):
            source, target = place[link.source], place[link.target]
            links.append(SystemLink(source, target, link.confidence, link.operation))
    return SystemGraph(tuple(graph.nodes[i] for i in chosen), tuple(links))


def _passes(confidence: Confidence | None, least: float) -> bool:
    return confidence is None or confidence >= least
