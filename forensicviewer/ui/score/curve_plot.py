"""MCC and NMM over the threshold, above histograms of the scores inside and outside the reference.

Pressing or dragging anywhere in either chart moves the threshold there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QMouseEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import QToolTip, QVBoxLayout, QWidget

from forensicviewer.app.language.words import decimal, to_translate, tr, tr_many, whole
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.metric_values import Curves, ruled_curves
from forensicviewer.app.workbench.state import Change, Snap, ViewState
from forensicviewer.core.array import Floats
from forensicviewer.core.mask import Region
from forensicviewer.core.palette import Outcome
from forensicviewer.core.score import ThresholdSweep
from forensicviewer.ui.widgets.chart import Axis, Chart, ChartMark, Series, SeriesShape
from forensicviewer.ui.widgets.theme import RIVAL_COLOR
from forensicviewer.ui.widgets.wheel import Notches

_SNAP_WITHIN_PX = 5
_GRAB_WITHIN_PX = 6
_SECOND_KEYS = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier
_SNAP_NAMES = {
    Snap.OPTIMUM: to_translate("optimum"),
    Snap.MAXIMUM: to_translate("maximum"),
    Snap.ACTUAL: to_translate("actual"),
    Snap.SUBMISSION: to_translate("submission"),
}
_METRIC_AXIS = Axis(-1.05, 1.08, ((-1, "-1"), (-0.5, "-0.5"), (0, "0"), (0.5, "0.5"), (1, "1")))
_SHARES = frozenset({"F1", "IoU"})  # never below 0
_SHARE_AXIS = Axis(-0.02, 1.08, ((0, "0"), (0.5, "0.5"), (1, "1")))


class CurvePlot(QWidget):
    """Two charts over one axis of thresholds."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.curves = ThresholdChart(workbench, self)
        self.histogram = ThresholdChart(workbench, self)
        self.curves.setAccessibleName(
            tr("MCC and NMM over the threshold; drag to move the threshold")
        )
        self.histogram.setAccessibleName(tr("Scores inside and outside the reference"))
        self.curves.has_x_labels = False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        # Bars need as much height as curves do, and below them stand the labels of both.
        column.addWidget(self.curves, 1)
        column.addWidget(self.histogram, 1)
        self.curves.tell = self._tell_scores
        self.histogram.tell = self._tell_pixels
        self._drawn_for: object = None

    def follow(self, state: ViewState, change: Change) -> None:
        if state.loaded is None:
            return
        sweep = state.loaded.sweep(state.side, 0)
        rival = state.loaded.sweep(state.side, 1)
        alarms = _alarms(state, 0)
        look = state.colors, self.palette().cacheKey(), state.speaks_nist
        key = (sweep, rival, alarms, _alarms(state, 1), look)
        if sweep is None and not alarms:
            return
        if key != self._drawn_for:
            self._drawn_for = key
            if sweep is None:
                self._draw_alarms(state)
            else:
                self._draw(state, sweep)
        if change:
            self._place_marks(state)

    def _draw_alarms(self, state: ViewState) -> None:
        """Draw what is called of an image nobody manipulated: every called pixel is wrong."""
        order, shown = _order(state), _shown_thresholds(state)
        color = QColor(*state.colors[Outcome.FALSE_ALARM])
        named = ((tr("False alarms"), color), (tr("Second false alarms"), RIVAL_COLOR))
        series = [
            Series(name, shown, (np.array(found) / max(1, found[0]))[order], shade)
            for (name, shade), found in zip(named, (_alarms(state, n) for n in (0, 1)), strict=True)
            if found
        ]
        axis = _threshold_axis(shown)
        self.curves.show_series(axis, _SHARE_AXIS, series)
        levels = -np.diff(np.array(_alarms(state, 0)))[order]
        shares = np.sqrt(levels / max(1, int(levels.sum())))
        color.setAlpha(165)
        bars = Series(tr("All pixels"), *_steps(shares), color, SeriesShape.AREA)
        self.histogram.show_series(
            axis, Axis(0, (float(shares.max()) or 1.0) * 1.12, label=tr("√ share")), [bars]
        )

    def _draw(self, state: ViewState, sweep: ThresholdSweep) -> None:
        order, shown = _order(state), _shown_thresholds(state)
        colors = self.palette()
        accent = colors.color(QPalette.ColorRole.Highlight)
        muted = QColor(colors.color(QPalette.ColorRole.WindowText))
        muted.setAlpha(150)
        first, second = (ruled_curves(state, system) for system in (0, 1))
        series = []
        if first is not None and first.other is not None:
            other = first.other[order]
            series.append(Series(first.names[1], shown, other, muted, width=1.3, dashed=True))
        if first is not None:
            series.append(Series(first.names[0], shown, first.main[order], accent))
        if second is not None:
            name = _second(second)
            series.append(Series(name, shown, second.main[order], RIVAL_COLOR))
        axis = _threshold_axis(shown)
        has_shares = first is not None and {*first.names} <= _SHARES
        self.curves.show_series(axis, _SHARE_AXIS if has_shares else _METRIC_AXIS, series)
        self._draw_histogram(state, sweep, axis, order)

    def _draw_histogram(
        self, state: ViewState, sweep: ThresholdSweep, axis: Axis, order: slice
    ) -> None:
        outcomes = state.colors
        # Most masks are almost empty: on a linear axis one bar would hide all the others.
        kinds = (
            (tr("Outside"), Region.BACKGROUND, Outcome.FALSE_ALARM),
            (tr("Inside"), Region.MANIPULATED, Outcome.HIT),
        )
        series = []
        for name, region, outcome in kinds:
            counts = sweep.counts.table[region][order]
            shares = np.sqrt(counts / max(1, int(counts.sum())))
            color = QColor(*outcomes[outcome], 165)
            series.append(Series(name, *_steps(shares), color, SeriesShape.AREA))
        highest = max(float(found.y.max()) for found in series) or 1.0
        self.histogram.show_series(axis, Axis(0, highest * 1.12, label=tr("√ share")), series)

    def _tell_scores(self, shown: int) -> str:
        state = self._workbench.state
        t = min(256, max(0, state.shown_threshold(shown)))
        threshold = tr("Threshold {threshold}", threshold=state.shown_threshold(t))
        alarms = _alarms(state, 0)
        if alarms:
            share = decimal(100 * alarms[t] / max(1, alarms[0]), 2)
            return f"{threshold}: {tr('{share} % of the image are false alarms', share=share)}"
        first, second = (ruled_curves(state, system) for system in (0, 1))
        found: dict[str, Floats | None] = {}
        if first is not None:
            found |= {first.names[0]: first.main, first.names[1]: first.other}
        if second is not None:
            found[_second(second)] = second.main
        scores = [f"{name} {curve[t]:.4f}" for name, curve in found.items() if curve is not None]
        return f"{threshold}: {', '.join(scores)}"

    def _tell_pixels(self, shown: int) -> str:
        state = self._workbench.state
        sweep = None if state.loaded is None else state.loaded.sweep(state.side, 0)
        alarms, level = _alarms(state, 0), min(255, max(0, shown))
        score = state.shown_threshold(level)
        if alarms:
            count = alarms[score] - alarms[score + 1]
            text = tr_many(
                "Grey level {level}: {count} pixel",
                "Grey level {level}: {count} pixels",
                count,
                level=level,
            )
        elif sweep is None:
            return ""
        else:
            text = _tell_level(level, sweep, score)
        scale = tr("Heights are square roots of shares, so that rare levels are visible")
        return f"{text}\n{scale}"

    def _place_marks(self, state: ViewState) -> None:
        available = self._workbench.snaps()
        ink = QColor(self.palette().color(QPalette.ColorRole.WindowText))
        ink.setAlpha(140)
        lines = [ChartMark(state.shown_threshold(state.thresholds.main), self._accent(), width=2)]
        if state.rival is not None:
            lines.append(
                ChartMark(state.shown_threshold(state.thresholds.rival), RIVAL_COLOR, width=2)
            )
        names: dict[int, list[str]] = {}
        for snap, threshold in available.items():
            names.setdefault(state.shown_threshold(threshold), []).append(tr(_SNAP_NAMES[snap]))
        snaps = [
            ChartMark(x, ink, ", ".join(words), dotted=True) for x, words in sorted(names.items())
        ]
        self.curves.show_marks((*snaps, *lines))
        self.histogram.show_marks(lines)
        seconds = self._workbench.snaps(system=1).values() if state.rival is not None else ()
        points = (tuple(names), tuple(state.shown_threshold(found) for found in seconds))
        self.curves.snap_to = points
        self.histogram.snap_to = points

    def _accent(self) -> QColor:
        return self.palette().color(QPalette.ColorRole.Highlight)


