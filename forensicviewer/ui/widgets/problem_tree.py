"""A list of problems, worst first: how bad by its icon, then texts in columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from forensicviewer.app.language.words import tr_many
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.ui.widgets.table_copy import make_copyable
from forensicviewer.ui.widgets.theme import current_theme, icon

SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
# A thousand times the same problem is no more useful than once; the count is told.
MOST_SHOWN = 2_000
# Its heading and a problem, so that the list fits below others in a low window.
_LEAST_LIST_PX = 60
_LEAST_WIDTH_PX = 900
_BESIDE_PX = 16


class ProblemTree(QTreeWidget):
    """Problems with the columns of the list that shows them."""

    def __init__(self, titles: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns = len(titles)
        self.setHeaderLabels(list(titles))
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setMinimumHeight(_LEAST_LIST_PX)
        # Of a path, the file's name at its end says most.
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        make_copyable(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def show_problems(
        self, problems: Sequence[Problem], cells: Callable[[Problem], Sequence[str]]
    ) -> None:
        """List the problems; what somebody reads meanwhile stays where it is."""
        was_empty = self.topLevelItemCount() == 0
        chosen, at = self.chosen(), self.verticalScrollBar().value()
        self.clear()
        shown = problems[:MOST_SHOWN]
        items = [_item(problem, cells(problem)) for problem in shown]
        self.addTopLevelItems(items)
        if chosen in shown:
            self.setCurrentItem(items[shown.index(chosen)])
        self.verticalScrollBar().setValue(at)
        if was_empty:
            # Later they stay as they are, or as the user has dragged them.
            self.fit_columns()

    def chosen(self) -> Problem | None:
        item = self.currentItem()
        return None if item is None else problem_of(item)

    def fit_columns(self) -> None:
        """Give each column what it needs; where that is too much, the short ones come first."""
        header, columns = self.header(), range(self._columns)
        wanted = [
            max(header.sectionSizeHint(column), self.sizeHintForColumn(column) + _BESIDE_PX)
            for column in columns
        ]
        room = max(_LEAST_WIDTH_PX, self.viewport().width())
        for left, column in enumerate(sorted(columns, key=wanted.__getitem__)):
            width = min(wanted[column], room // (self._columns - left))
            room -= width
            header.resizeSection(column, width)


def problem_of(item: QTreeWidgetItem) -> Problem:
    problem = item.data(0, Qt.ItemDataRole.UserRole)
    assert isinstance(problem, Problem)
    return problem


def count_listed(count: int) -> str:
    """How many are listed, and how many more there are."""
    listed, more = tr_many("{count} listed", "{count} listed", count), count - MOST_SHOWN
    if more <= 0:
        return listed
    return f"{listed}, {tr_many('{count} more not shown', '{count} more not shown', more)}"


def worst_first(problems: Sequence[Problem], *, least: int) -> list[Problem]:
    """The problems but those of the ``least`` lowest severities, worst first."""
    shown = SEVERITIES[: len(SEVERITIES) - least]
    return sorted(
        (problem for problem in problems if problem.severity in shown),
        key=lambda problem: SEVERITIES.index(problem.severity),
    )


def _item(problem: Problem, cells: Sequence[str]) -> QTreeWidgetItem:
    theme = current_theme()
    colors = {
        Severity.ERROR: theme.error,
        Severity.WARNING: theme.warning,
        Severity.NOTE: theme.muted,
    }
    item = QTreeWidgetItem(list(cells))
    item.setIcon(0, icon(problem.severity.value, color=colors[problem.severity]))
    item.setData(0, Qt.ItemDataRole.UserRole, problem)
    item.setData(0, Qt.ItemDataRole.AccessibleTextRole, str(problem))
    for column, text in enumerate((str(problem), *cells[1:])):
        item.setToolTip(column, text)
    return item
