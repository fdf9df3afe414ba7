"""The thresholds there are to snap to: of the trial, of the run and of the submission.

*Optimum* is the best of one trial, *maximum* the best single one for all trials, *actual* the one
the evaluation is run with (``--threshold`` of the command line), and the *submission's* the one
it was made for: a column of its table says it trial by trial, or the user says it once.

A trial without a score, as one that is not manipulated, has no optimum. What follows the optimum
is there at the run's maximum, else at the actual or the submission's threshold: never where the
trial before it left the threshold.
"""

from __future__ import annotations

from dataclasses import replace

from forensicviewer.app.workbench.state import NamedThreshold, Snap, Thresholds, ViewState
from forensicviewer.core.model import Side, Submission, TaskKind, TrialId

HALF = 128  # the level that calls what is above 0.5
_COLUMN = "threshold"
_INSTEAD = (Snap.MAXIMUM, Snap.ACTUAL, Snap.SUBMISSION)


def threshold_on(state: ViewState, side: Side, *, system: int = 0) -> int:
    """The threshold a side is shown at: snapped to an optimum, each side is at its own."""
    followed = None if side is state.side else in_effect(state, system=system, side=side)
    return state.threshold(system) if followed is None else followed[1]


def in_effect(
    state: ViewState, *, system: int = 0, side: Side | None = None
) -> tuple[Snap, int] | None:
    """What a threshold follows in the current trial, and where that is; ``None`` for nothing."""
    thresholds = state.thresholds
    snap = thresholds.snap if system == 0 else thresholds.rival_snap
    if snap is None:
        return None
    tried = (snap, *(_INSTEAD if _has_no_optimum(state) else ()))
    found = ((each, snapped(state, each, system=system, side=side)) for each in tried)
    return next(((each, at) for each, at in found if at is not None), None)


def _has_no_optimum(state: ViewState) -> bool:
    """Whether the trial may be without one; a video may have one in other frames."""
    loaded = state.loaded
    is_video = state.task is not None and state.task.kind is TaskKind.VIDEO
    return loaded is not None and (loaded.trial.is_target is False or not is_video)


def snapped(state: ViewState, snap: Snap, *, system: int, side: Side | None = None) -> int | None:
    """The threshold a snap means on a side, the current one unless named.

    ``None`` where nothing says it.
    """
    import numpy as np

    from forensicviewer.core.imdl.run_scores import f1_curve

    side = side or state.side
    submission = state.submission_of(system)
    if submission is None:
        return None
    match snap:
        case Snap.OPTIMUM:
            sweep = None if state.loaded is None else state.loaded.sweep(side, system)
            if sweep is not None and is_imdl(state):
                return int(np.argmax(f1_curve(sweep.counts))) if sweep.positives else None
            return None if sweep is None else sweep.optimum
        case Snap.MAXIMUM:
            return _named(maximum_key(submission, side), state.thresholds.maxima)
        case Snap.ACTUAL:
            given = state.thresholds.actual
            return HALF if given is None and is_imdl(state) else given
        case Snap.SUBMISSION:
            named = _named(submission.name, state.thresholds.own)
            return declared(submission, state, side) if named is None else named


def is_imdl(state: ViewState) -> bool:
    """Whether images and masks are scored, at 0.5 unless said otherwise."""
    return state.task is not None and state.task.kind is TaskKind.IMDL


def available(state: ViewState, *, system: int) -> dict[Snap, int]:
    """The thresholds that can be snapped to now."""
    found = {snap: snapped(state, snap, system=system) for snap in Snap}
    return {snap: threshold for snap, threshold in found.items() if threshold is not None}


def next_snap(state: ViewState) -> Snap | None:
    """What comes after what the threshold follows now; ``None`` where there is nothing."""
    snaps, now = tuple(available(state, system=0)), state.thresholds.snap
    following = snaps.index(now) + 1 if now in snaps else 0
    return snaps[following % len(snaps)] if snaps else None


def followed(state: ViewState) -> Thresholds:
    """The thresholds, moved to where what they are snapped to is in the current trial."""
    return replace(state.thresholds, main=_moved(state, system=0), rival=_moved(state, system=1))


def at_followed(state: ViewState) -> ViewState:
    """The state with the thresholds that follow it."""
    return replace(state, thresholds=followed(state))


def _moved(state: ViewState, *, system: int) -> int:
    thresholds = state.thresholds
    found = in_effect(state, system=system)
    if found is not None:
        return found[1]
    snap = thresholds.snap if system == 0 else thresholds.rival_snap
    has_system = state.submission_of(system) is not None
    if snap is Snap.OPTIMUM and has_system and _has_no_optimum(state):
        return Thresholds().main
    return state.threshold(system)


def maximum_key(submission: Submission, side: Side) -> str:
    """What a maximum is kept under: two folders may hold submissions of one name."""
    return f"{submission.origin} {side.word}"


def with_threshold(
    known: tuple[NamedThreshold, ...], name: str, threshold: int | None
) -> tuple[NamedThreshold, ...]:
    """The list with another threshold under a name, or with ``None`` without one."""
    others = tuple(entry for entry in known if entry.name != name)
    return others if threshold is None else (*others, NamedThreshold(name, threshold))


def _named(name: str, known: tuple[NamedThreshold, ...]) -> int | None:
    return next((entry.threshold for entry in known if entry.name == name), None)


def declared(submission: Submission, state: ViewState, side: Side) -> int | None:
    """What the submission's own table says for the open trial."""
    from forensicviewer.core.table.number_cell import number_in

    column = _column(submission, side)
    if column is None or state.trial_id is None:
        return None
    text = _cell(submission, state.trial_id, column)
    number = number_in(text)
    if number is None:
        return None
    return _as_score(number, state, is_share=not text.isdigit())


def _column(submission: Submission, side: Side) -> str | None:
    """The column that says thresholds, for a donor its own where there is one."""
    named = [name for name in submission.table.names if name.casefold().endswith(_COLUMN)]
    of_donor = [name for name in named if Side.DONOR.word in name.casefold()]
    others = [name for name in named if name not in of_donor]
    return next(iter([*of_donor, *others] if side is Side.DONOR else others), None)


def _cell(submission: Submission, trial_id: TrialId, column: str) -> str:
    answer = submission.answers.get(trial_id)
    return "" if answer is None else answer.facts.get(column, "").strip()


def _as_score(number: float, state: ViewState, *, is_share: bool) -> int | None:
    """A threshold as tables write it (0.5 of 1, or 127 of 255) on the scale of scores."""
    if is_share and 0 <= number <= 1:
        number *= 255
    if not -1 <= number <= 256:
        return None
    return min(256, max(0, state.shown_threshold(round(number))))
