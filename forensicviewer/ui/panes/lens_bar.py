"""The bar under the panes while one shows a lens: which one, and the values it is used with."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QToolButton, QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.app.plugins.lenses import LENSES
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.lens_work import lens_of, shown_lens, values_of
from forensicviewer.app.workbench.state import Change, Layer, ViewState
from forensicviewer.core.lens.lens import Lens, Parameter
from forensicviewer.ui.widgets.elided import ElidedBox
from forensicviewer.ui.widgets.flow import FlowRow
from forensicviewer.ui.widgets.number_box import NumberBox
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainLabel

_FOLLOWED = Change.PANES | Change.COMPARE | Change.LENS | Change.LOADED
_GAP_PX = 8


class LensBar(Panel):
    """Hidden while no pane shows a lens."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self.chooser = ElidedBox(self)
        self.chooser.setAccessibleName(tr("Lens"))
        self.chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.chooser.activated.connect(self._choose)
        self.boxes: dict[str, NumberBox] = {}
        self._fields: list[QWidget] = []
        self._reset = QToolButton(self)
        self._reset.setText(tr("Reset"))
        self._reset.setToolTip(tr("Reset to the default values of this lens"))
        self._reset.clicked.connect(self._use_defaults)
        self._lens: Lens | None = None
        self._row = FlowRow(self)
        self._row.setContentsMargins(_GAP_PX, 2, _GAP_PX, 2)
        self._row.setSpacing(_GAP_PX)
        self._row.addWidget(PlainLabel(tr("Lens"), self))
        self._row.addWidget(self.chooser)
        self._row.addWidget(self._reset)
        self.listen()

    def follow(self, state: ViewState, change: Change) -> None:
        if not change & _FOLLOWED:
            return
        lens = shown_lens(state)
        self.setVisible(lens is not None)
        if lens is None:
            return
        if lens is not self._lens:
            self._lens = lens
            self._offer(lens)
        for name, value in values_of(state, lens).items():
            blocker = QSignalBlocker(self.boxes[name])
            self.boxes[name].setValue(value)
            blocker.unblock()

    def _offer(self, lens: Lens) -> None:
        offered = list(LENSES)
        self.chooser.clear()
        self.chooser.addItems([tr(each.title) for each in offered])
        self.chooser.setCurrentIndex(offered.index(lens))
        self.chooser.setToolTip(tr(lens.about))
        for field in self._fields:
            self._row.removeWidget(field)
            field.hide()
            field.deleteLater()
        self.boxes = {}
        self._row.removeWidget(self._reset)
        self._fields = [self._field(parameter) for parameter in lens.parameters]
        for field in (*self._fields, self._reset):
            self._row.addWidget(field)
            field.show()
        self._reset.setVisible(bool(self._fields))

    def _field(self, parameter: Parameter) -> QWidget:
        field = QWidget(self)
        box = NumberBox(field)
        box.setRange(parameter.least, parameter.most)
        box.setSingleStep(parameter.step)
        box.setAccessibleName(tr(parameter.title))
        box.valueChanged.connect(lambda _: self._change())
        box.editingFinished.connect(self.workbench.end_gesture)
        self.boxes[parameter.name] = box
        line = QHBoxLayout(field)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(PlainLabel(tr(parameter.title), field))
        line.addWidget(box)
        return field

    def _change(self) -> None:
        if self._lens is not None:
            values = {name: box.value() for name, box in self.boxes.items()}
            self.workbench.set_lens(self._lens.name, values)

    def _use_defaults(self) -> None:
        if self._lens is not None:
            self.workbench.set_lens(self._lens.name, self._lens.values({}))

    def _choose(self, place: int) -> None:
        """Show another lens wherever this one is shown."""
        bench, lens = self.workbench, self._lens
        if lens is None:
            return
        name = list(LENSES)[place].name
        arrangement, compare = bench.state.arrangement, bench.state.compare
        for position, pane in enumerate(arrangement.panes):
            if lens_of(pane) is lens:
                bench.set_pane(position, replace(pane, lens=name))
        sides = compare.first, compare.second
        first, second = (
            replace(pane, lens=name) if pane.layer is Layer.LENS and lens_of(pane) is lens else pane
            for pane in sides
        )
        if (first, second) != sides:
            bench.set_compare(first=first, second=second)
