"""The threshold: a slider, a number, snap points, and the curves and histograms to drag on."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QAction, QWheelEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.explanation import why_unscored
from forensicviewer.app.workbench.legend_counts import Counted, legend_counts
from forensicviewer.app.workbench.snapping import in_effect, is_imdl
from forensicviewer.app.workbench.state import Change, Snap, ViewState
from forensicviewer.core.model import Side
from forensicviewer.core.palette import Outcome
from forensicviewer.ui.panes.threshold_question import ASKED, ask_threshold, snap_or_ask
from forensicviewer.ui.score.curve_plot import CurvePlot
from forensicviewer.ui.widgets.flow import FlowBox
from forensicviewer.ui.widgets.number_box import NumberBox
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.wheel import Notches, WheelFilter

_SNAPS = {
    Snap.OPTIMUM: (
        to_translate("Optimum"),
        to_translate("Use the threshold with the highest MCC of this trial"),
    ),
    Snap.MAXIMUM: (
        to_translate("Maximum"),
        to_translate("The single threshold with the highest mean MCC over all trials"),
    ),
    Snap.ACTUAL: (to_translate("Actual"), to_translate("The threshold of the evaluation")),
    Snap.SUBMISSION: (
        to_translate("Submission"),
        to_translate("The threshold the submission was made for"),
    ),
}
_LACKING = {
    Snap.OPTIMUM: to_translate("this trial has no score"),
    Snap.MAXIMUM: to_translate(
        "known once all trials are scored in the background (turn on in Settings ▸ Trials)"
    ),
    Snap.ACTUAL: to_translate("not set yet; click to set it"),
    Snap.SUBMISSION: to_translate("not in its table; click to set it"),
}
# Four of them fit a narrow window. An arrow would promise that a click opens the menu.
_SNAP_STYLE = "QToolButton { padding: 4px 0px; } QToolButton::menu-indicator { image: none; }"


class ThresholdPanel(Panel):
    """Everything that moves a threshold, for one system or two."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self.side = PlainLabel(tr("Donor side"), self)
        self.main = ThresholdRow(workbench, 0, self)
        self.rival = ThresholdRow(workbench, 1, self)
        self.plot = CurvePlot(workbench, self)
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.side)
        column.addWidget(self.main)
        column.addWidget(self.rival)
        column.addWidget(self.plot, 1)
        self.hint = PlainLabel()
        self.hint.setWordWrap(True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column.addWidget(self.hint, 1)
        self.listen()

    def follow(self, state: ViewState, change: Change) -> None:
        if not change & (
            Change.THRESHOLD | Change.LOADED | Change.SCORES | Change.SUBMISSIONS | Change.TRIAL
        ):
            return
        sweep = None if state.loaded is None else state.loaded.sweep(state.side, 0)
        system = None if state.loaded is None else state.loaded.system(state.side, 0)
        is_clean = system is not None and bool(system.alarms)
        has_plot = is_clean or (sweep is not None and sweep.scored > 0)
        self.side.setVisible(state.side is Side.DONOR)
        self.rival.setVisible(state.rival is not None)
        self.main.show_state(state)
        self.rival.show_state(state)
        self.hint.setVisible(is_clean or not has_plot)
        self.hint.setText("\n".join([why_unscored(state), *_describe_alarms(state)]))
        # Below the curves it takes a line or two, alone all the room.
        self._column.setStretchFactor(self.hint, 0 if has_plot else 1)
        self.plot.setVisible(has_plot)
        self.plot.follow(state, change)


def _describe_alarms(state: ViewState) -> list[str]:
    """How much of an image nobody manipulated is called at the threshold."""
    if state.loaded is None or state.loaded.trial.is_target is not False:
        return []
    counts = legend_counts(state, Counted(state.side, 0))
    unit = state.units.areas
    return [
        tr("False alarms at this threshold: {area}", area=count.format(unit))
        for count in counts
        if count.outcome is Outcome.FALSE_ALARM
    ]


class ThresholdRow(QWidget):
    """Slider, number and snap buttons of one system's threshold, in the dataset's own terms."""

    def __init__(self, workbench: Workbench, system: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._system = system
        who = tr("Threshold") if system == 0 else tr("Second threshold")
        self._title = PlainLabel(who, self)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setAccessibleName(who)
        self.slider.valueChanged.connect(self._send)
        self.slider.sliderReleased.connect(workbench.end_gesture)
        self.number = NumberBox(self)
        self.number.setAccessibleName(who)
        self.number.valueChanged.connect(self._send)
        self.number.editingFinished.connect(workbench.end_gesture)
        self.snaps = {snap: self._snap_button(snap) for snap in Snap}
        self._notches = Notches()
        self._wheel = WheelFilter(self.wheelEvent, (self.slider, self.number))
        self._build()

    def _snap_button(self, snap: Snap) -> QToolButton:
        button = QToolButton(self)
        button.setText(tr(_SNAPS[snap][0]))
        button.setCheckable(True)
        button.setStyleSheet(_SNAP_STYLE)
        button.clicked.connect(partial(self._snap, snap))
        if snap in ASKED:
            again = QAction(tr("Change…"), button)
            again.triggered.connect(
                lambda: ask_threshold(self, self._workbench, snap, system=self._system)
            )
            button.addAction(again)
            button.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        return button

    def _build(self) -> None:
        upper = QHBoxLayout()
        upper.addWidget(self._title)
        upper.addWidget(self.slider, 1)
        upper.addWidget(self.number)
        # In a further line where they have no room: German words are longer, and so is large text.
        lower = FlowBox(self)
        lower.row.setSpacing(2)
        for button in self.snaps.values():
            lower.row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(upper)
        column.addWidget(lower)

    def show_state(self, state: ViewState) -> None:
        lowest, highest = sorted((state.shown_threshold(0), state.shown_threshold(256)))
        shown = state.shown_threshold(state.threshold(self._system))
        blockers = [QSignalBlocker(self.slider), QSignalBlocker(self.number)]
        self.slider.setRange(lowest, highest)
        self.slider.setPageStep(10)
        self.slider.setValue(shown)
        self.number.setRange(lowest, highest)
        self.number.setValue(shown)
        for blocker in blockers:
            blocker.unblock()
        self._explain(state)
        self._show_snaps(state)

    def _explain(self, state: ViewState) -> None:
        tip = (
            tr("Pixels at or below this grey level are called manipulated")
            if state.speaks_nist
            else tr("Pixels at or above this grey level are called manipulated")
        )
        self.number.setPrefix("≤ " if state.speaks_nist else "≥ ")
        if self.slider.toolTip() != tip:
            self.slider.setToolTip(tip)
            self.number.setToolTip(tip)

    def _show_snaps(self, state: ViewState) -> None:
        available = self._workbench.snaps(system=self._system)
        found_now = in_effect(state, system=self._system)
        followed = None if found_now is None else found_now[0]
        has_system = state.submission_of(self._system) is not None
        is_half = is_imdl(state) and state.thresholds.actual is None
        self.snaps[Snap.ACTUAL].setText("0.5" if is_half else tr(_SNAPS[Snap.ACTUAL][0]))
        for snap, button in self.snaps.items():
            found = available.get(snap)
            button.setEnabled(found is not None or (has_system and snap in ASKED))
            button.setChecked(snap is followed)
            tip = _snap_tip(snap, None if found is None else state.shown_threshold(found))
            if button.toolTip() != tip:
                button.setToolTip(tip)

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = self._notches.take(event)
        if steps and self.slider.isEnabled():
            self._workbench.nudge_threshold(steps, system=self._system)
        event.accept()

    def _send(self, shown: int) -> None:
        threshold = self._workbench.state.shown_threshold(shown)
        self._workbench.set_threshold(threshold, system=self._system)

    def _snap(self, snap: Snap) -> None:
        snap_or_ask(self, self._workbench, snap, system=self._system)
        self._show_snaps(self._workbench.state)


def _snap_tip(snap: Snap, shown: int | None) -> str:
    what = tr(_SNAPS[snap][1])
    if shown is None:
        return tr("{threshold}: {why}", threshold=what, why=tr(_LACKING[snap]))
    tip = (
        tr("{threshold}: {level}; right-click to change it", threshold=what, level=shown)
        if snap in ASKED
        else tr("{threshold}: {level}", threshold=what, level=shown)
    )
    return f"{tip}\n{tr('While this is on, the threshold follows it from trial to trial')}"
