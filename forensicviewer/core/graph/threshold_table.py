"""A reference and a system graph at every threshold, compared only once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.array import Flags, Floats, Rows
from forensicviewer.core.graph.provenance import (
    Comparison,
    LinkKey,
    LinkMatch,
    Match,
    NodeMatch,
    ReferenceGraph,
    SystemGraph,
    SystemLink,
    SystemNode,
    link_match,
    node_match,
)
from forensicviewer.core.graph.sweep import Cut

Codes = NDArray[np.int8]
Objects = NDArray[np.object_]

# What a code means: a row that does not count at the threshold has the first.
OUTCOMES: tuple[Match | None, ...] = (None, *Match)
_ABSENT, _MATCHED, _MISSED, _INVENTED = range(len(OUTCOMES))


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """The outcome of every row of a table at one threshold, as codes of ``OUTCOMES``."""

    nodes: Codes
    links: Codes
    is_reversed: Flags  # of links: matched by the one the other way


class ThresholdTable:
    """Every image and link of both graphs as a row, in the order :func:`compare` lists them.

    A threshold only chooses among what a row can be: with its part of the answer, without it, or,
    for a link without direction, with the one the other way.
    """

    def __init__(self, reference: ReferenceGraph, system: SystemGraph, *, undirected: bool) -> None:
        self.probe = reference.probe
        self.undirected = undirected
        returned, claimed = system.by_file(), system.by_ends()
        names = (*reference.nodes, *(x for x in returned if x not in reference.nodes))
        ends = (*reference.links, *(x for x in claimed if x not in reference.links))
        self.node_rows = {name: row for row, name in enumerate(names)}
        self.link_rows = {pair: row for row, pair in enumerate(ends)}
        self._asked_nodes = _flags(name in reference.nodes for name in names)
        self._asked_links = _flags(pair in reference.links for pair in ends)
        self._node_sureness = _sureness([returned.get(name) for name in names])
        self._link_sureness = _sureness([claimed.get(pair) for pair in ends])
        rows = self.node_rows
        self._ends = np.fromiter((rows.get(x, -1) for pair in ends for x in pair), np.intp)
        self._ends = self._ends.reshape(-1, 2)
        self._partners = self._found_partners(ends)
        asked, links = reference.nodes, reference.links
        self._nodes = _objects(node_match(n, asked.get(n), returned.get(n)) for n in names)
        self._nodes_without = _objects(
            node_match(n, asked[n], None) if n in asked else None for n in names
        )
        self._links = _objects(link_match(x, links.get(x), claimed.get(x)) for x in ends)
        self._links_without = _objects(
            link_match(x, links[x], None) if x in links else None for x in ends
        )
        self._links_reversed = self._links_without.copy()
        for row in np.flatnonzero(self._partners >= 0).tolist():
            pair = ends[row]
            self._links_reversed[row] = link_match(
                pair, links[pair], claimed[pair[1], pair[0]], is_reversed=True
            )

    def _found_partners(self, ends: Sequence[LinkKey]) -> Rows:
        """For a link asked for, the row of a claimed one the other way that may serve it.

        One that is asked for itself serves itself.
        """
        partners = np.full(len(ends), -1, dtype=np.intp)
        if self.undirected:
            for row in np.flatnonzero(self._asked_links).tolist():
                other = self.link_rows.get((ends[row][1], ends[row][0]), -1)
                if other >= 0 and not self._asked_links[other]:
                    partners[row] = other
        return partners

    def outcomes(self, at: Cut) -> Outcomes:
        """The outcome of every row at these minimum confidences."""
        returned = self._node_sureness >= at.nodes
        claimed = (self._link_sureness >= at.links) & returned[self._ends[:, 0]]
        claimed &= returned[self._ends[:, 1]]
        turned = (self._partners >= 0) & ~claimed & claimed[self._partners]
        # A claimed link may serve one that is asked for only once.
        invented = claimed & ~self._asked_links
        invented[self._partners[turned]] = False
        nodes = np.where(
            self._asked_nodes,
            np.where(returned, _MATCHED, _MISSED),
            np.where(returned, _INVENTED, _ABSENT),
        )
        links = np.where(
            self._asked_links,
            np.where(claimed | turned, _MATCHED, _MISSED),
            np.where(invented, _INVENTED, _ABSENT),
        )
        return Outcomes(nodes.astype(np.int8), links.astype(np.int8), turned)

    def comparison(self, found: Outcomes) -> Comparison:
        """The result of :func:`compare` for the rest of the answer."""
        nodes = np.where(found.nodes == _MISSED, self._nodes_without, self._nodes)
        links = np.where(found.links == _MISSED, self._links_without, self._links)
        links = np.where(found.is_reversed, self._links_reversed, links)
        return Comparison(
            probe=self.probe,
            nodes=tuple(nodes[found.nodes != _ABSENT].tolist()),
            links=tuple(links[found.links != _ABSENT].tolist()),
            undirected=self.undirected,
        )

    def at(self, at: Cut) -> Comparison:
        return self.comparison(self.outcomes(at))


def _flags(found: Iterable[bool]) -> Flags:
    return np.fromiter(found, dtype=bool)


def _sureness(given: Sequence[SystemNode | SystemLink | None]) -> Floats:
    """The confidence for the threshold: highest without a number, lowest if not returned."""
    return np.fromiter(
        (
            math.nan if one is None else math.inf if one.confidence is None else one.confidence
            for one in given
        ),
        dtype=np.float64,
    )


def _objects(made: Iterable[NodeMatch | LinkMatch | None]) -> Objects:
    # Not by assignment: that asks every single object whether it is an array.
    return np.fromiter(made, dtype=object)
