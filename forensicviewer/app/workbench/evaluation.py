"""Whether the numbers in the window are the evaluation's, and what makes them others."""

from __future__ import annotations

from forensicviewer.app.language.words import tr
from forensicviewer.app.masks.settings import evaluation_settings, usual_kernels
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Snap, ViewState
from forensicviewer.core.rules import MEDISCORE


def differences(state: ViewState) -> tuple[str, ...]:
    """What differs from the evaluation's settings; nothing where no mask is scored by them."""
    task = state.task
    if task is None or state.submission is None or not task.is_nist or not task.kind.has_masks:
        return ()
    usual = evaluation_settings(task)
    found = []
    if state.rules != usual.rules:
        found.append(tr("rule set {value}", value=state.rules.label))
    kernels, own = state.scoring.kernels, usual_kernels(state.rules)
    if kernels.shape is not own.shape:
        found.append(tr("kernel {value}", value=kernels.shape.value))
    if kernels.erode_px != own.erode_px:
        found.append(tr("erosion {value} px", value=kernels.erode_px))
    if kernels.dilate_px != own.dilate_px:
        found.append(tr("dilation {value} px", value=kernels.dilate_px))
    # The rule set's own width is named with it, and splices never widen their other colours.
    if kernels.distraction_px != own.distraction_px and not task.kind.has_donor:
        found.append(tr("distraction {value} px", value=kernels.distraction_px))
    return (*found, *_choices(state, bit_planes=usual.bit_planes))


def _choices(state: ViewState, *, bit_planes: bool) -> tuple[str, ...]:
    assert state.task is not None
    scoring, found = state.scoring, []
    if scoring.selected is not None:
        found.append(tr("some operations only"))
    if state.task.scores_planes(wanted=scoring.uses_bit_planes) != bit_planes:
        found.append(tr("bit planes"))
    if scoring.honours_opt_out:
        found.append(tr("without opted-out pixels"))
    if state.thresholds.snap is None:
        threshold = state.shown_threshold(state.thresholds.main)
        found.append(tr("threshold {value}", value=threshold))
    return tuple(found)


def back_to_evaluation(bench: Workbench) -> None:
    """Score as the evaluation does, at the optimum; undo brings the settings before it back."""
    bench.set_rules(MEDISCORE)
    bench.set_kernels(usual_kernels(MEDISCORE))
    bench.set_selected_operations(None)
    bench.set_scoring(uses_bit_planes=False, honours_opt_out=False)
    bench.snap_threshold(Snap.OPTIMUM)
