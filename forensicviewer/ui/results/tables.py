"""The tables of a run's results: averages beside each other, and lines of a divided run."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import NO_NUMBER, to_translate, tr
from forensicviewer.app.results.run_results import (
    COUNT_TIPS,
    COUNT_TITLES,
    COUNTS,
    Figures,
    ScorerResults,
    VariantResults,
)
from forensicviewer.core.table.number_cell import number_in
from forensicviewer.ui.widgets.heading import Heading, align_titles, digits_font
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.table_copy import dress_for_reading, translated_cell

_DECIMALS = 4
_MEASURE, _LINE, _OVER = to_translate("Measure"), to_translate("Line"), to_translate("Over")


class ScorerPage(QWidget):
    """What one scorer says: a table over the whole run, and one of the lines it is divided into."""

    def __init__(self, results: ScorerResults, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.whole = _whole_table(results)
        self.lines = _lines_table(results)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(8)
        failed = [found for found in results.variants if found.failure]
        self.failures = [PlainLabel(f"{tr(one.variant.title)}: {one.failure}") for one in failed]
        for label in self.failures:
            label.setProperty("role", "error")
            label.setWordWrap(True)
            column.addWidget(label)
        column.addWidget(self.whole, 3)
        divided = Heading(tr("Divided"))
        column.addWidget(divided)
        column.addWidget(self.lines, 2)
        is_divided = self.lines.rowCount() > 0
        divided.setVisible(is_divided)
        self.lines.setVisible(is_divided)


def _whole_table(results: ScorerResults) -> QTableWidget:
    """A row a measure, a column a variant."""
    variants = results.variants
    whole = [found.lines.get("") for found in variants]
    names = [name for name in results.measures if any(f and f.cells.get(name) for f in whole)]
    table = _table(len(COUNTS) + len(names), 1 + len(variants))
    table.setAccessibleName(tr("Averages over the whole run"))
    table.setHorizontalHeaderItem(0, translated_cell(tr(_MEASURE), _MEASURE))
    for column, found in enumerate(variants, start=1):
        table.setHorizontalHeaderItem(column, _title_of(found))
    for row, name in enumerate((*names, *COUNTS)):
        table.setItem(row, 0, _name_cell(name))
        for column, figures in enumerate(whole, start=1):
            table.setItem(row, column, _cell(figures, name))
    align_titles(table, range(1, 1 + len(variants)))
    header = table.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    return table


def _lines_table(results: ScorerResults) -> QTableWidget:
    """A row for each line and variant, a column a measure."""
    names = [*results.measures, *COUNTS]
    rows = [
        (label, found)
        for label in results.labels
        if label
        for found in results.variants
        if label in found.lines
    ]
    table = _table(len(rows), 2 + len(names))
    table.setAccessibleName(tr("Averages by query or partition"))
    for column, title in enumerate((_LINE, _OVER)):
        table.setHorizontalHeaderItem(column, translated_cell(tr(title), title))
    for column, name in enumerate(names, start=2):
        table.setHorizontalHeaderItem(column, _name_cell(name))
    for row, (label, found) in enumerate(rows):
        table.setItem(row, 0, QTableWidgetItem(label))
        table.setItem(row, 1, _title_of(found))
        for column, name in enumerate(names, start=2):
            table.setItem(row, column, _cell(found.lines[label], name))
    align_titles(table, range(2, 2 + len(names)))
    table.resizeColumnsToContents()
    return table


def _table(rows: int, columns: int) -> QTableWidget:
    table = QTableWidget(rows, columns)
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 8)
    dress_for_reading(table)
    return table


def _title_of(found: VariantResults) -> QTableWidgetItem:
    title = found.variant.title
    return translated_cell(tr(title), title)


def _name_cell(name: str) -> QTableWidgetItem:
    if name not in COUNT_TITLES:
        return QTableWidgetItem(name)
    cell = translated_cell(tr(COUNT_TITLES[name]), COUNT_TITLES[name])
    cell.setToolTip(tr(COUNT_TIPS[name]))
    return cell


def _cell(figures: Figures | None, name: str) -> QTableWidgetItem:
    """A number as it is read, with every digit in its tip and when it is copied."""
    exact = "" if figures is None else (figures.counted() | dict(figures.cells)).get(name, "")
    item = translated_cell(_rounded(exact), exact)
    item.setToolTip(exact)
    item.setFont(digits_font())
    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return item


def _rounded(exact: str) -> str:
    number = number_in(exact)
    if number is None:
        return exact or NO_NUMBER
    is_whole = "." not in exact and "e" not in exact.lower()
    return exact if is_whole else f"{number:.{_DECIMALS}f}"
