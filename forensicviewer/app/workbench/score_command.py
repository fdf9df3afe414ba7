"""What the window shows of a trial, as the command that computes the same numbers."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Sequence

from forensicviewer.app.masks.settings import usual_kernels
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.model import Operation
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
    operations = () if state.loaded is None else state.loaded.trial.operations
    if query := query_for(operations, state.scoring.selected):
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


def query_for(operations: Sequence[Operation], selected: Collection[int] | None) -> str:
    """The shortest ``--query-manipulation`` that selects these of a trial's operations.

    By name where names distinguish them, else by purpose, else by their nodes in the journal. Blank
    when everything is selected, because then no query is needed, and while there are none: a
    session knows the selection before the trial is read.
    """
    if selected is None or not operations:
        return ""
    selected = {number for number in selected if number < len(operations)}
    if len(selected) == len(operations):
        return ""
    if not selected:
        return "Operation==[]"
    for column, key in _COLUMNS:
        values = _telling_apart(operations, selected, key)
        if values is not None:
            return f"{column}=={_listed(values)}"
    return " or ".join(_by_nodes(operations[i]) for i in sorted(selected))


_COLUMNS: tuple[tuple[str, Callable[[Operation], str]], ...] = (
    ("Operation", lambda operation: operation.name),
    ("Purpose", lambda operation: operation.purpose),
)


def _telling_apart(
    operations: Sequence[Operation], selected: Collection[int], key: Callable[[Operation], str]
) -> list[str] | None:
    """The values only selected operations have, if every selected one has such a value."""
    chosen = {key(operations[i]) for i in selected}
    others = {key(found) for i, found in enumerate(operations) if i not in selected}
    if chosen & others or "" in chosen:
        return None
    return sorted(chosen)


def _by_nodes(operation: Operation) -> str:
    parts = (
        ("JournalName", operation.journal),
        ("StartNodeID", operation.start_node),
        ("EndNodeID", operation.end_node),
    )
    return "(" + " and ".join(f"{name}=={_quoted(value)}" for name, value in parts) + ")"


def _listed(values: Sequence[str]) -> str:
    return "[" + ", ".join(_quoted(value) for value in values) + "]"


def _quoted(value: str) -> str:
    """The value as the query language writes texts, escaped only where that cannot be helped."""
    value = value.replace("\\", "\\\\")
    if "'" in value and '"' not in value:
        return f'"{value}"'
    escaped = value.replace("'", "\\'")
    return f"'{escaped}'"
