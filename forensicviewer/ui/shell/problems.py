"""The panel of problems: how bad, what, where, and what to do; double-click goes there.

That is the trial a problem is about, or the folder of its file.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import to_translate, tr, tr_many
from forensicviewer.app.report.separated_text import as_text
from forensicviewer.app.runtime.jobs import Lane
from forensicviewer.app.session.locate import folder_named_by, trial_named_by
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.file_manager import show_folder
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.table_copy import make_copyable
from forensicviewer.ui.widgets.theme import current_theme, icon

_FOLDER_LANE = Lane("folder", is_far=True)

_ORDER = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
# A thousand times the same problem is no more useful than once; the count is told.
_MOST_SHOWN = 2_000
# Its heading and a problem, so that the panel fits below the others in a low window.
_LEAST_LIST_PX = 60
_LEAST_WIDTH_PX = 900
_BESIDE_PX = 16
# By whether there are others than those listed.
_NONE = {
    False: to_translate("No problems: every file was read as it should be"),
    True: to_translate("None of this kind"),
}
# As the program's own texts about problems, a table of them is English in every language.
_COPIED = ("severity", "message", "where", "hint")


class ProblemsPanel(Panel):
    """Lists the workbench's problems, worst first."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self._problems: tuple[Problem, ...] = ()
        self.tree = QTreeWidget()
        self._least = QComboBox()
        self.count = ElidedLabel()
        self._lay_out()
        self._fill()
        self.listen()

    def copy(self) -> None:
        """Put the listed problems onto the clipboard as a table."""
        rows = [(p.severity.value, p.message, p.where, p.hint) for p in self._listed()]
        text = as_text(_COPIED, rows, separator="\t")
        QGuiApplication.clipboard().setText(text)

    def _lay_out(self) -> None:
        self.tree.setAccessibleName(tr("Problems"))
        self.tree.setHeaderLabels([tr("Problem"), tr("Where"), tr("What to do")])
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setMinimumHeight(_LEAST_LIST_PX)
        # Of a path, the file's name at its end says most.
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        header = self.tree.header()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.tree.itemActivated.connect(self._go_to)
        make_copyable(self.tree)
        self._least.addItems([tr("All problems"), tr("Warnings and errors"), tr("Errors")])
        self._least.setAccessibleName(tr("Which problems are listed"))
        self._least.activated.connect(lambda: self._fill())
        copy = QPushButton(tr("Copy"))
        copy.setToolTip(tr("Copy the listed problems as a table"))
        copy.clicked.connect(self.copy)
        self.count.setProperty("role", "muted")
        top = QHBoxLayout()
        top.addWidget(self._least)
        top.addWidget(self.count, 1)
        top.addWidget(copy)
        layout = QVBoxLayout(self)
        # A low window has room for the list up to its edge.
        layout.setContentsMargins(8, 8, 8, 4)
        layout.addLayout(top)
        layout.addWidget(self.tree)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Give each column what it needs; where that is too much, the short ones come first."""
        header = self.tree.header()
        wanted = [
            max(header.sectionSizeHint(column), self.tree.sizeHintForColumn(column) + _BESIDE_PX)
            for column in range(3)
        ]
        room = max(_LEAST_WIDTH_PX, self.tree.viewport().width())
        for left, column in enumerate(sorted(range(3), key=wanted.__getitem__)):
            width = min(wanted[column], room // (3 - left))
            room -= width
            header.resizeSection(column, width)

    def follow(self, state: ViewState, change: Change) -> None:
        if change & Change.PROBLEMS:
            self._show(state.problems)

    def _show(self, problems: tuple[Problem, ...]) -> None:
        if problems != self._problems:
            self._problems = problems
            self._fill()

    def _listed(self) -> list[Problem]:
        shown = _ORDER[: len(_ORDER) - self._least.currentIndex()]
        return sorted(
            (problem for problem in self._problems if problem.severity in shown),
            key=lambda problem: _ORDER.index(problem.severity),
        )

    def _fill(self) -> None:
        listed, was_empty = self._listed(), self.tree.topLevelItemCount() == 0
        chosen, at = self._chosen(), self.tree.verticalScrollBar().value()
        self.tree.clear()
        shown = listed[:_MOST_SHOWN]
        items = [_item(problem) for problem in shown]
        self.tree.addTopLevelItems(items)
        # Problems come in while somebody reads: what they read stays where it is.
        if chosen in shown:
            self.tree.setCurrentItem(items[shown.index(chosen)])
        self.tree.verticalScrollBar().setValue(at)
        if was_empty:
            # Later they stay as they are, or as the user has dragged them.
            self._fit_columns()
        more = len(listed) - _MOST_SHOWN
        told = tr_many("{count} listed", "{count} listed", len(listed))
        if more > 0:
            told = f"{told}, {tr_many('{count} more not shown', '{count} more not shown', more)}"
        self.count.setText(told if listed else tr(_NONE[bool(self._problems)]))

    def _chosen(self) -> Problem | None:
        item = self.tree.currentItem()
        return None if item is None else item.data(0, Qt.ItemDataRole.UserRole)

    def _go_to(self, item: QTreeWidgetItem) -> None:
        problem: Problem = item.data(0, Qt.ItemDataRole.UserRole)
        trial_id = trial_named_by(problem, self.workbench.state)
        if trial_id is not None:
            self.workbench.select_trial(trial_id)
            return
        look = partial(folder_named_by, problem, self.workbench.state)
        self.workbench.jobs.submit(_FOLDER_LANE, look, self._show_folder)

    def _show_folder(self, folder: Path | None) -> None:
        if folder is not None:
            show_folder(folder)
        else:
            self.count.setText(tr("This problem is about no trial and no file that is there"))


def _item(problem: Problem) -> QTreeWidgetItem:
    theme = current_theme()
    colors = {
        Severity.ERROR: theme.error,
        Severity.WARNING: theme.warning,
        Severity.NOTE: theme.muted,
    }
    item = QTreeWidgetItem([problem.message, problem.where, problem.hint])
    item.setIcon(0, icon(problem.severity.value, color=colors[problem.severity]))
    item.setData(0, Qt.ItemDataRole.UserRole, problem)
    item.setData(0, Qt.ItemDataRole.AccessibleTextRole, str(problem))
    for column, text in enumerate((str(problem), problem.where, problem.hint)):
        item.setToolTip(column, text)
    return item
