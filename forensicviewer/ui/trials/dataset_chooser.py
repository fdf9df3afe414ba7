"""Which of the open datasets is shown; there where several are open."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from forensicviewer.app.language.words import labelled, tr
from forensicviewer.app.session.desk import Desk
from forensicviewer.ui.widgets.elided import ElidedBox
from forensicviewer.ui.widgets.theme import icon

_LEAST_LETTERS = 8


class DatasetChooser(QWidget):
    """A box with the names of the datasets, and a button that closes the one shown."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = desk
        self.box = ElidedBox()
        self.box.setAccessibleName(tr("Dataset"))
        self.box.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.box.setMinimumContentsLength(_LEAST_LETTERS)
        self.box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.box.activated.connect(desk.choose_dataset)
        self.closing = QToolButton()
        self.closing.setIcon(icon("close"))
        self.closing.setAutoRaise(True)
        self.closing.setAccessibleName(tr("Close dataset"))
        self.closing.setToolTip(tr("Close this dataset; the others stay open"))
        self.closing.clicked.connect(desk.close_dataset)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.box, 1)
        row.addWidget(self.closing)

    def show_datasets(self) -> None:
        names = list(self._desk.dataset_names)
        self.setVisible(len(names) > 1)
        if [self.box.itemText(i) for i in range(self.box.count())] != names:
            self.box.clear()
            self.box.addItems(names)
            longest = max(
                (self.box.fontMetrics().horizontalAdvance(name) for name in names), default=0
            )
            self.box.view().setMinimumWidth(longest + 32)
        self.box.setCurrentIndex(self._desk.shelf.position if names else -1)
        self.box.setToolTip(labelled(self.box.accessibleName(), self.box.currentText()))
