"""The commands for verdicts and reviews."""

from __future__ import annotations

from forensicviewer.app.commands.command import Command, Need
from forensicviewer.core.verdict import Ruling

REVIEWS = (
    Command(
        "file.new_review",
        "New review…",
        "File",
        (),
        "Deal the trials out to judges, in a folder outside the dataset",
        Need.DATASET,
        group=1,
    ),
    Command(
        "file.open_review",
        "Open review…",
        "File",
        (),
        "Judge as one of the judges of a review, or decide as its chair",
        group=1,
    ),
)

VERDICTS = (
    Command(
        "trial.skip",
        "Skip trial",
        "Trial",
        ("Ctrl+Shift+N",),
        "Leave this trial for later and go to the next; skipped ones come last",
        Need.TRIAL,
        group=1,
    ),
    Command(
        "trial.review",
        "Review: progress and conflicts…",
        "Trial",
        ("Ctrl+Shift+J",),
        "How far the judges are, how far they agree, and what is to be decided",
        Need.DATASET,
        group=2,
    ),
    *(
        Command(
            f"verdict.{ruling.value}",
            ruling.label,
            "Trial/Verdict",
            (f"Ctrl+{n}",),
            "Your finding about this trial, kept in your log of verdicts",
            Need.TRIAL,
        )
        for n, ruling in enumerate(Ruling, start=1)
    ),
    Command(
        "verdict.retract",
        "Take verdict back",
        "Trial/Verdict",
        ("Ctrl+Backspace",),
        "The verdict stays in the log, and so does taking it back",
        Need.TRIAL,
        group=1,
    ),
    Command(
        "verdict.note", "Write note", "Trial/Verdict", ("Ctrl+Return",), needs=Need.TRIAL, group=1
    ),
    Command(
        "verdict.note_pixel",
        "Write note about this place",
        "Trial/Verdict",
        ("Ctrl+Shift+Return",),
        "A note for the next verdict that begins with the coordinates under the cursor",
        Need.TRIAL | Need.PANES | Need.PICTURE,
        group=1,
        in_context=True,
    ),
)
