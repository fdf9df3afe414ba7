"""MCC and NMM over the threshold, above histograms of the scores inside and outside the reference.

Pressing or dragging anywhere in either plot moves the threshold there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from forensicviewer.app.state import Change, Snap, ViewState
from forensicviewer.app.workbench import Workbench
from forensicviewer.core.mask import Region
from forensicviewer.core.overlay import Outcome, Palette, palette
from forensicviewer.core.score import ThresholdSweep

_SNAP_WITHIN_PX = 5
_MARKS = {Snap.OPTIMUM: "optimum", Snap.MAXIMUM: "maximum", Snap.ACTUAL: "actual"}


class CurvePlot(QWidget):
    """Two plots over one axis of thresholds."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.curves = _ThresholdAxis(workbench, self)
        self.histogram = _ThresholdAxis(workbench, self)
        self.curves.setAccessibleName("MCC and NMM over the threshold; drag to move the threshold")
        self.histogram.setAccessibleName("Scores inside and outside the reference")
        self.curves.setYRange(-1.02, 1.05, padding=0)
        self.curves.hideAxis("bottom")
        self.histogram.setXLink(self.curves)
        self.histogram.setLabel("bottom", "Threshold")
        self.histogram.getAxis("left").setStyle(showValues=False)
        for plot in (self.curves, self.histogram):
            plot.getAxis("left").setWidth(34)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.curves, 3)
        column.addWidget(self.histogram, 2)
        self._mcc = self.curves.plot(name="MCC")
        self._nmm = self.curves.plot(name="NMM")
        self._rival = self.curves.plot(name="Second MCC")
        self._inside = self.histogram.plot(stepMode="center", fillLevel=0, name="Manipulated")
        self._outside = self.histogram.plot(stepMode="center", fillLevel=0, name="Background")
        self._legend = self.curves.addLegend(offset=(-8, 8), labelTextSize="8pt")
        for curve in (self._mcc, self._nmm, self._rival):
            self._legend.addItem(curve, curve.name())
        self._marks = {snap: self.curves.add_mark(text) for snap, text in _MARKS.items()}
        self._sweeps: object = None
        self._painted: object = None

    def follow(self, state: ViewState, change: Change) -> None:
        if state.loaded is None:
            return
        sweeps = tuple(state.loaded.sweep(state.side, system) for system in (0, 1))
        self._paint(state)
        if sweeps != self._sweeps and sweeps[0] is not None:
            self._sweeps = sweeps
            self._draw_curves(state, sweeps[0], sweeps[1])
        if change & (Change.THRESHOLD | Change.SCORES | Change.LOADED | Change.SUBMISSIONS):
            self._place_lines(state)

    def _draw_curves(
        self, state: ViewState, sweep: ThresholdSweep, rival: ThresholdSweep | None
    ) -> None:
        order = slice(None, None, -1) if state.speaks_nist else slice(None)
        shown = np.array([state.shown_threshold(t) for t in range(257)])[order]
        self._mcc.setData(shown, sweep.mcc[order])
        self._nmm.setData(shown, np.nan_to_num(sweep.nmm, nan=-1.0)[order])
        if rival is None:
            self._rival.setData([], [])
        else:
            self._rival.setData(shown, rival.mcc[order])
        self._rival.setVisible(rival is not None)
        edges = np.arange(257) - 0.5
        table = sweep.counts.table
        for curve, region in (
            (self._inside, Region.MANIPULATED),
            (self._outside, Region.BACKGROUND),
        ):
            counts = table[region] / max(1, int(table[region].sum()))
            # Most masks are almost empty: on a linear axis one bar would hide all the others.
            curve.setData(edges, np.sqrt(counts[order]))
        self.curves.setXRange(shown[0] - 2, shown[-1] + 2, padding=0)

    def _place_lines(self, state: ViewState) -> None:
        main = state.shown_threshold(state.thresholds.main)
        rival = state.shown_threshold(state.thresholds.rival)
        for plot in (self.curves, self.histogram):
            plot.place(main, rival if state.rival is not None else None)
        available = self._workbench.snaps()
        self.curves.snap_to = [state.shown_threshold(t) for t in available.values()]
        self.histogram.snap_to = self.curves.snap_to
        for snap, mark in self._marks.items():
            mark.setVisible(snap in available)
            if snap in available:
                mark.setValue(state.shown_threshold(available[snap]))

    def _paint(self, state: ViewState) -> None:
        colors = self.palette()
        ink = colors.color(QPalette.ColorRole.WindowText)
        paper = colors.color(QPalette.ColorRole.Base)
        key = (ink.rgb(), paper.rgb(), state.look.palette)
        if key == self._painted:
            return
        self._painted = key
        accent = colors.color(QPalette.ColorRole.Highlight)
        outcomes = palette(state.look.palette)
        self._mcc.setPen(pg.mkPen(accent, width=2))
        self._nmm.setPen(pg.mkPen(_faded(ink, 150), width=1.5, style=Qt.PenStyle.DashLine))
        self._rival.setPen(pg.mkPen(QColor(214, 122, 0), width=2))
        self._inside.setBrush(_area(outcomes, Outcome.HIT))
        self._inside.setPen(pg.mkPen(None))
        self._outside.setBrush(_area(outcomes, Outcome.FALSE_ALARM))
        self._outside.setPen(pg.mkPen(None))
        self._legend.setLabelTextColor(ink)
        for plot in (self.curves, self.histogram):
            plot.paint_theme(ink, paper, accent)


