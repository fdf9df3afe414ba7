"""The kernels of the no-score zones, editable; the score follows."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.masks.settings import usual_kernels
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.kernel import KernelShape
from forensicviewer.core.rules.mask import OptOutPixels
from forensicviewer.ui.widgets.flow import FlowBox, together
from forensicviewer.ui.widgets.number_box import NumberBox
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainLabel

_WIDTHS = (
    (
        "erode_px",
        to_translate("Erode"),
        to_translate("Width of the kernel that erodes the selected region (--erode)"),
    ),
    (
        "dilate_px",
        to_translate("Dilate"),
        to_translate("Width of the kernel that dilates the selected region (--dilate)"),
    ),
    (
        "distraction_px",
        to_translate("Distraction"),
        to_translate("Width of the kernel that dilates unselected regions (--distraction)"),
    ),
)


_NARROWEST_PX = 70  # three beside each other in a narrow window


class KernelEditor(Panel):
    """Shape and widths; only odd widths and 0 can be set, because a kernel has a centre."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self.shape = QComboBox(self)
        self.shape.addItems([shape.value for shape in KernelShape])
        self.shape.setMinimumWidth(_NARROWEST_PX)
        self.shape.setToolTip(tr("Shape of all three kernels (--kernel)"))
        self.shape.setAccessibleName(tr("Kernel shape"))
        self.shape.activated.connect(self._choose_shape)
        self.widths = {name: self._width(tr(title), tr(tip)) for name, title, tip in _WIDTHS}
        self.opt_out = QCheckBox(tr("Exclude opted-out pixels"), self)
        tip = tr("Pixels of the grey level named in the answer (--opt-out-pixels)")
        self.opt_out.setToolTip(tip)
        self.opt_out.clicked.connect(lambda on: workbench.set_scoring(honours_opt_out=bool(on)))
        self.reset = QPushButton(tr("NIST default"), self)
        self.reset.clicked.connect(self._reset)
        self._lay_out()
        self.listen()

    def _lay_out(self) -> None:
        heading = PlainLabel(tr("No-score kernels"))
        heading.setToolTip(tr("Pixels near the boundary of a region are not scored"))
        above = FlowBox(self)
        above.row.setSpacing(6)
        above.row.addWidget(heading)
        above.row.spring()
        above.row.addWidget(together(self.shape, self.reset))
        widths = QHBoxLayout()
        widths.setSpacing(6)
        for name, title, _ in _WIDTHS:
            widths.addLayout(_titled(tr(title), self.widths[name]), 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(6)
        column.addWidget(above)
        column.addLayout(widths)
        column.addWidget(self.opt_out)

    def _width(self, title: str, tip: str) -> NumberBox:
        box = _OddSpinBox(self)
        box.setRange(0, 201)
        box.setMinimumWidth(_NARROWEST_PX)
        box.setSuffix(" px")
        box.setToolTip(tip)
        box.setAccessibleName(tr("{kernel} kernel width", kernel=title))
        box.setKeyboardTracking(False)
        box.valueChanged.connect(self._send)
        box.editingFinished.connect(self.workbench.end_gesture)
        return box

    def _reset(self) -> None:
        self.workbench.end_gesture()
        self.workbench.set_kernels(usual_kernels(self.workbench.state.rules))

    def _choose_shape(self) -> None:
        self.workbench.end_gesture()
        self._send()

    def _send(self) -> None:
        widths = {name: box.value() for name, box in self.widths.items()}
        shape = list(KernelShape)[self.shape.currentIndex()]
        self.workbench.set_kernels(
            replace(self.workbench.state.scoring.kernels, shape=shape, **widths)
        )

    def follow(self, state: ViewState, change: Change) -> None:
        if change & (Change.LOADED | Change.SCORES | Change.SUBMISSIONS):
            loaded = state.loaded
            system = None if loaded is None else loaded.system(state.side, 0)
            has_value = system is not None and system.opt_out_value(state.side) is not None
            self.opt_out.setVisible(has_value)
        if change & (Change.DATASET | Change.RULES):
            self._show_usual(state)
        if change & (Change.SCORING | Change.RULES):
            # Where the rule set leaves them out, nobody is asked.
            is_ruled = state.rules.chooses(OptOutPixels.LEFT_OUT)
            self.opt_out.setEnabled(not is_ruled)
            self.opt_out.setChecked(is_ruled or state.scoring.honours_opt_out)
        if not change & Change.SCORING:
            return
        kernels = state.scoring.kernels
        blockers = [QSignalBlocker(box) for box in (self.shape, *self.widths.values())]
        self.shape.setCurrentIndex(list(KernelShape).index(kernels.shape))
        for name, box in self.widths.items():
            box.setValue(getattr(kernels, name))
        for blocker in blockers:
            blocker.unblock()

    def _show_usual(self, state: ViewState) -> None:
        """Say what the rule set scores with, and what a splice never does."""
        usual = usual_kernels(state.rules)
        widths = (usual.erode_px, usual.dilate_px, usual.distraction_px)
        numbers = ", ".join(str(width) for width in widths)
        self.reset.setToolTip(
            tr("Back to NIST's kernels: {shape}, {widths}", shape=usual.shape.value, widths=numbers)
        )
        is_splice = state.task is not None and state.task.kind.has_donor
        self.widths["distraction_px"].setEnabled(not is_splice)
        tip = tr("In splices, only the splice is dilated") if is_splice else tr(_WIDTHS[2][2])
        self.widths["distraction_px"].setToolTip(tip)


def _titled(title: str, field: QWidget) -> QVBoxLayout:
    """A field below its title."""
    column = QVBoxLayout()
    column.setSpacing(4)
    label = PlainLabel(title)
    label.setBuddy(field)
    column.addWidget(label)
    column.addWidget(field)
    return column


class _OddSpinBox(NumberBox):
    """Steps from 0 to 1, 3, 5 … and mends an even number that was typed."""

    def stepBy(self, steps: int) -> None:
        places = max(0, (self.value() + 1) // 2 + steps)
        self.setValue(max(0, 2 * places - 1))

    def valueFromText(self, text: str) -> int:
        value = super().valueFromText(text)
        return value + 1 if value > 0 and value % 2 == 0 else value
