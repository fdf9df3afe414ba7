"""The geometry of a provenance graph on its canvas: cards, courses of links, what is visible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF, QTransform

from forensicviewer.app.graph_document import GraphDocument, LayoutKind
from forensicviewer.app.graph_facts import operation_label, short_name
from forensicviewer.app.graph_review import GraphReview, GraphState
from forensicviewer.core.provenance import FileName, LinkKey, LinkMatch, Match, NodeMatch
from forensicviewer.ui.graphstyle import CARD

_PORT_STEP = 11.0
_ARROW = QPolygonF([QPointF(0, 0), QPointF(-10, -4.5), QPointF(-7.5, 0), QPointF(-10, 4.5)])


@dataclass(slots=True)
class NodeSketch:
    """One card: where it stands and what is written on it."""

    file: FileName
    title: str
    subtitle: str
    kind: str
    is_probe: bool
    center: QPointF
    match: Match | None = None  # None: below the threshold and not asked for
    confidence: str = ""
    hides: int = 0  # images folded into it

    area: QRectF = field(default_factory=QRectF)

    def stand(self, center: QPointF) -> None:
        self.center = center
        self.area = CARD.translated(center)


@dataclass(slots=True)
class LinkSketch:
    """One link: its course and what is written on it."""

    ends: LinkKey
    label: str
    path: QPainterPath
    lines: list[QLineF]
    arrow: QPolygonF
    middle: QPointF
    sure: str = ""  # the confidence, whether the link counts now or not
    match: Match | None = None
    confidence: str = ""
    is_reversed: bool = False


class GraphPicture:
    """Everything there is to draw; kept up to date with the review's state."""

    def __init__(self, review: GraphReview, document: GraphDocument) -> None:
        self._review = review
        self._document = document
        self.nodes = [self._node_sketch(node) for node in document.merged.nodes]
        self.position = {node.file: i for i, node in enumerate(self.nodes)}
        self.points: NDArray[np.float64] = np.zeros((len(self.nodes), 2))
        self.links = [
            LinkSketch(
                x.ends,
                operation_label(x),
                QPainterPath(),
                [],
                QPolygonF(),
                QPointF(),
                sure=_confidence(x),
            )
            for x in document.merged.links
        ]
        self._ends = np.array(
            [[self.position[name] for name in link.ends] for link in self.links], dtype=np.intp
        ).reshape(-1, 2)
        self._is_probe = np.array([node.is_probe for node in self.nodes], dtype=bool)
        self.link_position = {link.ends: i for i, link in enumerate(self.links)}
        self.boxes: NDArray[np.float64] = np.zeros((len(self.links), 4))
        self.shown_nodes: NDArray[np.bool_] = np.ones(len(self.nodes), dtype=bool)
        self.shown_links: NDArray[np.bool_] = np.ones(len(self.links), dtype=bool)
        self.bright: frozenset[FileName] | None = None
        self.place()
        self.match(review.state)

    def _node_sketch(self, node: NodeMatch) -> NodeSketch:
        document = self._document
        journal = node.reference or document.named.get(node.file)
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

    def place(self, moved: Iterable[FileName] | None = None) -> None:
        """Put every node where it belongs, or only those that moved, and draw their links anew."""
        names = [node.file for node in self.nodes] if moved is None else list(moved)
        for name in names:
            i = self.position[name]
            x, y = self._review.place_of(name)
            self.nodes[i].stand(QPointF(x, y))
            self.points[i] = x, y
        touched = set(names)
        ports = self._ports() if self._is_layered else {}
        for i, link in enumerate(self.links):
            if moved is None or touched & set(link.ends):
                self._route(i, link, ports)

    def drag(self, file: FileName, place: QPointF) -> None:
        """Show a node elsewhere while it is being dragged."""
        i = self.position[file]
        self.nodes[i].stand(place)
        self.points[i] = place.x(), place.y()
        ports = self._ports() if self._is_layered else {}
        for i, link in enumerate(self.links):
            if file in link.ends:
                self._route(i, link, ports)

    def match(self, state: GraphState) -> None:
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
        self.show(state)

    def show(self, state: GraphState) -> None:
        """Take over folding, differences only and focus."""
        self.bright = self._review.bright()
        for sketch in self.nodes:
            sketch.hides = 0
        for target in state.hidden.values():
            self.nodes[self.position[target]].hides += 1
        there = np.array([node.match is not None for node in self.nodes], dtype=bool)
        for name in state.hidden:
            there[self.position[name]] = False
        linked = np.array([link.match is not None for link in self.links], dtype=bool)
        if state.only_differences:
            linked &= np.array([x.match is not Match.MATCHED for x in self.links], dtype=bool)
            wanted = np.array([x.match is not Match.MATCHED for x in self.nodes], dtype=bool)
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
            distance = _distance(link.path, point)
            if distance < nearest:
                best, nearest = link, distance
        return best

    # Courses

    @property
    def _is_layered(self) -> bool:
        return self._document.request.layout is LayoutKind.LAYERED

    def _ports(self) -> dict[tuple[int, bool], float]:
        """How far above or below the middle of its card each link leaves (False) and arrives."""
        sides: dict[tuple[FileName, bool], list[tuple[float, int, bool]]] = {}
        for i, link in enumerate(self.links):
            source, target = (self.position[name] for name in link.ends)
            forward = bool(self.points[target, 0] > self.points[source, 0])
            bends = self._bends(i, link)
            first = bends[0][1] if len(bends) else self.points[target, 1]
            last = bends[-1][1] if len(bends) else self.points[source, 1]
            sides.setdefault((link.ends[0], forward), []).append((float(first), i, False))
            sides.setdefault((link.ends[1], not forward), []).append((float(last), i, True))
        ports: dict[tuple[int, bool], float] = {}
        for listed in sides.values():
            listed.sort()
            step = min(_PORT_STEP, (CARD.height() - 16) / len(listed))
            for rank, (_, i, arrives) in enumerate(listed):
                ports[i, arrives] = (rank - (len(listed) - 1) / 2) * step
        return ports

    def _bends(self, i: int, link: LinkSketch) -> Sequence[Sequence[float]]:
        if any(name in self._review.state.moved for name in link.ends):
            # The course was made for where the node stood before.
            return ()
        bends = self._document.layout.bends.get(i)
        return () if bends is None else [(float(x), float(y)) for x, y in bends]

    def _route(self, i: int, link: LinkSketch, ports: dict[tuple[int, bool], float]) -> None:
        source, target = (QPointF(*self.points[self.position[name]]) for name in link.ends)
        if self._is_layered:
            forward = target.x() > source.x()
            side = CARD.right() if forward else CARD.left()
            start = source + QPointF(side, ports[i, False])
            end = target + QPointF(-side, ports[i, True])
            bends = [QPointF(*bend) for bend in self._bends(i, link)]
            link.path, link.lines = _curved([start, *bends, end])
        else:
            start, end = _on_border(source, target), _on_border(target, source)
            link.path, link.lines = QPainterPath(start), [QLineF(start, end)]
            link.path.lineTo(end)
        # Two links between the same images would cover each other's words in the middle.
        share = 0.5 if link.label else 0.62
        link.middle = link.path.pointAtPercent(share) if link.path.length() > 0 else start
        link.arrow = _arrow(link.lines[-1])
        box = link.path.controlPointRect()
        self.boxes[i] = box.left(), box.top(), box.right(), box.bottom()


