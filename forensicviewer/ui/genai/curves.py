"""ROC or DET of every open system in one chart, with the cutoffs as operating points."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from forensicviewer.app.genai.review import GenAIReview, drawn_curve, operating_point
from forensicviewer.app.language.words import tr
from forensicviewer.core.array import Floats
from forensicviewer.core.detection import deviates
from forensicviewer.ui.genai.colors import color_of, is_dashed
from forensicviewer.ui.widgets.chart import Axis, ChartMark, LowChart, Series
from forensicviewer.ui.widgets.plain_text import PlainLabel

_RATES = tuple((value, f"{value:g}") for value in (0, 0.2, 0.4, 0.6, 0.8, 1))
_DET_RATES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
_DET_ENDS = (-3.4, 2.63)  # a little beyond the first and last of these rates
_CHOSEN_WIDTH, _OTHER_WIDTH = 3.0, 1.6


class CurvesView(QWidget):
    """Two buttons and the chart; the current system has the widest line."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._review: GenAIReview | None = None
        self._chosen = 0
        self.roc = self._button("ROC", tr("True positive rate over false positive rate"))
        self.det = self._button("DET", tr("False negative rate over false positive rate (probit)"))
        self.roc.setChecked(True)
        self.chart = LowChart(self)
        self.chart.setAccessibleName(tr("ROC or DET curves of all open systems"))
        self.why = PlainLabel(parent=self)
        self.why.setProperty("role", "muted")
        self.why.setWordWrap(True)
        group, top = QButtonGroup(self), QHBoxLayout()
        for button in (self.roc, self.det):
            group.addButton(button)
            top.addWidget(button)
        top.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addLayout(top)
        column.addWidget(self.chart, 1)
        column.addWidget(self.why)

    def _button(self, text: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.clicked.connect(self.draw)
        return button

    def show_review(self, review: GenAIReview, chosen: int) -> None:
        self._review, self._chosen = review, chosen
        self.draw()

    def draw(self) -> None:
        """Draw what is there now, in the colours of the theme."""
        review = self._review
        if review is None:
            return
        marks = []
        # The chosen one last, above all others.
        order = sorted(range(len(review.systems)), key=lambda number: number == self._chosen)
        series = [] if self.det.isChecked() else [self._chance()]
        for number in order:
            system = review.systems[number]
            if not system.whole.trials.has_both_classes:
                continue
            series.append(self._line(number, *self._on_axes(*drawn_curve(system))))
            point = operating_point(system)
            if point is not None:
                x, y = self._on_axes(np.array(point[:1]), np.array(point[1:]))
                marks.append(ChartMark(float(x[0]), color_of(number), y=float(y[0])))
        self.chart.show_series(*self._axes(), series)
        self.chart.show_marks(marks)
        self.why.setText(_about(review, has_marks=bool(marks), has_curves=len(series) > 1))

    def _line(self, number: int, x: Floats, y: Floats) -> Series:
        width = _CHOSEN_WIDTH if number == self._chosen else _OTHER_WIDTH
        return Series("", x, y, color_of(number), width=width, dashed=is_dashed(number))

    def _chance(self) -> Series:
        muted = QColor(self.palette().color(QPalette.ColorRole.WindowText))
        muted.setAlpha(70)
        ends = np.array([0.0, 1.0])
        return Series("", ends, ends, muted, width=1, dashed=True)

    def _axes(self) -> tuple[Axis, Axis]:
        across = tr("False positive rate")
        if not self.det.isChecked():
            rates = Axis(-0.01, 1.01, _RATES, across)
            return rates, Axis(-0.01, 1.03, _RATES, tr("True positive rate"))
        places = deviates(np.array(_DET_RATES)).tolist()
        ticks = tuple((x, f"{rate:g}") for x, rate in zip(places, _DET_RATES, strict=True))
        return Axis(*_DET_ENDS, ticks, across), Axis(*_DET_ENDS, ticks, tr("False negative rate"))

    def _on_axes(self, fpr: Floats, tpr: Floats) -> tuple[Floats, Floats]:
        if not self.det.isChecked():
            return fpr, tpr
        return np.clip(deviates(fpr), *_DET_ENDS), np.clip(deviates(1 - tpr), *_DET_ENDS)


def _about(review: GenAIReview, *, has_marks: bool, has_curves: bool) -> str:
    if not has_curves:
        why = review.systems[0].whole.why.get("AUC", "") if review.systems else ""
        return tr("No curve: {why}", why=why) if why else ""
    if not has_marks:
        return tr("The file names do not declare a cutoff")
    return tr("A dot marks the operating point of a system: the cutoff declared in its file name")
