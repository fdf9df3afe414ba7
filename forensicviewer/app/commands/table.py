"""The commands themselves, menu by menu."""

from __future__ import annotations

from forensicviewer.app.commands.command import Command, Need
from forensicviewer.app.commands.view_table import COMPARE, GRAPH, THRESHOLD, VIDEO, VIEW
from forensicviewer.app.workbench.scope import Scope
from forensicviewer.core.verdict import Ruling

_SUBMISSION = Need.DATASET | Need.SUBMISSION
_PICTURE = Need.PANES | Need.PICTURE
_SCORED = _PICTURE | Need.SUBMISSION

FILE = (
    Command(
        "file.open_dataset",
        "Open dataset…",
        "File",
        ("Ctrl+O",),
        "Open a folder with an evaluation's index and reference",
        icon="folder",
        on_toolbar=True,
    ),
    Command(
        "file.open_submission",
        "Open submission…",
        "File",
        ("Ctrl+Shift+O",),
        "Open a system's answers: the table of a folder, a bare table or an archive",
        icon="inbox",
        on_toolbar=True,
    ),
    Command(
        "file.open_table",
        "Open table as dataset…",
        "File",
        (),
        "Open a single index or reference table as a dataset",
    ),
    Command(
        "file.open_sample",
        "Open sample",
        "File",
        (),
        "A small real dataset of every kind with a submission",
        icon="sparkle",
    ),
    Command(
        "file.reload", "Reload", "File", ("Ctrl+R", "F5"), "Read everything again", Need.DATASET
    ),
    Command(
        "file.close_submission", "Close submission", "File", ("Ctrl+Shift+W",), "", _SUBMISSION
    ),
    Command(
        "file.close_dataset",
        "Close dataset",
        "File",
        ("Ctrl+W",),
        "Back to the start page",
        Need.DATASET,
    ),
    Command(
        "file.open_session",
        "Open session…",
        "File",
        (),
        "Continue where a saved session stood",
        group=1,
    ),
    Command(
        "file.save_session",
        "Save session…",
        "File",
        ("Ctrl+S",),
        "Keep dataset, submissions, trial, filter, thresholds and view in one file",
        Need.DATASET,
        group=1,
        icon="save",
    ),
    Command(
        "file.export_view",
        "Export view…",
        "File",
        ("Ctrl+E",),
        "Write what the panes show, with the legend, as PNG or SVG",
        Need.TRIAL,
        group=2,
        icon="export",
        on_toolbar=True,
        in_context=True,
    ),
    Command(
        "file.export_full",
        "Export pane at full resolution…",
        "File",
        (),
        "Write the active pane alone, pixel by pixel, with the legend, as PNG",
        _PICTURE,
        group=2,
        in_context=True,
    ),
    Command(
        "file.export_trials",
        "Export trial table…",
        "File",
        ("Ctrl+Shift+E",),
        "Write the listed trials with all columns as CSV or TSV",
        Need.DATASET,
        group=2,
    ),
    Command(
        "file.export_verdicts",
        "Export verdicts…",
        "File",
        (),
        "Every verdict on this dataset: a table, a page with pictures, or your log for a judge",
        Need.DATASET,
        group=2,
    ),
    Command(
        "file.add_verdicts",
        "Add another judge's verdicts…",
        "File",
        (),
        "Take over the log another judge exported; trials you disagree on become contested",
        Need.DATASET,
        group=2,
    ),
    Command(
        "file.validate",
        "Validate submission…",
        "File",
        ("Ctrl+Shift+V",),
        "Check a submission against the rules of its evaluation, finding by finding",
        Need.DATASET,
        group=2,
    ),
    Command(
        "file.documents",
        "Documents…",
        "File",
        (),
        "Read the dataset's README and documents and the systems' descriptions",
        Need.DATASET,
        group=2,
    ),
    Command(
        "file.show_folder",
        "Show in file manager",
        "File",
        (),
        "Open the folder the probe lies in",
        Need.TRIAL,
        group=2,
        in_context=True,
    ),
    Command("file.quit", "Quit", "File", ("Ctrl+Q",), group=3),
)

