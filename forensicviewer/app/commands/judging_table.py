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
