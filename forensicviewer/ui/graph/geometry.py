"""The geometry of a provenance graph on its canvas: cards, curves of links, what is visible."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF

from forensicviewer.app.graph.document import GraphDocument
from forensicviewer.app.graph.drawing import LayoutKind
from forensicviewer.app.graph.facts import operation_label, short_name
from forensicviewer.app.graph.moves import Position
from forensicviewer.app.graph.state import GraphState
from forensicviewer.core.array import Flags, Rows
from forensicviewer.core.graph.ports import Boxes, Routes, routes_of
from forensicviewer.core.graph.provenance import FileName, LinkKey, LinkMatch, Match, NodeMatch
from forensicviewer.core.graph.raster import Codes, Strokes
from forensicviewer.core.graph.threshold_table import OUTCOMES
from forensicviewer.core.graph.unscored import UnscoredLink, UnscoredNode
from forensicviewer.ui.graph.link_curve import LinkCurve, Loop, straight
from forensicviewer.ui.graph.style import CARD, UNSCORED_CARD

# By code; what is drawn first lies below: the journal, then what is right, then what is wrong.
_NOT_COUNTED = OUTCOMES.index(None)
_HIDDEN = -1
# Borders, the fold tab and the rings stand out of a card; arrow and words out of a link's way.
NODE_ROOM = (-20.0, -10.0, 20.0, 10.0)
LINK_ROOM = (-60.0, -20.0, 60.0, 20.0)
NO_ROWS: Rows = np.zeros(0, dtype=np.intp)
_MISSED = OUTCOMES.index(Match.MISSED)
_WRONG = (_MISSED, OUTCOMES.index(Match.INVENTED))


@dataclass(slots=True)
class NodeSketch:
    """One card: where it stands and what is written on it."""

    file: FileName
    title: str
    subtitle: str
    kind: str
    is_probe: bool
    place: Position = (0.0, 0.0)
    match: Match | None = None  # None: it does not count, or not at this threshold
    confidence: str = ""
    hides: int = 0  # images folded into it
    is_unscored: bool = False

    @property
    def card(self) -> QRectF:
        """Its outline about its middle."""
        return UNSCORED_CARD if self.is_unscored else CARD

    @property
    def center(self) -> QPointF:
        return QPointF(*self.place)

    @property
    def area(self) -> QRectF:
        return self.card.translated(*self.place)


class LinkSketch:
    """One link: its curve, laid when it is first seen, and what is written on it."""

    def __init__(
        self,
        ends: LinkKey,
        label: str,
        *,
        is_donor: bool,
        sure: str = "",
        is_unscored: bool = False,
    ) -> None:
        self.ends = ends
        self.label = label
        self.is_donor = is_donor
        self.sure = sure  # the confidence, whether the link counts now or not
        self.is_unscored = is_unscored
        self.match: Match | None = None
        self.confidence = ""
        self.is_reversed = False
        self.curve = _NOWHERE

    @property
    def middle(self) -> QPointF:
        """Where its words stand: apart from those of a link the other way."""
        return self.curve.point_at(0.5 if self.label else 0.62)


_NOWHERE = LinkCurve([QPointF(), QPointF()], is_curved=False)


class GraphGeometry:
    """Everything there is to draw.

    Made from a document alone, so that another thread can make it; then kept up to date with the
    review's state. All places are arrays; curves are made of them for what is seen.
    """

    def __init__(self, document: GraphDocument) -> None:
        self._document = document
        unscored = document.unscored
        self.nodes = [_node_sketch(node, document) for node in document.merged.nodes]
        self.nodes += [_unscored_sketch(node) for node in unscored.nodes.values()]
        self.position = {node.file: i for i, node in enumerate(self.nodes)}
        self.links = [_link_sketch(link) for link in document.merged.links]
        self.links += [_unscored_link_sketch(link) for link in unscored.links.values()]
        self.link_position = {link.ends: i for i, link in enumerate(self.links)}
        self.has_unscored = bool(unscored.nodes or unscored.links)
        self.probe = self.position.get(document.merged.probe)
        position = self.position
        self._ends = np.array(
            [(position[a], position[b]) for a, b in self.link_position], dtype=np.intp
        ).reshape(-1, 2)
        self._is_layered = document.request.layout is LayoutKind.LAYERED
        self._halves = np.array([_half(node) for node in self.nodes]).reshape(-1, 2)
        self._laid = document.drawing.layout
        self.points: NDArray[np.float64] = np.array(self._laid.points, np.float64).reshape(-1, 2)
        self._node_codes: Codes = np.full(len(self.nodes), _HIDDEN, dtype=np.int8)
        self._link_codes: Codes = np.full(len(self.links), _HIDDEN, dtype=np.int8)
        self._is_reversed = np.zeros(len(self.links), dtype=bool)
        table, merged = document.table, document.merged
        self._rows = (
            np.array([table.node_rows[node.file] for node in merged.nodes], dtype=np.intp),
            np.array([table.link_rows[link.ends] for link in merged.links], dtype=np.intp),
        )
        self.shown_nodes: Flags = np.ones(len(self.nodes), dtype=bool)
        self.shown_links: Flags = np.ones(len(self.links), dtype=bool)
        self._hides: Rows = np.zeros(len(self.nodes), dtype=np.intp)
        self.bright: frozenset[FileName] | None = None
        self.held: int | None = None
        self._held_links = NO_ROWS
        self._bounds: QRectF | None = None
        self._moved: set[int] = set()
        self._changes: list[Boxes] = []
        self._is_laid = np.zeros(len(self.links), dtype=bool)
        self._routes = self._route()
        assert self._routes.piece_boxes is not None  # made here, not when the window asks for it
        for node, place in zip(self.nodes, self.points.tolist(), strict=True):
            node.place = (place[0], place[1])

    # Following the state

    def take_changes(self) -> Boxes:
        """Where something looks different since this was last asked."""
        changes, self._changes = self._changes, []
        return np.concatenate([np.zeros((0, 4)), *changes])

    def change(self, files: Collection[FileName]) -> None:
        """These nodes look different, for a reason of their own."""
        position = self.position
        self._note(np.array([position[x] for x in files if x in position], dtype=np.intp))

    def _note(self, nodes: Rows, links: Rows = NO_ROWS) -> None:
        """Keep in mind that these look different where they are now."""
        middles, halves = self.points[nodes], self._halves[nodes]
        cards = np.concatenate([middles - halves, middles + halves], axis=1)
        self._changes += [cards + NODE_ROOM, self._routes.boxes[links] + LINK_ROOM]

    def place(self, moved: Mapping[FileName, Position]) -> None:
        """Put the nodes the user has moved where they are now, and all others where they were."""
        position = self.position
        now = {position[name]: place for name, place in moved.items() if name in position}
        laid = self._laid.points
        touched = np.array(sorted(self._moved | now.keys()), dtype=np.intp)
        self._note(touched)
        self._stand({**{i: (laid[i, 0], laid[i, 1]) for i in self._moved}, **now})
        self._moved = set(now)
        before, self._routes = self._routes, self._route()
        changed = self._routes.changed_since(before)
        self._is_laid[changed] = False
        self._changes.append(before.boxes[changed] + LINK_ROOM)
        self._note(touched, np.flatnonzero(changed))

    def hold(self, file: FileName | None) -> None:
        """Take a node and its links out of the image while it is dragged over it, or put back."""
        if self.held is not None:
            self._note(np.array([self.held]), self._held_links)
        self.held, self._held_links = None, NO_ROWS
        if file is not None:
            self.held = self.position[file]
            self._held_links = self._routes.touching(self.held)
            self._note(np.array([self.held]), self._held_links)

    def held_links(self) -> list[LinkSketch]:
        """The shown links of the node that is dragged."""
        shown = self._held_links[self.shown_links[self._held_links]]
        return [self.link(self.links[i].ends) for i in shown.tolist()]

    def drag(self, file: FileName, place: QPointF) -> None:
        """Show a node elsewhere while it is being dragged."""
        i = self.position[file]
        self._moved.add(i)
        self._stand({i: (place.x(), place.y())})
        self._routes = self._routes.following(self.points, i)
        self._is_laid[self._routes.touching(i)] = False

    def _stand(self, places: Mapping[int, Position]) -> None:
        # Another array: the one there is may just be drawn by another thread.
        self.points = self.points.copy()
        for i, (x, y) in places.items():
            self.points[i] = x, y
            self.nodes[i].place = (float(x), float(y))
        self._bounds = None

    def match(self, state: GraphState, bright: frozenset[FileName] | None) -> None:
        """Take over what became of every node and link, and what is shown of them."""
        nodes = np.full(len(self.nodes), _NOT_COUNTED, dtype=np.int8)
        links = np.full(len(self.links), _NOT_COUNTED, dtype=np.int8)
        is_reversed = np.zeros(len(self.links), dtype=bool)
        found = self._document.table.outcomes(state.cut)
        rows, link_rows = self._rows
        counted, counted_links = nodes[: len(rows)], links[: len(link_rows)]
        counted[:] = found.nodes[rows]
        counted_links[:] = found.links[link_rows]
        counted[counted == _NOT_COUNTED] = _HIDDEN
        counted_links[counted_links == _NOT_COUNTED] = _HIDDEN
        is_reversed[: len(link_rows)] = found.is_reversed[link_rows]
        self._sketch(nodes, links, is_reversed)
        self.show(state, bright)

    def _sketch(self, nodes: Codes, links: Codes, is_reversed: Flags) -> None:
        """Take over codes; only what is another now is touched."""
        changed = np.flatnonzero(nodes != self._node_codes)
        for i in changed.tolist():
            self.nodes[i].match = OUTCOMES[max(nodes[i], _NOT_COUNTED)]
        changed_links = np.flatnonzero(
            (links != self._link_codes) | (is_reversed != self._is_reversed)
        )
        self._note(changed, changed_links)
        for i in changed_links.tolist():
            link = self.links[i]
            link.match = OUTCOMES[max(links[i], _NOT_COUNTED)]
            link.confidence = "" if links[i] == _MISSED else link.sure
            link.is_reversed = bool(is_reversed[i])
        self._node_codes, self._link_codes, self._is_reversed = nodes, links, is_reversed

    def show(self, state: GraphState, bright: frozenset[FileName] | None) -> None:
        """Take over folding, differences only and focus."""
        there, hides = self._node_codes != _HIDDEN, np.zeros(len(self.nodes), dtype=np.intp)
        for name, target in state.hidden.items():
            if name in self.position:
                there[self.position[name]] = False
                if target in self.position:
                    hides[self.position[target]] += 1
        linked = self._link_codes != _HIDDEN
        if state.only_differences:
            linked &= np.isin(self._link_codes, _WRONG)
            wanted = np.isin(self._node_codes, _WRONG)
            wanted[self._ends[linked].ravel()] = True
            if self.probe is not None:
                wanted[self.probe] = True
            there &= wanted
        sources, targets = self._ends[:, 0], self._ends[:, 1]
        self._take_shown(there, linked & there[sources] & there[targets], hides)
        if bright != self.bright:
            self.bright = bright
            self._note(np.arange(len(self.nodes)), np.arange(len(self.links)))

    def _take_shown(self, nodes: Flags, links: Flags, hides: Rows) -> None:
        folded = np.flatnonzero(hides != self._hides)
        for i in folded.tolist():
            self.nodes[i].hides = int(hides[i])
        self._note(folded)
        self._note(
            np.flatnonzero(nodes != self.shown_nodes), np.flatnonzero(links != self.shown_links)
        )
        self.shown_nodes, self.shown_links, self._hides = nodes, links, hides
        self._bounds = None

    # Asking

    def bounds(self) -> QRectF:
        """The area all shown nodes take."""
        if self._bounds is None:
            self._bounds = self._measured()
        return QRectF(self._bounds)

    def _measured(self) -> QRectF:
        shown = self.points[self.shown_nodes]
        if not len(shown):
            return QRectF(-200, -100, 400, 200)
        low, high = shown.min(axis=0), shown.max(axis=0)
        return QRectF(QPointF(*low.tolist()), QPointF(*high.tolist())).adjusted(
            CARD.left() - 30, CARD.top() - 30, CARD.right() + 30, CARD.bottom() + 30
        )

    def count_in(self, area: QRectF) -> int:
        """How many nodes lie in an area."""
        return int(np.count_nonzero(self._inside(area)))

    def nodes_in(self, area: QRectF) -> list[NodeSketch]:
        return [self.nodes[i] for i in np.flatnonzero(self._inside(area)).tolist()]

    def _inside(self, area: QRectF) -> Flags:
        reach = area.adjusted(CARD.left(), CARD.top(), CARD.right(), CARD.bottom())
        inside = self.shown_nodes & _within(self.points, reach)
        if self.held is not None:
            inside[self.held] = False
        return inside

    def count_links_in(self, area: QRectF) -> int:
        """How many links may be seen in an area."""
        return len(self._meeting(area))

    def _meeting(self, area: QRectF) -> Rows:
        boxes = self._routes.piece_boxes
        near = (
            (boxes[:, 0] <= area.right())
            & (boxes[:, 2] >= area.left())
            & (boxes[:, 1] <= area.bottom())
            & (boxes[:, 3] >= area.top())
        )
        meets = np.zeros(len(self.links), dtype=bool)
        meets[self._routes.pieces[1][near]] = True
        meets &= self.shown_links
        meets[self._held_links] = False
        return np.flatnonzero(meets)

    def links_in(self, area: QRectF) -> Iterator[LinkSketch]:
        """The links that may be seen in an area, each with its curve."""
        return map(self._laid_link, self._meeting(area).tolist())

    def is_shown(self, ends: LinkKey) -> bool:
        i = self.link_position.get(ends)
        return i is not None and bool(self.shown_links[i])

    def link(self, ends: LinkKey) -> LinkSketch:
        """One link with its curve."""
        return self._laid_link(self.link_position[ends])

    def _laid_link(self, i: int) -> LinkSketch:
        if not self._is_laid[i]:
            self.links[i].curve = self._curve(i)
            self._is_laid[i] = True
        return self.links[i]

    def node_at(self, point: QPointF) -> NodeSketch | None:
        near = self.nodes_in(QRectF(point, point))
        return next((node for node in reversed(near) if node.area.contains(point)), None)

    def link_at(self, point: QPointF, reach: float) -> LinkSketch | None:
        """The nearest link within reach of a point."""
        area = QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach)
        best, nearest = None, reach
        for link in self.links_in(area):
            distance = link.curve.distance(point)
            if distance < nearest:
                best, nearest = link, distance
        return best

    def strokes(self) -> Strokes:
        """Everything shown as seen from far away; what is dim has a separate code."""
        nodes = np.where(self.shown_nodes, self._node_codes, _HIDDEN)
        links = np.where(self.shown_links, self._link_codes, _HIDDEN)
        if self.bright is not None:
            lit = np.zeros(len(self.nodes), dtype=bool)
            lit[[self.position[name] for name in self.bright if name in self.position]] = True
            nodes = np.where(lit | (nodes < 0), nodes, nodes + len(OUTCOMES))
            lit_links = lit[self._ends].all(axis=1)
            links = np.where(lit_links | (links < 0), links, links + len(OUTCOMES))
        segments, owners = self._routes.pieces
        return Strokes(
            segments=segments,
            segment_codes=links[owners],
            points=self.points,
            halves=self._halves,
            point_codes=nodes,
        )

    # Courses

    def _route(self) -> Routes:
        bends = {} if not self._is_layered else self._laid.bends
        if self._moved:
            # A curve is made for where its ends stood before; a moved end has none.
            moved = np.any(np.isin(self._ends, list(self._moved)), axis=1)
            bends = {i: bend for i, bend in bends.items() if not moved[i]}
        return routes_of(
            self.points, self._ends, self._halves, bends=bends, is_layered=self._is_layered
        )

    def _curve(self, i: int) -> LinkCurve:
        source, target = self._ends[i].tolist()
        if source == target:
            return Loop(self.nodes[source].area)
        if not self._is_layered:
            return straight(self.nodes[source].area, self.nodes[target].area)
        return LinkCurve([QPointF(x, y) for x, y in self._routes.course(i)], is_curved=True)


def _half(node: NodeSketch) -> tuple[float, float]:
    return node.card.right(), node.card.bottom()


def _node_sketch(node: NodeMatch, document: GraphDocument) -> NodeSketch:
    journal = document.journal_node(node.file)
    short = short_name(node.file)
    title = short if journal is None else journal.id
    return NodeSketch(
        file=node.file,
        title=title,
        subtitle="" if title == short else short,
        kind="" if journal is None else journal.kind,
        is_probe=node.file == document.merged.probe,
        confidence=_confidence(node),
    )


def _unscored_sketch(unscored: UnscoredNode) -> NodeSketch:
    return NodeSketch(
        file=unscored.file,
        title=unscored.node.id,
        subtitle="",
        kind=unscored.node.kind,
        is_probe=False,
        is_unscored=True,
    )


def _link_sketch(link: LinkMatch) -> LinkSketch:
    return LinkSketch(
        link.ends,
        operation_label(link),
        is_donor=link.reference is not None and link.reference.is_donor,
        sure=_confidence(link),
    )


def _unscored_link_sketch(unscored: UnscoredLink) -> LinkSketch:
    return LinkSketch(
        unscored.ends, unscored.link.operation, is_donor=unscored.link.is_donor, is_unscored=True
    )


def _confidence(match: NodeMatch | LinkMatch | None) -> str:
    if match is None or match.system is None or match.system.confidence is None:
        return ""
    return f"{match.system.confidence:.3g}"


def _within(points: NDArray[np.float64], area: QRectF) -> Flags:
    inside: Flags = (
        (points[:, 0] >= area.left())
        & (points[:, 0] <= area.right())
        & (points[:, 1] >= area.top())
        & (points[:, 1] <= area.bottom())
    )
    return inside