class _ThresholdAxis(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """A plot over thresholds where pressing and dragging set the threshold."""

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.snap_to: list[int] = []
        self.setMenuEnabled(False)
        self.hideButtons()
        self.setMouseEnabled(x=False, y=False)
        self.getPlotItem().setContentsMargins(0, 2, 4, 0)
        self.setMinimumHeight(80)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self.setToolTip("Drag to move the threshold; with Alt, the second one")
        self._line = pg.InfiniteLine(angle=90, movable=False)
        self._rival_line = pg.InfiniteLine(angle=90, movable=False)
        self.addItem(self._line)
        self.addItem(self._rival_line)
        self._dragged: int | None = None

    def add_mark(self, text: str) -> Any:
        """A thin dotted line with a name."""
        options = {"position": 0.06, "rotateAxis": (1, 0), "anchors": [(0, 1), (0, 1)]}
        mark = pg.InfiniteLine(angle=90, movable=False, label=text, labelOpts=options)
        self.addItem(mark)
        mark.hide()
        return mark

    def place(self, main: int, rival: int | None) -> None:
        self._line.setValue(main)
        self._rival_line.setVisible(rival is not None)
        if rival is not None:
            self._rival_line.setValue(rival)

    def paint_theme(self, ink: QColor, paper: QColor, accent: QColor) -> None:
        self.setBackground(paper)
        self._line.setPen(pg.mkPen(accent, width=2))
        self._rival_line.setPen(pg.mkPen(QColor(214, 122, 0), width=2))
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(_faded(ink, 90)))
            axis.setTextPen(pg.mkPen(_faded(ink, 200)))
        for found in self.getPlotItem().items:
            if isinstance(found, pg.InfiniteLine) and found not in (self._line, self._rival_line):
                found.setPen(pg.mkPen(_faded(ink, 130), style=Qt.PenStyle.DotLine))
                found.label.setColor(_faded(ink, 200))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            has_rival = self._workbench.state.rival is not None
            wants_rival = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
            self._dragged = 1 if has_rival and wants_rival else 0
            self._workbench.end_gesture()
            self._move_to(event.position())
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragged is not None:
            self._move_to(event.position())
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragged = None
        self._workbench.end_gesture()
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() // 120
        if steps:
            self._workbench.nudge_threshold(steps)
        event.accept()

    def threshold_at(self, point: QPointF) -> int:
        """The shown threshold under a point of the widget; close to a snap point, that."""
        box = self.getPlotItem().getViewBox()
        found = box.mapSceneToView(self.mapToScene(point.toPoint())).x()
        pixel = box.viewPixelSize()[0]
        near = [snap for snap in self.snap_to if abs(snap - found) <= _SNAP_WITHIN_PX * pixel]
        return min(near, key=lambda snap: abs(snap - found)) if near else round(found)

    def _move_to(self, point: QPointF) -> None:
        assert self._dragged is not None
        shown = self.threshold_at(point)
        threshold = self._workbench.state.shown_threshold(shown)
        self._workbench.set_threshold(threshold, system=self._dragged)


def _faded(color: QColor, alpha: int) -> QColor:
    faded = QColor(color)
    faded.setAlpha(alpha)
    return faded


def _area(outcomes: Palette, outcome: Outcome) -> Any:
    red, green, blue = outcomes[outcome]
    return pg.mkBrush(red, green, blue, 150)
