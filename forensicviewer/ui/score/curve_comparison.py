"""Which detection curves are compared, and their numbers: of systems, queries and partitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QComboBox,
    QHeaderView,
    QLineEdit,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.detection.curves import CurveRequest, NamedCurve
from forensicviewer.app.language.words import NO_NUMBER, to_translate, tr, whole
from forensicviewer.app.results.columns import PARTITION_EXAMPLE, QUERY_EXAMPLE
from forensicviewer.core.layer_pixels import operation_color
from forensicviewer.ui.widgets.flow import FlowBox
from forensicviewer.ui.widgets.swatch import color_icon
from forensicviewer.ui.widgets.table_copy import COPIED, make_copyable, name_columns

_TITLES = (to_translate("Curve"), "AUC", "EER", to_translate("Trials"))
_ROWS_SHOWN = 5
_LEAST_QUERY_PX = 150
_ONE, _QUERY, _PARTITION = range(3)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def curve_color(number: int) -> QColor:
    """The colour of a curve among several."""
    return QColor(*operation_color(number, None))


class CurveComparison(QWidget):
    """A row of choices, and a table of the curves that are drawn."""

    def __init__(self, ask: Callable[[], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._ask = ask
        self.every = QToolButton(self)
        self.every.setText(tr("All systems"))
        self.every.setToolTip(tr("Draw a curve for each open submission"))
        self.every.setCheckable(True)
        self.every.clicked.connect(ask)
        self.division = QComboBox(self)
        self.division.setAccessibleName(tr("Which trials have a curve"))
        self.division.addItems([tr("All trials"), tr("Query"), tr("Partition")])
        self.division.activated.connect(self._choose_division)
        self.query = QLineEdit(self)
        self.query.setMinimumWidth(_LEAST_QUERY_PX)
        self.query.setClearButtonEnabled(True)
        self.query.setAccessibleName(tr("Query or partition of the curves"))
        self.query.editingFinished.connect(ask)
        self.query.hide()
        self.table = _table(self)
        choices = FlowBox(self)
        choices.row.setSpacing(4)
        choices.row.addWidget(self.every)
        choices.row.addWidget(self.division)
        choices.row.addWidget(self.query)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(choices)
        column.addWidget(self.table)

    def request(self, *, leaves_out: bool) -> CurveRequest:
        """What is asked for now."""
        text, place = self.query.text().strip(), self.division.currentIndex()
        return CurveRequest(
            query=text if place == _QUERY else "",
            partition=text if place == _PARTITION else "",
            leaves_out=leaves_out,
        )

    @property
    def is_asked(self) -> bool:
        """Whether more than the shown submission's own curve is wanted."""
        is_divided = self.division.currentIndex() != _ONE and bool(self.query.text().strip())
        return is_divided or self.every.isChecked()

    def _choose_division(self, place: int) -> None:
        self.query.setVisible(place != _ONE)
        self.query.setPlaceholderText(PARTITION_EXAMPLE if place == _PARTITION else QUERY_EXAMPLE)
        self._ask()

    def show_curves(self, curves: Sequence[NamedCurve]) -> None:
        """List the curves in the colours they are drawn in."""
        self.table.clear()
        self.table.setVisible(bool(curves))
        for number, curve in enumerate(curves):
            item = QTreeWidgetItem(self.table, [curve.name])
            is_drawn = curve.far is not None
            item.setIcon(0, color_icon(operation_color(number, None) if is_drawn else None))
            item.setToolTip(0, f"{curve.name}\n{curve.failure}" if curve.failure else curve.name)
            for column, value in ((1, curve.auc), (2, curve.eer)):
                item.setText(column, NO_NUMBER if value is None else f"{value:.3f}")
                item.setData(column, COPIED, "" if value is None else repr(value))
                item.setTextAlignment(column, _RIGHT)
            item.setText(3, curve.failure or whole(curve.trials))
            item.setTextAlignment(3, _RIGHT)
        rows = min(len(curves), _ROWS_SHOWN)
        height = self.table.header().sizeHint().height() + rows * (self.fontMetrics().height() + 8)
        self.table.setFixedHeight(height + 2 * self.table.frameWidth())


def _table(parent: QWidget) -> QTreeWidget:
    table = QTreeWidget(parent)
    name_columns(table, _TITLES)
    table.setAccessibleName(tr("Detection curves"))
    table.setRootIsDecorated(False)
    table.setUniformRowHeights(True)
    # Names of one team begin alike; their ends distinguish them.
    table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
    header = table.header()
    header.setStretchLastSection(False)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    make_copyable(table)
    table.hide()
    return table
