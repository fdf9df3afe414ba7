"""The versions of one system, one after the other: whether it became better."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from forensicviewer.app.genai.review import GenAIReview, Versions
from forensicviewer.app.language.words import tr
from forensicviewer.ui.genai.colors import color_of
from forensicviewer.ui.genai.tables import FactTable, shown
from forensicviewer.ui.widgets.chart import Axis, ChartMark, LowChart, Series
from forensicviewer.ui.widgets.plain_text import PlainLabel

_SHARES = tuple((value, f"{value:g}") for value in (0, 0.25, 0.5, 0.75, 1))
_METRICS = ("AUC", "TPR@FPR", "EER", "BrierT", "BrierN")


class VersionsView(QWidget):
    """A chart and a table over the versions of the chosen system."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._versions: tuple[Versions, ...] = ()
        self.note = PlainLabel(parent=self)
        self.note.setWordWrap(True)
        self.system = QComboBox(self)
        self.system.setAccessibleName(tr("System"))
        self.system.activated.connect(self._show)
        self.chart = LowChart(self)
        self.chart.setAccessibleName(tr("Metrics of the versions of a system"))
        self.table = FactTable((tr("Version"), *_METRICS), tr("Versions"))
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        for widget, stretch in ((self.note, 0), (self.system, 0), (self.chart, 2), (self.table, 1)):
            column.addWidget(widget, stretch)
        column.addStretch(0)

    def show_review(self, review: GenAIReview) -> None:
        self._versions = review.versions
        names = [found.system for found in self._versions]
        before = self.system.currentText()
        self.system.clear()
        self.system.addItems(names)
        self.system.setCurrentIndex(names.index(before) if before in names else 0)
        for widget in (self.system, self.chart, self.table):
            widget.setVisible(bool(names))
        self.note.setText(
            tr("AUC and TPR should rise, EER and Brier scores should fall")
            if names
            else tr("Open several versions of one system (same DiscriminatorID) to compare them")
        )
        if names:
            self._show()

    def _show(self) -> None:
        found = self._versions[self.system.currentIndex()]
        values = np.array(
            [
                [w.auc, w.tpr, w.eer, w.brier.targets, w.brier.nontargets]
                for w in (result.whole for result in found.results)
            ]
        )
        x = np.arange(len(found.results), dtype=np.float64)
        kept = [~np.isnan(values[:, i]) for i in range(len(_METRICS))]
        series = [
            Series(name, x[kept[i]], values[kept[i], i], color_of(i))
            for i, name in enumerate(_METRICS)
        ]
        marks = [
            ChartMark(float(at), color_of(i), y=float(value))
            for i in range(len(_METRICS))
            for at, value in zip(x[kept[i]], values[kept[i], i], strict=True)
        ]
        ticks = tuple(zip(x.tolist(), found.labels, strict=True))
        across = Axis(-0.3, float(x[-1]) + 0.3, ticks, tr("Version"))
        self.chart.show_series(across, Axis(-0.03, 1.05, _SHARES), series)
        self.chart.show_marks(marks)
        rows = zip(found.labels, values.tolist(), strict=True)
        self.table.fill([(label, *map(shown, row)) for label, row in rows])
