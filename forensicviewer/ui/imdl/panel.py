"""One table of definitions: what each scorer of the field would say of this image and this run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QFont
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
)

from forensicviewer.app.imdl.settings import ImageScore
from forensicviewer.app.language.words import NO_NUMBER, to_translate, tr, tr_many
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.trials.definitions import (
    RunTable,
    curve_points,
    derive_image_scores,
    describe_inversion,
    exact_numbers,
    image_score_shown,
    is_inverted,
    keys_giving,
    live_numbers,
    run_table,
    set_inverted,
    shown_threshold,
)
from forensicviewer.app.trials.trial_list import ListChange
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.imdl.definitions import DEFINITIONS, Definition
from forensicviewer.core.model import TaskKind
from forensicviewer.ui.widgets.chart import Axis, ChartMark, LowChart, Series
from forensicviewer.ui.widgets.elided import WrappedLabel
from forensicviewer.ui.widgets.heading import align_titles, digits_font
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.table_copy import make_copyable
from forensicviewer.ui.widgets.theme import current_theme

_NAME, _NOW, _IMAGE, _RUN = range(4)
_TITLES = (
    to_translate("Definition"),
    to_translate("Now,\n8 bits"),
    to_translate("Image\nat 0.5"),
    to_translate("All\nat 0.5"),
)
# Without a detection head the score of an image comes from its map.
_DERIVED = {
    ImageScore.MAX: to_translate("Image scores: the highest score of each map"),
    ImageScore.MEAN: to_translate("Image scores: the mean score of each map"),
    ImageScore.ANY: to_translate("Image scores: 1 if any pixel is above 0.5"),
}
_LEAST_ROWS = 6
_SCALE = tuple((share, f"{share:g}") for share in (0.0, 0.25, 0.5, 0.75, 1.0))
_CHART_PX = 96
_ROW_ROOM_PX, _ROOM_PX = 5, 12  # what the theme keeps free around a cell
_FOLLOWED = Change.DATASET | Change.LOADED | Change.SCORES | Change.THRESHOLD | Change.SUBMISSIONS


class DefinitionsPanel(Panel):
    """The definitions of the current image, live with the threshold, and of the whole run."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.workbench)
        self._desk = desk
        self._keys = tuple(DEFINITIONS)
        self._columns: dict[str, Mapping[str, float]] = {}
        self._run = RunTable({}, 0, None, math.nan)
        self.number = QLineEdit(self)
        self.number.setPlaceholderText(tr("Which definition gives 0.74?"))
        self.number.setClearButtonEnabled(True)
        self.number.setAccessibleName(tr("A published number to identify"))
        self.number.textChanged.connect(self._find)
        self.only = QCheckBox(tr("Manipulated images only"), self)
        self.only.setToolTip(tr("Exclude authentic images, which count as 0, from the means"))
        self.only.toggled.connect(self._fill_run)
        self.inverted = QCheckBox(tr("Predictions are inverted"), self)
        self.inverted.setToolTip(tr("Black means manipulated in these predictions"))
        self.inverted.toggled.connect(lambda is_on: set_inverted(self.workbench, inverted=is_on))
        self.derived = self._make_derived()
        self.said = WrappedLabel(self)
        self.said.setProperty("role", "muted")
        self._digits = digits_font()
        self.table = self._make_table()
        self.chart = LowChart(self)
        self.chart.setMinimumHeight(_CHART_PX)
        self.chart.setAccessibleName(tr("Mean F1 of the dataset over the threshold, at 8 bits"))
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        below = (self.chart, self.said, self.inverted, self.derived, self.only)
        for part in (self.number, self.table, *below):
            column.addWidget(part, 1 if part is self.table else 0)
        self._stop_list = desk.trials.subscribe(self._follow_list)
        self.listen()

    def let_go(self) -> None:
        self._stop_list()
        super().let_go()

    def follow(self, state: ViewState, change: Change) -> None:
        if not change & _FOLLOWED or not _is_imdl(state):
            return
        self._fill("now", _NOW, live_numbers(state))
        self._fill("image", _IMAGE, exact_numbers(state, self._desk.trials.answers))
        if Change.SUBMISSIONS in change or Change.DATASET in change:
            self.inverted.blockSignals(True)  # noqa: FBT003 - Qt's own
            self.inverted.setChecked(is_inverted(state))
            self.inverted.blockSignals(False)  # noqa: FBT003
            self.derived.setCurrentIndex(list(_DERIVED).index(image_score_shown(state)))
            self._fill_run()
        self._mark_thresholds(state)
        self._say(state)

    def _follow_list(self, change: ListChange) -> None:
        if change & (ListChange.CELLS | ListChange.COLUMNS) and _is_imdl(self.workbench.state):
            self._fill_run()
            exact = exact_numbers(self.workbench.state, self._desk.trials.answers)
            self._fill("image", _IMAGE, exact)

    def _fill_run(self) -> None:
        state = self.workbench.state
        if not _is_imdl(state):
            return
        only = self.only.isChecked()
        self._run = run_table(state, self._desk.trials.answers, manipulated_only=only)
        self.derived.setVisible(not self._run.has_head)
        self._fill("run", _RUN, self._run.numbers)
        self._draw_curve()
        self._mark_thresholds(state)
        self._say(state)

    def _draw_curve(self) -> None:
        """Draw the numbers that the best single threshold is chosen from."""
        thresholds, f1 = curve_points(self._run)
        color = self.palette().highlight().color()
        line = Series(tr("Mean F1 of the dataset, at 8 bits"), thresholds, f1, color)
        across = Axis(0, 1, _SCALE, tr("Threshold"))
        up = Axis(0, 1, _SCALE[::2])
        self.chart.setVisible(bool(self._run.images))
        self.chart.show_series(across, up, [line] if self._run.images else [])

    def _mark_thresholds(self, state: ViewState) -> None:
        best, ink = self._run.threshold, self.palette().text().color()
        marks = [ChartMark(shown_threshold(state), self.palette().highlight().color(), width=2.0)]
        if not math.isnan(best):
            marks.insert(0, ChartMark(best, ink, tr("best {threshold}", threshold=_shown(best))))
        self.chart.show_marks(marks)

    def _fill(self, name: str, column: int, numbers: Mapping[str, float]) -> None:
        self._columns[name] = numbers
        for row, key in enumerate(self._keys):
            value = numbers.get(key, math.nan)
            item = self.table.item(row, column)
            assert item is not None
            item.setText(NO_NUMBER if math.isnan(value) else f"{value:.4f}")
        if self.number.text():
            self._mark()

    def _say(self, state: ViewState) -> None:
        lines = [tr("Now: scores above {threshold}", threshold=f"{shown_threshold(state):.3f}")]
        run = self._run
        if run.images:
            lines.append(
                tr_many(
                    "Best single threshold of {count} image: {threshold}, mean F1 {f1}",
                    "Best single threshold of {count} images: {threshold}, mean F1 {f1}",
                    run.images,
                    threshold=_shown(run.threshold),
                    f1=f"{run.best_f1:.4f}",
                )
            )
        if run.images and run.has_head:
            lines.append(tr("Image scores: from the model's image-level head"))
        evidence = "" if is_inverted(state) else describe_inversion(state)
        lines += [evidence] if evidence else []
        lines += [self._matches()] if self.number.text().strip() else []
        self.said.setText("\n".join(lines))

    def _matches(self) -> str:
        found = {key for keys in self._found().values() for key in keys}
        if not found:
            return tr("No definition gives {number}", number=self.number.text().strip())
        titles = ", ".join(DEFINITIONS[key].title for key in self._keys if key in found)
        return tr("Given by: {definitions}", definitions=titles)

    def _found(self) -> dict[str, set[str]]:
        return keys_giving(self._columns, self.number.text())

    def _mark(self) -> None:
        """Mark the numbers that read as the one typed."""
        found, columns = self._found(), {"now": _NOW, "image": _IMAGE, "run": _RUN}
        accent = QBrush(QColor(current_theme().accent))
        bold = QFont(self._digits)
        bold.setBold(True)
        for name, column in columns.items():
            for row, key in enumerate(self._keys):
                item = self.table.item(row, column)
                assert item is not None
                is_meant = key in found.get(name, set())
                # A background would not show: the theme paints those of the rows.
                item.setForeground(accent if is_meant else QBrush())
                item.setFont(bold if is_meant else self._digits)
        self._say(self.workbench.state)

    def _find(self) -> None:
        """Mark the numbers that read as the one typed, and bring the first of them into view."""
        self._mark()
        found = {key for keys in self._found().values() for key in keys}
        first = next((row for row, key in enumerate(self._keys) if key in found), None)
        name = None if first is None else self.table.item(first, _NAME)
        if name is not None:
            self.table.scrollToItem(name)

    def _make_derived(self) -> QComboBox:
        chooser = QComboBox(self)
        chooser.addItems([tr(choice) for choice in _DERIVED.values()])
        chooser.setAccessibleName(tr("How image scores are derived"))
        chooser.setToolTip(tr("The model gives no scores of images, so they come from its maps"))
        chooser.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        kinds = list(_DERIVED)
        chooser.activated.connect(lambda at: derive_image_scores(self.workbench, kinds[at]))
        return chooser

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(len(self._keys), len(_TITLES), self)
        table.setProperty("role", "narrow")
        table.setHorizontalHeaderLabels([tr(title) for title in _TITLES])
        align_titles(table, (_NOW, _IMAGE, _RUN))
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.setAlternatingRowColors(True)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setAccessibleName(tr("Definitions"))
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
        row_px = table.fontMetrics().height() + _ROW_ROOM_PX
        table.verticalHeader().setMinimumSectionSize(row_px)
        table.verticalHeader().setDefaultSectionSize(row_px)
        header.sectionResized.connect(partial(_fit_rows, table))
        table.setMinimumHeight(header.sizeHint().height() + _LEAST_ROWS * row_px)
        for row, key in enumerate(self._keys):
            _add_row(table, row, DEFINITIONS[key])
        make_copyable(table)
        return table


