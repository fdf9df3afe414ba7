"""Provenance filtering: the ranked list with hits and misses, and recall over its length."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSignalBlocker,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QSplitter,
    QTabBar,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.graph.facts import printed, role_in_words
from forensicviewer.app.graph.ranking import FilteringRanking, RankedLine
from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.graph.state import GraphChange, GraphState
from forensicviewer.app.language.words import to_translate, tr, whole
from forensicviewer.app.provenance.filtering import ALL
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.core.graph.filtering import NODE_TYPES
from forensicviewer.core.graph.provenance import FileName, Match, world_id
from forensicviewer.ui.graph.canvas import GraphCanvas
from forensicviewer.ui.graph.follower import GraphFollower
from forensicviewer.ui.graph.style import WORDS, for_ground
from forensicviewer.ui.widgets.chart import Axis, Chart, ChartMark, Series
from forensicviewer.ui.widgets.table_copy import english_table_of, make_copyable

_COLUMNS = {
    "rank": to_translate("Rank"),
    "image": to_translate("Image"),
    "confidence": to_translate("Confidence"),
    "outcome": to_translate("Outcome"),
    "type": to_translate("Type"),
}
_KEYS = tuple(_COLUMNS)
_LEAST_WIDTHS = (50, 130, 0, 0, 0)  # titles and words have room in any language
_BESIDE_TITLE_PX, _BESIDE_WORD_PX = 17, 20
_NUMBERS = ("rank", "confidence")
_SIGNS = {
    Match.MATCHED: "\N{CHECK MARK}",
    Match.MISSED: "\N{EN DASH}",
    Match.INVENTED: "\N{MULTIPLICATION SIGN}",
}
_CURVE_COLORS = (
    QColor(29, 95, 209),
    QColor(190, 90, 0),
    QColor(0, 128, 0),
    QColor(150, 60, 170),
    QColor(0, 130, 140),
)
_BESIDE_BOTH_PX = 60  # margins, the line between list and recalls, and the list's scroll bar
_MARGINS_PX = 18  # beside a number of the table of recalls
_SCORE_AXIS = Axis(0, 1.02, ((0.0, "0"), (0.5, "0.5"), (1.0, "1")))
_Index = QModelIndex | QPersistentModelIndex


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
            return tr(_COLUMNS[_KEYS[section]])
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft
            if _KEYS[section] in _NUMBERS:
                side = Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.lines[index.row()]
        column = _KEYS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(line, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return line.file
        if role == Qt.ItemDataRole.TextAlignmentRole and column in _NUMBERS:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole and column == "outcome":
            return self._canvas.painter.colors.of(line.match)
        if role == Qt.ItemDataRole.DecorationRole and column == "image":
            return self._icon(line.file)
        return None

    def _words(self, line: RankedLine, column: str) -> str:
        words = {
            "rank": tr("none", context="rank") if line.rank is None else whole(line.rank),
            "image": world_id(line.file),
            "confidence": "" if line.rank is None else printed(line.confidence),
            "outcome": f"{_SIGNS[line.match]} {tr(WORDS[line.match])}",
            "type": ", ".join(role_in_words(each) for each in line.node_types),
        }
        return words[column]

    def _icon(self, file: FileName) -> QIcon | None:
        pixmap: QPixmap | None = self._canvas.thumbnails.get(file)
        return None if pixmap is None else QIcon(pixmap)


class _RankedTable(QTableView):
    """Gives the ids the room that the other columns leave."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        header, image = self.horizontalHeader(), _KEYS.index("image")
        others = header.length() - header.sectionSize(image)
        rest = self.viewport().width() - others
        header.resizeSection(image, max(rest, _LEAST_WIDTHS[image]))


