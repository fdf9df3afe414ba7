"""Verdicts with undo: what a judge says or takes back can be taken back and said again.

Nothing is ever removed from the log: undo writes a line of its own.
"""

from __future__ import annotations

from functools import partial

from forensicviewer.app.desk import Desk
from forensicviewer.app.history import Deed
from forensicviewer.core.model import TrialId
from forensicviewer.core.verdict import Ruling, Verdict


def say_verdict(desk: Desk, ruling: Ruling, *, note: str = "") -> None:
    """Give the open trial a verdict."""
    trial, before = desk.workbench.state.trial_id, own_verdict(desk)
    if trial is not None:
        desk.say_verdict(ruling, note=note)
        _remember(desk, trial, before)


def retract_verdict(desk: Desk) -> None:
    """Take back the judge's own verdict on the open trial."""
    trial, before = desk.workbench.state.trial_id, own_verdict(desk)
    if trial is not None and before is not None:
        desk.retract_verdict()
        _remember(desk, trial, before)


def own_verdict(desk: Desk) -> Verdict | None:
    """What the judge's own verdict on the open trial is now."""
    standing = desk.standing
    found = () if standing is None else standing.verdicts
    return next((verdict for verdict in found if verdict.judge == desk.judge), None)


def _remember(desk: Desk, trial: TrialId, before: Verdict | None) -> None:
    after = own_verdict(desk)
    if after != before:
        undo, redo = (partial(_make_stand, desk, trial, one) for one in (before, after))
        desk.workbench.record_deed(f"verdict on {trial}", Deed(undo, redo))


def _make_stand(desk: Desk, trial: TrialId, verdict: Verdict | None) -> None:
    """Let a verdict stand again, or none; the trial is shown, for that is what changes."""
    desk.workbench.select_trial(trial)
    if verdict is None:
        desk.retract_verdict()
    else:
        desk.say_verdict(verdict.ruling, note=verdict.note)
