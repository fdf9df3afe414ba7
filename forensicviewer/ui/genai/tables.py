"""Systems, generators and calls as tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.genai.naming import FOR_GENERATORS, short_names
from forensicviewer.app.genai.review import GenAIReview, ImageCall
from forensicviewer.app.language.words import to_translate, tr, tr_many
from forensicviewer.core.model import TrialId
from forensicviewer.ui.genai.colors import color_of
from forensicviewer.ui.widgets.heading import Heading, align_titles
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.table_copy import make_copyable

_NONE = "–"  # noqa: RUF001 - a dash, as in tables
_SWATCH_PX = 10
_LEAST_PX = 70
_NAME_PX = 110
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
# How an AUC is read for a generator; the plan names only the ends, 0.5 and 1.
_READINGS = (
    (0.6, to_translate("deceives the system")),
    (0.9, to_translate("deceives the system in part")),
    (math.inf, to_translate("is recognised")),
)


class FactTable(QTableWidget):
    """A table to read: rows are chosen by a click, cells copied with Ctrl+C."""

    def __init__(
        self, titles: Sequence[str], name: str, chosen: Callable[[int], None] | None = None
    ) -> None:
        super().__init__(0, len(titles))
        self._chosen = chosen
        self.setAccessibleName(name)
        self.setProperty("role", "narrow")
        self.setHorizontalHeaderLabels(list(titles))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setMinimumHeight(_LEAST_PX)
        self.verticalHeader().hide()
        align_titles(self, range(1, len(titles)))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        make_copyable(self)
        self.cellClicked.connect(self._choose)
        self.cellActivated.connect(self._choose)

    def sizeHint(self) -> QSize:
        return QSize(256, _LEAST_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep names readable: where there is no room for them, the numbers are scrolled to."""
        super().resizeEvent(event)
        header = self.horizontalHeader()
        others = sum(header.sectionSize(column) for column in range(1, self.columnCount()))
        has_room = self.viewport().width() - others >= _NAME_PX
        mode = QHeaderView.ResizeMode.Stretch if has_room else QHeaderView.ResizeMode.Fixed
        if header.sectionResizeMode(0) is not mode:
            header.setSectionResizeMode(0, mode)
            header.resizeSection(0, _NAME_PX)

    def _choose(self, row: int, _column: int) -> None:
        if self._chosen is not None:
            self._chosen(row)

    def fill(
        self,
        rows: Sequence[Sequence[str]],
        *,
        colors: Sequence[QColor] = (),
        tips: Sequence[str] = (),
    ) -> None:
        """Show the rows; a colour and a longer name belong to the first cell of each."""
        self.setRowCount(len(rows))
        for row, cells in enumerate(rows):
            for column, text in enumerate(cells):
                item = QTableWidgetItem(text)
                item.setToolTip(tips[row] if tips and not column else text)
                if column:
                    item.setTextAlignment(_RIGHT)
                elif colors:
                    swatch = QPixmap(_SWATCH_PX, _SWATCH_PX)
                    swatch.fill(colors[row])
                    item.setIcon(swatch)
                self.setItem(row, column, item)

    def explain(self, column: int, tip: str) -> None:
        title = self.horizontalHeaderItem(column)
        assert title is not None
        title.setToolTip(tip)

    def fit_height(self, most_rows: int) -> None:
        """Take the height of the rows, of at most so many."""
        rows = min(self.rowCount(), most_rows)
        height = sum(self.rowHeight(row) for row in range(rows))
        bar = self.horizontalScrollBar().sizeHint().height() // 2
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + height + bar)


class SystemsTable(FactTable):
    """Every open system with its main numbers; the current one is selected."""

    MOST = 6

    def __init__(self, chosen: Callable[[int], None]) -> None:
        titles = (tr("System"), "AUC", "TPR@FPR", "EER", "BrierT", "BrierN", "ECE")
        super().__init__(titles, tr("Systems"), chosen)
        for column, tip in enumerate(_TIPS, start=1):
            self.explain(column, tr(tip))

    def show_review(self, review: GenAIReview, chosen: int) -> None:
        names = [system.name for system in review.systems]
        rows = []
        for name, system in zip(short_names(names), review.systems, strict=True):
            found = system.whole
            brier = (found.brier.targets, found.brier.nontargets)
            numbers = (found.auc, found.tpr, found.eer, *brier, found.ece)
            rows.append((name, *map(shown, numbers)))
        self.fill(rows, colors=_colors(len(rows)), tips=names)
        self.fit_height(self.MOST)
        self.selectRow(chosen)


