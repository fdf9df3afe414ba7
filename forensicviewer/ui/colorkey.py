"""The colours of the comparison in one line, for those who have not opened the legend."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from forensicviewer.app.state import Layer, ViewState
from forensicviewer.app.tally import tallies
from forensicviewer.app.words import tr
from forensicviewer.core.overlay import Outcome, palette
from forensicviewer.ui.legend import NAMES
from forensicviewer.ui.swatch import draw_swatch, outcome_hatch

_EDGE_PX, _GAP_PX, _BETWEEN_PX = 11, 5, 16


class ColorKey(QWidget):
    """Swatches with their names, as many as fit; it never asks for room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._outcomes: tuple[Outcome, ...] = ()
        self._colors = palette(ViewState().look.palette)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What is explained at the moment."""
        return self._outcomes

    def show_state(self, state: ViewState) -> None:
        """Name the colours there are; over a picture correct rejections have none."""
        is_compared = any(pane.layer is Layer.COMPARISON for pane in state.arrangement.panes)
        found = [tally.outcome for tally in tallies(state)] if is_compared else []
        shown = tuple(
            outcome
            for outcome in found
            if outcome is not Outcome.CORRECT_REJECTION and outcome not in state.look.hidden
        )
        self._outcomes = shown if state.look.has_overlays else ()
        self._colors = palette(state.look.palette)
        self.setAccessibleName(", ".join(tr(NAMES[outcome]) for outcome in self._outcomes))
        self.update()

    def clear(self) -> None:
        """Explain nothing: something else stands in the line."""
        if self._outcomes:
            self._outcomes = ()
            self.setAccessibleName("")
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, metrics = QPainter(self), self.fontMetrics()
        x, top = 1.0, (self.height() - _EDGE_PX) / 2
        for outcome in self._outcomes:
            name = tr(NAMES[outcome])
            width = metrics.horizontalAdvance(name)
            if x + _EDGE_PX + _GAP_PX + width > self.width():
                break
            swatch = QRectF(x, top, _EDGE_PX, _EDGE_PX)
            draw_swatch(painter, swatch, self._colors[outcome], hatch=outcome_hatch(outcome))
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            x += _EDGE_PX + _GAP_PX
            place = QRectF(x, 0, width + 1, self.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, name)
            x += width + _BETWEEN_PX
        painter.end()
