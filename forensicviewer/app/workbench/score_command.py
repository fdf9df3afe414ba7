"""What the window shows of a trial, as the command that computes the same numbers."""

from __future__ import annotations

import shlex

from forensicviewer.app.masks.settings import usual_kernels
from forensicviewer.app.workbench.operation_query import query_for
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.mask import Kernels
from forensicviewer.core.rules import RuleSet

OUT = "scores"


def score_command(state: ViewState) -> str:
    """The command line that scores the submission as the window does; blank without one."""
    dataset, task, submission = state.dataset, state.task, state.submission
    if dataset is None or task is None or submission is None:
        return ""
    words = ["forensicviewer", "score", "mask", str(dataset.root), str(submission.origin)]
    words += ["--task", task.name, "--rules", state.rules.name]
    words += _kernels(state.scoring.kernels, state.rules)
    words += ["--threshold", str(state.shown_threshold(state.thresholds.main))]
    if task.scores_planes(wanted=state.scoring.uses_bit_planes):
        words.append("--bit-planes")
    if state.scoring.honours_opt_out:
        words.append("--opt-out-pixels")
    query = "" if state.loaded is None else _query(state)
    if query:
        words += ["--query-manipulation", query]
    return shlex.join([*words, "--out", OUT])


def _kernels(kernels: Kernels, rules: RuleSet) -> list[str]:
    """Only what differs from what the command line does by itself."""
    usual = usual_kernels(rules)
    words: list[str] = []
    if kernels.shape is not usual.shape:
        words += ["--kernel", kernels.shape.value]
    for option, width, default in (
        ("--erode", kernels.erode_px, usual.erode_px),
        ("--dilate", kernels.dilate_px, usual.dilate_px),
        ("--distraction", kernels.distraction_px, usual.distraction_px),
    ):
        words += [] if width == default else [option, str(width)]
    return words


def _query(state: ViewState) -> str:
    assert state.loaded is not None
    return query_for(state.loaded.trial.operations, state.scoring.selected)