_TIPS = (
    to_translate("Area under the ROC curve; 1 is perfect, 0.5 is chance"),
    to_translate("True positive rate at a false positive rate of 0.1"),
    to_translate("Equal error rate; 0 is perfect"),
    to_translate("Mean squared error of the scores of AI-generated images; 0 is perfect"),
    to_translate("Mean squared error of the scores of human-made images; 0 is perfect"),
    to_translate("Expected calibration error; 0 is perfect"),
)


class GeneratorsView(QWidget):
    """One row per generator, the one that deceives the system best first."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.note = PlainLabel(tr(FOR_GENERATORS), self)
        self.note.setWordWrap(True)
        titles = (tr("Generator (DatasetID)"), tr("Images"), "AUC", "BrierT", tr("The generator"))
        self.table = FactTable(titles, tr("Generators"))
        self.table.explain(4, tr("By AUC: below 0.6 it deceives the system, below 0.9 in part"))
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.note)
        column.addWidget(self.table, 1)

    def show_review(self, review: GenAIReview, system: int) -> None:
        rows = []
        for part in review.generators(system):
            found = part.found
            auc, brier = shown(found.auc), shown(found.brier.targets)
            rows.append((part.value, str(len(found.trials)), auc, brier, _reading(found.auc)))
        self.table.fill(rows)


class AgreementView(QWidget):
    """What each system calls the current image, and how often so many are right."""

    def __init__(self, show_disputed: Callable[[], None], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.here = Heading(tr("This image"))
        self.calls = FactTable(
            (tr("System"), tr("Score"), tr("Cutoff"), tr("Answer"), ""), tr("Calls")
        )
        self.counts = FactTable((tr("Systems that are right"), tr("Images")), tr("Correct answers"))
        self.link = _link(show_disputed)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.here)
        column.addWidget(self.calls, 1)
        column.addWidget(Heading(tr("All images")))
        column.addWidget(self.counts, 1)
        column.addWidget(self.link)

    def show_review(self, review: GenAIReview) -> None:
        total = len(review.systems)
        counts = enumerate(review.right_counts.tolist())
        rows = [
            (tr("{right} of {total}", right=right, total=total), str(count))
            for right, count in counts
        ]
        self.counts.fill(rows)

    def place(self, review: GenAIReview, trial: TrialId | None) -> None:
        at = review.row_of(trial)
        calls = () if at is None else review.calls_about(at)
        names = [call.system for call in calls]
        rows = [
            (name, *_describe(call)) for name, call in zip(short_names(names), calls, strict=True)
        ]
        self.calls.fill(rows, colors=_colors(len(rows)), tips=names)
        yes = sum(call.is_called is True for call in calls)
        self.here.setText(
            tr_many(
                "{count} system calls it AI-generated",
                "{count} systems call it AI-generated",
                yes,
            )
        )


def shown(number: float) -> str:
    """A number as tables of the window have it."""
    return _NONE if math.isnan(number) else f"{number:.4f}"


def _reading(auc: float) -> str:
    if math.isnan(auc):
        return _NONE
    return next(tr(words) for below, words in _READINGS if auc < below)


def _describe(call: ImageCall) -> tuple[str, ...]:
    score = _NONE if call.score is None else f"{call.score:.4f}"
    cutoff = _NONE if call.cutoff is None else f"{call.cutoff:g}"
    called = _NONE
    if call.is_called is not None:
        called = tr("AI-generated") if call.is_called else tr("human-made")
    right = "" if call.is_right is None else (tr("right") if call.is_right else tr("wrong"))
    return score, cutoff, called, right


def _colors(count: int) -> list[QColor]:
    return [color_of(number) for number in range(count)]


def _link(run: Callable[[], None]) -> QPushButton:
    button = QPushButton(tr("List the images on which systems disagree"))
    button.clicked.connect(lambda: run())
    return button
