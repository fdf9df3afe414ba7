"""Which submission is looked at, and which one beside it."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from forensicviewer.app.datasets.overview import describe_identity
from forensicviewer.app.language.words import labelled, tr
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.ui.widgets.elided import ElidedBox
from forensicviewer.ui.widgets.plain_text import PlainLabel

_LEAST_LETTERS = 8


class SystemChooser(QWidget):
    """Two boxes with the names of the submissions; the second may be empty."""

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.main = _box(tr("Submission"))
        self.rival = _box(tr("Second submission"))
        self._versus = PlainLabel(tr("and"))
        self._versus.setProperty("role", "muted")
        self.main.activated.connect(self._choose)
        self.rival.activated.connect(self._choose_rival)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.main, 1)
        row.addWidget(self._versus)
        row.addWidget(self.rival, 1)

    def show_state(self, state: ViewState) -> None:
        is_hidden = state.is_veiled(state.trial_id)
        names = [] if is_hidden else [submission.name for submission in state.submissions]
        _fill(self.main, names, state.system)
        _fill(self.rival, [tr("no other"), *names], 0 if state.rival is None else state.rival + 1)
        identity = "" if state.submission is None else describe_identity(state.submission)
        self.main.setToolTip("\n".join(filter(None, (self.main.toolTip(), identity))))
        for widget in (self._versus, self.rival):
            widget.setVisible(len(names) > 1)
        self.setVisible(bool(names))

    def _choose(self, system: int) -> None:
        state = self._workbench.state
        # Whoever looks at the second one wants the first one beside it.
        rival = state.system if system == state.rival else state.rival
        self._workbench.choose_systems(system, rival)

    def _choose_rival(self, place: int) -> None:
        state = self._workbench.state
        rival = place - 1 if place else None
        if rival == state.system and state.rival is not None:
            self._workbench.choose_systems(state.rival, state.system)
        else:
            self._workbench.choose_systems(state.system, rival)
        self.show_state(self._workbench.state)


def _box(name: str) -> QComboBox:
    # Names of one team begin alike; their ends distinguish them.
    box = ElidedBox()
    box.setAccessibleName(name)
    # Names of submissions are long; the list that opens shows them whole.
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(_LEAST_LETTERS)
    box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return box


def _fill(box: QComboBox, names: list[str], chosen: int) -> None:
    if [box.itemText(i) for i in range(box.count())] != names:
        box.clear()
        box.addItems(names)
        longest = max((box.fontMetrics().horizontalAdvance(name) for name in names), default=0)
        box.view().setMinimumWidth(longest + 32)
    box.setCurrentIndex(chosen)
    box.setToolTip(labelled(box.accessibleName(), box.currentText()))
