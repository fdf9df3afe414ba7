"""Asks for a threshold nothing else can tell: the evaluation's, or a submission's own."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog, QWidget

from forensicviewer.app.snapping import snapped
from forensicviewer.app.state import Snap, ViewState
from forensicviewer.app.workbench import Workbench

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
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle("Actual threshold" if snap is Snap.ACTUAL else "Submission's threshold")
    dialog.setLabelText(_question(state, snap, system))
    dialog.setInputMode(QInputDialog.InputMode.IntInput)
    dialog.setIntRange(lowest, highest)
    dialog.setIntValue(state.shown_threshold(known if known is not None else state.threshold()))
    dialog.intValueSelected.connect(partial(_take, workbench, snap, system))
    dialog.open()


def _question(state: ViewState, snap: Snap, system: int) -> str:
    rule = "up to" if state.speaks_nist else "from"
    meaning = f"Grey levels {rule} it are called manipulated."
    if snap is Snap.ACTUAL:
        return (
            "The threshold the evaluation is run with (--threshold of “score mask”).\n"
            f"{meaning} It is kept with the session."
        )
    submission = state.submission if system == 0 else state.rival_submission
    name = "This submission" if submission is None else submission.name
    return (
        f"{name}:\nthe threshold the system was made for. Its table does not say it\n"
        f"(a column whose name ends with “Threshold” would).\n"
        f"{meaning} It is kept with the session."
    )


def _take(workbench: Workbench, snap: Snap, system: int, shown: int) -> None:
    threshold = workbench.state.shown_threshold(shown)
    if snap is Snap.ACTUAL:
        workbench.set_actual(threshold)
    else:
        workbench.set_own_threshold(threshold, system=system)
    workbench.snap_threshold(snap, system=system)
