"""Draws a provenance graph: whole cards when near, coloured boxes when far."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum, auto

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPen,
    QPixmap,
)

from forensicviewer.app.graph.facts import role_in_words
from forensicviewer.app.graph.state import GraphState
from forensicviewer.app.language.words import tr
from forensicviewer.core.cached import cached_property
from forensicviewer.core.graph.provenance import FileName, Match
from forensicviewer.core.graph.raster import Inks
from forensicviewer.core.graph.threshold_table import OUTCOMES
from forensicviewer.ui.graph.geometry import (
    LINK_ROOM,
    NODE_ROOM,
    GraphGeometry,
    LinkSketch,
    NodeSketch,
)
from forensicviewer.ui.graph.legend import GraphLegend
from forensicviewer.ui.graph.style import (
    CARD,
    PROBE_WIDTH,
    THUMBNAIL,
    UNSCORED_CARD,
    GraphColors,
    font_of,
    pen_for,
    rgb_of,
)

_TEXT_LEFT = THUMBNAIL.right() + 8
_TEXT_WIDTH = CARD.right() - 6 - _TEXT_LEFT
_SIGN_ROOM = 3.0
_DIM = 0.18
_TAGGED = ("base", "donor", "final")  # roles that are written on cards
_LARGE_PX = 34
# Above this many cards on the screen nobody can read them, and drawing them would take too long.
MOST_CARDS = 260
MOST_PLAIN_CARDS = 450
_MOST_CARDS_KEPT = 1200
_MOST_FOUND = 200  # rings in the far view; more would hide the graph
_LEAST_LABEL_SCALE = 0.38  # smaller words on links cannot be read
_ROOM = CARD.adjusted(-18, -8, 8, 8)  # borders and the fold tab stand out

Thumbnails = Callable[[FileName], QPixmap | None]


class Detail(Enum):
    """How much of the graph is drawn."""

    FAR = auto()  # boxes and lines
    MIDDLE = auto()  # cards with signs
    NEAR = auto()  # cards with pictures and words


def detail_for(scale: float, visible: int) -> Detail:
    if scale >= 0.3 and visible <= MOST_CARDS:
        return Detail.NEAR
    return Detail.MIDDLE if scale >= 0.1 and visible <= MOST_PLAIN_CARDS else Detail.FAR


class GraphPainter:
    """Draws one image with one set of colours and fonts, in whole cards or plain ones."""

    def __init__(self, colors: GraphColors, font: QFont) -> None:
        self.colors = colors
        self._title = font_of(font, 8.5, bold=True)
        self._small = font_of(font, 7.5)
        self._tag = font_of(font, 7.0, bold=True)
        self.legend = GraphLegend(colors, self._small)
        self._cards: dict[object, QPixmap] = {}
        self._labels: dict[str, tuple[str, float]] = {}
        self._pens: dict[tuple[Match | None, float], QPen] = {}
        self._sharpness: float | None = None
        self._is_plain = False

    def draw(
        self, painter: QPainter, picture: GraphGeometry, *, area: QRectF, thumbnails: Thumbnails
    ) -> None:
        """Draw what lies in an area in full detail, as lines and words."""
        detail = Detail.NEAR
        deque(self.drawing(painter, picture, area=area, detail=detail, thumbnails=thumbnails), 0)

    def drawing(
        self,
        painter: QPainter,
        picture: GraphGeometry,
        *,
        area: QRectF,
        detail: Detail,
        thumbnails: Thumbnails,
        sharpness: float | None = None,
    ) -> Iterator[None]:
        """Draw what lies in an area of the scene, a link or a card at each step.

        ``sharpness`` are pixels per scene unit of cards kept as pixels; without it they are drawn
        as lines and words, as files need them.
        """
        self._sharpness, self._is_plain = sharpness, detail is Detail.MIDDLE
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        links = []
        for link in picture.links_in(area.adjusted(*LINK_ROOM)):
            self._draw_link(painter, link, picture, area)
            links.append(link)
            yield
        painter.setOpacity(1.0)
        # Signs, borders and tabs of a card may reach into an area the card itself is outside of.
        for node in picture.nodes_in(area.adjusted(*NODE_ROOM)):
            self._draw_node(painter, node, picture, thumbnails)
            yield
        if sharpness is None or painter.worldTransform().m11() >= _LEAST_LABEL_SCALE:
            painter.setFont(self._small)
            for link in links:
                self._draw_label(painter, link, picture)
                yield

    # Far

    @cached_property
    def inks(self) -> Inks:
        """The colours of everything seen from far away, bright and dim."""
        # Apart in grey, too: half for correct, pale for missing, full for false alarms.
        shares = {Match.MATCHED: 0.6, Match.MISSED: 0.3, Match.INVENTED: 1.0, None: 0.12}
        boxes = [self.colors.tint(match, share=shares[match]) for match in OUTCOMES]
        lines = [self.colors.of(match) for match in OUTCOMES]
        paper = self.colors.background
        return Inks(
            paper=rgb_of(paper),
            lines=tuple(rgb_of(ink) for ink in (*lines, *(_mixed(x, paper) for x in lines))),
            boxes=tuple(rgb_of(ink) for ink in (*boxes, *(_mixed(x, paper) for x in boxes))),
        )

    def draw_far_marks(
        self, painter: QPainter, picture: GraphGeometry, state: GraphState, scale: float
    ) -> None:
        """The probe, what is selected and what was found, over the boxes of the far view."""
        width = 2.5 / scale
        marks = [(name, self.colors.found, 2.0 * width) for name in state.found[:_MOST_FOUND]]
        if picture.probe is not None:
            marks.append((picture.nodes[picture.probe].file, self.colors.text, width))
        marks += [(name, self.colors.accent, 2.5 * width) for name in _selected_names(state)]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for name, color, reach in marks:
            i = picture.position.get(name)
            if i is not None and picture.shown_nodes[i]:
                painter.setPen(QPen(color, width * 1.5))
                painter.drawRect(picture.nodes[i].area.adjusted(-reach, -reach, reach, reach))

    # Over the image

    def draw_marks(
        self, painter: QPainter, picture: GraphGeometry, state: GraphState, area: QRectF
    ) -> None:
        """Rings around what was found and selected, and the selected link in bold."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if state.found:
            found = frozenset(state.found)
            painter.setPen(QPen(self.colors.found, 5))
            for node in picture.nodes_in(area.adjusted(*NODE_ROOM)):
                if node.file in found:
                    painter.drawRoundedRect(node.area.adjusted(-6, -6, 6, 6), 11, 11)
        painter.setPen(QPen(_faded(self.colors.accent, 190), 6))
        for name in _selected_names(state):
            i = picture.position.get(name)
            if i is not None and picture.shown_nodes[i]:
                painter.drawRoundedRect(picture.nodes[i].area.adjusted(-5, -5, 5, 5), 10, 10)
        if isinstance(state.selected, tuple) and picture.is_shown(state.selected):
            link = picture.link(state.selected)
            painter.setPen(QPen(_faded(self.colors.accent, 110), 9))
            painter.drawPath(link.curve.path)
            painter.setPen(pen_for(link.match, self.colors.of(link.match), 2.6))
            painter.drawPath(link.curve.path)

    def draw_held(
        self, painter: QPainter, picture: GraphGeometry, area: QRectF, thumbnails: Thumbnails
    ) -> None:
        """The node that is being dragged, with its links."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for link in picture.held_links():
            self._draw_link(painter, link, picture, area)
        painter.setOpacity(1.0)
        if picture.held is not None:
            self._draw_node(painter, picture.nodes[picture.held], picture, thumbnails)

    # Links

    def _draw_link(
        self,
        painter: QPainter,
        link: LinkSketch,
        picture: GraphGeometry,
        area: QRectF,
    ) -> None:
        painter.setOpacity(self._link_opacity(link, picture))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # Never thinner than a pixel of the screen, or links fade away before their nodes do.
        width = max(1.2 if link.is_unscored else 2.0, 1.1 / painter.worldTransform().m11())
        painter.setPen(self._pen(link.match, width))
        for path, box in link.curve.parts:
            if box.intersects(area):
                painter.drawPath(path)
        if link.curve.arrow_area.intersects(area):
            # A donor gives only a part of itself: its arrow is hollow.
            color = self.colors.of(link.match)
            painter.setPen(QPen(color, 1.3))
            painter.setBrush(self.colors.card if link.is_donor else color)
            painter.drawPolygon(link.curve.arrow)

    def _pen(self, match: Match | None, width: float) -> QPen:
        key = match, width
        if key not in self._pens:
            self._pens[key] = pen_for(match, self.colors.of(match), width)
        return self._pens[key]

    def _link_opacity(self, link: LinkSketch, picture: GraphGeometry) -> float:
        if picture.bright is None or set(link.ends) <= picture.bright:
            return 1.0
        return _DIM

    def _draw_label(self, painter: QPainter, link: LinkSketch, picture: GraphGeometry) -> None:
        words = " ".join(part for part in (link.label, link.confidence) if part)
        if link.is_reversed:
            words = f"⇄ {words}".strip()
        if not words:
            return
        shown, width = self._fitted(words)
        # Above the line where it names an operation, below where it is a bare number.
        middle = link.middle
        top = middle.y() + (-17 if link.label else 3)
        area = QRectF(middle.x() - width / 2, top, width, 14)
        painter.setOpacity(self._link_opacity(link, picture))
        painter.fillRect(area, self.colors.halo)
        painter.setPen(self.colors.of(link.match))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, shown)
        painter.setOpacity(1.0)

    def _fitted(self, words: str) -> tuple[str, float]:
        """A label as it fits on a link, and its width."""
        if words not in self._labels:
            metrics = QFontMetricsF(self._small)
            shown = metrics.elidedText(words, Qt.TextElideMode.ElideMiddle, 132)
            self._labels[words] = shown, metrics.horizontalAdvance(shown) + 8
        return self._labels[words]

    # Nodes

    def _draw_node(
        self,
        painter: QPainter,
        node: NodeSketch,
        picture: GraphGeometry,
        thumbnails: Thumbnails,
    ) -> None:
        is_dim = picture.bright is not None and node.file not in picture.bright
        painter.setOpacity(_DIM if is_dim else 1.0)
        painter.save()
        painter.translate(node.center)
        has_picture = not self._is_plain and not node.is_unscored
        thumbnail = thumbnails(node.file) if has_picture else None
        if self._sharpness is None:
            self._draw_card(painter, node, thumbnail)
        else:
            card = self._card(node, thumbnail, self._sharpness)
            painter.drawPixmap(_ROOM, card, QRectF(card.rect()))
        painter.restore()
        painter.setOpacity(1.0)

    def _card(self, node: NodeSketch, thumbnail: QPixmap | None, sharpness: float) -> QPixmap:
        """The card as pixels: drawing words anew for every frame would take too long."""
        key: object = (node.match, node.is_probe, node.kind, sharpness)
        if not self._is_plain:
            key = (key, node.file, node.hides, node.confidence, thumbnail is None)
        card = self._cards.get(key)
        if card is None:
            card = QPixmap((_ROOM.size() * sharpness).toSize())
            card.fill(Qt.GlobalColor.transparent)
            painter = QPainter(card)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.scale(sharpness, sharpness)
            painter.translate(-_ROOM.topLeft())
            self._draw_card(painter, node, thumbnail)
            painter.end()
            if len(self._cards) >= _MOST_CARDS_KEPT:
                self._cards.clear()
            self._cards[key] = card
        return card

    def _draw_card(self, painter: QPainter, node: NodeSketch, thumbnail: QPixmap | None) -> None:
        if node.match is None:
            self._draw_unscored(painter, node)
            return
        # As for links: at least a pixel, and the probe's border twice that.
        thin = 1.2 / (self._sharpness or 1.0) * (2 if node.is_probe else 1)
        width = max(PROBE_WIDTH if node.is_probe else 2.2, thin)
        painter.setPen(pen_for(node.match, self.colors.of(node.match), width))
        painter.setBrush(self.colors.tint(node.match))
        painter.drawRoundedRect(CARD, 7, 7)
        if self._is_plain:
            self._draw_large_sign(painter, node)
            return
        self._draw_thumbnail(painter, thumbnail)
        self._draw_words(painter, node)
        self._draw_sign(painter, node.match)
        if node.hides:
            self._draw_fold(painter, node.hides)

    def _draw_unscored(self, painter: QPainter, node: NodeSketch) -> None:
        """A low card without image: nobody can return this image."""
        painter.setPen(
            pen_for(None, self.colors.unscored, max(1.2, 1.0 / (self._sharpness or 1.0)))
        )
        painter.setBrush(self.colors.tint(None, share=0.05))
        painter.drawRoundedRect(UNSCORED_CARD, 7, 7)
        if self._is_plain:
            return
        words = " · ".join(part for part in (_role(node), tr("not scored")) if part)
        left = UNSCORED_CARD.left() + 10
        self._draw_line(painter, node.title, self._title, self.colors.muted, -17, left=left)
        self._draw_line(painter, words, self._small, self.colors.muted, 1, left=left)
        if node.hides:
            self._draw_fold(painter, node.hides)

    def _draw_thumbnail(self, painter: QPainter, pixmap: QPixmap | None) -> None:
        if pixmap is None or pixmap.isNull():
            self._draw_placeholder(painter)
            return
        size = pixmap.size().scaled(THUMBNAIL.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
        area = QRectF(0, 0, size.width(), size.height())
        area.moveCenter(THUMBNAIL.center())
        painter.drawPixmap(area, pixmap, QRectF(pixmap.rect()))
        painter.setPen(QPen(_faded(self.colors.text, 60), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area)

    def _draw_placeholder(self, painter: QPainter) -> None:
        """An image frame with hills and a sun: the image is not at hand."""
        line = _faded(self.colors.muted, 120)
        painter.setBrush(_faded(self.colors.muted, 22))
        painter.setPen(QPen(line, 1))
        area = THUMBNAIL.adjusted(6, 10, -6, -10)
        painter.drawRoundedRect(area, 3, 3)
        base = area.bottom() - 6
        hills = [
            QPointF(area.left() + 6, base),
            QPointF(area.left() + 18, base - 16),
            QPointF(area.left() + 27, base - 6),
            QPointF(area.left() + 34, base - 13),
            QPointF(area.right() - 6, base),
        ]
        painter.setPen(QPen(line, 1.5))
        painter.drawPolyline(hills)
        painter.drawEllipse(QPointF(area.right() - 12, area.top() + 10), 3.5, 3.5)

    def _draw_words(self, painter: QPainter, node: NodeSketch) -> None:
        top = CARD.top() + 6
        first, rest = self._two_lines(node.title)
        self._draw_line(painter, first, self._title, self.colors.text, top, room=_SIGN_ROOM)
        if rest:
            self._draw_line(painter, rest, self._title, self.colors.text, top + 16)
        else:
            self._draw_line(painter, node.subtitle, self._small, self.colors.muted, top + 16)
        left = self._draw_tags(painter, node, top + 42)
        has_room = not (node.is_probe and _role(node))
        words = node.confidence
        if words and has_room:
            words = tr("conf. {value}", value=words)
        self._draw_line(painter, words, self._small, self.colors.text, top + 42, left=left)

    def _two_lines(self, title: str) -> tuple[str, str]:
        """A long title broken where a part of it begins, or where the line is full."""
        metrics = QFontMetricsF(self._title)
        if metrics.horizontalAdvance(title) <= _TEXT_WIDTH - _SIGN_ROOM:
            return title, ""
        fits = len(title) - 1
        while metrics.horizontalAdvance(title[:fits]) > _TEXT_WIDTH - _SIGN_ROOM:
            fits -= 1
        breaks = [i + 1 for i in range(fits // 2, fits) if title[i] in "-_ ."]
        at = breaks[-1] if breaks else fits
        return title[:at], title[at:]

    def _draw_line(
        self,
        painter: QPainter,
        words: str,
        font: QFont,
        color: QColor,
        top: float,
        *,
        left: float = _TEXT_LEFT,
        room: float = 0.0,
    ) -> None:
        if not words:
            return
        width = max(10.0, _TEXT_LEFT + _TEXT_WIDTH - left - room)
        shown = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideMiddle, width)
        painter.setFont(font)
        painter.setPen(color)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(left, top, width, 15), flags, shown)

    def _draw_tags(self, painter: QPainter, node: NodeSketch, top: float) -> float:
        """Roles as small plates; answers where the next word may stand."""
        left = _TEXT_LEFT
        metrics = QFontMetricsF(self._tag)
        tags = ((tr("probe", context="role") if node.is_probe else "", True), (_role(node), False))
        for tag, filled in tags:
            if not tag:
                continue
            area = QRectF(left, top, metrics.horizontalAdvance(tag) + 6, 15)
            painter.setPen(QPen(self.colors.text if filled else self.colors.muted, 1))
            painter.setBrush(self.colors.text if filled else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area, 3, 3)
            painter.setPen(self.colors.card if filled else self.colors.text)
            painter.setFont(self._tag)
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, tag)
            left = area.right() + 4
        return left

    def _draw_sign(self, painter: QPainter, match: Match) -> None:
        """Check, dash or cross in the corner."""
        center = CARD.topRight() + QPointF(-4, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.colors.of(match))
        painter.drawEllipse(center, 6.5, 6.5)
        painter.setPen(QPen(self.colors.card, 1.8, c=Qt.PenCapStyle.RoundCap))
        painter.drawLines([line.translated(center) for line in _SIGNS[match]])

    def _draw_large_sign(self, painter: QPainter, node: NodeSketch) -> None:
        """What a small card can still show: its outcome and its role."""
        assert node.match is not None
        painter.setPen(QPen(self.colors.of(node.match), 8, c=Qt.PenCapStyle.RoundCap))
        lines = [QLineF(line.p1() * 6, line.p2() * 6) for line in _SIGNS[node.match]]
        painter.drawLines([line.translated(CARD.left() + 40, 0) for line in lines])
        word = tr("probe", context="role") if node.is_probe else _role(node)
        area = CARD.adjusted(66, 0, -4, 0)
        font = QFont(self._tag)
        font.setPixelSize(_LARGE_PX)
        width = QFontMetricsF(font).horizontalAdvance(word)
        if width > area.width():
            font.setPixelSize(int(_LARGE_PX * area.width() / width))
        painter.setFont(font)
        painter.setPen(self.colors.text)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, word)

    def _draw_fold(self, painter: QPainter, count: int) -> None:
        """How many images are folded into this one, on a tab at its left."""
        area = QRectF(CARD.left() - 14, -9, 26, 18)
        painter.setPen(QPen(self.colors.text, 1))
        painter.setBrush(self.colors.card)
        painter.drawRoundedRect(area, 9, 9)
        painter.setFont(self._tag)
        painter.setPen(self.colors.text)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, f"+{count}")


_SIGNS = {
    Match.MATCHED: [QLineF(-3, 0, -0.8, 2.6), QLineF(-0.8, 2.6, 3.2, -2.6)],
    Match.MISSED: [QLineF(-3, 0, 3, 0)],
    Match.INVENTED: [QLineF(-2.4, -2.4, 2.4, 2.4), QLineF(-2.4, 2.4, 2.4, -2.4)],
}


def _role(node: NodeSketch) -> str:
    """The word for a role that is worth writing on a card; blank for any other."""
    return role_in_words(node.kind) if node.kind in _TAGGED else ""


def _selected_names(state: GraphState) -> set[FileName]:
    names = {state.second} if state.second is not None else set()
    if isinstance(state.selected, str):
        names.add(state.selected)
    return names


def _mixed(color: QColor, paper: QColor) -> QColor:
    """A colour as dim as what is not in focus."""
    pairs = zip(rgb_of(color), rgb_of(paper), strict=True)
    return QColor(*(round(ink * _DIM + white * (1 - _DIM)) for ink, white in pairs))


def _faded(color: QColor, alpha: int) -> QColor:
    faded = QColor(color)
    faded.setAlpha(alpha)
    return faded
