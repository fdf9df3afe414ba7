"""The commands of disputes: claims, rulings, case files and reports."""

from __future__ import annotations

from forensicviewer.app.commands.command import Command, Need
from forensicviewer.app.workbench.scope import Scope

DISPUTES = (
    Command(
        "trial.claim",
        "Explain a claimed number…",
        "Trial",
        ("Ctrl+Alt+E",),
        "Every setting that gives a claimed number, the simplest first",
        Need.TRIAL | Need.SUBMISSION,
        Scope.STILLS,
        group=2,
    ),
    Command(
        "trial.evaluation",
        "Back to the evaluation's settings",
        "Trial",
        ("Ctrl+Alt+B",),
        "Score with the evaluation's rule set, kernels, operations and threshold again",
        Need.TRIAL | Need.SUBMISSION,
        Scope.PANES,
        group=2,
    ),
    Command(
        "trial.ruling",
        "Effect of a ruling…",
        "Trial",
        ("Ctrl+Alt+U",),
        "What leaving out, scoring again or a corrected reference does to averages and ranks",
        Need.TRIAL | Need.SUBMISSION,
        group=2,
    ),
)

CASES = (
    Command(
        "file.open_case",
        "Open handed-over case…",
        "File",
        (),
        "Open a case file: its numbers are computed again, and what differs is named",
        group=1,
    ),
    Command(
        "file.case",
        "Case details…",
        "File",
        (),
        "What was checked in the case that was opened, its verdicts and its custody list",
        Need.DATASET,
        group=1,
    ),
)

HANDING_OVER = (
    Command(
        "file.export_case",
        "Export case…",
        "File",
        ("Ctrl+Alt+X",),
        "The trial with rows, images, masks, numbers and verdicts as one checked file",
        Need.TRIAL | Need.SUBMISSION,
        group=2,
    ),
    Command(
        "file.report",
        "Report…",
        "File",
        ("Ctrl+Alt+O",),
        "A trial, dispute, submission, set or all verdicts as PDF or page to hand over",
        Need.DATASET,
        group=2,
    ),
)
