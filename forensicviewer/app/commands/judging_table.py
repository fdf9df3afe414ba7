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
        "Find every setting that gives a claimed number, the simplest first",
        Need.TRIAL | Need.SUBMISSION,
        Scope.STILLS,
        group=2,
    ),
    Command(
        "trial.evaluation",
        "Back to the evaluation's settings",
        "Trial",
        ("Ctrl+Alt+B",),
        "Restore the evaluation's rule set, kernels, operations and threshold",
        Need.TRIAL | Need.SUBMISSION,
        Scope.PANES,
        group=2,
    ),
    Command(
        "trial.ruling",
        "Effect of a ruling…",
        "Trial",
        ("Ctrl+Alt+U",),
        "Show how leaving out or rescoring trials, or a corrected reference, changes "
        "averages and ranks",
        Need.TRIAL | Need.SUBMISSION | Need.RUN,
        group=2,
    ),
)

CASES = (
    Command(
        "file.open_case",
        "Open handed-over case…",
        "File",
        (),
        "Open a case file, compute its numbers again and list the differences",
        group=1,
    ),
    Command(
        "file.case",
        "Case details…",
        "File",
        (),
        "Show what was checked in the opened case, its verdicts and its custody list",
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
        "Write the trial with its rows, images, masks, numbers and verdicts to one verified file",
        Need.TRIAL | Need.SUBMISSION,
        group=2,
    ),
    Command(
        "file.report",
        "Report…",
        "File",
        ("Ctrl+Alt+O",),
        "Write a trial, dispute, submission, set or all verdicts as PDF or HTML to hand over",
        Need.DATASET,
        group=2,
    ),
)
