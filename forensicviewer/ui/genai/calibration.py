"""How well scores can be read as probabilities: the reliability diagram and its mean error."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QVBoxLayout, QWidget

from forensicviewer.app.genai.review import GenAIReview
from forensicviewer.app.language.words import tr
from forensicviewer.ui.genai.colors import color_of, faint
from forensicviewer.ui.widgets.chart import Axis, ChartMark, LowChart, Series, SeriesShape
from forensicviewer.ui.widgets.plain_text import PlainLabel

_TENTHS = tuple((value, f"{value:g}") for value in (0, 0.2, 0.4, 0.6, 0.8, 1))


class CalibrationView(QWidget):
    """The share of AI-generated images over the mean score, in ten bins; below, their sizes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note = PlainLabel(parent=self)
        self.note.setWordWrap(True)
        self.chart = LowChart(self)
        self.chart.setAccessibleName(tr("Reliability diagram"))
        self.sizes = LowChart(self)
        self.sizes.setAccessibleName(tr("Images per bin of scores"))
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.note)
        column.addWidget(self.chart, 3)
        column.addWidget(self.sizes, 1)

    def show_review(self, review: GenAIReview, system: int) -> None:
        found = review.systems[system].whole
        reliability = found.reliability
        for chart in (self.chart, self.sizes):
            chart.setVisible(reliability is not None)
        if reliability is None:
            self.note.setText(tr("No diagram: {why}", why=found.why.get("ECE", "")))
            return
        self.note.setText(
            tr(
                "Expected calibration error {ece}: 10 bins of equal width. On the diagonal, "
                "the score equals the share of AI-generated images.",
                ece=f"{reliability.ece:.4f}",
            )
        )
        filled = reliability.counts > 0
        x, y, color = reliability.scores[filled], reliability.targets[filled], color_of(system)
        muted = QColor(self.palette().color(QPalette.ColorRole.WindowText))
        muted.setAlpha(70)
        ends = np.array([0.0, 1.0])
        series = [
            Series(tr("calibrated"), ends, ends, muted, width=1, dashed=True),
            Series(tr("this system"), x, y, color),
        ]
        across = Axis(-0.01, 1.01, _TENTHS, tr("Mean score of the bin"))
        up = Axis(-0.01, 1.05, _TENTHS, tr("AI-generated"))
        self.chart.show_series(across, up, series)
        dots = zip(x.tolist(), y.tolist(), strict=True)
        self.chart.show_marks([ChartMark(at, color, y=share) for at, share in dots])
        edges = np.linspace(0, 1, len(reliability.counts) + 1)
        heights = np.repeat(reliability.counts.astype(float), 2)
        bars = Series("", np.repeat(edges, 2)[1:-1], heights, faint(color), SeriesShape.AREA)
        most = int(reliability.counts.max())
        up = Axis(0, 1.1 * max(1, most), ((0.0, "0"), (float(most), str(most))), tr("Images"))
        self.sizes.show_series(Axis(-0.01, 1.01, _TENTHS, tr("Score")), up, [bars])
