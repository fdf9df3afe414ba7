"""Where the current image lies among the scores of AI-generated and of human-made images."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget

from forensicviewer.app.genai.review import GenAIReview
from forensicviewer.app.language.words import tr
from forensicviewer.core.array import Floats
from forensicviewer.core.model import TrialId
from forensicviewer.ui.genai.colors import faint
from forensicviewer.ui.widgets.chart import Axis, ChartMark, LowChart, Series, SeriesShape
from forensicviewer.ui.widgets.plain_text import PlainLabel

_AI, _HUMAN = QColor("#d55e00"), QColor("#0072b2")
_TICKS = tuple((value, f"{value:g}") for value in (0, 0.25, 0.5, 0.75, 1))


class HistogramView(QWidget):
    """The score of the image in words, and a line through both histograms."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.here = PlainLabel(parent=self)
        self.here.setWordWrap(True)
        self.chart = LowChart(self)
        self.chart.setMinimumHeight(130)
        self.chart.setAccessibleName(tr("Scores of AI-generated and of human-made images"))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.here)
        column.addWidget(self.chart, 1)

    def show_review(self, review: GenAIReview, system: int) -> None:
        edges, ai, human = review.histograms(system)
        series = [
            Series(tr("Human-made"), *_bars(edges, human), faint(_HUMAN), SeriesShape.AREA),
            Series(tr("AI-generated"), *_bars(edges, ai), faint(_AI), SeriesShape.AREA),
        ]
        highest = max(float(ai.max()), float(human.max()), 1e-9)
        across = Axis(float(edges[0]), float(edges[-1]), _TICKS, tr("Confidence score"))
        self.chart.show_series(across, Axis(0, 1.15 * highest), series)

    def place(self, review: GenAIReview, system: int, trial: TrialId | None) -> None:
        """Mark the cutoff and the current image."""
        ink = self.palette().color(QPalette.ColorRole.WindowText)
        found, score = review.systems[system], review.score_of(trial, system)
        marks = []
        if found.cutoff is not None:
            marks.append(ChartMark(found.cutoff, ink, tr("cutoff"), dotted=True))
        if score is not None:
            edges = review.histograms(system)[0]
            shown = min(max(score, float(edges[0])), float(edges[-1]))
            marks.append(ChartMark(shown, ink, tr("this image"), width=2))
        self.chart.show_marks(marks)
        self.here.setText(_describe(review, system, trial))
        self.here.setVisible(trial is not None)


def _describe(review: GenAIReview, system: int, trial: TrialId | None) -> str:
    row = review.row_of(trial)
    if row is None:
        return ""
    call = review.calls_about(row)[system]
    trials = review.systems[system].trials
    truth = tr("not labelled")
    if trials.is_labelled[row]:
        truth = tr("AI-generated") if trials.targets[row] else tr("human-made")
    if call.score is None:
        return tr("This image is {truth}; the system gives no score", truth=truth)
    score = f"{call.score:.4f}"
    if call.is_right is None:
        return tr("This image is {truth}; score {score}", truth=truth, score=score)
    called = tr("AI-generated") if call.is_called else tr("human-made")
    said = tr("called {called}: right") if call.is_right else tr("called {called}: wrong")
    return tr(
        "This image is {truth}; score {score}, {said}",
        truth=truth,
        score=score,
        said=said.format(called=called),
    )


def _bars(edges: Floats, heights: Floats) -> tuple[Floats, Floats]:
    return np.repeat(edges, 2)[1:-1], np.repeat(heights, 2)
