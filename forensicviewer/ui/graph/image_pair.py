"""Two images of a graph in the panes of the workbench: side by side, or compared in one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QButtonGroup, QSlider, QToolButton, QVBoxLayout, QWidget

from forensicviewer.app.graph.pair import FIRST, MASK, SECOND, PairBench
from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.runtime.jobs import Jobs
from forensicviewer.app.workbench.loaded_trial import LoadedSide, LoadedTrial
from forensicviewer.app.workbench.state import Change, CompareMode, OverlayStyle, ViewState
from forensicviewer.ui.panes.grid import PaneGrid
from forensicviewer.ui.panes.inspector import InspectorStrip
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.flow import FlowRow, together
from forensicviewer.ui.widgets.page import MenuChoices

_MODES = {
    CompareMode.OFF: (
        to_translate("Side by side"),
        to_translate("Both images, moving together"),
    ),
    CompareMode.BLINK: (
        to_translate("Blink"),
        to_translate("Show the two images in turn; hold the key to blink temporarily"),
    ),
    CompareMode.SWIPE: (
        to_translate("Swipe"),
        to_translate(
            "Show one image on the left and one on the right of an edge that follows the mouse"
        ),
    ),
    CompareMode.LENS: (
        to_translate("Reveal lens"),
        to_translate("Show the second image in a circle around the mouse"),
    ),
    CompareMode.FADE: (to_translate("Fade"), to_translate("Mix both images")),
}
_KEYS = {
    CompareMode.BLINK: "B",
    CompareMode.SWIPE: "S",
    CompareMode.LENS: "M",
    CompareMode.FADE: "X",
}
_STEPS = 100


class ImagePair(QWidget):
    """The panes, and the bar that says how they compare."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.bench = PairBench(jobs)
        self.scale_changed: Callable[[], None] = _nobody_listens
        layers = (FIRST.layer, SECOND.layer, MASK.layer)
        self.panes = PaneGrid(self.bench, self, layers=layers)
        self.inspector = InspectorStrip(self.bench, self)
        self.buttons: dict[CompareMode, QToolButton] = {}
        self.note = ElidedLabel(parent=self)
        self.note.setObjectName("muted")
        self.amount = QSlider(Qt.Orientation.Horizontal, self)
        self.marks, self.contour, self.scaled = (
            toggle_button(
                tr("Mask"),
                tr("Show where the operation was applied, if the journal or reference records it"),
            ),
            toggle_button(tr("Contour"), tr("Only the boundary of the changed region (C)")),
            toggle_button(
                tr("Same size"),
                tr("Enlarge the smaller image; otherwise pixels are aligned one to one"),
            ),
        )
        self._build()
        self._stop_listening = self.bench.subscribe(self._follow)
        self._follow(self.bench.state, ~Change(0))

    def _build(self) -> None:
        row = FlowRow()
        row.setSpacing(2)
        group = QButtonGroup(self)
        for mode, (words, tip) in _MODES.items():
            tooltip = f"{tr(tip)} ({_KEYS[mode]})" if mode in _KEYS else tr(tip)
            button = toggle_button(tr(words), tooltip)
            button.clicked.connect(partial(self.compare_by, mode))
            group.addButton(button)
            row.addWidget(button)
            self.buttons[mode] = button
        self.amount.setRange(0, _STEPS)
        self.amount.setMaximumWidth(160)
        self.amount.setAccessibleName(tr("Share of the second image"))
        self.amount.valueChanged.connect(lambda n: self.bench.move_comparison(n / _STEPS))
        row.addWidget(self.amount)
        row.spring()
        self.marks.clicked.connect(self.toggle_mask)
        self.contour.clicked.connect(self.toggle_contour)
        self.scaled.setChecked(True)
        self.scaled.clicked.connect(lambda: self.scale_changed())
        row.addWidget(together(self.marks, self.contour, self.scaled))
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.note)
        column.addWidget(self.panes, 1)
        column.addWidget(self.inspector)

    # What can be done

    def show_pair(self, loaded: LoadedTrial | None) -> None:
        """Show two images, one alone, or nothing."""
        self.bench.show_pair(loaded)

    def compare_by(self, mode: CompareMode, _checked: bool = False) -> None:  # noqa: FBT001, FBT002 - Qt calls it so
        """Compare in one way; the same way again shows both side by side."""
        is_on = self.bench.state.compare.mode is mode
        self.bench.compare_by(CompareMode.OFF if is_on else mode)

    def toggle_mask(self) -> None:
        self.bench.set_look("mask", has_marks=not self.bench.state.look.has_marks)

    def toggle_contour(self) -> None:
        is_fill = self.bench.state.look.overlay is OverlayStyle.FILL
        style = OverlayStyle.CONTOUR if is_fill else OverlayStyle.FILL
        self.bench.set_look("contours", overlay=style)

    def maximise(self) -> None:
        """Show the active image alone, or both again."""
        arrangement = self.bench.state.arrangement
        alone = arrangement.active if arrangement.maximised is None else None
        self.bench.maximise_pane(alone)

    def copy_pixel(self) -> None:
        self.inspector.copy()

    def choices(self) -> MenuChoices:
        """What a right click on one of the images offers."""
        found: MenuChoices = [
            (tr("Fit image"), self.panes.fit),
            (tr("Maximise image"), self.maximise),
        ]
        if self.bench.state.cursor is not None:
            found += [
                (tr("Copy pixel"), self.copy_pixel),
                (tr("Copy coordinates"), self.inspector.copy_position),
            ]
        return found

    def let_go(self) -> None:
        self._stop_listening()
        self.panes.let_go()
        self.inspector.let_go()

    # Following

    def _follow(self, state: ViewState, change: Change) -> None:
        if change & (Change.COMPARE | Change.LOOK | Change.LOADED):
            self._show_bar(state)

    def _show_bar(self, state: ViewState) -> None:
        compare, side = state.compare, None if state.loaded is None else state.loaded.probe
        self.buttons[compare.mode].setChecked(True)
        self.amount.setVisible(compare.mode in (CompareMode.SWIPE, CompareMode.FADE))
        with QSignalBlocker(self.amount):
            self.amount.setValue(round(compare.amount * _STEPS))
        reference = None if side is None else side.reference
        self.marks.setEnabled(reference is not None)
        self.marks.setChecked(reference is not None and state.look.has_marks)
        self.contour.setEnabled(self.marks.isChecked())
        self.contour.setChecked(state.look.overlay is OverlayStyle.CONTOUR)
        self.note.setText("" if side is None else side.reference_reason or _operations(side))
        self.note.setVisible(bool(self.note.text()))


def _operations(side: LoadedSide) -> str:
    return "" if side.reference is None else ", ".join(op.name for op in side.reference.operations)


def toggle_button(words: str, tip: str) -> QToolButton:
    """A button with words that stays pressed."""
    button = QToolButton()
    button.setText(words)
    button.setToolTip(tip)
    button.setCheckable(True)
    return button


def _nobody_listens() -> None:
    """Until somebody does."""
