"""The table of trials, and how its cells are drawn.

Qt's own drawing asks the model seven questions a cell and works through the style sheet for each;
a screenful then takes longer than a frame. Drawn here it takes a small part of that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from forensicviewer.app.language.words import tr
from forensicviewer.core.array import Rows
from forensicviewer.core.model import SEPARATOR
from forensicviewer.ui.trials.model import TrialModel

_PADDING_PX = 7
_BAR_PX = 3
_MOST_TEXTS = 20_000


class TrialTable(QTableView):
    """The table; keys that walk along a row walk along the rows, because a row is the unit."""

    def __init__(self, model: TrialModel) -> None:
        super().__init__()
        self.row_under_mouse = -1
        self.says_if_empty = ""
        self.setModel(model)
        self._cells = TrialCells(model, self)
        self.setItemDelegate(self._cells)
        self.setAccessibleName(tr("Trials"))
        # Qt's own sign of the mouse is one cell, and stays where the rows move below it.
        self.setProperty("role", "trials")
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setMouseTracking(True)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        # A selection of its own, always empty: to draw a title Qt looks whether all rows below it
        # are selected, which takes many seconds once a million are.
        header.setSelectionModel(QItemSelectionModel(model, header))
        header.setSectionsMovable(True)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setHighlightSections(False)
        # Where few columns leave room, a row still ends at the table's edge.
        header.setStretchLastSection(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._cells.prepare()
        super().paintEvent(event)
        if self.says_if_empty and self.model().rowCount() == 0:
            painter = QPainter(self.viewport())
            painter.setPen(self.palette().placeholderText().color())
            area = self.viewport().rect().adjusted(16, 24, -16, -16)
            flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(area, flags, self.says_if_empty)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = self.model().rowCount() - 1
        here, key = self.currentIndex().row(), Qt.Key(event.key())
        places = {
            Qt.Key.Key_Left: max(0, here - 1),
            Qt.Key.Key_Right: min(last, here + 1),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if key not in places or event.modifiers() != Qt.KeyboardModifier.NoModifier:
            super().keyPressEvent(event)
        else:
            self.selectRow(places[key])

    def keyboardSearch(self, _typed: str) -> None:
        """Letters are keys of commands; Qt's own search would ask for a million cells one by one.

        Ctrl+P finds trials by their ids.
        """

    def menu_place(self, event: QContextMenuEvent) -> QPoint | None:
        """Where on the screen a menu about a trial is asked for; ``None`` if not about one."""
        viewport = self.viewport()
        place = viewport.mapFromGlobal(event.globalPos())
        if event.reason() is QContextMenuEvent.Reason.Keyboard and self.hasFocus():
            place = self.visualRect(self.currentIndex()).center()
        is_about_one = viewport.rect().contains(place) and self.indexAt(place).isValid()
        return viewport.mapToGlobal(place) if self.isVisible() and is_about_one else None

    @property
    def chosen_places(self) -> Rows:
        """The selected rows, in their order."""
        ranges = self.selectionModel().selection()
        spans = sorted({(found.top(), found.bottom()) for found in ranges.toList()})
        return np.concatenate(
            [np.empty(0, dtype=np.intp), *(np.arange(top, end + 1) for top, end in spans)]
        )

    def choose_places(self, places: Rows) -> None:
        """Select rows and leave the current one as it is."""
        last = self.model().columnCount() - 1
        chosen = QItemSelection()
        for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
            if len(run):
                top, end = int(run[0]), int(run[-1])
                chosen.select(self.model().index(top, 0), self.model().index(end, last))
        self.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.Select)

    @property
    def shows_current(self) -> bool:
        """Whether the current row is in sight."""
        place = self.visualRect(self.currentIndex())
        return place.isValid() and self.viewport().rect().intersects(place)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self.rowAt(event.position().toPoint().y()))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(-1)
        super().leaveEvent(event)

    def _point_at(self, row: int) -> None:
        if row != self.row_under_mouse:
            before, self.row_under_mouse = self.row_under_mouse, row
            for changed in (before, row):
                if changed >= 0:
                    top, height = self.rowViewportPosition(changed), self.rowHeight(changed)
                    self.viewport().update(0, top, self.viewport().width(), height)


@dataclass(frozen=True, slots=True)
class _Ink:
    """What all cells of one drawing have in common, asked for once."""

    selected: QColor
    hovered: QColor
    accent: QColor
    text: QColor
    aside: QColor
    metrics: QFontMetrics
    current_row: int

    @classmethod
    def of(cls, table: TrialTable) -> _Ink:
        color = table.palette().color
        return cls(
            selected=color(QPalette.ColorRole.Shadow),
            hovered=color(QPalette.ColorRole.Midlight),
            accent=color(QPalette.ColorRole.Accent),
            text=color(QPalette.ColorRole.Text),
            aside=color(QPalette.ColorRole.PlaceholderText),
            metrics=table.fontMetrics(),
            current_row=table.currentIndex().row(),
        )


class TrialCells(QStyledItemDelegate):
    """One cell at a time; the row under the mouse and the current one stand out as a whole."""

    def __init__(self, model: TrialModel, table: TrialTable) -> None:
        super().__init__(table)
        self._model = model
        self._table = table
        self._ink = _Ink.of(table)
        self._row, self._is_selected = -1, False
        self._fitting: dict[tuple[str, int, int], tuple[str, ...]] = {}

    def prepare(self) -> None:
        """Take over colours and font as they are now; called before cells are drawn."""
        before, self._ink, self._row = self._ink, _Ink.of(self._table), -1
        if before.metrics != self._ink.metrics or len(self._fitting) > _MOST_TEXTS:
            self._fitting.clear()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row, column, ink = index.row(), index.column(), self._ink
        area = option.rect
        if row != self._row:
            # Cells come row by row.
            self._row, self._is_selected = row, self._table.selectionModel().isRowSelected(row)
        if self._is_selected:
            painter.fillRect(area, ink.selected)
        elif row == self._table.row_under_mouse:
            painter.fillRect(area, ink.hovered)
        left = area.left() + _PADDING_PX
        if column == 0:
            if row == ink.current_row:
                painter.fillRect(area.left(), area.top(), _BAR_PX, area.height(), ink.accent)
            left += self._draw_thumbnail(painter, row, left, area)
        text = self._model.text(row, column)
        if text:
            painter.setPen(ink.aside if self._model.is_aside(column) else ink.text)
            end = area.right() + 1 - _PADDING_PX
            lines = self.fitted(text, end - left, area.height())
            if self._model.is_number(column):
                left = end - ink.metrics.horizontalAdvance(lines[0])
            height = ink.metrics.height()
            base = area.top() + (area.height() - len(lines) * height) // 2 + ink.metrics.ascent()
            for line in lines:
                painter.drawText(left, base, line)
                base += height

    def sizeHint(
        self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """What a double click between two columns makes room for."""
        text = self._model.text(index.row(), index.column())
        width = self._ink.metrics.horizontalAdvance(text) + 2 * _PADDING_PX
        if index.column() == 0 and self._model.has_thumbnails:
            width += self._model.edge_px + _PADDING_PX
        return QSize(width, self._ink.metrics.height())

    def _draw_thumbnail(self, painter: QPainter, row: int, left: int, area: QRect) -> int:
        """The image of the trial; returns the room it takes."""
        if not self._model.has_thumbnails:
            return 0
        edge = self._model.edge_px
        top = area.top() + (area.height() - edge) // 2
        picture = self._model.thumbnail(row)
        if picture is None:
            painter.fillRect(left, top, edge, edge, self._ink.hovered)
            if self._model.lacks_picture(row):
                # Not only empty: it does not come any more.
                painter.setPen(self._ink.aside)
                middle, reach = QPoint(left + edge // 2, top + edge // 2), edge // 6
                painter.drawLine(middle - QPoint(reach, reach), middle + QPoint(reach, reach))
                painter.drawLine(middle - QPoint(reach, -reach), middle + QPoint(reach, -reach))
        else:
            painter.drawPixmap(left, top, edge, edge, picture)
        return edge + _PADDING_PX

    def fitted(self, text: str, width: int, height: int) -> tuple[str, ...]:
        """The lines of a cell of that size: two where an id of two parts does not fit into one."""
        found = self._fitting.get((text, width, height))
        if found is None:
            metrics = self._ink.metrics
            lines = [text]
            if metrics.horizontalAdvance(text) > width and height >= 2 * metrics.height():
                # A probe and what it is asked about: cut in the middle, both would be lost.
                first, joined, second = text.partition(SEPARATOR)
                lines = [f"{first}{joined}", second] if second else [text]
            # Ids of one dataset often begin alike; their ends distinguish them.
            middle = Qt.TextElideMode.ElideMiddle
            found = tuple(metrics.elidedText(line, middle, width) for line in lines)
            self._fitting[text, width, height] = found
        return found
