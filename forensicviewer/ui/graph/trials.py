"""The table of all provenance trials, the worst first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from forensicviewer.app.graph.document import TrialScore
from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.graph.state import GraphChange, GraphState
from forensicviewer.app.language.words import tr
from forensicviewer.app.provenance.scoring import MEASURES
from forensicviewer.ui.widgets.table_copy import english_table_of, make_copyable

_Index = QModelIndex | QPersistentModelIndex


class TrialsModel(QAbstractTableModel):
    """One line per probe: its scores and recalls."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.lines: list[TrialScore] = []

    @property
    def columns(self) -> list[str]:
        lengths = self.lines[0].lengths if self.lines else ()
        return [tr("Probe"), *(name for name, _ in MEASURES), *(f"Recall@{n}" for n in lengths)]

    def show_lines(self, lines: Sequence[TrialScore]) -> None:
        self.beginResetModel()
        self.lines = list(lines)
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.lines)

    def columnCount(self, _parent: _Index | None = None) -> int:
        return len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section]
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        line = self.lines[index.row()]
        if index.column() == 0:
            return line.trial.id
        value = self.values(line)[index.column() - 1]
        return "" if value is None else f"{value:.4f}"

    def values(self, line: TrialScore) -> list[float | None]:
        scores = line.scores
        measured = [None if scores is None else measure(scores) for _, measure in MEASURES]
        recalls = line.recalls or (None,) * len(line.lengths)
        return [*measured, *recalls]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; probes without a value come last either way."""
        falling = order is Qt.SortOrder.DescendingOrder
        self.beginResetModel()
        if column == 0:
            self.lines.sort(key=lambda line: line.trial.id, reverse=falling)
        elif column > 0:
            self.lines.sort(key=lambda line: self._key(line, column - 1, falling=falling))
        self.endResetModel()

    def _key(self, line: TrialScore, column: int, *, falling: bool) -> tuple[bool, float]:
        value = self.values(line)[column]
        return value is None, 0.0 if value is None else (-value if falling else value)


class TrialsView(QTableView):
    """Choosing a line opens that probe."""

    def __init__(
        self, review: GraphReview, choose: Callable[[str], None], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._review = review
        self._choose = choose
        self.lines = TrialsModel(self)
        self.setModel(self.lines)
        self.setAccessibleName(tr("All probes, worst first"))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(26)
        self.horizontalHeader().resizeSection(0, 240)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        make_copyable(self, partial(english_table_of, self))
        self.activated.connect(self._open)
        self.clicked.connect(self._open)
        self._stop_listening = review.subscribe(self._follow)
        self._follow(review.state, ~GraphChange(0))

    def let_go(self) -> None:
        self._stop_listening()

    def _open(self, index: QModelIndex) -> None:
        trial = self.lines.lines[index.row()].trial
        self._choose(trial.id)
        if sum(line.trial.id == trial.id for line in self.lines.lines) > 1:
            self._review.open_trial(trial.id, trial.output_file)

    def _follow(self, state: GraphState, change: GraphChange) -> None:
        if GraphChange.TABLE in change:
            self.lines.show_lines(state.table)