EDIT = (
    Command(
        "edit.undo",
        "Undo",
        "Edit",
        ("Ctrl+Z",),
        "Take back the last change",
        Need.UNDO,
        icon="undo",
    ),
    Command(
        "edit.redo",
        "Redo",
        "Edit",
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "Make the change again",
        Need.REDO,
        icon="redo",
    ),
    Command(
        "edit.copy_view",
        "Copy view",
        "Edit",
        ("Ctrl+C",),
        "Put a picture of the panes onto the clipboard",
        Need.TRIAL,
        group=1,
        in_context=True,
    ),
    Command(
        "edit.copy_path",
        "Copy path of the probe",
        "Edit",
        ("Ctrl+Shift+C",),
        "",
        Need.TRIAL,
        group=1,
        in_context=True,
    ),
    Command(
        "edit.copy_pixel",
        "Copy pixel",
        "Edit",
        ("Ctrl+Alt+C",),
        "Position, values and outcome under the cursor as text",
        _PICTURE,
        group=1,
        in_context=True,
    ),
    Command(
        "edit.copy_position",
        "Copy coordinates",
        "Edit",
        (),
        "Column and row under the cursor",
        _PICTURE,
        group=1,
        in_context=True,
    ),
    Command(
        "edit.copy_metrics",
        "Copy metrics",
        "Edit",
        (),
        "The metrics at this threshold as a table",
        _SCORED,
        group=1,
    ),
    Command(
        "edit.copy_trials",
        "Copy trial rows",
        "Edit",
        (),
        "The selected rows of the trial list as a table, with the columns in sight",
        Need.DATASET,
        group=1,
    ),
    Command(
        "edit.copy_query",
        "Copy operations as query",
        "Edit",
        (),
        "The --query-manipulation that scores the selected operations",
        _PICTURE,
        group=1,
    ),
    Command(
        "edit.copy_command",
        "Copy as command line",
        "Edit",
        (),
        "The forensicviewer command that computes these numbers without the window",
        _SCORED,
        group=1,
    ),
    Command(
        "edit.filter",
        "Filter trials",
        "Edit",
        ("Ctrl+F",),
        "Go to the filter box",
        Need.DATASET,
        group=2,
    ),
    Command(
        "edit.clear_filter", "Clear filter", "Edit", ("Ctrl+Shift+F",), "", Need.DATASET, group=2
    ),
    Command(
        "edit.save_filter",
        "Save filter…",
        "Edit",
        (),
        "Give the filter a name",
        Need.DATASET,
        group=2,
    ),
    Command(
        "edit.columns",
        "Columns of the list…",
        "Edit",
        (),
        "Choose what the trial list shows of each trial",
        Need.DATASET,
        group=2,
    ),
    Command(
        "edit.select_operations",
        "Select all operations",
        "Edit",
        (),
        "Score every operation again",
        _PICTURE,
        group=3,
    ),
    Command("edit.settings", "Settings…", "Edit", ("Ctrl+,",), group=4, icon="settings"),
    Command(
        "edit.shortcuts", "Keyboard shortcuts…", "Edit", (), "Give commands other keys", group=4
    ),
)

