"""The parts of a compared graph that are drawn, and their places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from forensicviewer.core.array import Rows
from forensicviewer.core.graph.layout import GraphLayout, Spacing, force, layered
from forensicviewer.core.graph.provenance import (
    Comparison,
    FileName,
    JournalNode,
    LinkKey,
    Match,
    NodeMatch,
    ProvenanceJournal,
)
from forensicviewer.core.graph.unscored import Unscored, unscored_of
from forensicviewer.core.problem import ProblemLog

StopCheck = Callable[[], None]

# More images than this can neither be placed in a few seconds nor told apart on a screen.
MOST_DRAWN = 20_000
MOST_LINKS = 60_000
# Room for a card of 196 by 76 with the name of an operation beside it.
SPACING = Spacing(across=350.0, along=98.0, bend=30.0)


class LayoutKind(Enum):
    """How the nodes are placed."""

    LAYERED = "Layered"
    FORCE = "Force"


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """``merged`` is as much of a comparison as can be drawn, ``unscored`` the journal around it.

    ``names`` are all nodes in the order of the layout, ``words`` what each is found by,
    ``links_of`` the links each is an end of.
    """

    merged: Comparison
    unscored: Unscored
    names: tuple[FileName, ...]
    words: tuple[str, ...]
    links_of: Mapping[FileName, Sequence[LinkKey]]
    layout: GraphLayout


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """What a drawing is made of; ``named`` are the world files of the journal's nodes."""

    compared: Comparison
    journal: ProvenanceJournal
    named: Mapping[FileName, JournalNode]


def draw(
    sources: Sources, kind: LayoutKind, *, shows_journal: bool, log: ProblemLog, check: StopCheck
) -> Drawing:
    """Choose what is drawn and place it."""
    merged = drawable(sources.compared, log)
    unscored = _drawn_unscored(sources, merged, log) if shows_journal else Unscored()
    names = (*(node.file for node in merged.nodes), *unscored.nodes)
    return Drawing(
        merged=merged,
        unscored=unscored,
        names=names,
        words=(*(_words(n, sources.named) for n in merged.nodes), *_unscored_words(unscored)),
        links_of=_by_node((*(link.ends for link in merged.links), *unscored.links)),
        layout=place(merged, kind, check, unscored=unscored),
    )


def _by_node(links: Iterable[LinkKey]) -> Mapping[FileName, Sequence[LinkKey]]:
    found: dict[FileName, list[LinkKey]] = {}
    for ends in links:
        for name in dict.fromkeys(ends):
            found.setdefault(name, []).append(ends)
    return found


def drawable(comparison: Comparison, log: ProblemLog) -> Comparison:
    """The comparison as far as it can be drawn: all of the reference, then the surest images.

    Scores are made of the whole graph all the same.
    """
    nodes, links = comparison.nodes, comparison.links
    if len(nodes) > MOST_DRAWN:
        log.warn(
            f"The graph has {len(nodes)} images; the {MOST_DRAWN} with the highest "
            "confidence are drawn",
            hint="the scores count all of them",
            rule="graph.too-large",
        )
        kept = {nodes[i].file for i in _ranked(nodes)[:MOST_DRAWN]} | {comparison.probe}
        nodes = tuple(node for node in nodes if node.file in kept)
        links = tuple(x for x in links if x.source in kept and x.target in kept)
    if len(links) > MOST_LINKS:
        log.warn(
            f"The graph has {len(links)} links; {MOST_LINKS} of them are drawn",
            hint="the scores count all of them",
            rule="graph.too-large",
        )
        links = tuple(sorted(links, key=lambda link: link.reference is None)[:MOST_LINKS])
    return replace(comparison, nodes=nodes, links=links)


def _ranked(nodes: Sequence[NodeMatch]) -> Rows:
    """Positions, the reference's first, then the surest; numpy lets other threads go on."""
    is_invented = np.fromiter((node.reference is None for node in nodes), bool)
    sureness = np.fromiter(map(_sureness, nodes), np.float64)
    order: Rows = np.lexsort((-sureness, is_invented))
    return order


def _sureness(node: NodeMatch) -> float:
    sure = None if node.system is None else node.system.confidence
    return 0.0 if sure is None else float(sure)


def _drawn_unscored(sources: Sources, merged: Comparison, log: ProblemLog) -> Unscored:
    """The journal around the comparison, where there is room for it."""
    journal = sources.journal
    fits = len(merged.nodes) + len(journal.nodes) <= MOST_DRAWN
    if fits and len(merged.links) + len(journal.links) <= MOST_LINKS:
        return unscored_of(journal, merged, sources.named)
    rest = len(journal.nodes) - sum(node.reference is not None for node in merged.nodes)
    if rest > 0:
        log.note(
            f"The journal has {rest} images that are not scored; they are not drawn",
            rule="graph.too-large",
        )
    return Unscored()


def _words(node: NodeMatch, named: Mapping[FileName, JournalNode]) -> str:
    file_id = "" if node.system is None else node.system.file_id
    return _joined(node.file, file_id, node.reference or named.get(node.file))


def _unscored_words(unscored: Unscored) -> list[str]:
    return [_joined(node.file, "", node.node) for node in unscored.nodes.values()]


def _joined(file: FileName, file_id: str, journal: JournalNode | None) -> str:
    entry = () if journal is None else (journal.id, journal.file, journal.kind)
    return " ".join((file, file_id, *entry)).lower()


def place(
    comparison: Comparison, kind: LayoutKind, check: StopCheck, *, unscored: Unscored | None = None
) -> GraphLayout:
    """A place for every node of the merged graph and the unscored ones, the probe's part on top."""
    around = unscored or Unscored()
    names = [*(node.file for node in comparison.nodes), *around.nodes]
    position = {name: i for i, name in enumerate(names)}
    links: list[LinkKey] = [*(link.ends for link in comparison.links), *around.links]
    ends = [(position[source], position[target]) for source, target in links]
    # Links that end differently do not share a course: each shows its own colour throughout.
    order = list(Match)
    bundles = [order.index(link.match) for link in comparison.links]
    bundles += [len(order)] * len(around.links)
    found = layered(len(position), ends, bundles=bundles, spacing=SPACING, check=check)
    if kind is LayoutKind.FORCE:
        found = force(len(position), ends, start=found.points, spacing=SPACING, check=check)
    return GraphLayout(np.round(found.points, 2), found.bends)