def _curved(points: Sequence[QPointF]) -> tuple[QPainterPath, list[QLineF]]:
    """A smooth course through points, level at each of them, and the same in short lines."""
    path = QPainterPath(points[0])
    lines: list[QLineF] = []
    for a, b in pairwise(points):
        reach = max(abs(b.x() - a.x()) / 2, 24.0)
        reach = reach if b.x() >= a.x() else -reach
        path.cubicTo(a + QPointF(reach, 0), b - QPointF(reach, 0), b)
        lines.append(QLineF(a, b))
    return path, lines


def _on_border(inside: QPointF, toward: QPointF) -> QPointF:
    """Where the line from one card's middle to another's leaves the card."""
    apart = toward - inside
    if apart.isNull():
        return inside
    across = CARD.right() / abs(apart.x()) if apart.x() else float("inf")
    along = CARD.bottom() / abs(apart.y()) if apart.y() else float("inf")
    return inside + apart * min(across, along)


def _arrow(last: QLineF) -> QPolygonF:
    # Curves arrive level; only straight lines arrive at an angle.
    level = abs(last.dx()) > 3 * abs(last.dy()) or abs(last.dx()) > 40
    angle = (0.0 if last.dx() >= 0 else 180.0) if level else -last.angle()
    turned = QTransform().translate(last.x2(), last.y2()).rotate(angle)
    return turned.map(_ARROW)


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


def _distance(path: QPainterPath, point: QPointF) -> float:
    """From a point to the nearest of the short lines a course is drawn with."""
    flat = [QPointF(at) for polygon in path.toSubpathPolygons() for at in polygon.toList()]
    return min(
        (_distance_to_line(QLineF(a, b), point) for a, b in pairwise(flat)), default=float("inf")
    )


def _distance_to_line(line: QLineF, point: QPointF) -> float:
    along = QPointF(line.dx(), line.dy())
    length = QPointF.dotProduct(along, along)
    share = QPointF.dotProduct(point - line.p1(), along) / length if length else 0.0
    nearest = line.pointAt(min(1.0, max(0.0, share)))
    return QLineF(point, nearest).length()