def _add_row(table: QTableWidget, row: int, definition: Definition) -> None:
    name = QTableWidgetItem(definition.title + (" ↑" if definition.inflates else ""))
    lines = [f"{definition.key}: {definition.title}", definition.source, definition.formula]
    if definition.inflates:
        lines.append(tr("↑ can be high although the prediction is wrong"))
    tip = "\n".join(lines)
    name.setToolTip(tip)
    table.setItem(row, _NAME, name)
    digits = digits_font()
    for column in (_NOW, _IMAGE, _RUN):
        item = QTableWidgetItem(NO_NUMBER)
        item.setFont(digits)
        item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setToolTip(tip)
        table.setItem(row, column, item)


def _fit_rows(table: QTableWidget, column: int, _before_px: int, width_px: int) -> None:
    """Give a name the lines it needs: nothing of it is cut off."""
    if column != _NAME:
        return
    metrics, wraps = table.fontMetrics(), Qt.TextFlag.TextWordWrap.value
    for row in range(table.rowCount()):
        name = table.item(row, _NAME)
        if name is not None:
            box = metrics.boundingRect(0, 0, width_px - _ROOM_PX, 1000, wraps, name.text())
            table.setRowHeight(row, box.height() + _ROW_ROOM_PX)


def _shown(threshold: float) -> str:
    """A threshold as people write it; below 0 every pixel is called, those that score 0 as well."""
    return "< 0" if threshold < 0 else f"{threshold:.3f}"


def _is_imdl(state: ViewState) -> bool:
    return state.task is not None and state.task.kind is TaskKind.IMDL
