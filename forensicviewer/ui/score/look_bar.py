"""How outcomes and system masks are drawn: palette, opacity, style."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeVar

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QSlider, QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, OverlayStyle, SystemStyle, ViewState
from forensicviewer.core.palette import PaletteName
from forensicviewer.ui.panes.score_scale import ScaleBar
from forensicviewer.ui.widgets.panel import Panel

ChoiceT = TypeVar("ChoiceT", bound=Enum)


class LookBar(Panel):
    """A few rows of choices; each is one step to undo."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self.palette_box = self._chooser(
            tr("palette"), PaletteName, lambda name, one: workbench.set_look(name, palette=one)
        )
        self.style_box = self._chooser(
            tr("overlay"), OverlayStyle, lambda name, one: workbench.set_look(name, overlay=one)
        )
        self.system_box = self._chooser(
            tr("system mask"), SystemStyle, lambda name, one: workbench.set_look(name, system=one)
        )
        self.scale = ScaleBar(workbench, self)
        self.opacity = QSlider(Qt.Orientation.Horizontal, self)
        self.opacity.setRange(0, 100)
        self.opacity.setAccessibleName(tr("Opacity of the overlay"))
        self.opacity.valueChanged.connect(
            lambda percent: workbench.set_look(tr("opacity"), opacity=percent / 100)
        )
        self.opacity.sliderReleased.connect(workbench.end_gesture)
        self.hatching = QCheckBox(tr("Hatch no-score zones"), self)
        self.hatching.clicked.connect(
            lambda on: workbench.set_look(tr("hatching"), has_hatching=bool(on))
        )
        self.marks = QCheckBox(tr("Reference over the probe"), self)
        self.marks.clicked.connect(
            lambda on: workbench.set_look(tr("reference over the probe"), has_marks=bool(on))
        )
        self._form = form = QFormLayout(self)
        form.setContentsMargins(0, 6, 0, 0)
        form.setVerticalSpacing(6)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        form.addRow(tr("Palette"), self.palette_box)
        form.addRow(tr("Overlay"), self.style_box)
        form.addRow(tr("Opacity"), self.opacity)
        form.addRow(tr("System mask"), self.system_box)
        form.addRow(self.scale)
        form.addRow(self.hatching)
        form.addRow(self.marks)
        self.listen()

    def let_go(self) -> None:
        self.scale.let_go()
        super().let_go()

    def _chooser(
        self, name: str, kind: type[ChoiceT], choose: Callable[[str, ChoiceT], None]
    ) -> QComboBox:
        choices = list(kind)
        box = QComboBox(self)
        box.setAccessibleName(_capitalised(name))
        for choice in choices:
            box.addItem(_capitalised(tr(choice.value)))
        box.activated.connect(lambda place: choose(name, choices[place]))
        return box

    def follow(self, state: ViewState, change: Change) -> None:
        if change & (Change.DATASET | Change.SUBMISSIONS):
            for field in (self.palette_box, self.system_box, self.hatching):
                self._form.setRowVisible(field, state.submission is not None)
        if not change & Change.LOOK:
            return
        look = state.look
        self.palette_box.setCurrentIndex(list(PaletteName).index(look.palette))
        self.style_box.setCurrentIndex(list(OverlayStyle).index(look.overlay))
        self.system_box.setCurrentIndex(list(SystemStyle).index(look.system))
        self.hatching.setChecked(look.has_hatching)
        self.marks.setChecked(look.has_marks)
        blocker = QSignalBlocker(self.opacity)
        self.opacity.setValue(round(100 * look.opacity))
        blocker.unblock()


def _capitalised(text: str) -> str:
    return text[0].upper() + text[1:]
