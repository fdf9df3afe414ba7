"""The facets of the trial list: columns with few values, each with its count and a tick."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtWidgets import (
    QHBoxLayout,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import tr, whole
from forensicviewer.app.trials.library import Facet, shown_cell, shown_name
from forensicviewer.app.trials.trial_filter import TrialFilter
from forensicviewer.app.trials.trial_list import ListChange, TrialList
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.theme import icon

_COLUMN = int(Qt.ItemDataRole.UserRole) + 1


class FacetPanel(QWidget):
    """A tree of facets; ticking a value keeps trials that have one of the ticked values."""

    def __init__(self, trials: TrialList, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._trials = trials
        self._shown: tuple[Facet, ...] = ()
        self.tree = QTreeWidget()
        self.tree.setAccessibleName(tr("Facets"))
        self.tree.setColumnCount(2)
        self.tree.setHeaderHidden(True)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, self.tree.header().ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, self.tree.header().ResizeMode.ResizeToContents)
        self.tree.itemChanged.connect(self._toggle)
        self._pressed = Qt.CheckState.Unchecked
        self.tree.itemPressed.connect(self._remember)
        self.tree.itemClicked.connect(self._click)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.tree)
        self._unsubscribe = trials.subscribe(self._follow)
        self._follow(ListChange.FILTER)

    def let_go(self) -> None:
        self._unsubscribe()

    def _follow(self, change: ListChange) -> None:
        if ListChange.FILTER in change and self._trials.facets != self._shown:
            self._shown = self._trials.facets
            self._fill()

    def _fill(self) -> None:
        open_names = {item.data(0, _COLUMN) for item in self._tops() if item.isExpanded()}
        is_first = self.tree.topLevelItemCount() == 0
        blocker = QSignalBlocker(self.tree)
        self.tree.clear()
        for place, facet in enumerate(self._shown):
            top = QTreeWidgetItem([shown_name(facet.column), ""])
            top.setData(0, _COLUMN, facet.column)
            self.tree.addTopLevelItem(top)
            for cell, count, is_chosen in facet.cells:
                top.addChild(_value(facet.column, cell, count, is_chosen=is_chosen))
            top.setExpanded(facet.column in open_names or (is_first and place < 2))
        blocker.unblock()

    def _tops(self) -> list[QTreeWidgetItem]:
        found = (self.tree.topLevelItem(i) for i in range(self.tree.topLevelItemCount()))
        return [item for item in found if item is not None]

    def _remember(self, item: QTreeWidgetItem, _column: int) -> None:
        self._pressed = item.checkState(0)

    def _click(self, item: QTreeWidgetItem, _column: int) -> None:
        """A click beside a tick box means the box, one on a column's name opens it."""
        if item.data(0, Qt.ItemDataRole.UserRole) is None:
            item.setExpanded(not item.isExpanded())
        elif item.checkState(0) == self._pressed:
            is_on = self._pressed is Qt.CheckState.Checked
            item.setCheckState(0, Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked)

    def _toggle(self, item: QTreeWidgetItem, _column: int) -> None:
        chosen = item.data(0, Qt.ItemDataRole.UserRole)
        if chosen is not None:
            # Later: filtering makes the tree anew, and Qt still holds the item that was ticked.
            wanted = self._trials.filter.toggled(*chosen)
            QTimer.singleShot(0, self, lambda: self._trials.set_filter(wanted))


class ChosenLine(QWidget):
    """Says which facets are chosen, also while their panel is closed, and takes them back."""

    def __init__(self, trials: TrialList, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._trials = trials
        self.label = ElidedLabel()
        self.clear = QToolButton()
        self.clear.setIcon(icon("close-small"))
        self.clear.setToolTip(tr("Show trials with all values of the facets"))
        self.clear.setAccessibleName(tr("Clear facets"))
        self.clear.clicked.connect(lambda: trials.set_filter(TrialFilter(trials.filter.text)))
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.label, stretch=1)
        line.addWidget(self.clear)
        self._unsubscribe = trials.subscribe(self._follow)
        self._follow(ListChange.FILTER)

    def let_go(self) -> None:
        self._unsubscribe()

    def _follow(self, change: ListChange) -> None:
        if ListChange.FILTER in change:
            chosen = self._trials.filter.chosen
            self.label.setText(" · ".join(_describe(name, chosen[name]) for name in chosen))
            self.setVisible(bool(chosen))


def _describe(column: str, cells: Iterable[str]) -> str:
    names = ", ".join(shown_cell(column, cell) or tr("(blank)") for cell in sorted(cells))
    return tr("{column}: {cell}", column=shown_name(column), cell=names)


def _value(column: str, cell: str, count: int, *, is_chosen: bool) -> QTreeWidgetItem:
    item = QTreeWidgetItem([shown_cell(column, cell) or tr("(blank)"), whole(count)])
    item.setData(0, Qt.ItemDataRole.UserRole, (column, cell))
    item.setCheckState(0, Qt.CheckState.Checked if is_chosen else Qt.CheckState.Unchecked)
    item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight)
    return item
