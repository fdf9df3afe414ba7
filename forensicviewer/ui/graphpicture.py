"""The geometry of a provenance graph on its canvas: cards, courses of links, what is visible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF

from forensicviewer.app.graph_document import GraphDocument
from forensicviewer.app.graph_drawing import LayoutKind
from forensicviewer.app.graph_facts import operation_label, short_name
from forensicviewer.app.graph_moves import Place
from forensicviewer.app.graph_state import GraphState
from forensicviewer.core.graphghost import GhostLink, GhostNode
from forensicviewer.core.provenance import FileName, LinkKey, LinkMatch, Match, NodeMatch
from forensicviewer.ui.graphcourse import Course, straight
from forensicviewer.ui.graphstyle import CARD, GHOST_CARD

_PORT_STEP = 11.0
_NOWHERE = Course([QPointF(), QPointF()], is_curved=False)
_DIFFERENT = (Match.MISSED, Match.INVENTED)


@dataclass(slots=True)
class NodeSketch:
    """One card: where it stands and what is written on it."""

    file: FileName
    title: str
    subtitle: str
    kind: str
    is_probe: bool
    center: QPointF
    match: Match | None = None  # None: it does not count, or not at this threshold
    confidence: str = ""
    hides: int = 0  # images folded into it
    is_ghost: bool = False
    area: QRectF = field(default_factory=QRectF)

    @property
    def card(self) -> QRectF:
        """Its outline about its middle."""
        return GHOST_CARD if self.is_ghost else CARD

    def stand(self, center: QPointF) -> None:
        self.center = center
        self.area = self.card.translated(center)


@dataclass
class LinkSketch:
    """One link: its course and what is written on it."""

    ends: LinkKey
    label: str
    course: Course
    is_donor: bool = False
    sure: str = ""  # the confidence, whether the link counts now or not
    match: Match | None = None
    confidence: str = ""
    is_reversed: bool = False
    is_ghost: bool = False

    @property
    def middle(self) -> QPointF:
        """Where its words stand: apart from those of a link the other way."""
        return self.course.point_at(0.5 if self.label else 0.62)


class GraphPicture:
    """Everything there is to draw.

    Made from a document alone, so that another thread can make it; then kept up to date with the
    review's state.
    """

    def __init__(self, document: GraphDocument) -> None:
        self._document = document
        ghosts = document.ghosts
        self.nodes = [self._node_sketch(node) for node in document.merged.nodes]
        self.nodes += [_ghost_sketch(ghost) for ghost in ghosts.nodes.values()]
        self.position = {node.file: i for i, node in enumerate(self.nodes)}
        self.points: NDArray[np.float64] = np.array(document.drawing.layout.points, np.float64)
        self.links = [_link_sketch(link) for link in document.merged.links]
        self.links += [_ghost_link_sketch(ghost) for ghost in ghosts.links.values()]
        self.has_ghosts = bool(ghosts.nodes or ghosts.links)
        self._ghost_nodes = np.array([node.is_ghost for node in self.nodes], dtype=bool)
        self._ghost_links = np.array([link.is_ghost for link in self.links], dtype=bool)
        self._ends = np.array(
            [[self.position[name] for name in link.ends] for link in self.links], dtype=np.intp
        ).reshape(-1, 2)
        self._is_probe = np.array([node.is_probe for node in self.nodes], dtype=bool)
        self.link_position = {link.ends: i for i, link in enumerate(self.links)}
        self.boxes: NDArray[np.float64] = np.zeros((len(self.links), 4))
        self.shown_nodes: NDArray[np.bool_] = np.ones(len(self.nodes), dtype=bool)
        self.shown_links: NDArray[np.bool_] = np.ones(len(self.links), dtype=bool)
        self.bright: frozenset[FileName] | None = None
        self._moved: set[int] = set()
        self.place({})

    def _node_sketch(self, node: NodeMatch) -> NodeSketch:
        document = self._document
        journal = document.journal_node(node.file)
        short = short_name(node.file)
        title = short if journal is None else journal.id
        return NodeSketch(
            file=node.file,
            title=title,
            subtitle="" if title == short else short,
            kind=document.kind_of(node.file),
            is_probe=node.file == document.merged.probe,
            center=QPointF(),
            confidence=_confidence(node),
        )

    # Following the state

    def place(self, moved: Mapping[FileName, Place]) -> None:
        """Put every node where the layout or the user has put it, and lay all links anew."""
        self.points = np.array(self._document.drawing.layout.points, dtype=np.float64)
        self._moved = {self.position[name] for name in moved if name in self.position}
        for name, place in moved.items():
            if name in self.position:
                self.points[self.position[name]] = place
        for node, (x, y) in zip(self.nodes, self.points.tolist(), strict=True):
            node.stand(QPointF(x, y))
        self._route(range(len(self.links)))

    def drag(self, file: FileName, place: QPointF) -> None:
        """Show a node elsewhere while it is being dragged."""
        i = self.position[file]
        self._moved.add(i)
        self.nodes[i].stand(place)
        self.points[i] = place.x(), place.y()
        self._route(np.flatnonzero((self._ends == i).any(axis=1)).tolist())

    def match(self, state: GraphState, bright: frozenset[FileName] | None) -> None:
        """Take over what became of every node and link, and what is shown of them."""
        nodes, links = state.nodes, state.links
        for sketch in self.nodes:
            found = nodes.get(sketch.file)
            sketch.match = None if found is None else found.match
        for link in self.links:
            met = links.get(link.ends)
            link.match = None if met is None else met.match
            link.confidence = "" if met is None or met.system is None else link.sure
            link.is_reversed = met is not None and met.is_reversed
        self.show(state, bright)

    def show(self, state: GraphState, bright: frozenset[FileName] | None) -> None:
        """Take over folding, differences only and focus."""
        self.bright = bright
        for sketch in self.nodes:
            sketch.hides = 0
        for name, target in state.hidden.items():
            if name in self.position and target in self.position:
                self.nodes[self.position[target]].hides += 1
        there = np.array([node.match is not None for node in self.nodes], dtype=bool)
        there |= self._ghost_nodes
        for name in state.hidden:
            if name in self.position:
                there[self.position[name]] = False
        linked = np.array([link.match is not None for link in self.links], dtype=bool)
        linked |= self._ghost_links
        if state.only_differences:
            linked &= np.array([x.match in _DIFFERENT for x in self.links], dtype=bool)
            wanted = np.array([x.match in _DIFFERENT for x in self.nodes], dtype=bool)
            wanted[self._ends[linked].ravel()] = True
            there &= wanted | self._is_probe
        self.shown_nodes = there
        self.shown_links = linked & there[self._ends].all(axis=1)

    # Asking

    def bounds(self) -> QRectF:
        """The area all shown nodes take."""
        shown = self.points[self.shown_nodes]
        if not len(shown):
            return QRectF(-200, -100, 400, 200)
        low, high = shown.min(axis=0), shown.max(axis=0)
        return QRectF(QPointF(*low.tolist()), QPointF(*high.tolist())).adjusted(
            CARD.left() - 30, CARD.top() - 30, CARD.right() + 30, CARD.bottom() + 30
        )

    def nodes_in(self, area: QRectF) -> list[NodeSketch]:
        reach = area.adjusted(CARD.left(), CARD.top(), CARD.right(), CARD.bottom())
        inside = self.shown_nodes & _within(self.points, reach)
        return [self.nodes[i] for i in np.flatnonzero(inside)]

    def links_in(self, area: QRectF) -> list[LinkSketch]:
        boxes = self.boxes
        meets = (
            (boxes[:, 0] <= area.right())
            & (boxes[:, 2] >= area.left())
            & (boxes[:, 1] <= area.bottom())
            & (boxes[:, 3] >= area.top())
        )
        return [self.links[i] for i in np.flatnonzero(meets & self.shown_links)]

    def node_at(self, point: QPointF) -> NodeSketch | None:
        near = self.nodes_in(QRectF(point, point))
        return next((node for node in reversed(near) if node.area.contains(point)), None)

    def link_at(self, point: QPointF, reach: float) -> LinkSketch | None:
        """The nearest link within reach of a point."""
        area = QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach)
        best, nearest = None, reach
        for link in self.links_in(area):
            distance = link.course.distance(point)
            if distance < nearest:
                best, nearest = link, distance
        return best

    # Courses

    @cached_property
    def _is_layered(self) -> bool:
        return self._document.request.layout is LayoutKind.LAYERED

    def _route(self, chosen: Iterable[int]) -> None:
        ports = self._ports() if self._is_layered else {}
        for i in chosen:
            source, target = self._ends[i].tolist()
            start, end = self.nodes[source].center, self.nodes[target].center
            if self._is_layered:
                side = CARD.right() if end.x() > start.x() else CARD.left()
                start = start + QPointF(side, ports[i, False])
                end = end + QPointF(-side, ports[i, True])
                bends = [QPointF(x, y) for x, y in self._bends(i)]
                course = Course([start, *bends, end], is_curved=True)
            else:
                course = straight(self.nodes[source].area, self.nodes[target].area)
            self.links[i].course = course
            self.boxes[i] = course.box()

    def _ports(self) -> dict[tuple[int, bool], float]:
        """How far above or below the middle of its card each link leaves (False) and arrives."""
        sides: dict[tuple[int, bool], list[tuple[float, int, bool]]] = {}
        points = self.points.tolist()
        for i, (source, target) in enumerate(self._ends.tolist()):
            forward = points[target][0] > points[source][0]
            bends = self._bends(i)
            first = bends[0][1] if bends else points[target][1]
            last = bends[-1][1] if bends else points[source][1]
            sides.setdefault((source, forward), []).append((first, i, False))
            sides.setdefault((target, not forward), []).append((last, i, True))
        ports: dict[tuple[int, bool], float] = {}
        for (node, _), listed in sides.items():
            listed.sort()
            step = min(_PORT_STEP, (self.nodes[node].card.height() - 16) / len(listed))
            for rank, (_, i, arrives) in enumerate(listed):
                ports[i, arrives] = (rank - (len(listed) - 1) / 2) * step
        return ports

    @cached_property
    def _laid(self) -> dict[int, list[tuple[float, float]]]:
        bends = self._document.drawing.layout.bends
        return {i: [(x, y) for x, y in points.tolist()] for i, points in bends.items()}

    def _bends(self, i: int) -> Sequence[tuple[float, float]]:
        # A course is made for where its ends stood before; a moved end has none.
        if self._moved and self._moved & set(self._ends[i].tolist()):
            return ()
        return self._laid.get(i, ())


def _ghost_sketch(ghost: GhostNode) -> NodeSketch:
    return NodeSketch(
        file=ghost.file,
        title=ghost.node.id,
        subtitle="not scored",
        kind=ghost.node.kind,
        is_probe=False,
        center=QPointF(),
        is_ghost=True,
    )


def _link_sketch(link: LinkMatch) -> LinkSketch:
    return LinkSketch(
        link.ends,
        operation_label(link),
        _NOWHERE,
        is_donor=link.reference is not None and link.reference.is_donor,
        sure=_confidence(link),
    )


def _ghost_link_sketch(ghost: GhostLink) -> LinkSketch:
    return LinkSketch(
        ghost.ends,
        ghost.link.operation,
        _NOWHERE,
        is_donor=ghost.link.is_donor,
        is_ghost=True,
    )


def _confidence(match: NodeMatch | LinkMatch | None) -> str:
    if match is None or match.system is None or match.system.confidence is None:
        return ""
    return f"{match.system.confidence:.3g}"


def _within(points: NDArray[np.float64], area: QRectF) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (
        (points[:, 0] >= area.left())
        & (points[:, 0] <= area.right())
        & (points[:, 1] >= area.top())
        & (points[:, 1] <= area.bottom())
    )
    return inside