class RecallTable(QTableWidget):
    """Recall at each length of the list, for all images and by their type."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, 0, parent)
        self.setAccessibleName(tr("Recall by list length and type of image"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setShowGrid(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        # Numbers are never shortened: where there is no room for all, the table can be scrolled.
        self._number_px = self.fontMetrics().horizontalAdvance("0.0000") + _MARGINS_PX
        self.horizontalHeader().setMinimumSectionSize(self._number_px)
        self.verticalHeader().setDefaultSectionSize(22)
        # Titles of columns have margins above and below, for which lines have no room.
        self.verticalHeader().setStyleSheet(
            "QHeaderView::section { padding: 0 6px; font-weight: 400; }"
        )

    @property
    def whole_px(self) -> int:
        """The width in which nothing has to be scrolled."""
        return self.verticalHeader().sizeHint().width() + self._number_px * self.columnCount()

    def show_recalls(self, ranking: FilteringRanking | None, settings: ProvenanceSettings) -> None:
        recalls = {} if ranking is None else ranking.recalls
        lengths = () if ranking is None else ranking.lengths
        self.setRowCount(len(recalls))
        self.setColumnCount(len(lengths))
        self.setHorizontalHeaderLabels([f"@{n}" for n in lengths])
        self.setVerticalHeaderLabels([_type_in_words(each) for each in recalls])
        for row, found in enumerate(recalls.values()):
            for column, recall in enumerate(found):
                words = tr("none") if recall.value is None else f"{recall.value:.4f}"
                cell = QTableWidgetItem(words)
                cell.setToolTip(settings.printed(recall.value))
                cell.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
                self.setItem(row, column, cell)
        bar = self.horizontalScrollBar().sizeHint().height()
        self.setFixedHeight(self.horizontalHeader().height() + 22 * len(recalls) + bar + 4)


class FilteringView(QWidget):
    """The list, and recall over its length beside it; its selection is the graph's."""

    def __init__(
        self, review: GraphReview, canvas: GraphCanvas, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._review = review
        self._canvas = canvas
        self.recalls = RecallTable()
        self.chart = Chart(self)
        self.chart.setAccessibleName(tr("Recall over the length of the list"))
        self.model = RankingModel(canvas, self)
        self.table = _RankedTable()
        self.table.setModel(self.model)
        self._set_up_table()
        canvas.thumbnails.arrived.connect(lambda _files: self.table.viewport().update())
        self._numbers = QWidget()
        right = QVBoxLayout(self._numbers)
        right.setContentsMargins(8, 0, 0, 0)
        right.addWidget(self.recalls)
        right.addWidget(self.chart, 1)
        across = QSplitter(Qt.Orientation.Horizontal)
        across.addWidget(self.table)
        across.addWidget(self._numbers)
        across.setSizes([535, 465])
        across.setStretchFactor(0, 1)
        across.setStretchFactor(1, 1)
        self.halves = self._make_halves()
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.halves)
        column.addWidget(across, 1)
        self._follower = GraphFollower(review, self._follow)

    def _make_halves(self) -> QTabBar:
        """What is shown where there is room for the list or for the recalls, not for both."""
        halves = QTabBar()
        halves.setAccessibleName(tr("List or recall"))
        halves.setDrawBase(False)
        halves.setExpanding(False)
        for title in (tr("List"), tr("Recall")):
            halves.addTab(title)
        halves.currentChanged.connect(self._divide)
        halves.hide()
        return halves

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._divide()

    def _divide(self) -> None:
        """Show list and recalls side by side, or one of them where neither would be whole."""
        is_narrow = self.width() < sum(self._widths()) + self.recalls.whole_px + _BESIDE_BOTH_PX
        shows_list = self.halves.currentIndex() == 0
        self.halves.setVisible(is_narrow)
        self.table.setVisible(shows_list or not is_narrow)
        self._numbers.setVisible(not (is_narrow and shows_list))

    def _set_up_table(self) -> None:
        self.table.setAccessibleName(tr("Ranked images; Return shows one in the graph"))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setIconSize(QSize(32, 32))
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(36)
        self.table.setShowGrid(False)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate(self._widths()):
            header.resizeSection(column, width)
        # The ends of ids distinguish them.
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.setWordWrap(False)
        make_copyable(self.table, partial(english_table_of, self.table))
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self.table.activated.connect(self._jump)

    def _widths(self) -> list[int]:
        """The width of each column, wide enough for its words in any language."""
        outcomes = [f"{sign} {tr(WORDS[match])}" for match, sign in _SIGNS.items()]
        words = {
            "rank": [tr("none", context="rank")],
            "outcome": outcomes,
            "type": [role_in_words(each) for each in NODE_TYPES],
        }
        bold = self.table.font()
        bold.setBold(True)  # as titles are
        title_px = QFontMetrics(bold).horizontalAdvance
        word_px = self.table.fontMetrics().horizontalAdvance
        return [
            max(
                least,
                title_px(tr(title)) + _BESIDE_TITLE_PX,
                max(map(word_px, words.get(key, ("",)))) + _BESIDE_WORD_PX,
            )
            for (key, title), least in zip(_COLUMNS.items(), _LEAST_WIDTHS, strict=True)
        ]

    def let_go(self) -> None:
        self._follower.let_go()

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self._review.select(self.model.lines[index.row()].file)

    def _jump(self, index: QModelIndex) -> None:
        """Bring the image into the middle of the graph, large enough to read."""
        self._choose(index)
        self._canvas.show_node(self.model.lines[index.row()].file)

    def _follow(self, state: GraphState, change: GraphChange) -> None:
        ranking = None if state.document is None else state.document.ranking
        if GraphChange.DOCUMENT in change:
            self.model.show_lines(() if ranking is None else ranking.lines)
            self.recalls.show_recalls(ranking, state.settings)
            self._divide()
            self._draw(ranking)
        if change & (GraphChange.SELECTION | GraphChange.DOCUMENT):
            self._show_selection(state, ranking)

    def _show_selection(self, state: GraphState, ranking: FilteringRanking | None) -> None:
        row = None
        if ranking is not None and isinstance(state.selected, str):
            row = ranking.rows.get(state.selected)
        with QSignalBlocker(self.table.selectionModel()):
            if row is None:
                self.table.clearSelection()
            elif self.table.currentIndex().row() != row:
                self.table.selectRow(row)
        self.table.viewport().update()

    def _draw(self, ranking: FilteringRanking | None) -> None:
        if ranking is None:
            self.chart.show_series(Axis(0, 1), Axis(0, 1), [])
            self.chart.show_marks([])
            return
        lengths = ranking.lengths
        high = float(max(ranking.returned, *lengths, 1))
        ticks = tuple((float(n), str(n)) for n in (0, *lengths))
        series = [
            _series(
                _type_in_words(name),
                curve,
                high,
                for_ground(_CURVE_COLORS[i], self.palette()),
                is_all=i == 0,
            )
            for i, (name, curve) in enumerate(ranking.curves.items())
        ]
        self.chart.show_series(Axis(0, high, ticks, tr("list length")), _SCORE_AXIS, series)
        grey = QColor(128, 128, 128)
        self.chart.show_marks([ChartMark(float(n), grey, dotted=True) for n in lengths])


def _type_in_words(node_type: str) -> str:
    return tr("All") if node_type == ALL else role_in_words(node_type)


def _series(
    name: str, curve: Sequence[float], high: float, color: QColor, *, is_all: bool
) -> Series:
    """Recall holds its value behind the end of the list."""
    y = np.concatenate([[0.0], np.array(curve, np.float64), curve[-1:] or [0.0]])
    x = np.append(np.arange(len(curve) + 1.0), high)
    return Series(name, x, y, color, width=2.4 if is_all else 1.4, dashed=not is_all)
