"""Ctrl+C in any table copies its rows as a table, to paste into a spreadsheet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, Qt, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
    QTreeView,
    QTreeWidget,
    QWidget,
)

from forensicviewer.app.language.words import in_english, tr
from forensicviewer.app.report.separated_text import as_text

# The English of a cell or title that is shown in the user's language: tables are for everybody.
COPIED = int(Qt.ItemDataRole.UserRole) + 40


def name_columns(tree: QTreeWidget, titles: Sequence[str]) -> None:
    """Show the titles in the user's language, and copy them as they are."""
    tree.setHeaderLabels([tr(title) if title else "" for title in titles])
    for column, title in enumerate(titles):
        tree.headerItem().setData(column, COPIED, title)


def translated_cell(shown: str, copied: str) -> QTableWidgetItem:
    """A cell or title that looks one way and is copied another."""
    item = QTableWidgetItem(shown)
    item.setData(COPIED, copied)
    return item


def dress_for_reading(table: QTableWidget, titles: Sequence[str] = ()) -> None:
    """A table whose rows are read, chosen and copied; titles are shown in the user's language."""
    for column, title in enumerate(titles):
        table.setHorizontalHeaderItem(column, translated_cell(tr(title), title))
    table.verticalHeader().hide()
    table.setShowGrid(False)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    make_copyable(table)


def make_copyable(view: QAbstractItemView, text: Callable[[], str] | None = None) -> None:
    """Let Ctrl+C copy the selected rows, or all; ``text`` says them otherwise than they look.

    Tab leaves a table that is read: from cell to cell it would take a hundred of them to go on.
    """
    view.setTabKeyNavigation(False)
    _Copier(view, text or (lambda: table_of(view)))


@in_english()
def english_table_of(view: QAbstractItemView) -> str:
    """The same of a view whose model says its cells when it is asked."""
    return table_of(view)


def table_of(view: QAbstractItemView) -> str:
    """The selected rows of a view, or all of them, as tab-separated text with their titles."""
    model, columns = view.model(), _columns(view)
    titles = [_title(model, column) for column in columns]
    chosen = {_key(index) for index in view.selectionModel().selectedIndexes()}
    rows = [
        [_cell(index.siblingAtColumn(column)) for column in columns]
        for index in _rows(model, QModelIndex())
        if not chosen or _key(index) in chosen
    ]
    return as_text(titles, rows, separator="\t")


def _title(model: QAbstractItemModel, column: int) -> str:
    across = Qt.Orientation.Horizontal
    return str(model.headerData(column, across, COPIED) or model.headerData(column, across) or "")


def _cell(index: QModelIndex) -> str:
    return str(index.data(COPIED) or index.data() or "")


class _Copier(QObject):
    """Takes the key before the window's own "Copy view" does.

    It looks at events only while the view has the keyboard. A view that is laid out, shown or
    moved gets hundreds of them, and handing each to Python takes as long as the rest of it.
    """

    def __init__(self, view: QAbstractItemView, text: Callable[[], str]) -> None:
        super().__init__(view)
        self._view, self._text = view, text
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._follow_focus)

    @Slot(QWidget, QWidget)
    def _follow_focus(self, before: QWidget | None, now: QWidget | None) -> None:
        if now is self._view:
            self._view.installEventFilter(self)
        elif before is self._view:
            self._view.removeEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or not event.matches(QKeySequence.StandardKey.Copy):
            return False
        if event.type() is QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        if event.type() is QEvent.Type.KeyPress:
            QGuiApplication.clipboard().setText(self._text())
            return True
        return False


def _columns(view: QAbstractItemView) -> list[int]:
    every = range(view.model().columnCount())
    if isinstance(view, QTableView | QTreeView):
        return [column for column in every if not view.isColumnHidden(column)]
    return list(every)


def _rows(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[QModelIndex]:
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        yield index
        yield from _rows(model, index)


def _key(index: QModelIndex) -> tuple[int, ...]:
    """The way from the root to a row."""
    way: list[int] = []
    while index.isValid():
        way.append(index.row())
        index = index.parent()
    return tuple(way)
