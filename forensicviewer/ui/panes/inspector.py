"""The inspector: the pixel under the cursor through all layers, and the facts of the image."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QHBoxLayout,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import in_english, to_translate, tr
from forensicviewer.app.runtime.jobs import Lane, Priority
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.inspection import PixelReport, file_digest, file_facts, inspect
from forensicviewer.app.workbench.loaded_trial import LoadedTrial
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.model import Side
from forensicviewer.ui.panes.color_key import ColorKey
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.heading import digits_font
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.swatch import outcome_icon
from forensicviewer.ui.widgets.table_copy import COPIED, make_copyable

_DIGEST_LANE = Lane("digest", Priority.DETAIL)

_NOTHING = to_translate("Point at an image")
_TWO_LINES_PX = 900
_TIGHT_PX = 520
_FOLLOWED = (
    Change.CURSOR
    | Change.THRESHOLD
    | Change.SCORES
    | Change.LOOK
    | Change.LOADED
    | Change.PANES
    | Change.COMPARE
    | Change.TRIAL
)


class InspectorStrip(Panel):
    """One line, two where it is narrow: position, values, outcome and why, operations.

    While nothing is pointed at, it tells what the colours mean.
    """

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        fixed = digits_font()
        self.position = PlainLabel(tr(_NOTHING), self)
        self.position.setFont(fixed)
        self.values = ElidedLabel(parent=self)
        self.values.setFont(fixed)
        self._swatch = PlainLabel(parent=self)
        self.reference = ElidedLabel(parent=self)
        self.outcome = ElidedLabel(parent=self)
        self.operations = ElidedLabel(parent=self)
        self.key = ColorKey(self)
        self._lines = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._lines.setContentsMargins(8, 2, 8, 2)
        self._lines.setSpacing(14)
        self._facts = (self.reference, self._swatch, self.outcome, self.operations)
        for labels in ((self.position, self.values), self._facts):
            row = QHBoxLayout()
            row.setSpacing(14)
            for label in labels:
                row.addWidget(label)
            if self._swatch in labels:
                row.addWidget(self.key, 1)
            else:
                row.addStretch(0)
            self._lines.addLayout(row, 1 if self._swatch in labels else 0)
        self.setAccessibleName(tr("Pixel under the cursor"))
        self.listen()

    def copy(self) -> None:
        """Put the pixel on the clipboard."""
        report = inspect(self.workbench.state)
        if report is not None:
            QGuiApplication.clipboard().setText(report.as_text())

    def copy_position(self) -> None:
        """Put column and row on the clipboard."""
        report = inspect(self.workbench.state)
        if report is not None:
            QGuiApplication.clipboard().setText(f"{report.x}, {report.y}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = event.size().width() < _TWO_LINES_PX
        direction = QBoxLayout.Direction
        self._lines.setDirection(direction.TopToBottom if is_narrow else direction.LeftToRight)
        self._lines.setSpacing(1 if is_narrow else 14)

    def follow(self, state: ViewState, change: Change) -> None:
        if not change & _FOLLOWED:
            return
        report = inspect(state)
        for label in self._facts:
            label.setVisible(report is not None)
        if report is None:
            self._clear()
            self.key.show_state(state)
            return
        self.key.clear()
        # Where there is room the numbers stay in place while the mouse moves.
        is_tight = self.width() < _TIGHT_PX
        column, row = (f"{part}" if is_tight else f"{part:>5}" for part in (report.x, report.y))
        self.position.setText(f"x {column}  y {row}")
        self.values.setText(("  " if is_tight else "   ").join(_values(report)))
        what = f"{tr(report.reference)}{report.said_value}"
        self.reference.setText(tr("reference {what}", what=what) if report.reference else "")
        self._say_outcome(report, state)
        names = ", ".join(operation.name for operation in report.operations)
        self.operations.setText(names)

    def _say_outcome(self, report: PixelReport, state: ViewState) -> None:
        if report.outcome is None:
            self._swatch.clear()
            self.outcome.clear()
            return
        icon = outcome_icon(report.outcome, state.colors)
        self._swatch.setPixmap(icon.pixmap(14, 14))
        outcome = tr(report.outcome.value)
        outcome = outcome[:1].upper() + outcome[1:]
        if report.reason:
            outcome = tr("{outcome}: {reason}", outcome=outcome, reason=tr(report.reason))
        self.outcome.setText(outcome)

    def _clear(self) -> None:
        self.position.setText(tr(_NOTHING))
        for label in (self.values, *self._facts):
            label.clear()


class FactsPanel(Panel):
    """What the image's file says about itself."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self.table = QTableWidget(0, 2, self)
        self.table.verticalHeader().hide()
        self.table.horizontalHeader().hide()
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.setAlternatingRowColors(True)
        self.table.setWordWrap(False)
        self.table.setAccessibleName(tr("Image facts"))
        make_copyable(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.table)
        self._shown: object = None
        self.listen()

    def follow(self, state: ViewState, change: Change) -> None:
        if not change & (Change.LOADED | Change.SCORES | Change.DATASET | Change.LOOK):
            return
        loaded, side, areas = state.loaded, state.side, state.units.areas
        key = None if loaded is None else (loaded.trial.id, id(loaded.on(side).facts), areas)
        if key == self._shown:
            return
        self._shown = key
        self.table.setRowCount(0)
        if loaded is not None:
            with in_english():
                copied = file_facts(loaded, side, areas)
            for fact, english in zip(file_facts(loaded, side, areas), copied, strict=True):
                self._add(fact, english)
            self._ask_for_digest(loaded, side, key)

    def _add(self, fact: tuple[str, str], english: tuple[str, str]) -> None:
        row = self.table.rowCount()
        self.table.insertRow(row)
        title, value = (QTableWidgetItem(text) for text in fact)
        title.setFlags(Qt.ItemFlag.ItemIsEnabled)
        value.setToolTip(fact[1])
        for column, cell in enumerate((title, value)):
            cell.setData(COPIED, english[column])
            self.table.setItem(row, column, cell)
        self.table.setRowHeight(row, self.fontMetrics().height() + 8)

    def _ask_for_digest(self, loaded: LoadedTrial, side: Side, key: object) -> None:
        def show(found: str) -> None:
            digest = ("SHA-256", found)
            if found and self._shown == key:
                self._add(digest, digest)

        self.workbench.jobs.submit(_DIGEST_LANE, lambda: file_digest(loaded, side), show)

    def let_go(self) -> None:
        super().let_go()
        self.workbench.jobs.cancel(_DIGEST_LANE)


def _values(report: PixelReport) -> list[str]:
    parts = []
    if report.rgb is not None:
        parts.append("RGB " + " ".join(f"{part:3}" for part in report.rgb))
    if report.base is not None:
        parts.append(f"{tr(report.base_name)} " + " ".join(f"{part:3}" for part in report.base))
    named = zip((tr("system"), tr("second", context="system")), report.system, strict=False)
    parts += [f"{name} {value:3}" for name, value in named if value is not None]
    return parts
