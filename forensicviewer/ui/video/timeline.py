"""The timeline of a video: lanes under one zoomable axis of frames, and the playhead over them.

Pressing and dragging moves the playhead, with Shift it zooms to what is dragged over; the wheel and
two fingers zoom, with Shift the wheel moves along, over the names it scrolls the lanes; the middle
button drags the view. In the outcome lane the edge of a collar can
be dragged: every collar grows with it and the score follows. A double click on an interval marks it
for looping.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QToolTip, QWidget

from forensicviewer.app.language.units import TimeUnit
from forensicviewer.app.language.words import tr
from forensicviewer.app.video.lanes import (
    FrameScale,
    LaneKind,
    SoundOutline,
    Span,
    lanes_of,
    marks_lane,
    sound_outline,
)
from forensicviewer.app.video.player import VideoChange, VideoPlayer, VideoState
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.array import Floats
from forensicviewer.ui.video.lane_item import ROW_PX, LaneContents, LaneItem
from forensicviewer.ui.video.lane_scroll import LaneScroll
from forensicviewer.ui.video.still_plot import StillPlot
from forensicviewer.ui.widgets.wheel import pinch_of, wheel_steps

_GRAB_PX = 6.0
_WHEEL_STEP = 1.3
_FEWEST_FRAMES = 8.0
_FEWEST_ROWS = 4
_TIME_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)
_REDRAWN_BY = VideoChange.MEDIA | VideoChange.REVIEW | VideoChange.SOUND | VideoChange.STRIP


class Timeline(QWidget):
    """Lanes, axes, playhead and marks.

    Callers that cannot make all of it at once build it later.
    """

    def __init__(
        self,
        workbench: Workbench,
        player: VideoPlayer,
        parent: QWidget | None = None,
        *,
        is_built: bool = True,
    ) -> None:
        super().__init__(parent)
        self._workbench, self._player = workbench, player
        self._is_scrubbing = False
        self._dragged_edge: float | None = None
        self._panned_from: QPointF | None = None
        self._trial: object = None
        self._titles: list[tuple[float, str]] | None = None
        self._outlined_for: object = None
        self._outlined: SoundOutline | None = None
        self._unit = workbench.state.units.times
        self._threshold: int | None = None  # the one the strip was drawn for
        self.item = LaneItem()
        # Not a PlotWidget: it makes menus of its own that nobody would ever see.
        self.plot = StillPlot(workbench.jobs.soon, self)
        # The timeline itself is where Tab leads to.
        self.plot.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.scroller = LaneScroll(self)
        self._view = pg.ViewBox(enableMenu=False)
        self._axes = {side: pg.AxisItem(side) for side in ("top", "left", "bottom")}
        units = tr("frame"), tr("time")
        self._units = tuple(pg.LabelItem(unit, justify="right") for unit in units)
        self._marks = pg.LinearRegionItem(movable=False)
        self._stop: list[Callable[[], None]] = []
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Timeline: intervals of reference and system, and their outcome"))
        if is_built:
            self.build()

    def build(self) -> None:
        """Put the parts together and show what there is; called once."""
        self._build()
        self._stop += [
            self._workbench.subscribe(self._follow_look),
            self._player.subscribe(self._follow),
        ]
        self._follow(self._player.state, ~VideoChange(0))

    def let_go(self) -> None:
        """Stop listening; called before the page goes."""
        while self._stop:
            self._stop.pop()()
        self.plot.let_go()

    # What is seen

    @property
    def shown_frames(self) -> tuple[float, float]:
        """The frames between the left and the right edge."""
        (left, right), _ = self._view.viewRange()
        return float(left), float(right)

    @property
    def lanes_area(self) -> QRectF:
        """Where on the plot the lanes are, between the axes."""
        return QRectF(self._view.sceneBoundingRect())

    def show_frames(self, left: float, right: float) -> None:
        """Zoom to a stretch, not beyond the video and its intervals."""
        low, high = self._limits()
        width = min(max(right - left, _FEWEST_FRAMES), high - low)
        left = min(max(left, low), high - width)
        self._view.setXRange(left, left + width, padding=0)

    def show_all(self) -> None:
        self.show_frames(*self._limits())

    def zoom_by(self, factor: float, *, about: float | None = None) -> None:
        left, right = self.shown_frames
        middle = self._player.state.frame if about is None else about
        self.show_frames(middle - (middle - left) / factor, middle + (right - middle) / factor)

    def x_of(self, frame: float) -> float:
        """The widget column of a frame, for those who point at it."""
        place = QPointF(self._view.mapViewToScene(QPointF(frame, 0)))
        return place.x()

    # Following

    def _follow(self, state: VideoState, change: VideoChange) -> None:
        if change & _REDRAWN_BY:
            self._show_lanes(state)
        if state.trial_id != self._trial or change & VideoChange.MEDIA:
            self._trial = state.trial_id
            self.show_all()
        if change & (VideoChange.FRAME | VideoChange.REVIEW | VideoChange.MEDIA):
            self._show_playhead(state)
        if change & (VideoChange.TRANSPORT | VideoChange.MEDIA):
            self._show_marks(state)

    def _follow_look(self, state: ViewState, change: Change) -> None:
        if change & Change.LOOK:
            self._show_times_in(state.units.times)
            self._show_lanes(self._player.state)
        elif change & Change.MARKS:
            self._show_lanes(self._player.state)
        elif change & Change.THRESHOLD and self._threshold != self._workbench.state.threshold():
            strip = self._strip(self._player.state)
            self.item.show_contents(replace(self.item.contents, strip_mcc=strip))

    def _show_lanes(self, state: VideoState) -> None:
        shown = self._workbench.state
        contents = LaneContents(
            lanes=(*lanes_of(state, shown.colors), *marks_lane(shown.marks)),
            frames=state.playback.frames,
            strip_frames=state.strip.frames.astype(float),
            strip_mcc=self._strip(state),
            sound=self._outline(state),
        )
        self.item.show_contents(contents)
        self._make_room_for_titles()
        if contents.lanes:
            # Not between two videos: the scroll bar would go and come again with a layout each.
            self._fit_lanes()

    def _make_room_for_titles(self) -> None:
        # Said, not left to the axis: it learns the width of its words only when it is painted.
        lanes = self.item.contents.lanes
        width = 12 + max((self._advance(lane.title) for lane in lanes), default=0)
        if self._axes["left"].fixedWidth != width:
            self._axes["left"].setWidth(width)

    def _fit_lanes(self) -> None:
        """Share the room among the lanes, or show those that have room."""
        self.scroller.fit(self.item.contents.height, float(self._view.height()))
        self._show_rows()

    def _show_rows(self) -> None:
        contents, room_px = self.item.contents, float(self._view.height())
        upper, lower = self.scroller.seen(contents.height, room_px)
        self._view.setYRange(upper, lower, padding=0)
        middles = [(top + lane.height / 2, lane.title) for lane, top in contents.rows()]
        # A name that is cut would run into the axis beside it.
        titles = [each for each in middles if upper + 0.3 <= each[0] <= lower - 0.3]
        if titles != self._titles:
            self._titles = titles
            self._axes["left"].setTicks([titles])

    def _strip(self, state: VideoState) -> Floats:
        self._threshold = self._workbench.state.threshold()
        return state.strip.mcc(self._threshold)

    def _advance(self, title: str) -> int:
        return self.fontMetrics().horizontalAdvance(title)

    def _outline(self, state: VideoState) -> SoundOutline | None:
        """The sound's outline, made anew only when sound or frames are others."""
        key = (state.sound, state.index)
        if key != self._outlined_for:
            self._outlined_for, self._outlined = key, sound_outline(state)
        return self._outlined

    def _show_playhead(self, state: VideoState) -> None:
        place = self._playhead_at(state)
        left, right = self.shown_frames
        if not left <= place <= right and not self._is_scrubbing:
            self.show_frames(place - (right - left) / 10, place + (right - left) * 0.9)
        self._place_playhead()

    def _playhead_at(self, state: VideoState) -> float:
        """Where the frame is on the axis: its middle where frames have a width, else a point."""
        has_width = state.review is not None and state.review.settings.measure.last_offset
        return state.frame + (0.5 if has_width else 0.0)

    def _place_playhead(self) -> None:
        area = self.lanes_area
        x = self.x_of(self._playhead_at(self._player.state))
        is_seen = area.left() <= x <= area.right()
        self.plot.show_playhead(x, area.top(), area.bottom() if is_seen else area.top())

    def _show_marks(self, state: VideoState) -> None:
        playback = state.playback
        has_marks = playback.mark_in is not None or playback.mark_out is not None
        self._marks.setVisible(has_marks)
        if has_marks:
            self._marks.setRegion((playback.stretch.first, playback.stretch.last))

    def _limits(self) -> tuple[float, float]:
        """From before the first frame to behind the last one, or the last interval beyond it.

        Of a video that was cut off, what the reference says of the rest is seen too; one interval
        far beyond everything else does not make all others vanish.
        """
        state = self._player.state
        truth = () if state.review is None else state.review.video.reference
        known = [each.last + 1 for each in truth if each.last <= _declared(state)]
        base = float(max([state.playback.frames + 1, *known]))
        ends = [span.end for lane in self.item.contents.lanes for span in lane.spans]
        last = max([base, *(end for end in ends if end == end)])
        last = min(last, base * 1.5)
        margin = max(1.0, (last - 1) * 0.01)
        return 1 - margin, last + margin

    # Mouse and keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What happens over the lanes is ours, not pyqtgraph's."""
        if watched is not self.plot.viewport():
            return super().eventFilter(watched, event)
        if isinstance(event, QMouseEvent):
            return self._mouse(event)
        if isinstance(event, QWheelEvent):
            self._wheel(event)
            return True
        if isinstance(event, QHelpEvent):
            self._explain(event)
            return True
        pinch = pinch_of(event)
        if pinch is not None:
            self.zoom_by(pinch[0], about=self._point(pinch[1]).x())
        return pinch is not None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        zooms = {Qt.Key.Key_Plus: 1.5, Qt.Key.Key_Equal: 1.5, Qt.Key.Key_Minus: 1 / 1.5}
        if event.key() in zooms:
            self.zoom_by(zooms[Qt.Key(event.key())])
        elif event.key() == Qt.Key.Key_0:
            self.show_all()
        elif event.key() == Qt.Key.Key_Escape and self.plot.rubber.area is not None:
            self.plot.rubber.cancel()
            self.plot.viewport().update()
        else:
            super().keyPressEvent(event)

    def _mouse(self, event: QMouseEvent) -> bool:
        kind, place = event.type(), event.position()
        if kind is QEvent.Type.MouseButtonPress:
            self._press(event, place)
        elif kind is QEvent.Type.MouseMove:
            self._drag(place)
        elif kind is QEvent.Type.MouseButtonRelease:
            self._zoom_into(self.plot.rubber.finish())
            self._is_scrubbing, self._dragged_edge, self._panned_from = False, None, None
        elif kind is QEvent.Type.MouseButtonDblClick:
            self._mark_span(place)
        else:
            return False
        return True

    def _press(self, event: QMouseEvent, place: QPointF) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() is Qt.MouseButton.MiddleButton:
            self._panned_from = place
        if event.button() is not Qt.MouseButton.LeftButton or self._toggle_operation(place):
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.plot.rubber.begin(QPointF(place.x(), self.lanes_area.top()))
            return
        self._dragged_edge = self._collar_edge(place)
        if self._dragged_edge is None:
            self._is_scrubbing = True
            self._player.seek(round(self._point(place).x()))

    def _zoom_into(self, area: QRectF | None) -> None:
        """Show the frames that were dragged over."""
        self.plot.viewport().update()
        if area is not None:
            self.show_frames(self._point(area.topLeft()).x(), self._point(area.topRight()).x())

    def _toggle_operation(self, place: QPointF) -> bool:
        """Select or leave out the operation whose name was pressed."""
        point = self._point(place)
        lane = self.item.contents.lane_at(point.y())
        review = self._player.state.review
        is_name = self._is_name(place)
        if not is_name or lane is None or lane.operation is None or review is None:
            return is_name
        chosen = {each.position for each in review.lanes if each.is_selected}
        self._workbench.set_selected_operations(chosen ^ {lane.operation})
        return True

    def _is_name(self, place: QPointF) -> bool:
        """Whether a point lies among the names of the lanes."""
        area = self.lanes_area
        return place.x() < area.left() and area.top() <= place.y() <= area.bottom()

    def _drag(self, place: QPointF) -> None:
        x = self._point(place).x()
        if self.plot.rubber.area is not None:
            # A stretch has no height of its own: all lanes are in it.
            self.plot.rubber.move(QPointF(place.x(), self.lanes_area.bottom()))
            self.plot.viewport().update()
        elif self._dragged_edge is not None:
            self._player.set_collar(max(0, round(abs(x - self._dragged_edge))))
        elif self._is_scrubbing:
            self._player.seek(round(x))
        elif self._panned_from is not None:
            left, right = self.shown_frames
            moved = self._point(self._panned_from).x() - x
            self._panned_from = place
            self.show_frames(left + moved, right + moved)
        else:
            is_edge = self._collar_edge(place) is not None
            shape = Qt.CursorShape.SplitHCursor if is_edge else Qt.CursorShape.ArrowCursor
            self.plot.viewport().setCursor(shape)

    def _wheel(self, event: QWheelEvent) -> None:
        if self._is_name(event.position()) and self.scroller.isVisible():
            self.scroller.event(event)
            return
        delta = event.angleDelta()
        sideways = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        if sideways or not delta.y():
            left, right = self.shown_frames
            moved = -(delta.y() or -delta.x()) / 120 * (right - left) / 10
            self.show_frames(left + moved, right + moved)
        else:
            factor = _WHEEL_STEP ** wheel_steps(event)
            self.zoom_by(factor, about=self._point(event.position()).x())

    def _mark_span(self, place: QPointF) -> None:
        span = self._span(place)
        if span is not None:
            self._player.mark(max(1, round(span.start)), max(1, round(span.end)))
            self._player.seek(span.frame)

    def _explain(self, event: QHelpEvent) -> None:
        place = QPointF(event.pos())
        span, lane = self._span(place), self.item.contents.lane_at(self._point(place).y())
        tip = self._describe(span) if span is not None else (lane.tip if lane is not None else "")
        QToolTip.showText(event.globalPos(), tip, self.plot)

    def _describe(self, span: Span) -> str:
        """What a span is, and when; only while somebody points at it, for there may be many."""
        when = FrameScale(self._player.state).format_interval(span.start, span.end, self._unit)
        return f"{span.tip}\n{when}" if span.tip and when else span.tip

    def _span(self, place: QPointF) -> Span | None:
        point = self._point(place)
        return self.item.contents.span_at(point.x(), point.y(), slack=3 * self._frames_a_pixel())

    def _collar_edge(self, place: QPointF) -> float | None:
        """The reference boundary whose collar's edge is under the pointer, in the outcome lane."""
        point = self._point(place)
        lane = self.item.contents.lane_at(point.y())
        review = self._player.state.review
        if lane is None or lane.kind is not LaneKind.OUTCOME or review is None:
            return None
        offset, collar = review.settings.measure.last_offset, review.settings.collar
        bounds = [b for each in review.video.reference for b in (each.first, each.last + offset)]
        near = _GRAB_PX * self._frames_a_pixel()
        hits = [b for b in bounds if abs(abs(point.x() - b) - collar) <= near]
        return min(hits, key=lambda b: abs(abs(point.x() - b) - collar), default=None)

    def _point(self, place: QPointF) -> QPointF:
        return QPointF(self._view.mapSceneToView(self.plot.mapToScene(place.toPoint())))

    def _frames_a_pixel(self) -> float:
        left, right = self.shown_frames
        return (right - left) / max(1.0, float(self._view.width()))

    # Building

    def _build(self) -> None:
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.plot, 1)
        whole.addWidget(self.scroller)
        layout = self.plot.ci
        layout.setContentsMargins(2, 2, 2, 2)
        layout.setSpacing(0)
        for side, row, place in (("top", 0, 1), ("left", 1, 0), ("bottom", 2, 1)):
            layout.addItem(self._axes[side], row=row, col=place)
            self._axes[side].linkToView(self._view)
        for name, row in ((self._units[0], 0), (self._units[1], 2)):
            layout.addItem(name, row=row, col=0)
        layout.addItem(self._view, row=1, col=1)
        self._view.setMouseEnabled(x=False, y=False)
        self._view.setDefaultPadding(0)
        self._view.invertY(True)  # noqa: FBT003 - pyqtgraph's signature
        self._view.sigTransformChanged.connect(self._place_playhead)
        self._view.sigResized.connect(self._fit_lanes)
        self._view.sigResized.connect(self._place_playhead)
        self.scroller.valueChanged.connect(self._show_rows)
        self._view.addItem(self.item, ignoreBounds=True)
        self._view.addItem(self._marks, ignoreBounds=True)
        self._marks.setVisible(False)
        self._marks.setZValue(-5)
        self._axes["bottom"].tickValues = self._round_times
        self._axes["bottom"].tickStrings = self._times
        self._axes["top"].tickStrings = self._numbers
        self._axes["left"].setStyle(tickLength=0)
        self._size_axes()
        self.plot.viewport().installEventFilter(self)
        self.plot.viewport().setMouseTracking(True)
        self._dress()

    def _size_axes(self) -> None:
        axis_px = self.fontMetrics().height() + 12
        for side in ("top", "bottom"):
            self._axes[side].setHeight(axis_px)
        self.plot.setMinimumHeight(round(2 * axis_px + _FEWEST_ROWS * ROW_PX))

    def _round_times(self, left: float, right: float, width: float) -> list[tuple[float, Floats]]:
        """Where round times lie among the frames, as dense as there is room to write them."""
        if self._unit is TimeUnit.FRAMES:
            axis = self._axes["bottom"]
            return list(pg.AxisItem.tickValues(axis, left, right, width))
        state = self._player.state
        clock = state.playback.clock
        start, end = (clock.ms(max(1, round(frame))) / 1000 for frame in (left, right))
        second_px = width / max(end - start, 1e-3)
        fitting = (s for s in _TIME_STEPS if self._written_px(end, s) <= s * second_px)
        step = next(fitting, _TIME_STEPS[-1])
        times = np.arange(np.ceil(start / step), np.floor(end / step) + 1) * step
        return [(step, FrameScale(state).at_seconds(times))]

    def _show_times_in(self, unit: TimeUnit) -> None:
        """Write the lower axis in another unit."""
        if unit is not self._unit:
            self._unit = unit
            self._dress()
            self._axes["bottom"].picture = None
            self._axes["bottom"].update()

    def _written_px(self, end_s: float, step_s: float) -> int:
        """How wide the longest time of an axis is, with the room it needs around it."""
        scale = FrameScale(self._player.state)
        end = float(scale.at_seconds(end_s))
        return self._advance(scale.format_place(end, self._unit, step_s=step_s)) + 24

    def _times(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        scale = FrameScale(self._player.state)
        return [scale.format_place(value, self._unit, step_s=spacing) for value in values]

    def _numbers(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        return [f"{value:.0f}" if spacing >= 1 and value >= 1 else "" for value in values]

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._dress()
        elif event.type() is QEvent.Type.FontChange and self._stop:
            self._size_axes()
            self._make_room_for_titles()
            self._dress()

    def _dress(self) -> None:
        """Wear the window's colours."""
        colors = self.palette()
        text = colors.color(QPalette.ColorRole.WindowText)
        self.item.text = text
        self.item.accent = colors.color(QPalette.ColorRole.Highlight)
        self.plot.setBackground(colors.color(QPalette.ColorRole.Base))
        for axis in self._axes.values():
            axis.setPen(QColor(127, 127, 127, 120))
            axis.setTextPen(text)
        faint = colors.color(QPalette.ColorRole.PlaceholderText)
        for unit in self._units:
            unit.setText(unit.text, color=faint.name(), size=f"{self.font().pointSizeF():g}pt")
        self.plot.accent = self.item.accent
        region = QColor(self.item.accent)
        region.setAlpha(36)
        self._marks.setBrush(region)
        for line in self._marks.lines:
            line.setPen(pg.mkPen(self.item.accent, width=1, style=Qt.PenStyle.DashLine))
        self.item.update()
        self.plot.repaint_scene()


def _declared(state: VideoState) -> int:
    """How many frames the dataset says the video has."""
    return 0 if state.review is None else state.review.frame_count
