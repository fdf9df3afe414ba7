"""The metrics of the trial at the current threshold, under NIST's names."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QHelpEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import NO_NUMBER, to_translate, tr
from forensicviewer.app.plugins.metrics import METRICS
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.explanation import why_unscored
from forensicviewer.app.workbench.loaded_trial import LoadedSystem
from forensicviewer.app.workbench.metric_values import MetricValue, metric_values
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.metric import MetricNote
from forensicviewer.core.model import Side, Status, TaskKind
from forensicviewer.ui.score.kernels import KernelEditor
from forensicviewer.ui.widgets.elided import WrappedLabel
from forensicviewer.ui.widgets.heading import align_titles, digits_font
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.table_copy import make_copyable

_AT, _BEST, _RIVAL = 1, 2, 3
_TITLES = (
    to_translate("Metric"),
    to_translate("At threshold"),
    to_translate("At optimum"),
    to_translate("Second"),
)
# Where the others do not fit; tooltips tell them.
_SHORT_TITLES = (_TITLES[0], to_translate("Now"), to_translate("Optimum"), _TITLES[3])
_LEAST_ROWS = 5  # a low window scrolls the kernels below instead
_BESIDE_NUMBER_PX = 14
_NO_MASK = to_translate(
    "The answer names no mask; an empty mask is scored instead, as in NIST's program"
)
_NO_ANSWER = to_translate(
    "There is no answer; an empty mask is scored instead, as in NIST's program"
)
_FOLLOWED = (
    Change.LOADED
    | Change.SCORES
    | Change.THRESHOLD
    | Change.SUBMISSIONS
    | Change.TRIAL
    | Change.RULES
)


class MetricsPanel(Panel):
    """A table: each metric now, at the optimum, and for the second submission."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self._reason = WrappedLabel(self)
        self.table = _MetricTable(self)
        self._rules = PlainLabel(parent=self)
        self._rules.setProperty("role", "muted")
        self._rules.setToolTip(
            tr("Trial ▸ Other rule sets… shows the scores under the other rule sets")
        )
        self.kernels = KernelEditor(workbench, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self._reason)
        column.addWidget(self.table, 1)
        column.addWidget(self._rules)
        column.addWidget(self.kernels)
        self._shown: object = None
        self.listen()

    def let_go(self) -> None:
        self.kernels.let_go()
        super().let_go()

    def follow(self, state: ViewState, change: Change) -> None:
        if Change.DATASET in change:
            # Images and masks have neither no-score zones nor rule sets.
            has_rules = state.task is None or state.task.kind is not TaskKind.IMDL
            self._rules.setVisible(has_rules)
            self.kernels.setVisible(has_rules)
        if Change.RULES in change:
            self._rules.setText(tr("Rule set: {name}", name=state.rules.name))
        if not change & _FOLLOWED:
            return
        self._say_reason(state)
        self.table.show_rival(is_shown=state.rival is not None)
        self.table.fill(_AT, metric_values(state, 0, state.thresholds.main))
        self.table.fill(_RIVAL, metric_values(state, 1, state.thresholds.rival))
        best = (None if state.loaded is None else state.loaded.sweep(state.side, 0), state.rules)
        if best != self._shown:
            self._shown = best
            self.table.fill(_BEST, metric_values(state, 0, None))

    def value(self, name: str) -> str:
        """A metric at the threshold with every digit, as a copy of the table says it."""
        return self.table.full_text(name)

    def copy(self) -> None:
        """Put the whole table on the clipboard."""
        QGuiApplication.clipboard().setText(self.table.as_text())

    def _say_reason(self, state: ViewState) -> None:
        system = None if state.loaded is None else state.loaded.system(state.side, 0)
        reason = "" if system is None else system.why or why_unscored(state)
        if system is not None and system.is_stand_in and not reason:
            reason = tr(_NO_ANSWER) if system.answer is None else tr(_NO_MASK)
        if system is not None and not reason and _is_opted_out(system):
            reason = tr("The system opted out of this trial; runs with --opt-out exclude it")
        if state.side is Side.DONOR:
            reason = tr("Donor side. {reason}", reason=reason) if reason else tr("Donor side")
        self._reason.setText(reason)
        self._reason.setVisible(bool(reason))


def _is_opted_out(system: LoadedSystem) -> bool:
    status = None if system.answer is None else system.answer.status
    return status in (Status.OPT_OUT_ALL, Status.OPT_OUT_LOCALIZATION)


