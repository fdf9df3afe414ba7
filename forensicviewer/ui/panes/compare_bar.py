"""The bar under the panes while two layers are compared: which two, and how much of each."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QSlider, QToolButton, QWidget

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, CompareMode, Layer, Pane, ViewState
from forensicviewer.ui.panes.drawing import has_donor, offered_panes, title_of
from forensicviewer.ui.widgets.elided import ElidedBox
from forensicviewer.ui.widgets.key_names import Keys, usual_keys, with_keys
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainLabel

_NAMES = {
    CompareMode.BLINK: to_translate("Blink"),
    CompareMode.SWIPE: to_translate("Swipe"),
    CompareMode.LENS: to_translate("Reveal lens"),
    CompareMode.FADE: to_translate("Fade"),
}
_STEPS = 100
_LEAST_SLIDER_PX = 80
_GAP_PX = 8


class CompareBar(Panel):
    """Hidden while nothing is compared."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self._mode = PlainLabel(parent=self)
        self._offered: list[Pane] = []
        self.first = self._chooser(tr("First layer"), is_first=True)
        self.second = self._chooser(tr("Second layer"), is_first=False)
        self.swap = QToolButton(self)
        self.swap.setText("⇄")
        self.swap.setToolTip(tr("Swap the two layers"))
        self.swap.setAccessibleName(tr("Swap the two layers"))
        self.swap.clicked.connect(self._swap)
        self.amount = QSlider(Qt.Orientation.Horizontal, self)
        self.amount.setRange(0, _STEPS)
        # Images must not jump from one way of comparing to the next.
        keeps_room = self.amount.sizePolicy()
        keeps_room.setRetainSizeWhenHidden(True)
        self.amount.setSizePolicy(keeps_room)
        self.amount.setAccessibleName(tr("Share of the second layer"))
        self.amount.valueChanged.connect(lambda n: workbench.move_comparison(n / _STEPS))
        self._close = QToolButton(self)
        self._close.setText("✕")
        self._close.setAccessibleName(tr("Stop comparing"))
        self.show_keys(usual_keys)
        self._close.clicked.connect(lambda: workbench.set_compare(mode=CompareMode.OFF))
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(_GAP_PX, 2, _GAP_PX, 2)
        self._grid.setSpacing(_GAP_PX)
        self._row = (self._mode, self.first, self.swap, self.second, self.amount, self._close)
        for column, widget in enumerate(self._row):
            self._grid.addWidget(widget, 0, column)
        self._grid.setColumnStretch(self._row.index(self.amount), 1)
        self.listen()

    def show_keys(self, keys: Keys) -> None:
        """Name the key that ends a comparison."""
        self._close.setToolTip(with_keys(tr("Stop comparing"), keys("compare.off")))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Where names are long or room is short, the slider is below them."""
        room = self.width() - _GAP_PX * (len(self._row) + 1) - _LEAST_SLIDER_PX
        others = sum(each.sizeHint().width() for each in self._row if each is not self.amount)
        self._grid.removeWidget(self.amount)
        if others <= room:
            self._grid.addWidget(self.amount, 0, self._row.index(self.amount))
        else:
            self._grid.addWidget(self.amount, 1, 0, 1, len(self._row))
        self._mode.setVisible(others <= room + _LEAST_SLIDER_PX)

    def _chooser(self, name: str, *, is_first: bool) -> QComboBox:
        box = ElidedBox(self)
        box.setAccessibleName(name)
        box.setToolTip(name)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.activated.connect(lambda place: self._choose(self._offered[place], is_first=is_first))
        return box

    def _choose(self, pane: Pane, *, is_first: bool) -> None:
        """Both as they are shown now: what is chosen may lie on another side than the other."""
        state = self.workbench.state
        first, second = state.compare.in_pane(state.active_pane)
        first, second = (pane, second) if is_first else (first, pane)
        self.workbench.set_compare(first=first, second=second)

    def _swap(self) -> None:
        compare = self.workbench.state.compare
        self.workbench.set_compare(first=compare.second, second=compare.first)

    def follow(self, state: ViewState, change: Change) -> None:
        if change & (Change.COMPARE | Change.PANES | Change.SUBMISSIONS | Change.LOADED):
            self.setVisible(state.compare.mode is not CompareMode.OFF)
            if state.compare.mode is not CompareMode.OFF:
                self._show(state)

    def _show(self, state: ViewState) -> None:
        compare = state.compare
        self._mode.setText(tr(_NAMES[compare.mode]))
        shown = compare.in_pane(state.active_pane)
        self._offer(state, shown)
        for box, pane in zip((self.first, self.second), shown, strict=True):
            box.setCurrentIndex(self._offered.index(pane))
        self.amount.setVisible(compare.mode in (CompareMode.SWIPE, CompareMode.FADE))
        blocker = QSignalBlocker(self.amount)
        self.amount.setValue(round(compare.amount * _STEPS))
        blocker.unblock()

    def _offer(self, state: ViewState, shown: tuple[Pane, Pane]) -> None:
        """List what can be compared; a layer of a system or donor gone meanwhile stays named."""
        found = [pane for group in offered_panes(state, tuple(Layer)) for pane in group]
        offered = list(dict.fromkeys((*found, *shown)))
        names = [title_of(state, pane, with_side=has_donor(state)) for pane in offered]
        if names != [self.first.itemText(i) for i in range(self.first.count())]:
            for box in (self.first, self.second):
                box.clear()
                box.addItems(names)
            self._arrange()
        self._offered = offered
