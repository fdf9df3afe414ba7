"""The colours of the comparison in one line, for those who have not opened the legend."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.app.workbench.legend_counts import legend_counts, outcome_words
from forensicviewer.app.workbench.state import Layer, ViewState
from forensicviewer.core.palette import Outcome
from forensicviewer.ui.panes.score_scale import LEVELS, ScoreScale, draw_scale, scale_of
from forensicviewer.ui.widgets.swatch import draw_swatch, outcome_hatch

_EDGE_PX, _GAP_PX, _BETWEEN_PX = 11, 5, 16
_SCALE_PX = 96


class ColorKey(QWidget):
    """Swatches with their names, as many as fit; it never asks for room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._outcomes: tuple[Outcome, ...] = ()
        self._names: dict[Outcome, str] = {}
        self.scale: ScoreScale | None = None
        self._colors = ViewState().colors
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What is explained at the moment."""
        return self._outcomes

    def show_state(self, state: ViewState) -> None:
        """Name the colours there are; over an image correct rejections have none."""
        is_compared = any(pane.layer is Layer.COMPARISON for pane in state.arrangement.panes)
        found = [count.outcome for count in legend_counts(state)] if is_compared else []
        shown = tuple(
            outcome
            for outcome in found
            if outcome is not Outcome.CORRECT_REJECTION and outcome not in state.look.hidden
        )
        self._outcomes = shown if state.look.has_overlays else ()
        self._colors = state.colors
        self.scale = scale_of(state)
        self._names = {each: outcome_words(state, each)[0] for each in self._outcomes}
        names = list(self._names.values())
        names += [] if self.scale is None else [self.scale.describe()]
        self.setAccessibleName(", ".join(names))
        self.update()

    def clear(self) -> None:
        """Explain nothing: something else stands in the line."""
        if self._outcomes or self.scale is not None:
            self._outcomes, self.scale = (), None
            self.setAccessibleName("")
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        x = self._draw_outcomes(painter)
        if self.scale is not None:
            self._draw_scale(painter, self.scale, x)
        painter.end()

    def _draw_outcomes(self, painter: QPainter) -> float:
        """Draw what fits; where it ends."""
        metrics = self.fontMetrics()
        x, top = 1.0, (self.height() - _EDGE_PX) / 2
        for outcome in self._outcomes:
            name = self._names[outcome]
            width = metrics.horizontalAdvance(name)
            if x + _EDGE_PX + _GAP_PX + width > self.width():
                break
            swatch = QRectF(x, top, _EDGE_PX, _EDGE_PX)
            draw_swatch(
                painter, swatch, self._colors[outcome], hatch=outcome_hatch(outcome, self._colors)
            )
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            x += _EDGE_PX + _GAP_PX
            place = QRectF(x, 0, width + 1, self.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, name)
            x += width + _BETWEEN_PX
        return x

    def _draw_scale(self, painter: QPainter, scale: ScoreScale, x: float) -> None:
        """The grey levels of system masks behind the outcomes, if there is room for all."""
        name, lowest, highest = tr("System mask"), "0", str(LEVELS - 1)
        widths = [self.fontMetrics().horizontalAdvance(text) for text in (name, lowest, highest)]
        if x + sum(widths) + 4 * _GAP_PX + _SCALE_PX > self.width():
            return
        ink = self.palette().color(QPalette.ColorRole.PlaceholderText)
        for text, width in zip((name, lowest), widths, strict=False):
            painter.setPen(ink)
            place = QRectF(x, 0, width + 1, self.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)
            x += width + _GAP_PX
        bar = QRectF(x, (self.height() - _EDGE_PX) / 2, _SCALE_PX, _EDGE_PX)
        draw_scale(painter, bar, scale, self.palette().color(QPalette.ColorRole.Highlight))
        painter.setPen(ink)
        place = QRectF(bar.right() + _GAP_PX, 0, widths[-1] + 1, self.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, highest)
