"""Provenance filtering: the ranked list with hits and misses, and recall over its length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.graph_document import GraphDocument
from forensicviewer.app.graph_facts import printed
from forensicviewer.app.graph_review import GraphReview
from forensicviewer.app.graph_state import GraphChange, GraphState
from forensicviewer.core.filtering import recall_curve
from forensicviewer.core.provenance import FileName, Match, world_id
from forensicviewer.ui.chart import Axis, Chart, Mark, Series
from forensicviewer.ui.graphcanvas import GraphCanvas
from forensicviewer.ui.graphstyle import WORDS

_COLUMNS = ("Rank", "Image", "Confidence", "Outcome", "Type")
_SIGNS = {
    Match.MATCHED: "\N{CHECK MARK}",
    Match.MISSED: "\N{EN DASH}",
    Match.INVENTED: "\N{MULTIPLICATION SIGN}",
}
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class RankedLine:
    """One returned image, or one that was never returned (without a rank)."""

    rank: int | None
    file: FileName
    confidence: str
    match: Match
    node_type: str


def ranked_lines(document: GraphDocument) -> list[RankedLine]:
    """The ranking in order, then the wanted images it does not hold."""
    if document.ranked is None:
        return []
    types = {one.file: one.node_type for one in document.ranked.wanted}
    lines = [
        RankedLine(
            rank,
            node.file,
            printed(node.confidence),
            Match.MATCHED if node.file in types else Match.INVENTED,
            types.get(node.file, ""),
        )
        for rank, node in enumerate(document.ranked.ranked, start=1)
    ]
    returned = {line.file for line in lines}
    lines += [
        RankedLine(None, file, "", Match.MISSED, node_type)
        for file, node_type in types.items()
        if file not in returned
    ]
    return lines


class RankingModel(QAbstractTableModel):
    """The lines for a table view; thumbnails come from the canvas when they are seen."""

    def __init__(self, canvas: GraphCanvas, parent: QWidget) -> None:
        super().__init__(parent)
        self._canvas = canvas
        self.lines: Sequence[RankedLine] = ()

    def show_lines(self, lines: Sequence[RankedLine]) -> None:
        self.beginResetModel()
        self.lines = lines
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.lines)

    def columnCount(self, _parent: _Index | None = None) -> int:
        return len(_COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section]
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.lines[index.row()]
        column = _COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(line, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return line.file
        if role == Qt.ItemDataRole.ForegroundRole and column == "Outcome":
            return self._canvas.painter.colors.of(line.match)
        if role == Qt.ItemDataRole.DecorationRole and column == "Image":
            return self._icon(line.file)
        return None

    def _words(self, line: RankedLine, column: str) -> str:
        words = {
            "Rank": "" if line.rank is None else str(line.rank),
            "Image": world_id(line.file),
            "Confidence": line.confidence,
            "Outcome": f"{_SIGNS[line.match]} {WORDS[line.match]}",
            "Type": line.node_type,
        }
        return words[column]

    def _icon(self, file: FileName) -> QIcon | None:
        pixmap: QPixmap | None = self._canvas.thumbnails.get(file)
        return None if pixmap is None else QIcon(pixmap)


class FilteringView(QWidget):
    """Recall over the length of the list, and the list; its selection is the graph's."""

    def __init__(
        self, review: GraphReview, canvas: GraphCanvas, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._review = review
        self.recalls = QLabel("")
        self.recalls.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.recalls.setWordWrap(True)
        self.chart = Chart(self)
        self.chart.setAccessibleName("Recall over the length of the list")
        self.model = RankingModel(canvas, self)
        self.table = QTableView()
        self.table.setModel(self.model)
        self._set_up_table()
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.recalls)
        column.addWidget(self.chart, 1)
        column.addWidget(self.table, 2)
        self._stop_listening = review.subscribe(self._follow)
        self._follow(review.state, ~GraphChange(0))

    def _set_up_table(self) -> None:
        self.table.setAccessibleName("Ranked images")
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setIconSize(QSize(32, 32))
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(36)
        self.table.setShowGrid(False)
        header = self.table.horizontalHeader()
        for column, width in enumerate((52, 260, 90, 110, 70)):
            header.resizeSection(column, width)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.table.selectionModel().currentRowChanged.connect(self._choose)

    def let_go(self) -> None:
        self._stop_listening()

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self._review.select(self.model.lines[index.row()].file)

    def _follow(self, state: GraphState, change: GraphChange) -> None:
        if GraphChange.DOCUMENT in change:
            self._show_document(state.document)

    def _show_document(self, document: GraphDocument | None) -> None:
        self.model.show_lines([] if document is None else ranked_lines(document))
        ranked = None if document is None else document.ranked
        if document is None or ranked is None:
            self.recalls.setText("")
            self.chart.show_series(Axis(0, 1), Axis(0, 1), [])
            return
        found = ranked.recalls(document.lengths)
        self.recalls.setText(
            "Recall  "
            + "    ".join(
                f"@{recall.n}: {'none' if recall.value is None else format(recall.value, '.4f')}"
                for recall in found
            )
        )
        self._draw(recall_curve(ranked.ranked, ranked.wanted), document.lengths)

    def _draw(self, curve: Sequence[float], lengths: Sequence[int]) -> None:
        high = max(len(curve), *lengths, 1)
        ticks = tuple((float(n), str(n)) for n in (0, *lengths))
        y = np.array([0.0, *curve, curve[-1] if curve else 0.0])
        x = np.array([*range(len(curve) + 1), high], dtype=np.float64)
        blue = QColor(29, 95, 209)
        self.chart.show_series(
            Axis(0, high, ticks, "list length"),
            Axis(0, 1.02, ((0.0, "0"), (0.5, "0.5"), (1.0, "1"))),
            [Series("recall", x, y, blue)],
        )
        self.chart.show_marks([Mark(float(n), QColor(128, 128, 128), dotted=True) for n in lengths])