TRIAL = (
    Command(
        "trial.previous",
        "Previous trial",
        "Trial",
        ("P",),
        "The trial above this one in the list",
        Need.DATASET,
        icon="previous",
        on_toolbar=True,
    ),
    Command(
        "trial.next",
        "Next trial",
        "Trial",
        ("N",),
        "The trial below this one in the list",
        Need.DATASET,
        icon="next",
        on_toolbar=True,
    ),
    Command("trial.first", "First trial", "Trial", ("Ctrl+Home",), "", Need.DATASET),
    Command("trial.last", "Last trial", "Trial", ("Ctrl+End",), "", Need.DATASET),
    Command(
        "trial.next_unreviewed",
        "Next unreviewed trial",
        "Trial",
        ("Shift+N",),
        "The next trial without a verdict",
        Need.DATASET,
        group=1,
    ),
    Command(
        "trial.next_worst",
        "Next worst trial",
        "Trial",
        ("W",),
        "The listed trial with the next higher score, beginning with the lowest",
        Need.DATASET,
        group=1,
        icon="worst",
        on_toolbar=True,
    ),
    Command(
        "trial.next_disagreement",
        "Next disagreement",
        "Trial",
        ("D",),
        "The trial whose confidence the two submissions rank most differently, then the next",
        Need.RIVAL,
        Scope.STILLS,
        group=1,
    ),
    Command(
        "trial.go_to",
        "Go to trial…",
        "Trial",
        ("Ctrl+P",),
        "Type a few letters of an id",
        Need.DATASET,
        group=1,
    ),
    Command(
        "trial.donor",
        "Donor side",
        "Trial",
        ("Shift+D",),
        "Go to the donor's pane and numbers, or back to the probe's",
        Need.DONOR | Need.TRIAL,
        Scope.STILLS,
        checkable=True,
        group=2,
    ),
    Command(
        "trial.rules",
        "Other rule sets…",
        "Trial",
        ("Ctrl+Alt+R",),
        "What each rule set gives this trial, and where the rule sets differ",
        Need.TRIAL | Need.SUBMISSION,
        Scope.STILLS,
        group=2,
    ),
    Command(
        "trial.results",
        "Run results…",
        "Trial",
        ("Ctrl+Shift+R",),
        "The averages of the shown submission over all trials, by query and by partition",
        _SUBMISSION,
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
        Need.TRIAL | _PICTURE,
        group=1,
        in_context=True,
    ),
)

HELP = (
    Command(
        "help.palette",
        "Find command…",
        "Help",
        ("Ctrl+Shift+P",),
        "Type a few letters of what you want to do",
        icon="search",
        on_toolbar=True,
    ),
    Command(
        "help.manual",
        "Manual",
        "Help",
        ("F2",),
        "Everything in words and pictures; opens at what you are looking at",
    ),
    Command("help.keys", "Keyboard sheet", "Help", ("F1", "?"), "Every key, searchable"),
    Command(
        "help.whats_this",
        "What am I seeing?",
        "Help",
        ("Shift+F1",),
        "Explain every pane in words, or not any more",
        checkable=True,
    ),
    Command(
        "help.performance", "Performance", "Help", (), "How long things take right now", group=1
    ),
    Command(
        "help.log", "Log", "Help", (), "What was opened and what was wrong, line by line", group=1
    ),
    Command(
        "help.folder", "Show folder of reports", "Help", (), "Crash reports and sessions", group=1
    ),
    Command(
        "help.selftest",
        "Self-test",
        "Help",
        (),
        "Check that this installation decodes, scores and draws as it should",
        group=1,
    ),
    Command(
        "help.about", "About forensicviewer", "Help", (), "Versions, decoders and licences", group=2
    ),
)

COMMANDS: tuple[Command, ...] = (
    *FILE,
    *EDIT,
    *TRIAL,
    *VIEW,
    *THRESHOLD,
    *COMPARE,
    *VIDEO,
    *GRAPH,
    *HELP,
)
MENUS = ("File", "Edit", "View", "Trial", "Threshold", "Compare", "Video", "Graph", "Help")
# What a right click on a trial of the list offers; an empty name is a line between two groups.
TRIAL_MENU = (
    *("edit.copy_trials", "edit.copy_path", "file.show_folder", ""),
    *("verdict.note", "verdict.retract", "trial.rules", ""),
    *("edit.clear_filter", "edit.columns", "file.export_trials"),
)
# Whose commands a right click offers, and in which order: what was clicked first, files last.
CONTEXT_MENUS = ("Edit", "Trial/Verdict", "View", "Video", "Graph", "File")
