"""What is to be read of a trial, and how it is to be scored, as the view is now."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from forensicviewer.app.workbench.state import Layer, Scoring, ViewState
from forensicviewer.core.model import TaskKind, Trial, TrialId

if TYPE_CHECKING:
    from forensicviewer.app.workbench.loaded_trial import TrialRequest


def request_for(state: ViewState, trial_id: TrialId) -> TrialRequest | None:
    """``None`` where the open task has no such trial."""
    from forensicviewer.app.workbench.loaded_trial import TrialRequest

    task = state.task
    trial = None if task is None else task.find_trial(trial_id)
    if task is None or trial is None:
        return None
    # Of the trial asked for, which need not be the current one: a blind review hides by trial.
    asked = replace(state, trial_id=trial_id) if state.unveiled is not None else state
    submissions = tuple(s for s in (asked.submission, asked.rival_submission) if s is not None)
    return TrialRequest.of(
        task,
        trial,
        submissions,
        kernels=state.scoring.kernels,
        selected=_selected(state, trial),
        uses_bit_planes=state.scoring.uses_bit_planes,
        honours_opt_out=state.scoring.honours_opt_out,
        wants_base=any(pane.layer is Layer.BASE for pane in state.arrangement.panes),
        beside=_beside(state, trial),
        rules=state.rules,
    )


def _beside(state: ViewState, trial: Trial) -> tuple[tuple[str, str], ...]:
    """The further images that panes show of a trial: (layer, file)."""
    layers = {pane.layer for pane in (*state.arrangement.panes, *state.shown_panes)}
    place = state.example if trial.id == state.trial_id else 0
    files = examples_of(trial)
    found = {
        Layer.CONTROL: trial.control or "",
        Layer.EXAMPLE: files[place % len(files)] if files else "",
        Layer.DIFFERENCE: trial.facts.get("BaseFileName", "").strip(),
    }
    named = [(layer.value, name) for layer, name in found.items() if layer in layers and name]
    return (*named, *_extras(state))


def _extras(state: ViewState) -> tuple[tuple[str, str], ...]:
    """The further maps of predictions that panes show: (key, name)."""
    if state.task is None or state.task.kind is not TaskKind.IMDL:
        return ()
    panes = (*state.arrangement.panes, *state.shown_panes)
    return tuple(dict.fromkeys((pane.image_key, pane.extra) for pane in panes if pane.extra))


def lacks_images(state: ViewState) -> bool:
    """Whether a pane or a comparison shows a further image that was not read with the trial."""
    loaded = state.loaded
    request = None if state.trial_id is None else request_for(state, state.trial_id)
    return loaded is not None and request is not None and loaded.request.beside != request.beside


def examples_of(trial: Trial) -> tuple[str, ...]:
    """The files known to be of a trial's camera or event; a probe is not an example of itself."""
    files = () if trial.gallery is None else trial.gallery.files
    return tuple(name for name in files if name != trial.probe.name)


def as_shown(state: ViewState, *, scoring: Scoring) -> ViewState:
    """The state without what is still awaited: trial and ``scoring`` are of what is loaded.

    Where other files are wanted by now (a submission was closed), no trial is open.
    """
    settled, loaded = replace(state, is_loading=False), state.loaded
    if loaded is not None:
        shown = replace(settled, trial_id=loaded.trial.id, scoring=scoring)
        if request_for(shown, loaded.trial.id) == loaded.request:
            return shown
    return replace(settled, trial_id=None, loaded=None)


def _selected(state: ViewState, trial: Trial) -> frozenset[int] | None:
    """The selected operations; a selection undone after another trial came means nothing."""
    selected, known = state.scoring.selected, range(len(trial.operations))
    is_open = trial.id == state.trial_id
    return selected if selected is not None and is_open and selected <= {*known} else None
