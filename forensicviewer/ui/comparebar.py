"""The bar under the panes while two layers are compared: which two, and how much of each."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSlider, QToolButton, QWidget

from forensicviewer.app.state import Change, CompareMode, Layer, ViewState
from forensicviewer.app.workbench import Workbench
from forensicviewer.ui.panedrawing import TITLES
from forensicviewer.ui.panel import Panel

_NAMES = {
    CompareMode.BLINK: "Blink",
    CompareMode.SWIPE: "Swipe",
    CompareMode.LENS: "Reveal lens",
    CompareMode.FADE: "Fade",
}
_STEPS = 100


class CompareBar(Panel):
    """Hidden while nothing is compared."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self._mode = QLabel(self)
        self.first = self._chooser("First layer", "first")
        self.second = self._chooser("Second layer", "second")
        self.swap = QToolButton(self)
        self.swap.setText("⇄")
        self.swap.setToolTip("Swap the two layers")
        self.swap.setAccessibleName("Swap the two layers")
        self.swap.clicked.connect(self._swap)
        self.amount = QSlider(Qt.Orientation.Horizontal, self)
        self.amount.setRange(0, _STEPS)
        self.amount.setAccessibleName("Share of the second layer")
        self.amount.valueChanged.connect(lambda n: workbench.move_comparison(n / _STEPS))
        self._close = QToolButton(self)
        self._close.setText("✕")
        self._close.setToolTip("Stop comparing (Esc)")
        self._close.setAccessibleName("Stop comparing")
        self._close.clicked.connect(lambda: workbench.set_compare(mode=CompareMode.OFF))
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 8, 2)
        row.setSpacing(8)
        row.addWidget(self._mode)
        row.addWidget(self.first)
        row.addWidget(self.swap)
        row.addWidget(self.second)
        row.addWidget(self.amount, 1)
        row.addStretch(1)
        row.addWidget(self._close)
        self.listen()

    def _chooser(self, name: str, field: str) -> QComboBox:
        box = QComboBox(self)
        box.setAccessibleName(name)
        box.setToolTip(name)
        for layer in Layer:
            box.addItem(TITLES[layer])
        box.activated.connect(
            lambda place: self.workbench.set_compare(**{field: list(Layer)[place]})
        )
        return box

    def _swap(self) -> None:
        compare = self.workbench.state.compare
        self.workbench.set_compare(first=compare.second, second=compare.first)

    def follow(self, state: ViewState, change: Change) -> None:
        if not change & Change.COMPARE:
            return
        compare = state.compare
        self.setVisible(compare.mode is not CompareMode.OFF)
        self._mode.setText(_NAMES.get(compare.mode, ""))
        self.first.setCurrentIndex(list(Layer).index(compare.first))
        self.second.setCurrentIndex(list(Layer).index(compare.second))
        self.amount.setVisible(compare.mode in (CompareMode.SWIPE, CompareMode.FADE))
        blocker = QSignalBlocker(self.amount)
        self.amount.setValue(round(compare.amount * _STEPS))
        blocker.unblock()
