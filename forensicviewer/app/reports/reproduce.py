"""The commands that compute the numbers of a report again."""

from __future__ import annotations

import shlex

from forensicviewer.app.judging.measuring import rules_of
from forensicviewer.core.measurement import Measurement
from forensicviewer.core.model import Side
from forensicviewer.core.rules import rule_set


def measure_command(measured: Measurement, dataset: str, submission: str) -> str:
    """The command that prints every number of a trial as it was measured."""
    words = ["forensicviewer", "measure", dataset, submission]
    words += ["--task", measured.task, "--trial", measured.trial]
    if measured.side != Side.PROBE.value:
        words += ["--side", measured.side]
    words += ["--rules", measured.rules]
    own, usual = rules_of(measured), rule_set(measured.rules)
    turned = [choice for choice in own.turned if not usual.chooses(choice)]
    words += [word for choice in turned for word in ("--rule", str(choice))]
    words += ["--kernel", measured.kernel, "--erode", str(measured.erode_px)]
    words += ["--dilate", str(measured.dilate_px), "--distraction", str(measured.distraction_px)]
    for key in measured.operations or ():
        words += ["--operation", *key]
    if measured.operations == ():
        words += ["--no-operations"]
    words += ["--bit-planes"] if measured.bit_planes else []
    words += ["--opt-out-pixels"] if measured.opt_out_pixels else []
    if measured.shown_threshold is not None:
        words += [f"--threshold={measured.shown_threshold}"]
    return shlex.join(words)


def score_command_of(task: str, dataset: str, submission: str) -> str:
    """The command that writes the evaluation's score files."""
    words = ["forensicviewer", "score", "mask", dataset, submission, "--task", task]
    return shlex.join([*words, "--out", "scores"])
