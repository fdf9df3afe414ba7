"""``forensicviewer open``: the window, on a dataset and submissions or on its start page."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from pathlib import Path

from forensicviewer.cli import console
from forensicviewer.cli.command import DATASET_HELP, ExitCode, Subcommand, add_submissions
from forensicviewer.cli.display import needing_qt, why_no_display
from forensicviewer.core.problem import ForensicViewerError, UsageError


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "dataset",
        type=Path,
        nargs="?",
        metavar="DATASET",
        help=f"{DATASET_HELP}, or a session file or probe",
    )
    add_submissions(parser, help_="submission folders, tables or archives, or further datasets")
    parser.add_argument("--task", metavar="TASK", help="task to show if there are several")
    parser.add_argument("--trial", metavar="ID", help="trial to show first")
    parser.add_argument(
        "--fresh", action="store_true", help="start empty instead of restoring the last session"
    )
    parser.add_argument(
        "--new-window",
        action="store_true",
        help="open a new window even if one is already open",
    )
    parser.add_argument(
        "--smoke", action="store_true", help="close when everything is shown (for tests)"
    )


def _run(options: argparse.Namespace) -> int:
    if options.dataset is None and (options.task or options.trial):
        raise UsageError("--task and --trial need a dataset", hint="name the dataset")
    _require_existing([path for path in (options.dataset, *options.submissions) if path])
    _require_display()
    is_for_open_window = not (options.new_window or options.smoke or options.fresh)
    # Two windows would keep their sessions in one place, each over the other's.
    if is_for_open_window and _hand_over(options):
        done = "Showing" if options.dataset is None else "Opened in"
        console.say(f"{done} the window that is already open (--new-window opens another)")
        return ExitCode.FINE
    return show_window(
        options.dataset,
        tuple(options.submissions),
        task=options.task,
        trial=options.trial,
        is_fresh=options.fresh,
        is_smoke=options.smoke,
    )


def _hand_over(options: argparse.Namespace) -> bool:
    """Hand the files to a window that is already open; whether one accepted them."""
    from forensicviewer.app.session.handover import is_door_there
    from forensicviewer.app.session.open_request import OpenRequest

    if not is_door_there():
        return False
    try:
        from forensicviewer.ui.shell.handover import hand_over
    except ImportError:
        # Opening the window will say what is missing.
        return False
    submissions = tuple(options.submissions)
    return hand_over(
        OpenRequest(
            options.dataset,
            submissions,
            options.task,
            options.trial,
            follows_links=options.follow_links,
        )
    )


def show_window(
    dataset: Path | None,
    submissions: tuple[Path, ...],
    *,
    task: str | None = None,
    trial: str | None = None,
    is_fresh: bool = False,
    is_smoke: bool = False,
) -> int:
    """Open the window; the process ends when it is closed."""
    # Nothing of what is imported and made until the window is there is garbage.
    gc.disable()
    with needing_qt("The window cannot be opened"):
        # Qt and everything drawn with it: only this command needs them.
        from forensicviewer.app.session.open_request import OpenRequest
        from forensicviewer.ui.shell.start import run_window
    request = OpenRequest(dataset, submissions, task, trial)
    code = run_window(request, is_fresh=is_fresh, is_smoke=is_smoke)
    # The session is kept and every worker has ended. What is left are Qt's objects, which Python
    # would take apart in an order Qt does not know; now and then that ends in a crash.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _require_display() -> None:
    if why := why_no_display():
        raise ForensicViewerError(
            why,
            hint="“forensicviewer render” draws a trial to a file without a window; over SSH, "
            "use “ssh -X”; otherwise, start the program as the user who owns the desktop",
            rule="no-display",
        )


def _require_existing(paths: list[Path]) -> None:
    from forensicviewer.sources.tables.packages import package_of

    for path in paths:
        if not package_of(path).exists():
            raise ForensicViewerError("The file or folder does not exist", where=path)


COMMAND = Subcommand("open", "Open the window (default command)", _add_options, _run)