class _MetricTable(QTableWidget):
    """Rows of metrics; numbers keep their full precision for tooltips and the clipboard."""

    def __init__(self, parent: QWidget) -> None:
        self._notes = tuple(METRICS)
        super().__init__(len(self._notes), 4, parent)
        self._numbers: dict[tuple[int, int], str] = {}
        # Four columns stand side by side in a narrow panel.
        self.setProperty("role", "narrow")
        self.setHorizontalHeaderLabels([tr(title) for title in _TITLES])
        align_titles(self, (_AT, _BEST, _RIVAL))
        self.verticalHeader().hide()
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setWordWrap(False)
        self.setAccessibleName(tr("Metrics"))
        header = self.horizontalHeader()
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        for column, title in enumerate(_TITLES):
            heading = self.horizontalHeaderItem(column)
            assert heading is not None
            heading.setToolTip(tr(title))
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        row_px = self.fontMetrics().height() + 5
        self.verticalHeader().setDefaultSectionSize(row_px)
        self.setMinimumHeight(header.sizeHint().height() + _LEAST_ROWS * row_px)
        digits = digits_font()
        # A number that is cut off is none.
        widest = QFontMetrics(digits).horizontalAdvance("-0.0000")
        header.setMinimumSectionSize(widest + _BESIDE_NUMBER_PX)
        for row, note in enumerate(self._notes):
            self._add_row(row, note, digits)
        make_copyable(self, self.as_text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_titles()

    def show_rival(self, *, is_shown: bool) -> None:
        """Make room for the second submission, or take it back."""
        if self.isColumnHidden(_RIVAL) is is_shown:
            self.setColumnHidden(_RIVAL, not is_shown)
            self._fit_titles()

    def _fit_titles(self) -> None:
        # Not by the sections' own widths: they follow later.
        header, numbers = self.horizontalHeader(), 2 if self.isColumnHidden(_RIVAL) else 3
        room_px = (self.viewport().width() - header.sectionSizeHint(0)) // numbers
        for column, (title, short) in enumerate(zip(_TITLES, _SHORT_TITLES, strict=True)):
            heading = self.horizontalHeaderItem(column)
            assert heading is not None
            heading.setText(tr(title))
            if header.sectionSizeHint(column) > room_px:
                heading.setText(tr(short))

    def _add_row(self, row: int, note: MetricNote, digits: QFont) -> None:
        name = QTableWidgetItem(note.name)
        name.setToolTip(explained(note))
        self.setItem(row, 0, name)
        for column in (_AT, _BEST, _RIVAL):
            item = QTableWidgetItem()
            item.setFont(digits)
            item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setToolTip(explained(note))
            self.setItem(row, column, item)

    def viewportEvent(self, event: QEvent) -> bool:
        """Tell a number with every digit, which a narrow column may have no room for.

        Made where the mouse rests: a threshold that is dragged changes them all the time.
        """
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            index = self.indexAt(event.pos())
            number = self._numbers.get((index.row(), index.column()))
            if number:
                note = self._notes[index.row()]
                text = f"{note.name} = {number}\n{explained(note)}"
                QToolTip.showText(event.globalPos(), text, self.viewport())
                return True
        return super().viewportEvent(event)

    def fill(self, column: int, values: Sequence[MetricValue]) -> None:
        for row, value in enumerate(values):
            if self._numbers.get((row, column)) != value.full:
                self._numbers[row, column] = value.full
                item = self.item(row, column)
                assert item is not None
                item.setText(value.short or NO_NUMBER)

    def full_text(self, name: str, column: int = _AT) -> str:
        row = [note.name for note in self._notes].index(name)
        return self._numbers.get((row, column), "")

    def as_text(self) -> str:
        """Tab-separated, every digit, in English."""
        columns = [_AT, _BEST] + ([] if self.isColumnHidden(_RIVAL) else [_RIVAL])
        lines = ["\t".join([_TITLES[0], *(_TITLES[column] for column in columns)])]
        for note in self._notes:
            cells = [self.full_text(note.name, column) for column in columns]
            lines.append("\t".join([note.name, *cells]))
        return "\n".join(lines)


def explained(note: MetricNote) -> str:
    """Everything a tooltip says about a metric."""
    lines = [f"{note.name}: {tr(note.title)}", tr(note.formula)]
    if note.best is not None:
        lines.append(tr("Best value: {value}", value=f"{note.best:g}"))
    if not note.follows_threshold:
        lines.append(tr("Does not depend on the threshold"))
    return "\n".join(lines)
