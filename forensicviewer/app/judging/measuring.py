"""Takes the numbers on screen with all they depend on, and computes them again from that.

Both ways lead through the question of the mask scorer (``app/masks``) and the reader of the
window, so that a recorded number comes out again or something it depends on has changed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from forensicviewer import __version__
from forensicviewer.app.plugins.metrics import METRICS, metric_number
from forensicviewer.app.workbench.loaded_trial import LoadedSide, LoadedTrial
from forensicviewer.app.workbench.metric_values import ruled_scores
from forensicviewer.app.workbench.read_ahead import load_trial
from forensicviewer.app.workbench.request import request_for
from forensicviewer.app.workbench.snapping import threshold_on
from forensicviewer.app.workbench.state import Scoring, Thresholds, ViewState
from forensicviewer.core.kernel import Kernels, KernelShape
from forensicviewer.core.measurement import (
    DONOR,
    PROBE,
    REFERENCE,
    SYSTEM_MASK,
    MeasuredFile,
    Measurement,
    differences,
)
from forensicviewer.core.model import Side, Submission, Task, Trial, TrialId
from forensicviewer.core.problem import ForensicViewerError, UsageError
from forensicviewer.core.rules import RuleSet, rule_set
from forensicviewer.core.rules.mask import SWITCHES
from forensicviewer.sources.files.paths import resolve, resolve_inside
from forensicviewer.sources.media.images import digest

# A digest of more would keep a verdict waiting for minutes.
_MOST_BYTES = 1 << 30


def measure(state: ViewState, *, system: int = 0) -> Measurement | None:
    """The numbers of the trial on screen, of the submission (0) or its rival (1).

    Files are named without digests, which ``with_digests`` takes in the background. ``None`` while
    the trial is not read yet, or without such a system (the first may be missing).
    """
    task, loaded = state.task, state.loaded
    if task is None or loaded is None or not state.is_current:
        return None
    submission = state.submission_of(system)
    if submission is None and system:
        return None
    threshold = threshold_on(state, state.side, system=system)
    request = loaded.request
    chosen = request.selected_steps
    return Measurement(
        task=task.name,
        trial=str(loaded.trial.id),
        side=state.side.value,
        submission="" if submission is None else submission.name,
        rules=request.rules.name,
        choices=request.rules.choices(SWITCHES),
        kernel=request.kernels.shape.value,
        erode_px=request.kernels.erode_px,
        dilate_px=request.kernels.dilate_px,
        distraction_px=request.kernels.distraction_px,
        operations=None if chosen is None else tuple(sorted(chosen)),
        bit_planes=request.uses_bit_planes,
        opt_out_pixels=request.honours_opt_out,
        threshold=threshold,
        shown_threshold=state.shown_threshold(threshold),
        actual=state.thresholds.actual,
        frame=None if state.moment is None else state.moment.frame,
        stretch=None if state.moment is None else state.moment.stretch,
        metrics=_metrics(state, system, threshold),
        unscored=_why_unscored(loaded, state.side, system),
        files=_files(loaded, state.side, system),
        program=f"forensicviewer {__version__}",
    )


def measure_unseen(state: ViewState, trial_id: TrialId) -> Measurement | None:
    """The numbers of a trial that is not on screen, as the window would show it; reads its files.

    A threshold that follows the trial cannot be known before it is read: the one in use counts.
    """
    request = request_for(state, trial_id)
    if request is None:
        return None
    chosen = replace(state.scoring, selected=None)
    loaded = load_trial(request)
    thresholds = replace(state.thresholds, snap=None, rival_snap=None)
    return measure(
        replace(
            state,
            trial_id=trial_id,
            loaded=loaded,
            scoring=chosen,
            thresholds=thresholds,
            moment=None,
        )
    )


def with_digests(measured: Measurement, task: Task, submission: Submission | None) -> Measurement:
    """The same with the SHA-256 of each file as it is now; reads all of them."""
    files = tuple(
        replace(file, sha256=_digest(_path_of(file, task, submission))) for file in measured.files
    )
    return replace(measured, files=files)


def measured_in(state: ViewState, recorded: Measurement) -> Measurement:
    """What comes out in a state that ``state_of`` made of a recorded measurement.

    The settings are the recorded ones; numbers, digests and the program's version are those of
    now. Videos are not read frame by frame: only their files are compared.
    """
    again, task = measure(state), state.task
    assert task is not None
    assert again is not None, "the state holds the trial it was made with"
    taken = with_digests(again, task, state.submission)
    return replace(taken, frame=recorded.frame, stretch=recorded.stretch, actual=recorded.actual)


def state_of(recorded: Measurement, task: Task, submission: Submission | None) -> ViewState:
    """A state that shows a trial exactly as it was measured; reads its files."""
    trial = task.find_trial(TrialId(recorded.trial))
    if trial is None:
        raise ForensicViewerError(
            f"The task {task.name} does not contain the trial {recorded.trial}",
            hint="open the dataset of the verdict",
            rule="measurement.trial",
        )
    scoring = Scoring(
        kernels=Kernels(
            KernelShape.named(recorded.kernel),
            recorded.erode_px,
            recorded.dilate_px,
            recorded.distraction_px,
        ),
        selected=_selected(recorded, trial),
        uses_bit_planes=recorded.bit_planes,
        honours_opt_out=recorded.opt_out_pixels,
    )
    threshold = 128 if recorded.threshold is None else recorded.threshold
    state = ViewState(
        task=task,
        submissions=() if submission is None else (submission,),
        trial_id=trial.id,
        side=Side(recorded.side),
        thresholds=Thresholds(threshold, snap=None, rival_snap=None, actual=recorded.actual),
        scoring=scoring,
        rules=rules_of(recorded),
    )
    request = request_for(state, trial.id)
    assert request is not None, "the task has the trial"
    return replace(state, loaded=load_trial(request))


def _selected(recorded: Measurement, trial: Trial) -> frozenset[int] | None:
    """Where the recorded operations stand in the journal as it is now."""
    if recorded.operations is None:
        return None
    places: dict[tuple[str, ...], int] = {
        operation.key: number for number, operation in enumerate(trial.operations)
    }
    for key in recorded.operations:
        if key not in places:
            raise ForensicViewerError(
                f"The journal of {recorded.trial} has no operation {' '.join(key)}",
                hint="the journal has changed since the verdict was given",
                rule="measurement.operation",
            )
    return frozenset(places[key] for key in recorded.operations)


@dataclass(frozen=True, slots=True, eq=False)
class Recomputed:
    """Whether a recorded number came out again, in words; with the state that shows it."""

    words: str
    is_same: bool = False
    state: ViewState | None = None


NOT_CHECKED = "Recorded, not checked"


def check(
    recorded: Measurement, task: Task | None, submissions: Iterable[Submission]
) -> Recomputed:
    """Compute a recorded measurement again, and name what came out otherwise."""
    if task is None:
        return Recomputed(f"{NOT_CHECKED}: the dataset does not contain the task {recorded.task}")
    named = [one for one in submissions if one.name == recorded.submission]
    if recorded.submission and not named:
        return Recomputed(f"{NOT_CHECKED}: the submission {recorded.submission} is not open")
    try:
        state = state_of(recorded, task, named[0] if named else None)
    except ForensicViewerError as error:
        return Recomputed(f"{NOT_CHECKED}: {error}")
    found = differences(recorded, measured_in(state, recorded))
    if found:
        return Recomputed("Differs from the recorded numbers: " + "; ".join(found), state=state)
    if recorded.frame is not None:
        return Recomputed(
            f"{NOT_CHECKED}: the files are identical; the number belongs to a single frame",
            state=state,
        )
    words = "Recomputed: the same numbers" if recorded.metrics else "The files are identical"
    return Recomputed(words, is_same=True, state=state)


def rules_of(recorded: Measurement) -> RuleSet:
    """The rule set a measurement was taken by, with every switch that was turned."""
    rules = rule_set(recorded.rules)
    by_key = {switch.key: switch for switch in SWITCHES}
    for key, value in recorded.choices.items():
        known = () if key not in by_key else tuple(by_key[key])
        choice = next((one for one in known if one.value == value), None)
        if choice is None:
            raise UsageError(f"This version does not know the rule {key}={value}")
        rules = rules if rules.chooses(choice) else rules.with_choice(choice)
    return rules


def _metrics(state: ViewState, system: int, threshold: int) -> Mapping[str, float]:
    sweep = None if state.loaded is None else state.loaded.sweep(state.side, system)
    if sweep is None:
        return {}
    ruled = ruled_scores(state, state.side, system, threshold)
    found = {
        note.name: float(ruled[note.name])
        if note.name in ruled
        else metric_number(note, sweep, threshold)
        for note in METRICS
    }
    return {name: number for name, number in found.items() if math.isfinite(number)}


def _why_unscored(loaded: LoadedTrial, side: Side, system: int) -> str:
    found = loaded.system(side, system)
    return "" if found is None or found.sweep is not None else found.reason


def _files(loaded: LoadedTrial, side: Side, system: int) -> tuple[MeasuredFile, ...]:
    """What the numbers rest on, by the names of the tables: relative to the roots."""
    shown, trial = loaded.on(side), loaded.trial
    media = trial.donor if side is Side.DONOR else trial.probe
    role = DONOR if side is Side.DONOR else PROBE
    named = [(role, None if media is None else media.name)]
    named.append((REFERENCE, _reference_of(loaded, shown)))
    answered = loaded.system(side, system)
    if answered is not None and answered.answer is not None:
        answer = answered.answer
        named.append((SYSTEM_MASK, answer.donor_mask if side is Side.DONOR else answer.mask))
    return tuple(MeasuredFile(role, name) for role, name in named if name)


def _reference_of(loaded: LoadedTrial, shown: LoadedSide) -> str | None:
    job, root = shown.question.job, Path(loaded.request.task.root)
    path: Path | None = getattr(job, "reference", None)
    if path is not None:
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    trial = loaded.trial
    return (
        trial.donor_reference if shown.side is Side.DONOR else trial.reference or trial.bit_planes
    )


def _path_of(file: MeasuredFile, task: Task, submission: Submission | None) -> Path | None:
    try:
        if file.role != SYSTEM_MASK:
            return resolve(Path(task.root), file.name)
        return None if submission is None else resolve_inside(Path(submission.root), file.name)
    except ForensicViewerError:
        return None


def _digest(path: Path | None) -> str:
    try:
        return "" if path is None or path.stat().st_size > _MOST_BYTES else digest(path)
    except (ForensicViewerError, OSError):
        return ""
