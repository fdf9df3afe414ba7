"""The canvas of one pane: shows a layer, and turns mouse and wheel into requests."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import CompareMode, Pane, Viewpoint, ViewState
from forensicviewer.core.array import Size
from forensicviewer.core.examination import MarkShape
from forensicviewer.core.pyramid import Window
from forensicviewer.ui.panes.drawing import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    PaneColors,
    PaneDrawing,
    draw_outline,
    fitted,
    side_size,
    window_at,
)
from forensicviewer.ui.panes.minimap import Minimap
from forensicviewer.ui.widgets.rubber_band import RubberBand
from forensicviewer.ui.widgets.wheel import Notches, pinch_of, wheel_steps

WHEEL_STEP = 1.25
_DRAG_FROM_PX = 3  # less is a click of an unsteady hand
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_MARK_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Backspace)
_CHOSEN = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.OtherFocusReason,
)
_DARK_PAPER, _LIGHT_PAPER = QColor(24, 25, 28), QColor(222, 224, 228)


class PaneCanvas(QWidget):
    """Draws one pane; zooming and moving go to the workbench, which moves linked panes along."""

    def __init__(self, workbench: Workbench, position: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._position = position
        self._drawing = PaneDrawing()
        self._minimap = Minimap()
        self._grabbed: tuple[QPointF, Viewpoint] | None = None
        self._in_minimap = False
        self._rubber = RubberBand()
        self._notches = Notches()
        self._pointer: QPoint | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 90)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setCursor(Qt.CursorShape.CrossCursor)

    @property
    def pane(self) -> Pane:
        return self._workbench.state.arrangement.panes[self._position]

    def sizeHint(self) -> QSize:
        return QSize(480, 360)

    # Geometry

    def window_shown(self) -> Window:
        """The part of the image on the screen, in device pixels."""
        return window_at(self._viewpoint(), self.screen_size())

    def image_pixel(self, point: QPointF) -> tuple[int, int] | None:
        """The image pixel under a point of the widget; ``None`` beside the image."""
        density = self.devicePixelRatioF()
        x, y = self.window_shown().image_point(point.x() * density, point.y() * density)
        size = side_size(self._workbench.state, self.pane)
        if not (0 <= x < size.width and 0 <= y < size.height):
            return None
        return int(x), int(y)

    def widget_point(self, x: float, y: float) -> QPointF:
        """Where an image point lies on the widget."""
        density = self.devicePixelRatioF()
        across, down = self.window_shown().screen_point(x, y)
        return QPointF(across / density, down / density)

    def zoom_by(self, factor: float, *, about: QPointF | None = None) -> None:
        """Zoom, keeping the image point under ``about`` (default: the middle) in place."""
        before = self._viewpoint()
        self.zoom_to(before.scale * factor, about=about)

    def zoom_to(self, scale: float, *, about: QPointF | None = None) -> None:
        """Show an image pixel as ``scale`` device pixels, from 1 % or the whole to 6400 %."""
        before = self._viewpoint()
        least = min(SMALLEST_SCALE, self._fitted().scale)
        scale = min(LARGEST_SCALE, max(least, scale))
        point = QPointF(self.width() / 2, self.height() / 2) if about is None else about
        density = self.devicePixelRatioF()
        x, y = self.window_shown().image_point(point.x() * density, point.y() * density)
        ratio = before.scale / scale
        moved = Viewpoint(x + (before.x - x) * ratio, y + (before.y - y) * ratio, scale)
        self._look_at(moved)

    def _look_at(self, view: Viewpoint) -> None:
        """Move there, but no farther than that the image reaches the middle of the pane."""
        size = side_size(self._workbench.state, self.pane)
        x, y = min(max(0.0, view.x), size.width), min(max(0.0, view.y), size.height)
        self._workbench.set_viewpoint(self._position, Viewpoint(x, y, view.scale))

    def screen_size(self) -> Size:
        """The pane in device pixels."""
        density = self.devicePixelRatioF()
        return Size(
            max(1, math.ceil(self.width() * density)), max(1, math.ceil(self.height() * density))
        )

    def _viewpoint(self) -> Viewpoint:
        return self._workbench.state.viewpoint(self._position) or self._fitted()

    def _fitted(self) -> Viewpoint:
        return fitted(side_size(self._workbench.state, self.pane), self.screen_size())

    # Painting

    def update_picture(self) -> None:
        """Draw the image again, and its map, but not the paper around them."""
        size = side_size(self._workbench.state, self.pane)
        corner, end = self.widget_point(0, 0), self.widget_point(size.width, size.height)
        # A minified image may reach one device pixel beyond its exact end.
        self.update(QRectF(corner, end).adjusted(-1, -1, 1, 1).toAlignedRect())
        area, density = self._minimap.area, self.devicePixelRatioF()
        if not area.isEmpty():
            self.update(QRectF(area.topLeft() / density, area.size() / density).toAlignedRect())

    def colors(self) -> PaneColors:
        palette = self.palette()
        text = palette.color(QPalette.ColorRole.WindowText)
        is_dark = palette.color(QPalette.ColorRole.Window).lightness() < 128
        return PaneColors(
            paper=_DARK_PAPER if is_dark else _LIGHT_PAPER,
            text=text,
            accent=palette.color(QPalette.ColorRole.Highlight),
            density=self.devicePixelRatioF(),
        )

    def paintEvent(self, _event: QPaintEvent) -> None:
        state, window = self._workbench.state, self.window_shown()
        colors = self.colors()
        painter = QPainter(self)
        painter.scale(1 / colors.density, 1 / colors.density)
        self._drawing.draw(
            painter, state, self._position, window, colors, pointer=self._pointer_on_device()
        )
        if state.has_map(self._position):
            self._minimap.draw(painter, state, self.pane, window, colors)
        else:
            self._minimap.area = QRectF()
        self._draw_frame(painter, state, window, colors)
        painter.end()

    def _draw_frame(
        self, painter: QPainter, state: ViewState, window: Window, colors: PaneColors
    ) -> None:
        self._rubber.draw(painter, colors.accent, density=colors.density)
        is_active = state.arrangement.active == self._position and len(state.arrangement.panes) > 1
        if is_active or self.hasFocus():
            width = (3 if self.hasFocus() else 2) * colors.density
            area = QRectF(0, 0, window.size.width, window.size.height)
            draw_outline(painter, area, colors.accent, width)

    def _pointer_on_device(self) -> QPoint | None:
        if self._pointer is None:
            return None
        return (QPointF(self._pointer) * self.devicePixelRatioF()).toPoint()

    # Keys

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move the view by a tenth; with Alt they move the cursor by a pixel."""
        step = _ARROWS.get(Qt.Key(event.key()))
        if self._wants_escape(event):
            self._rubber.cancel()
            self.update()
        elif self._wants_mark_key(event):
            self._go_on_drawing(Qt.Key(event.key()))
        elif step is None:
            event.ignore()
        elif event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.move_cursor(*step)
        else:
            window, view = self.window_shown(), self._viewpoint()
            across = step[0] * window.size.width / window.scale / 10
            down = step[1] * window.size.height / window.scale / 10
            moved = Viewpoint(view.x + across, view.y + down, view.scale)
            self._look_at(moved)

    def move_cursor(self, across: int, down: int) -> None:
        """Point at another pixel, from the middle on; the view follows a cursor that leaves it."""
        bench, view = self._workbench, self._viewpoint()
        size = side_size(bench.state, self.pane)
        x, y = int(view.x), int(view.y)
        if self.cursor_point() is not None and bench.state.cursor is not None:
            x, y = bench.state.cursor
        x = min(max(0, x + across), size.width - 1)
        y = min(max(0, y + down), size.height - 1)
        bench.set_cursor((x, y), side=self.pane.side)
        if self.cursor_point() is None:
            self._look_at(Viewpoint(x + 0.5, y + 0.5, view.scale))

    def cursor_point(self) -> QPointF | None:
        """Where the pixel pointed at lies on the widget; ``None`` where it is not in sight."""
        state = self._workbench.state
        if state.cursor is None or state.cursor_side is not self.pane.side:
            return None
        point = self.widget_point(state.cursor[0] + 0.5, state.cursor[1] + 0.5)
        return point if QRectF(self.rect()).contains(point) else None

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Keys act on the active pane: it is the one that shows the focus."""
        super().focusInEvent(event)
        if event.reason() in _CHOSEN:
            self._workbench.activate_pane(self._position)

    # Mouse

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = wheel_steps(event)
        if steps == 0:
            event.ignore()
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            notches = self._notches.take(event)
            if notches:
                self._workbench.nudge_threshold(notches, system=self.pane.system)
        else:
            self._zoom_under_hand(WHEEL_STEP**steps, event.position())
        event.accept()

    def event(self, event: QEvent) -> bool:
        pinch = pinch_of(event)
        if pinch is not None:
            self._zoom_under_hand(*pinch)
            return True
        is_offered = event.type() is QEvent.Type.ShortcutOverride
        if is_offered and isinstance(event, QKeyEvent) and self._wants_key(event):
            event.accept()
            return True
        return super().event(event)

    def _zoom_under_hand(self, factor: float, point: QPointF) -> None:
        self.zoom_by(factor, about=point)
        if self._grabbed is not None:
            # A drag that is going on goes on from here, in the new scale.
            self._grabbed = point, self._viewpoint()

    def _wants_escape(self, event: QKeyEvent) -> bool:
        """While a rectangle is drawn, Escape means that and nothing else."""
        return event.key() == Qt.Key.Key_Escape and self._rubber.area is not None

    # Marks

    def _wants_key(self, event: QKeyEvent) -> bool:
        return self._wants_escape(event) or self._wants_mark_key(event)

    def _wants_mark_key(self, event: QKeyEvent) -> bool:
        """While a mark is drawn, some keys mean that and nothing else."""
        return self._workbench.state.drawn is not None and event.key() in _MARK_KEYS

    def _go_on_drawing(self, key: Qt.Key) -> None:
        if key == Qt.Key.Key_Escape:
            self._workbench.draw_mark(None)
        elif key == Qt.Key.Key_Backspace:
            self._workbench.step_back()
        else:
            drawn, state = self._workbench.state.drawn, self._workbench.state
            if (
                drawn is not None
                and drawn.shape is MarkShape.RECTANGLE
                and state.cursor is not None
            ):
                self._workbench.place_corner(state.cursor)
            self._workbench.finish_mark()

    def _places_corner(self, event: QMouseEvent) -> bool:
        """Whether a press was a corner of the mark that is drawn."""
        pixel, drawn = self.image_pixel(event.position()), self._workbench.state.drawn
        is_corner = event.button() is Qt.MouseButton.LeftButton and drawn is not None
        if not is_corner or pixel is None or drawn is None or drawn.side is not self.pane.side:
            return False
        self._workbench.place_corner(pixel)
        return True

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._places_corner(event):
            return
        self._workbench.activate_pane(self._position)
        buttons = Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton
        if not event.button() & buttons:
            event.ignore()
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._rubber.begin(event.position())
        elif self._is_on_minimap(event.position()):
            self._in_minimap = True
            self._move_by_minimap(event.position())
        else:
            self._grabbed = event.position(), self._viewpoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position().toPoint()
        if self._rubber.area is not None:
            self._rubber.move(event.position())
            self.update()
        elif self._in_minimap:
            self._move_by_minimap(event.position())
        elif self._grabbed is not None:
            self._drag_to(event.position())
        self._follow_pointer(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        area = self._rubber.finish()
        self.update()
        if area is not None:
            self._zoom_into(area)
        self._grabbed, self._in_minimap = None, False
        self.setCursor(Qt.CursorShape.CrossCursor)
        if event.button() == Qt.MouseButton.RightButton:
            event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and self._workbench.state.drawn is not None:
            self._workbench.finish_mark()
        elif is_left and not self._is_on_minimap(event.position()):
            maximised = self._workbench.state.arrangement.maximised
            self._workbench.maximise_pane(None if maximised is not None else self._position)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if QApplication.activePopupWidget() is not None:
            # A menu over the pane: what it offers is about the pixel it was opened at.
            return
        self._pointer = None
        self._workbench.set_cursor(None)
        self.update()

    def _follow_pointer(self, point: QPointF) -> None:
        state = self._workbench.state
        self._workbench.set_cursor(self.image_pixel(point), side=self.pane.side)
        if state.arrangement.active != self._position:
            return
        if state.compare.mode is CompareMode.SWIPE:
            self._workbench.move_comparison(point.x() / max(1, self.width()))
        elif state.compare.mode is CompareMode.LENS:
            self.update()

    def _drag_to(self, point: QPointF) -> None:
        assert self._grabbed is not None
        start, before = self._grabbed
        moved = (point - start) * self.devicePixelRatioF() / before.scale
        is_dragged = self.cursor().shape() == Qt.CursorShape.ClosedHandCursor
        if is_dragged or (point - start).manhattanLength() >= _DRAG_FROM_PX:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            view = Viewpoint(before.x - moved.x(), before.y - moved.y(), before.scale)
            self._look_at(view)

    def _zoom_into(self, area: QRectF) -> None:
        density = self.devicePixelRatioF()
        window = self.window_shown()
        x, y = window.image_point(area.center().x() * density, area.center().y() * density)
        factor = min(self.width() / area.width(), self.height() / area.height())
        scale = min(LARGEST_SCALE, window.scale * factor)
        self._look_at(Viewpoint(x, y, scale))

    # Minimap

    def _is_on_minimap(self, point: QPointF) -> bool:
        return self._minimap.area.contains(point * self.devicePixelRatioF())

    def _move_by_minimap(self, point: QPointF) -> None:
        size = side_size(self._workbench.state, self.pane)
        x, y = self._minimap.image_point(point * self.devicePixelRatioF(), size)
        scale = self._viewpoint().scale
        self._look_at(Viewpoint(x, y, scale))
