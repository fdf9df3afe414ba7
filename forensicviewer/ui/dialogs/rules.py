"""What each rule set gives the current trial, side by side, and where the rule sets differ."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QPlainTextEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import to_translate, tr, tr_many, whole
from forensicviewer.app.trials.rule_comparison import ComparedNumber, RuleComparison
from forensicviewer.core.model import Side
from forensicviewer.core.rules import RuleSet, Switch
from forensicviewer.ui.widgets.dialog_size import open_in
from forensicviewer.ui.widgets.heading import Heading, align_titles, digits_font
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.table_copy import (
    dress_for_reading,
    table_of,
    translated_cell,
)

# Colour and weight alone would not be read aloud, nor survive a copy.
_DIFFERS = "≠"
_TALLEST_PX = 360
_NUMBER, _NOT_SCORED = to_translate("Number"), to_translate("not scored")


class RulesDialog(QDialog):
    """A row a number, a column a rule set; numbers that differ are marked."""

    def __init__(self, comparison: RuleComparison, current: RuleSet, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Scores under other rule sets"))
        title = Heading(f"{comparison.trial}, {comparison.submission}")
        about = PlainLabel(_summary(comparison))
        about.setProperty("role", "muted")
        about.setWordWrap(True)
        self.table = _table(comparison, current)
        self.differences = QPlainTextEdit(_differences(comparison))
        self.differences.setReadOnly(True)
        self.differences.setAccessibleName(tr("Where the rule sets differ"))
        copy = QPushButton(tr("Copy"))
        copy.setToolTip(tr("Copy the numbers as a table"))
        copy.setAutoDefault(False)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(table_of(self.table)))
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        box.addButton(copy, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.close)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(18, 18, 18, 18)
        layout.setSpacing(12)
        for part in (title, about, self.table):
            layout.addWidget(part)
        layout.addWidget(self.differences, stretch=1)
        layout.addWidget(box)
        open_in(self, 760, 720)


def _summary(comparison: RuleComparison) -> str:
    if not comparison.is_scored:
        return tr(
            "No rule set scores the mask of this trial: it is not a target, or it has "
            "nothing to score."
        )
    different = sum(number.differs for number in comparison.numbers)
    if not different:
        return tr(
            "As written by score mask, with all operations selected. All agree; choose the "
            "rule set for scoring in Settings."
        )
    return tr_many(
        "As written by score mask, with all operations selected. {count} of {total} numbers "
        "differs; choose the rule set for scoring in Settings.",
        "As written by score mask, with all operations selected. {count} of {total} numbers "
        "differ; choose the rule set for scoring in Settings.",
        different,
        total=whole(len(comparison.numbers)),
    )


def _table(comparison: RuleComparison, current: RuleSet) -> QTableWidget:
    names = [rules.name for rules in comparison.rule_sets]
    table = QTableWidget(len(comparison.numbers), 2 + len(names))
    table.setHorizontalHeaderItem(0, translated_cell(tr(_NUMBER), _NUMBER))
    for column, name in enumerate(names, start=1):
        shown = tr("{name} (chosen)", name=name) if name == current.name else name
        table.setHorizontalHeaderItem(column, translated_cell(shown, name))
    table.setHorizontalHeaderItem(1 + len(names), QTableWidgetItem(""))
    align_titles(table, range(1, 1 + len(names)))
    table.setAccessibleName(tr("Numbers by rule set"))
    table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 8)
    header = table.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(1 + len(names), QHeaderView.ResizeMode.ResizeToContents)
    digits = digits_font()
    for row, number in enumerate(comparison.numbers):
        _fill(table, row, number, digits)
    rows_px = table.verticalHeader().length() + header.sizeHint().height()
    table.setFixedHeight(min(rows_px + 2 * table.frameWidth() + 2, _TALLEST_PX))
    dress_for_reading(table)
    return table


def _fill(table: QTableWidget, row: int, number: ComparedNumber, digits: QFont) -> None:
    font = QFont(digits)
    font.setBold(number.differs)
    is_donor = number.side is Side.DONOR
    shown = f"{tr('Donor')} {number.name}" if is_donor else number.name
    copied = f"{number.side.value} {number.name}" if is_donor else number.name
    table.setItem(row, 0, translated_cell(shown, copied))
    for column, value in enumerate(number.values, start=1):
        if value is None:
            item = translated_cell(tr(_NOT_SCORED), _NOT_SCORED)
        else:
            item = QTableWidgetItem(f"{value:.10g}")
        item.setFont(font)
        item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        table.setItem(row, column, item)
    mark = QTableWidgetItem(_DIFFERS if number.differs else "")
    mark.setToolTip(tr("The rule sets differ here") if number.differs else "")
    table.setItem(row, 1 + len(number.values), mark)


def _differences(comparison: RuleComparison) -> str:
    """Every switch of the mask scorer in words; first those that matter to this trial."""
    parts = []
    if comparison.decisive:
        parts.append(tr("Switches that make a difference here").upper())
        parts += [_explained(switch, comparison.rule_sets) for switch in comparison.decisive]
    parts.append(tr("No effect on this trial").upper())
    parts += [_explained(switch, comparison.rule_sets) for switch in comparison.others]
    return "\n\n".join(parts)


def _explained(switch: type[Switch], rule_sets: tuple[RuleSet, ...]) -> str:
    lines = [f"    {rules.name}: {tr(rules.explain(switch))}" for rules in rule_sets]
    return "\n".join([f"{tr(switch.title)}  [{switch.key}]", *lines])
