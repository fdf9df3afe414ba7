"""The grey levels of system masks as the panes colour them, from 0 to 255, with the threshold."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QImage,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QTransform,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, Layer, SystemStyle, ViewState
from forensicviewer.ui.panes.layers import layer_facts, system_table
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.theme import RIVAL_COLOR

LEVELS = 256
_BAR_PX, _OVER_PX = 12, 3
_FLIP = QTransform.fromScale(-1, 1)
_FOLLOWED = (
    Change.LOOK
    | Change.THRESHOLD
    | Change.PANES
    | Change.COMPARE
    | Change.LOADED
    | Change.SUBMISSIONS
)


@dataclass(frozen=True, slots=True)
class ScaleMark:
    """A threshold on the scale: where it cuts, 0..1, and how the dataset says it."""

    system: int
    place: float
    shown: int


@dataclass(frozen=True, slots=True, eq=False)
class ScoreScale:
    """What the colours of a system mask mean. ``colors`` has one pixel for each grey level."""

    colors: QImage
    marks: tuple[ScaleMark, ...]
    is_nist: bool

    def describe(self) -> str:
        """The scale in words, for those who cannot see it."""
        first, *others = (mark.shown for mark in self.marks)
        if first not in range(LEVELS):
            text = tr("no grey level is called manipulated")
        elif self.is_nist:
            text = tr("grey levels up to {threshold} are called manipulated", threshold=first)
        else:
            text = tr("grey levels from {threshold} are called manipulated", threshold=first)
        second = "".join(tr(", of the second system {threshold}", threshold=t) for t in others)
        return text + second


def scale_of(state: ViewState) -> ScoreScale | None:
    """The scale of the system masks on the screen; ``None`` where there is none to explain."""
    panes = [pane for pane in state.shown_panes if pane.layer is Layer.SYSTEM]
    panes = [pane for pane in panes if layer_facts(state, pane).size is not None]
    if not panes or state.look.system is SystemStyle.THRESHOLDED:
        return None
    table = system_table(state, panes[0])
    colors = QImage(table.data, LEVELS, 1, 4 * LEVELS, QImage.Format.Format_RGB32)
    # Tables count scores, NIST's files the other way round; the copy owns its pixels.
    colors = colors.transformed(_FLIP) if state.speaks_nist else colors.copy()
    marks = []
    for system in sorted({pane.system for pane in panes}):
        uncalled = state.threshold(system) / LEVELS
        place = 1 - uncalled if state.speaks_nist else uncalled
        marks.append(ScaleMark(system, place, state.shown_threshold(state.threshold(system))))
    return ScoreScale(colors, tuple(marks), state.speaks_nist)


def draw_scale(painter: QPainter, bar: QRectF, scale: ScoreScale, accent: QColor) -> None:
    """A bar of all grey levels with a line at every threshold, seen on any of the colours."""
    painter.drawImage(bar, scale.colors, QRectF(0, 0, LEVELS, 1))
    painter.setPen(QPen(QColor(110, 110, 110), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)
    for mark in scale.marks:
        x = bar.left() + mark.place * bar.width()
        line = QRectF(x - 1, bar.top() - _OVER_PX, 2, bar.height() + 2 * _OVER_PX)
        painter.fillRect(line.adjusted(-1, 0, 1, 0), QColor("white"))
        painter.fillRect(line, mark_color(mark, accent))


def mark_color(mark: ScaleMark, accent: QColor) -> QColor:
    return RIVAL_COLOR if mark.system else accent


class ScaleBar(Panel):
    """The scale in the legend, its ends and thresholds numbered; hidden where it says nothing."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self.scale: ScoreScale | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.listen()

    def follow(self, state: ViewState, change: Change) -> None:
        if not change & _FOLLOWED:
            return
        self.scale = scale_of(state)
        self.setVisible(self.scale is not None)
        if self.scale is not None:
            said = f"{tr('System mask')}: {self.scale.describe()}"
            self.setToolTip(said)
            self.setAccessibleName(said)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, _BAR_PX + 3 * _OVER_PX + self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.scale is None:
            return
        painter, metrics = QPainter(self), QFontMetricsF(self.font())
        accent = self.palette().color(QPalette.ColorRole.Highlight)
        bar = QRectF(3.5, _OVER_PX + 0.5, self.width() - 7, _BAR_PX)
        draw_scale(painter, bar, self.scale, accent)
        below = bar.bottom() + _OVER_PX + metrics.ascent()
        taken: list[QRectF] = []
        # Thresholds first: where one lies at an end, its number says the end as well.
        numbers = [
            (str(mark.shown), mark.place, mark_color(mark, accent)) for mark in self.scale.marks
        ]
        muted = self.palette().color(QPalette.ColorRole.PlaceholderText)
        numbers += [("0", 0.0, muted), (str(LEVELS - 1), 1.0, muted)]
        for text, place, color in numbers:
            width = metrics.horizontalAdvance(text)
            x = bar.left() + place * bar.width() - width / 2
            x = min(max(x, 0.0), self.width() - width)
            room = QRectF(x - 3, 0, width + 6, 1)
            if not any(room.intersects(other) for other in taken):
                taken.append(room)
                painter.setPen(color)
                painter.drawText(QPointF(x, below), text)
        painter.end()
