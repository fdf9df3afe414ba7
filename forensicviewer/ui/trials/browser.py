"""The panel of trials: a table of them, a filter box, facets and saved filters."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPoint,
    QSize,
    Qt,
    QTimer,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import to_translate, tr, tr_many, whole
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.settings import FONT_SCALE, THUMBNAIL_EDGE, THUMBNAILS
from forensicviewer.app.trials.column import TextColumn
from forensicviewer.app.trials.library import TRIAL, shown_cell, shown_name
from forensicviewer.app.trials.trial_filter import Sort, TrialFilter
from forensicviewer.app.trials.trial_list import ListChange
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.model import TaskKind, TrialId
from forensicviewer.core.problem import QueryError
from forensicviewer.ui.trials.columns import ColumnChooser, TrialColumns
from forensicviewer.ui.trials.dataset_chooser import DatasetChooser
from forensicviewer.ui.trials.facets import ChosenLine, FacetPanel
from forensicviewer.ui.trials.model import TrialModel
from forensicviewer.ui.trials.system_chooser import SystemChooser
from forensicviewer.ui.trials.table import TrialTable
from forensicviewer.ui.widgets.key_names import as_menu_text, keys_in
from forensicviewer.ui.widgets.page import MenuChoices
from forensicviewer.ui.widgets.plain_text import PlainInputDialog, PlainLabel, PlainMessageBox
from forensicviewer.ui.widgets.theme import icon

_TYPING_PAUSE_MS = 180
_LONGEST_HINT = 90
_MOST_NAMED = 5  # ids that were looked for in vain
_MOST_KEPT_SELECTED = 5_000  # each may become a range of its own when rows move

# By whether trials have an MCC; those of images and masks have F1 in its place.
_FILTERS = {
    True: to_translate("Filter: words, or IsTarget == 'Y' and MCC < 0.3"),
    False: to_translate("Filter: words, or IsTarget == 'Y' and F1 < 0.3"),
}


class FilterBox(QLineEdit):
    """The filter box; Escape empties it instead of doing what Escape does elsewhere.

    Its events pass through Python only while it has the keyboard: there are many of them.
    """

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.installEventFilter(self)
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.removeEventFilter(self)
        super().focusOutEvent(event)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ShortcutOverride:
            assert isinstance(event, QKeyEvent)
            if self._empties(event):
                event.accept()
                return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._empties(event):
            self.clear()
            self.returnPressed.emit()
        else:
            super().keyPressEvent(event)

    def _empties(self, event: QKeyEvent) -> bool:
        return event.key() == Qt.Key.Key_Escape and bool(self.text())


class TrialBrowser(QWidget):
    """Shows the list of trials and sends what the user does with it."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self._trials = desk.trials
        self.model = TrialModel(
            desk.trials, desk.workbench, edge_px=desk.settings.of(THUMBNAIL_EDGE)
        )
        self.table = self._make_table()
        self.columns = TrialColumns(self.table.horizontalHeader(), self.model, desk)
        self.filter_box = self._make_filter_box()
        self.facets = FacetPanel(desk.trials)
        self.chosen = ChosenLine(desk.trials)
        self._message = PlainLabel()
        self._count = PlainLabel()
        self._task = QComboBox()
        self.datasets = DatasetChooser(desk)
        self.systems = SystemChooser(desk.workbench)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_PAUSE_MS)
        self._typing.timeout.connect(self.apply_filter)
        self._is_following = False
        self._lay_out()
        self._unsubscribe = (
            desk.trials.subscribe(self._follow),
            desk.workbench.subscribe(self._follow_state),
        )
        desk.settings.subscribe(self._follow_settings)
        self._follow_settings(THUMBNAILS.key)
        self._show_state(desk.workbench.state)
        self.systems.show_state(desk.workbench.state)
        self._follow(~ListChange(0))

    def let_go(self) -> None:
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self.facets.let_go()
        self.chosen.let_go()
        self.model.let_go()

    def sizeHint(self) -> QSize:
        return QSize(380, 600)

    def focus_filter(self) -> None:
        self.filter_box.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.filter_box.selectAll()

    def focus_table(self) -> None:
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def apply_filter(self) -> None:
        """Use what stands in the filter box now."""
        self._typing.stop()
        self._trials.set_text(self.filter_box.text())

    def clear_filter(self) -> None:
        self.filter_box.clear()
        self._typing.stop()
        self._trials.set_filter(TrialFilter())

    def save_filter(self) -> None:
        name = self._ask_name(tr("Save filter"), proposed=self._trials.filter.text)
        if name:
            self._desk.settings.save_filter(name, self._trials.filter.as_document())

    def _rename_filter(self, name: str) -> None:
        now = self._ask_name(tr("Rename filter"), proposed=name, own=name)
        if now:
            self._desk.settings.rename_filter(name, now)

    def _ask_name(self, title: str, *, proposed: str, own: str = "") -> str:
        """A name for a filter; blank where the user gave none, or keeps the one that has it.

        ``own`` is the name it has already.
        """
        given, is_given = PlainInputDialog.getText(
            self, title, tr("Name of the filter"), text=proposed
        )
        name = given.strip() if is_given else ""
        if name not in self._desk.settings.filters or name == own:
            return name
        question = tr("“{name}” already exists. Replace it?", name=name)
        return name if PlainMessageBox(self).asks(title, question) else ""

    def choices_at(self, place: QPoint) -> MenuChoices:
        """What can be done with the cell at a place of the screen: list only trials like it."""
        index = self.table.indexAt(self.table.viewport().mapFromGlobal(place))
        library = self._trials.library
        if library is None or not index.isValid():
            return []
        name = self.model.names[index.column()]
        column, row = library.column(name), int(self.model.rows[index.row()])
        if name == TRIAL or not isinstance(column, TextColumn):
            return []
        cell = column.text(row)
        shown = shown_cell(name, cell) or tr("(blank)")
        label = tr("Only {column}: {cell}", column=shown_name(name), cell=shown)
        wanted = self._trials.filter.only(name, cell)
        return [(as_menu_text(label), partial(self._trials.set_filter, wanted))]

    def selected_trials(self) -> tuple[TrialId, ...]:
        """The selected rows, in the order of the list."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return tuple(self._trials.id_at(row) for row in rows)

    # Building

    def _make_table(self) -> TrialTable:
        table = TrialTable(self.model)
        header = table.horizontalHeader()
        header.customContextMenuRequested.connect(self.choose_columns)
        header.sectionClicked.connect(self._sort_by)
        table.selectionModel().currentRowChanged.connect(self._choose)
        return table

    def _make_filter_box(self) -> QLineEdit:
        box = FilterBox()
        # What is dropped here is a file to open, not text.
        box.setAcceptDrops(False)
        box.setPlaceholderText(tr(_FILTERS[True]))
        box.setAccessibleName(tr("Filter trials"))
        box.setClearButtonEnabled(True)
        box.setToolTip(
            tr(
                "Words are searched in every column; paste a list of ids to list these "
                "trials.\nA query in NIST's language compares columns: MCC < 0.3 and Status "
                "== 'Processed'"
            )
        )
        box.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        box.textEdited.connect(lambda: self._typing.start())
        box.returnPressed.connect(self._take_filter)
        return box

    def _lay_out(self) -> None:
        self._message.setProperty("role", "error")
        self._message.setWordWrap(True)
        self._message.hide()
        self._count.setProperty("role", "muted")
        self._task.setAccessibleName(tr("Task"))
        self._task.activated.connect(self._choose_task)
        self._facet_button = _tool_button("filter", tr("Facets: choose values with counts"))
        self._facet_button.setCheckable(True)
        self._facet_button.toggled.connect(self.facets.setVisible)
        # They take room from the rows; the current one stays in sight.
        self._facet_button.toggled.connect(lambda: QTimer.singleShot(0, self, self._show_current))
        self._saved_button = _tool_button("star", tr("Saved filters"))
        self._saved_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._saved_button.clicked.connect(self._offer_saved)
        top = QHBoxLayout()
        top.setSpacing(4)
        top.addWidget(self.filter_box, stretch=1)
        top.addWidget(self._facet_button)
        top.addWidget(self._saved_button)
        below = QHBoxLayout()
        below.addWidget(self._task, stretch=1)
        below.addStretch()
        below.addWidget(self._count)
        self.facets.hide()
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.addWidget(self.facets)
        splitter.addWidget(self.table)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([180, 500])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 0)
        layout.setSpacing(6)
        layout.addWidget(self.datasets)
        layout.addLayout(top)
        layout.addWidget(self._message)
        layout.addWidget(self.chosen)
        layout.addLayout(below)
        layout.addWidget(self.systems)
        layout.addWidget(splitter, stretch=1)

    # What the user does

    def _choose(self, current: QModelIndex, _before: QModelIndex) -> None:
        if not self._is_following and current.isValid():
            self._trials.select_place(current.row())

    def _take_filter(self) -> None:
        self.apply_filter()
        self.table.setFocus(Qt.FocusReason.TabFocusReason)

    def _sort_by(self, section: int) -> None:
        name = self.model.names[section]
        now = self._trials.sort
        if now.column != name:
            self._trials.set_sort(Sort(name))
        elif not now.descending:
            self._trials.set_sort(Sort(name, descending=True))
        else:
            self._trials.set_sort(Sort())

    def choose_columns(self, at: QPoint | None = None) -> None:
        """Offer the columns, below the titles or at a place in them."""
        header = self.table.horizontalHeader()
        place = QPoint(0, header.height()) if at is None else at
        ColumnChooser(self.columns, self).open_at(header.mapToGlobal(place))

    def _offer_saved(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        settings = self._desk.settings
        for name, content in sorted(settings.filters.items()):
            wanted = TrialFilter.from_document(content)
            menu.addAction(as_menu_text(name), partial(self._trials.set_filter, wanted))
        if settings.filters:
            menu.addSeparator()
            renaming, forgetting = menu.addMenu(tr("Rename")), menu.addMenu(tr("Forget"))
            for name in sorted(settings.filters):
                renaming.addAction(as_menu_text(name), partial(self._rename_filter, name))
                forgetting.addAction(as_menu_text(name), partial(settings.forget_filter, name))
        saving = menu.addAction(tr("Save this filter…"), self.save_filter)
        saving.setEnabled(not self._trials.filter.is_empty)
        menu.popup(self._saved_button.mapToGlobal(QPoint(0, self._saved_button.height())))

    def _choose_task(self, position: int) -> None:
        self._desk.choose_task(self._task.itemText(position))

    # What changed

    def _follow(self, change: ListChange) -> None:
        self._is_following = True
        if ListChange.COLUMNS not in change and ListChange.ROWS | ListChange.CELLS in change:
            self._move_rows()
            change &= ~ListChange.ROWS
        if change & (ListChange.ROWS | ListChange.COLUMNS):
            self.model.reset()
        if ListChange.COLUMNS in change:
            self.columns.show()
        if ListChange.CELLS in change:
            self.model.refresh_cells()
        if change & (ListChange.COLUMNS | ListChange.CELLS):
            self.columns.bring_verdicts_forward()
        if ListChange.FILTER in change:
            self._show_filter()
        if change & (ListChange.ROWS | ListChange.CURRENT):
            self._show_current()
            self._show_sort()
        self._is_following = False

    def _move_rows(self) -> None:
        """Show the order that came with scores or verdicts; nobody asked for it just now.

        A list that was scrolled elsewhere stays there, and what is selected stays selected.
        """
        table, bar = self.table, self.table.verticalScrollBar()
        was_in_sight, top = table.shows_current, bar.value()
        chosen = self.model.rows[table.chosen_places]
        self.model.reset()
        self._show_current(scrolls=False)
        if 1 < len(chosen) <= _MOST_KEPT_SELECTED:
            table.choose_places(np.flatnonzero(np.isin(self.model.rows, chosen)))
        bar.setValue(top)
        if was_in_sight:
            self._scroll_to_current()

    def _show_filter(self) -> None:
        if not self.filter_box.hasFocus() or not self._typing.isActive():
            shown = self._trials.filter.text
            if self.filter_box.text() != shown:
                self.filter_box.setText(shown)
        error = self._trials.error
        text = "" if error is None else _brief(error)
        if not text and self._trials.unknown_ids:
            names = ", ".join(self._trials.unknown_ids[:_MOST_NAMED])
            text = tr("Not in the trial list: {names}", names=names)
        self._message.setVisible(bool(text))
        self._message.setText(text)
        self._message.setToolTip("" if error is None else str(error))
        self.filter_box.setProperty("wrong", error is not None)
        self.filter_box.style().polish(self.filter_box)
        total = 0 if self._trials.library is None else len(self._trials.library)
        listed = len(self._trials)
        is_hidden = listed == 0 < total
        self.table.says_if_empty = self._way_out() if is_hidden else ""
        self._count.setText(
            tr_many("{count} trial", "{count} trials", total)
            if listed == total
            else tr("{listed} of {total}", listed=whole(listed), total=whole(total))
        )

    def _way_out(self) -> str:
        keys = keys_in(self._desk.settings)("edit.clear_filter")
        if not keys:
            return tr("No trial matches the filter. Press Esc in the filter box to clear it.")
        key = QKeySequence(keys[0]).toString(QKeySequence.SequenceFormat.NativeText)
        return tr(
            "No trial matches the filter. Press {key}, or Esc in the filter box, to clear it.",
            key=key,
        )

    def _show_current(self, *, scrolls: bool = True) -> None:
        place = self._trials.place
        if place is None:
            self.table.clearSelection()
            if scrolls:
                # What passes the filter is read from its beginning.
                self.table.scrollToTop()
            return
        if (
            self.table.currentIndex().row() != place
            or not self.table.selectionModel().hasSelection()
        ):
            # Not selectRow: with Shift held, as in Shift+N, it would select all rows in between.
            chosen = QItemSelectionModel.SelectionFlag
            self.table.selectionModel().setCurrentIndex(
                self.model.index(place, 0), chosen.ClearAndSelect | chosen.Rows
            )
        if scrolls:
            self._scroll_to_current()

    def _scroll_to_current(self) -> None:
        if self.table.currentIndex().isValid():
            self.table.scrollTo(self.table.currentIndex())

    def _show_sort(self) -> None:
        sort = self._trials.sort
        section = self.model.names.index(sort.column) if sort.column in self.model.names else -1
        order = Qt.SortOrder.DescendingOrder if sort.descending else Qt.SortOrder.AscendingOrder
        self.table.horizontalHeader().setSortIndicator(section, order)

    def _follow_state(self, state: ViewState, change: Change) -> None:
        if change & Change.DATASET:
            self.model.forget_thumbnails()
            self._show_state(state)

        if change & (Change.DATASET | Change.SUBMISSIONS):
            self.systems.show_state(state)

    def _show_state(self, state: ViewState) -> None:
        self.datasets.show_datasets()
        has_mcc = state.task is None or state.task.kind is not TaskKind.IMDL
        self.filter_box.setPlaceholderText(tr(_FILTERS[has_mcc]))
        tasks = () if state.dataset is None else state.dataset.tasks
        self._task.clear()
        self._task.addItems([task.name for task in tasks])
        self._task.setVisible(len(tasks) > 1)
        if state.task is not None:
            self._task.setCurrentText(state.task.name)

    def _follow_settings(self, key: str) -> None:
        if key not in (THUMBNAILS.key, THUMBNAIL_EDGE.key, FONT_SCALE.key):
            return
        settings = self._desk.settings
        self.model.has_thumbnails = settings.of(THUMBNAILS)
        self.model.edge_px = settings.of(THUMBNAIL_EDGE)
        self.model.density = self.devicePixelRatioF()
        self.model.forget_thumbnails()
        line = self.fontMetrics().height() + 10
        edge = self.model.edge_px if self.model.has_thumbnails else 0
        self.table.verticalHeader().setDefaultSectionSize(max(line, edge + 6))
        self.table.viewport().update()


def _tool_button(name: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setIcon(icon(name))
    button.setToolTip(tip)
    button.setAccessibleName(tip.split(":")[0].strip())
    return button


def _brief(error: QueryError) -> str:
    """What is wrong and where; the query is above, and a long hint is in the tooltip."""
    place = f": {error.where.partition(' of ')[0]}" if error.rule == "query-syntax" else ""
    hint = f" ({error.hint})" if 0 < len(error.hint) <= _LONGEST_HINT else ""
    return f"{error.message}{place}{hint}"
