"""The canvas of a provenance graph: pan, zoom, fit, select, walk and drag."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from operator import attrgetter

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QGraphicsScene,
    QGraphicsView,
    QToolTip,
    QWidget,
)

from forensicviewer.app.graph.document import GraphDocument
from forensicviewer.app.graph.review import LARGE, PICTURE_LANE, GraphReview
from forensicviewer.app.graph.state import GraphChange, GraphState
from forensicviewer.app.language.words import tr
from forensicviewer.app.runtime.memory import keep, unsearched
from forensicviewer.core.graph.provenance import FileName
from forensicviewer.ui.graph.far_view import FarView
from forensicviewer.ui.graph.geometry import GraphGeometry
from forensicviewer.ui.graph.item import GraphItem, sharpness
from forensicviewer.ui.graph.menu import choices_of, hint_at
from forensicviewer.ui.graph.minimap import GraphMinimap, Mapped
from forensicviewer.ui.graph.painter import Detail, GraphPainter, detail_for
from forensicviewer.ui.graph.sheet import GraphSheet
from forensicviewer.ui.graph.style import DARK, LIGHT, GraphColors
from forensicviewer.ui.graph.thumbnails import GraphThumbnails
from forensicviewer.ui.graph.tile_buffer import GraphBuffer
from forensicviewer.ui.widgets.page import MenuChoices
from forensicviewer.ui.widgets.rubber_band import RubberBand
from forensicviewer.ui.widgets.wheel import pinch_of, wheel_steps

_CLOSEST, _FARTHEST = 4.0, 0.004
_WHEEL_STEP = 1.0015
_REACH_PX = 7.0
_MARGIN_PX = 12
_FEW = 25  # cards and links that are drawn on the spot, however long they take
_REDRAWN = GraphChange.DOCUMENT | GraphChange.MATCHES | GraphChange.SHOWN | GraphChange.PLACES
_SHOWN = attrgetter("selected", "second", "focus", "hidden", "only_differences")
_STEPS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class GraphCanvas(QGraphicsView):
    """Shows the review's graph and turns mouse and keys into its commands."""

    def __init__(self, review: GraphReview, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.review = review
        self.picture: GraphGeometry | None = None
        self.painter = GraphPainter(self._colors(), self.font())
        self._scene = QGraphicsScene(self)
        self._item = GraphItem(self.draw_graph)
        self._scene.addItem(self._item)
        self.setScene(self._scene)
        self.thumbnails = GraphThumbnails(review, self)
        self.thumbnails.arrived.connect(self._draw_thumbnails)
        self.is_patient = False  # draws whole pictures, however long they take
        self._pressed: QPoint | None = None
        self._held: FileName | None = None
        self._is_dragging = False
        self._has_space = self._folds_on_release = False
        self._rubber = RubberBand()
        self._fits = True
        self._detail = Detail.FAR
        self._buffer = GraphBuffer(self.viewport().update, self)
        self._far = FarView(review.jobs, self.viewport().update)
        self._set_up()
        self.minimap = GraphMinimap(
            Mapped(
                lambda: self.picture,
                self.visible_area,
                lambda: self.painter.colors,
                self.show_point,
            ),
            self,
        )
        self._stop_listening = review.subscribe(self._follow)
        self._follow(review.state, ~GraphChange.TABLE)

    def _set_up(self) -> None:
        self.setFrameShape(QGraphicsView.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontSavePainterState)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Provenance graph; use the arrow keys to follow links"))
        self.setMinimumSize(240, 180)

    def sizeHint(self) -> QSize:
        return QSize(900, 600)

    def let_go(self) -> None:
        """Stop listening; called once, before the window closes."""
        self._stop_listening()
        self.thumbnails.let_go()
        self._buffer.let_go()

    # Following the review

    def _follow(self, state: GraphState, change: GraphChange) -> None:
        if GraphChange.DOCUMENT in change:
            self._show_document(state)
        elif self.picture is not None:
            if GraphChange.MATCHES in change:
                self.picture.match(state, self.review.bright())
            if GraphChange.PLACES in change:
                self.picture.place(state.moved)
            if change & (GraphChange.SHOWN | GraphChange.SELECTION):
                before = self.picture.bright
                self.picture.show(state, self.review.bright())
                if self.picture.bright != before:
                    change |= GraphChange.SHOWN
        # Until another document's image is made, the one there is stays as it is.
        if change & _REDRAWN and GraphChange.DOCUMENT not in change:
            self._far.forget()
            self.minimap.forget()
            self._redraw_changes()
        if GraphChange.SELECTION in change and GraphChange.DOCUMENT not in change:
            self._reveal_selection(state)
        if change & (GraphChange.SELECTION | GraphChange.SEARCH) or self.picture is None:
            self.viewport().update()

    def _show_document(self, state: GraphState) -> None:
        document = state.document
        self.thumbnails.want_none()
        if document is None:
            self._show_picture(None)
            return
        bright = self.review.bright()
        # Thousands of curves take a while to lay: not on the thread of the window.
        self.review.jobs.submit(
            PICTURE_LANE,
            lambda: _picture(document, state, bright),
            lambda picture: self._take_picture(picture, state),
            title=tr("Drawing the graph"),
        )

    def _take_picture(self, picture: GraphGeometry, made_for: GraphState) -> None:
        state = self.review.state
        if state.document is not made_for.document:
            return
        # What happened meanwhile; only what did, for each takes a while with thousands of cards.
        if state.moved:
            picture.place(state.moved)
        if state.comparison is not made_for.comparison:
            picture.match(state, self.review.bright())
        elif _SHOWN(state) != _SHOWN(made_for):
            picture.show(state, self.review.bright())
        self._show_picture(picture)

    def _show_picture(self, picture: GraphGeometry | None) -> None:
        self.picture = picture
        self._far.forget()
        self._buffer.clear()
        self.minimap.forget()
        bounds = QRectF()
        if picture is not None:
            picture.take_changes()  # all of it is new
            bounds = picture.bounds()
        self._item.set_bounds(bounds)
        # Wide margins: a graph may be pushed almost out of the view, but not lost.
        room = max(bounds.width(), bounds.height(), 2000.0)
        self.setSceneRect(bounds.adjusted(-room, -room, room, room))
        self.fit()
        self.viewport().update()

    def _reveal_selection(self, state: GraphState) -> None:
        """Bring a selected node into view, as far as it is not there already."""
        name = state.selected if isinstance(state.selected, str) else None
        if isinstance(state.selected, tuple):
            name = state.selected[1]
        if self.picture is None or name not in self.picture.position:
            return
        area = self.picture.nodes[self.picture.position[name]].area
        if not self.visible_area().contains(area):
            self.centerOn(area.center())

    # View

    def visible_area(self) -> QRectF:
        """The part of the scene that is seen."""
        return self.mapToScene(self.viewport().rect()).boundingRect()

    @property
    def scale_now(self) -> float:
        return self.transform().m11()

    def fit(self) -> None:
        """Show the whole graph."""
        self._fits = True
        if self.picture is None:
            return
        bounds = self.picture.bounds()
        legend_px = self._legend_px(self.picture)
        room = self.viewport().size() - QSize(2 * _MARGIN_PX, 2 * _MARGIN_PX + legend_px)
        scale = min(room.width() / bounds.width(), room.height() / bounds.height(), 1.0)
        self._set_scale(max(scale, _FARTHEST))
        self.centerOn(bounds.center() + QPointF(0, legend_px / 2 / self.scale_now))

    def zoom_by(self, factor: float, about: QPoint | None = None) -> None:
        """Zoom about a point of the view, or about its middle."""
        self._fits = False
        self._buffer.zoom()
        point = self.viewport().rect().center() if about is None else about
        before = self.mapToScene(point)
        self._set_scale(min(_CLOSEST, max(_FARTHEST, self.scale_now * factor)))
        self._pan(point - self.mapFromScene(before))

    def zoom_into(self, area: QRectF) -> None:
        """Show a rectangle of the view as large as it can be."""
        middle = self.mapToScene(area.center().toPoint())
        room = self.viewport().size()
        self.zoom_by(min(room.width() / area.width(), room.height() / area.height()))
        self.centerOn(middle)

    def show_probe(self) -> None:
        """Select the probe and bring it into the middle."""
        self.review.select_probe()
        if isinstance(self.review.state.selected, str):
            self.show_node(self.review.state.selected)

    def show_node(self, file: FileName) -> None:
        """Bring a node into the middle, large enough to read."""
        if self.picture is not None and file in self.picture.position:
            self._fits = False
            self.zoom_by(max(1.0, 0.7 / self.scale_now))
            self.centerOn(QPointF(*self.review.place_of(file)))

    def show_point(self, point: QPointF) -> None:
        """Bring a point of the scene into the middle."""
        self._fits = False
        self.centerOn(point)

    def _set_scale(self, scale: float) -> None:
        self.resetTransform()
        self.scale(scale, scale)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.minimap.place()
        if self._fits:
            self.fit()

    # Drawing

    def draw_graph(self, painter: QPainter) -> None:
        """Draw what is seen; called by the scene's only item."""
        if self.picture is None:
            return
        area = self.visible_area()
        scale = self.scale_now * self.devicePixelRatioF()
        count = self.picture.count_in(area)
        detail = detail_for(self.scale_now, count)
        if detail is not self._detail:
            self._detail = detail
            self._buffer.forget()
        if detail is Detail.FAR:
            self._draw_far(painter, area)
            return
        self._buffer.draw(
            painter,
            area,
            scale,
            sharply=lambda onto, piece: self._draw_detail(onto, piece, detail),
            roughly=self._draw_far,
            at_once=self.is_patient or count + self.picture.count_links_in(area) <= _FEW,
        )
        self.painter.draw_held(painter, self.picture, area, self.thumbnails.get)
        self.painter.draw_marks(painter, self.picture, self.review.state, area)

    def _draw_far(self, painter: QPainter, area: QRectF) -> None:
        assert self.picture is not None
        scale = self.scale_now * self.devicePixelRatioF()
        self._far.draw(painter, self.picture, self.painter.inks, area, scale)
        self.painter.draw_far_marks(painter, self.picture, self.review.state, self.scale_now)

    def _draw_detail(self, painter: QPainter, area: QRectF, detail: Detail) -> Iterator[None]:
        assert self.picture is not None
        painter.fillRect(area, self.painter.colors.background)
        return self.painter.drawing(
            painter,
            self.picture,
            area=area,
            detail=detail,
            thumbnails=self.thumbnails.get,
            sharpness=sharpness(self.scale_now * self.devicePixelRatioF()),
        )

    def _redraw_changes(self) -> None:
        """Draw anew what looks different now."""
        if self.picture is not None:
            self._buffer.forget(self.picture.take_changes())
        self.viewport().update()

    def _draw_thumbnails(self, files: Collection[FileName]) -> None:
        if self.picture is not None:
            self.picture.change(files)
        self._redraw_changes()

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        painter.fillRect(rect, self.painter.colors.background)

    def paintEvent(self, event: QPaintEvent) -> None:
        colors = self._colors()
        if colors is not self.painter.colors:
            self.painter = GraphPainter(colors, self.font())
            self._far.forget()
            self._buffer.clear()
            self.minimap.forget()
        super().paintEvent(event)
        painter = QPainter(self.viewport())
        if self.picture is not None:
            top = self.viewport().height() - self._legend_px(self.picture) - 4
            painter.drawPixmap(QPointF(0, top), self._drawn_legend(self.picture))
        else:
            painter.setPen(self.painter.colors.muted)
            state = self.review.state
            waiting = tr("Laying out the graph…")
            words = waiting if state.is_loading else state.failure or tr("No graph")
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(self.viewport().rect().adjusted(40, 40, -40, -40), flags, words)
        self._rubber.draw(painter, self.palette().color(QPalette.ColorRole.Highlight))
        painter.end()
        self.minimap.follow()

    def _legend_px(self, picture: GraphGeometry) -> int:
        room = self.viewport().width()
        return self.painter.legend.height(has_unscored=picture.has_unscored, room=room)

    def _drawn_legend(self, picture: GraphGeometry) -> QPixmap:
        room, density = self.viewport().width(), self.devicePixelRatioF()
        legend = self.painter.legend
        return legend.pixmap(has_unscored=picture.has_unscored, room=room, density=density)

    def sheet(self) -> GraphSheet:
        """The graph as it is now, for files and paper."""
        return GraphSheet.of(self.review, self.font(), self.thumbnails.kept)

    def _colors(self) -> GraphColors:
        window = self.palette().color(QPalette.ColorRole.Window)
        return DARK if window.lightness() < 128 else LIGHT

    # Mouse

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._pan(QPoint(delta.y() + delta.x(), 0))
        else:
            self.zoom_by(_WHEEL_STEP ** (120 * wheel_steps(event)), event.position().toPoint())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() not in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            return
        self._pressed = event.position().toPoint()
        self._is_dragging = False
        self._held = None
        if event.button() is Qt.MouseButton.MiddleButton or self._has_space:
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._rubber.begin(event.position())
        else:
            self._held = self._press(event)

    def _press(self, event: QMouseEvent) -> FileName | None:
        """Select what is under the mouse; answers the node that may now be dragged."""
        if self.picture is None:
            return None
        point = self.mapToScene(event.position().toPoint())
        node = self.picture.node_at(point)
        if node is not None:
            self.review.select(node.file)
            return node.file
        link = self.picture.link_at(point, _REACH_PX / self.scale_now)
        if link is not None:
            self.review.select(link.ends)
        return None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if self._pressed is None:
            self._hint(event)
            return
        moved = point - self._pressed
        if not self._is_dragging and moved.manhattanLength() < 4:
            return
        if self._rubber.area is not None:
            self._rubber.move(event.position())
            self.viewport().update()
        elif self._held is not None and self.picture is not None:
            if not self._is_dragging:
                self.picture.hold(self._held)
                self._redraw_changes()
            self.picture.drag(self._held, self._dragged_place(moved))
            self._far.forget()
            self.viewport().update()
        else:
            self._pan(moved)
            self._pressed = point
        self._is_dragging = True

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            return
        moved = event.position().toPoint() - self._pressed
        if self._rubber.area is not None:
            self._end_rubber(event.position().toPoint())
        elif self._is_dragging and self._held is not None:
            place = self._dragged_place(moved)
            if self.picture is not None:
                self.picture.hold(None)
            self.review.move(self._held, (place.x(), place.y()))
        elif not self._is_dragging and event.button() is Qt.MouseButton.LeftButton:
            self._clear_if_empty(self.mapToScene(event.position().toPoint()))
        self._folds_on_release = self._folds_on_release and not self._is_dragging
        self._let_go_of_mouse()

    def _let_go_of_mouse(self) -> None:
        self._pressed = None
        self._held = None
        self._is_dragging = False
        shape = Qt.CursorShape.OpenHandCursor if self._has_space else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)

    def _end_rubber(self, point: QPoint) -> None:
        """Zoom into what was dragged over; without a drag, Shift adds the image to the pair."""
        area = self._rubber.finish()
        self.viewport().update()
        node = None if self.picture is None else self.picture.node_at(self.mapToScene(point))
        if area is not None:
            self.zoom_into(area)
        elif node is not None:
            self.review.select_second(node.file)

    def viewportEvent(self, event: QEvent) -> bool:
        pinch = pinch_of(event)
        if pinch is not None:
            self.zoom_by(pinch[0], pinch[1].toPoint())
            return True
        return super().viewportEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        point = self.mapToScene(event.position().toPoint())
        node = None if self.picture is None else self.picture.node_at(point)
        if node is None:
            self.fit()
        else:
            self.review.toggle_fold(node.file)

    def _dragged_place(self, moved: QPoint) -> QPointF:
        assert self._held is not None
        x, y = self.review.place_of(self._held)
        return QPointF(x + moved.x() / self.scale_now, y + moved.y() / self.scale_now)

    def _clear_if_empty(self, point: QPointF) -> None:
        if self.picture is None:
            return
        reach = _REACH_PX / self.scale_now
        if self.picture.node_at(point) is None and self.picture.link_at(point, reach) is None:
            self.review.select(None)

    def _pan(self, moved: QPoint) -> None:
        # By the scroll bars, hidden as they are: centring would drift by the rounding of each step.
        self._fits = False
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(across.value() - moved.x())
        down.setValue(down.value() - moved.y())

    def _hint(self, event: QMouseEvent) -> None:
        """Tell what is under the mouse."""
        if self.picture is None or self.review.state.document is None:
            return
        point = self.mapToScene(event.position().toPoint())
        words = hint_at(self.review, self.picture, point, _REACH_PX / self.scale_now)
        QToolTip.showText(event.globalPosition().toPoint(), words, self)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()  # the window's menu asks what this page adds to it

    def choices_at(self, point: QPoint) -> MenuChoices:
        """What a right click at a point of the canvas offers."""
        node = None if self.picture is None else self.picture.node_at(self.mapToScene(point))
        return choices_of(self.review, None if node is None else node.file, self.fit)

    # Keys

    def event(self, event: QEvent) -> bool:
        # The window's own undo takes back other things; here the keys mean moved nodes.
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            undoes = self.review.moves.can_undo and event.matches(QKeySequence.StandardKey.Undo)
            redoes = self.review.moves.can_redo and event.matches(QKeySequence.StandardKey.Redo)
            if undoes or redoes or Qt.Key(event.key()) in _STEPS:
                event.accept()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if event.matches(QKeySequence.StandardKey.Undo):
            self.review.undo()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self.review.redo()
        elif step is not None:
            self.review.walk(*step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._fold_selected()
        elif event.key() == Qt.Key.Key_Space:
            self._hold_space(event)
        elif event.key() == Qt.Key.Key_Escape:
            self._escape()
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        super().keyReleaseEvent(event)
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            if self._folds_on_release:
                self._fold_selected()
            self._let_go_of_space()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._let_go_of_space()

    def _hold_space(self, event: QKeyEvent) -> None:
        """Dragging while Space is held moves the view, also from over an image."""
        if not event.isAutoRepeat():
            self._has_space = self._folds_on_release = True
            self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)

    def _let_go_of_space(self) -> None:
        self._has_space = self._folds_on_release = False
        if self._pressed is None:
            self.viewport().setCursor(Qt.CursorShape.ArrowCursor)

    def _fold_selected(self) -> None:
        if isinstance(self.review.state.selected, str):
            self.review.toggle_fold(self.review.state.selected)

    def _escape(self) -> None:
        """Let go of the rectangle that is drawn, else of the selection."""
        if self._rubber.area is None:
            self.review.select(None)
            return
        self._rubber.cancel()
        self._let_go_of_mouse()
        self.viewport().update()


def _picture(
    document: GraphDocument, state: GraphState, bright: frozenset[FileName] | None
) -> GraphGeometry:
    with unsearched():
        picture = GraphGeometry(document)
        picture.match(state, bright)
    if len(picture.nodes) + len(picture.links) > LARGE:
        keep()
    return picture
