"""Asks for a threshold nothing else can tell: the evaluation's, or a submission's own."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from forensicviewer.app.language.words import tr
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.snapping import snapped
from forensicviewer.app.workbench.state import Snap, ViewState
from forensicviewer.ui.widgets.plain_text import PlainInputDialog

ASKED = (Snap.ACTUAL, Snap.SUBMISSION)


def snap_or_ask(parent: QWidget, workbench: Workbench, snap: Snap, *, system: int = 0) -> None:
    """Snap to a threshold; one that only the user can know is asked for the first time."""
    if snap in ASKED and snapped(workbench.state, snap, system=system) is None:
        ask_threshold(parent, workbench, snap, system=system)
    else:
        workbench.snap_threshold(snap, system=system)


def ask_threshold(parent: QWidget, workbench: Workbench, snap: Snap, *, system: int = 0) -> None:
    """Ask for the evaluation's or the submission's own threshold, then snap to it."""
    state = workbench.state
    lowest, highest = sorted((state.shown_threshold(0), state.shown_threshold(256)))
    known = snapped(state, snap, system=system)
    dialog = PlainInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    is_actual = snap is Snap.ACTUAL
    dialog.setWindowTitle(tr("Actual threshold") if is_actual else tr("Submission's threshold"))
    dialog.setLabelText(_question(state, snap, system))
    dialog.setInputMode(PlainInputDialog.InputMode.IntInput)
    dialog.setIntRange(lowest, highest)
    dialog.setIntValue(state.shown_threshold(known if known is not None else state.threshold()))
    dialog.intValueSelected.connect(partial(_take, workbench, snap, system))
    dialog.open()


def _question(state: ViewState, snap: Snap, system: int) -> str:
    meaning = (
        tr("Grey levels at or below it are called manipulated. It is saved with the session.")
        if state.speaks_nist
        else tr("Grey levels at or above it are called manipulated. It is saved with the session.")
    )
    if snap is Snap.ACTUAL:
        what = tr("The threshold of the evaluation (--threshold of “score mask”).")
        return f"{what}\n{meaning}"
    submission = state.submission_of(system)
    what = tr(
        "{name}:\nthe threshold the system was made for. Its table does not state it\n(in a "
        "column whose name ends with “Threshold”).",
        name=tr("This submission") if submission is None else submission.name,
    )
    return f"{what}\n{meaning}"


def _take(workbench: Workbench, snap: Snap, system: int, shown: int) -> None:
    threshold = workbench.state.shown_threshold(shown)
    if snap is Snap.ACTUAL:
        workbench.set_actual(threshold)
    else:
        workbench.set_own_threshold(threshold, system=system)
    workbench.snap_threshold(snap, system=system)