class ThresholdChart(Chart):
    """A chart over thresholds where pressing and dragging set the threshold."""

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.snap_to: tuple[Sequence[int], Sequence[int]] = ((), ())
        self.tell: Callable[[int], str] = str
        self._dragged: int | None = None
        self._notches = Notches()
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setToolTip(
            tr(
                "Drag to move the threshold; drag the second one by its line, or anywhere "
                "with Shift"
            )
        )

    def event(self, event: QEvent) -> bool:
        """Tell the values under the mouse where it rests."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self.tell(round(self.value_at(QPointF(event.pos()))[0]))
            QToolTip.showText(event.globalPos(), f"{text}\n{self.toolTip()}", self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._dragged = 1 if self._means_rival(event) else 0
            self._workbench.end_gesture()
            self._move_to(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is not None:
            self._move_to(event.position())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._dragged = None
        self._workbench.end_gesture()

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = self._notches.take(event)
        if steps:
            system = 1 if self._means_rival(event) else 0
            self._workbench.nudge_threshold(steps, system=system)
        event.accept()

    def _means_rival(self, event: QMouseEvent | QWheelEvent) -> bool:
        """Whether the second threshold is meant: its line is pointed at, or a key says so.

        Two keys, for many window managers move the window with Alt.
        """
        state = self._workbench.state
        if state.rival is None:
            return False
        if event.modifiers() & _SECOND_KEYS:
            return True
        shown = (state.shown_threshold(state.threshold(system)) for system in (0, 1))
        first, second = (abs(self.point_of(t, 0).x() - event.position().x()) for t in shown)
        return second <= _GRAB_WITHIN_PX and second < first

    def threshold_at(self, point: QPointF, *, system: int = 0) -> int:
        """The shown threshold under a point of the widget; close to a snap point, that."""
        near = [
            snap
            for snap in self.snap_to[system]
            if abs(self.point_of(snap, 0).x() - point.x()) <= _SNAP_WITHIN_PX
        ]
        found = self.value_at(point)[0]
        return min(near, key=lambda snap: abs(snap - found)) if near else round(found)

    def _move_to(self, point: QPointF) -> None:
        assert self._dragged is not None
        found = self.threshold_at(point, system=self._dragged)
        threshold = self._workbench.state.shown_threshold(found)
        self._workbench.set_threshold(threshold, system=self._dragged)


def _alarms(state: ViewState, system: int) -> tuple[int, ...]:
    """The pixels called at each threshold where all of them are wrong; nothing elsewhere."""
    found = None if state.loaded is None else state.loaded.system(state.side, system)
    return () if found is None else found.alarms


def _tell_level(level: int, sweep: ThresholdSweep, score: int) -> str:
    counts = sweep.counts.table[:, score]
    return tr(
        "Grey level {level}: {inside} scored pixels inside the reference, {outside} outside",
        level=level,
        inside=whole(int(counts[Region.MANIPULATED])),
        outside=whole(int(counts[Region.BACKGROUND])),
    )


def _order(state: ViewState) -> slice:
    return slice(None, None, -1) if state.speaks_nist else slice(None)


def _shown_thresholds(state: ViewState) -> Floats:
    return np.arange(257, dtype=np.float64) - (1 if state.speaks_nist else 0)


def _threshold_axis(shown: Floats) -> Axis:
    ticks = tuple((value, str(value)) for value in (0, 64, 128, 192, 255))
    return Axis(float(shown[0]) - 1, float(shown[-1]) + 1, ticks, tr("Threshold"))


def _steps(shares: Floats) -> tuple[Floats, Floats]:
    """A histogram of 256 levels as the outline of its bars."""
    edges = np.arange(257) - 0.5
    return np.repeat(edges, 2)[1:-1], np.repeat(shares, 2)


def _second(curves: Curves) -> str:
    return tr("Second MCC") if curves.names[0] == "MCC" else tr("Second F1")
