"""The legend: what each colour means, how much of it there is, and a click to hide it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.legend_counts import (
    OUTCOME_NAMES,
    current_counted,
    describe_colors,
    describe_counted,
    is_zone_of_others,
    legend_counts,
    outcome_words,
)
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.palette import NO_SCORE, Outcome
from forensicviewer.ui.score.look_bar import LookBar
from forensicviewer.ui.score.reference_key import ReferenceKey
from forensicviewer.ui.widgets.elided import ElidedLabel
from forensicviewer.ui.widgets.flow import FlowBox
from forensicviewer.ui.widgets.panel import Panel
from forensicviewer.ui.widgets.plain_text import PlainLabel
from forensicviewer.ui.widgets.swatch import outcome_icon

_RECOUNTED_BY = (
    Change.LOADED
    | Change.SCORES
    | Change.THRESHOLD
    | Change.TRIAL
    | Change.LOOK
    | Change.PANES
    | Change.SUBMISSIONS
)


class LegendPanel(Panel):
    """One line per outcome; ticked means shown. Without answers, the colours of the reference."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
        self.outcomes = QWidget(self)
        self.lines = {
            outcome: _Line(outcome, workbench, self.outcomes) for outcome in OUTCOME_NAMES
        }
        self.source = PlainLabel(parent=self.outcomes)
        self.source.setProperty("role", "muted")
        self.source.setWordWrap(True)
        self.reference = ReferenceKey(workbench, self)
        listed = QVBoxLayout(self.outcomes)
        listed.setContentsMargins(0, 0, 0, 0)
        listed.setSpacing(4)
        self.whose = ElidedLabel(parent=self.outcomes)
        self.whose.elide = Qt.TextElideMode.ElideMiddle
        listed.addWidget(self.whose)
        for line in self.lines.values():
            listed.addWidget(line)
        listed.addWidget(self.source)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(4)
        column.addWidget(self.outcomes)
        column.addWidget(self.reference)
        self.look = LookBar(workbench, self)
        column.addWidget(self.look)
        column.addStretch(1)
        self.setAccessibleName(tr("Legend"))
        self._colored: object = None
        self.listen()

    def let_go(self) -> None:
        self.reference.let_go()
        self.look.let_go()
        super().let_go()

    def follow(self, state: ViewState, change: Change) -> None:
        if change & (Change.DATASET | Change.SUBMISSIONS):
            self.outcomes.setVisible(state.submission is not None)
            self.reference.setVisible(state.submission is None)
        if change & (Change.LOOK | Change.DATASET):
            self._follow_look(state)
        if change & _RECOUNTED_BY:
            whose = describe_counted(state, current_counted(state))
            self.whose.setText(whose)
            self.whose.setVisible(bool(whose))
            unit = state.units.areas
            found = {count.outcome: count.format(unit) for count in legend_counts(state)}
            for outcome, line in self.lines.items():
                line.count.setText(found.get(outcome, ""))
                line.setVisible(outcome in found or not is_zone_of_others(state, outcome))

    def _follow_look(self, state: ViewState) -> None:
        colors = state.colors
        self.source.setText(describe_colors(state))
        for outcome, line in self.lines.items():
            if self._colored is not colors:
                line.button.setIcon(outcome_icon(outcome, colors))
            line.name(state)
            line.button.setChecked(outcome not in state.look.hidden)
        self._colored = colors


class _Line(FlowBox):
    def __init__(self, outcome: Outcome, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._outcome = outcome
        self.button = QCheckBox(self)
        self.button.setIconSize(QSize(14, 14))
        self.name(workbench.state)
        self.button.clicked.connect(partial(_toggle, workbench, outcome))
        self.count = PlainLabel(parent=self)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.count.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        is_scored = outcome not in NO_SCORE
        self.count.setToolTip(tr("Of the scored pixels") if is_scored else tr("Of all pixels"))
        # In a narrow panel the count goes below its name: neither can be shortened.
        self.row.setSpacing(6)
        self.row.addWidget(self.button)
        self.row.spring()
        self.row.keeps_right = True
        self.row.addWidget(self.count)

    def name(self, state: ViewState) -> None:
        """Say what the outcome is called in the open dataset."""
        name, meaning = outcome_words(state, self._outcome)
        self.button.setText(f"{self._outcome.short}  {name}")
        self.button.setToolTip(f"{meaning}. {tr('Click to hide or show it')}")
        self.button.setAccessibleName(tr("Show: {name}", name=name))


def _toggle(workbench: Workbench, outcome: Outcome, _checked: object = None) -> None:
    workbench.toggle_outcome(outcome)
