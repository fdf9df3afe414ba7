"""The commands for verdicts and reviews."""

from __future__ import annotations

from forensicviewer.app.commands.command import Command, Need
from forensicviewer.core.examination import MarkShape
from forensicviewer.core.verdict import Ruling

REVIEWS = (
    Command(
        "file.new_review",
        "New review…",
        "File",
        (),
        "Assign the trials to judges, in a folder outside the dataset",
        Need.DATASET,
        group=1,
    ),
    Command(
        "file.open_review",
        "Open review…",
        "File",
        (),
        "Work as one of the judges of a review, or decide conflicts as its chair",
        group=1,
    ),
)

VERDICTS = (
    Command(
        "trial.skip",
        "Skip trial",
        "Trial",
        ("Ctrl+Shift+N",),
        "Leave this trial for later and go to the next one; skipped trials come last",
        Need.TRIAL,
        group=1,
    ),
    Command(
        "trial.review",
        "Review: progress and conflicts…",
        "Trial",
        ("Ctrl+Shift+J",),
        "Show the progress of the judges, their agreement and the open conflicts",
        Need.DATASET,
        group=2,
    ),
    Command(
        "trial.sign",
        "Sign verdicts…",
        "Trial",
        (),
        "Create or unlock the key that signs your verdicts, and countersign the other logs",
        Need.DATASET,
        group=2,
    ),
    *(
        Command(
            f"verdict.{ruling.value}",
            ruling.label,
            "Trial/Verdict",
            (f"Ctrl+{n}",),
            "Record your verdict on this trial in your log",
            Need.TRIAL,
        )
        for n, ruling in enumerate(Ruling, start=1)
    ),
    Command(
        "verdict.checklist",
        "Check by operation",
        "Trial/Verdict",
        ("Ctrl+K",),
        "Answer the checklist: Y right, N wrong, U unclear, Enter for the verdict",
        Need.TRIAL,
        group=1,
    ),
    *(
        Command(
            f"mark.{shape.value}",
            title,
            "Trial/Verdict",
            (key,),
            words,
            Need.TRIAL | Need.PANES | Need.PICTURE,
            group=2,
            in_context=True,
        )
        for shape, title, key, words in (
            (MarkShape.PIN, "Mark this place", "A", "Set a pin with a text at the current pixel"),
            (
                MarkShape.RECTANGLE,
                "Mark a rectangle",
                "Shift+A",
                "Start a rectangle at the current pixel; click or press Enter at the "
                "opposite corner",
            ),
            (
                MarkShape.POLYGON,
                "Mark a polygon",
                "Q",
                "Start a polygon: press Q or click to add a corner, Enter to finish, "
                "Backspace to remove a corner",
            ),
        )
    ),
    Command(
        "mark.stretch",
        "Mark frames on the timeline",
        "Trial/Verdict",
        ("V",),
        "Mark the interval between the marks of the timeline, or this frame, with a text",
        Need.TRIAL | Need.VIDEO,
        group=2,
        in_context=True,
    ),
    Command(
        "verdict.retract",
        "Take verdict back",
        "Trial/Verdict",
        ("Ctrl+Backspace",),
        "Retract your verdict; both the verdict and its retraction stay in the log",
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
        "Start a note for the next verdict with the coordinates under the cursor",
        Need.TRIAL | Need.PANES | Need.PICTURE,
        group=1,
        in_context=True,
    ),
)
