"""The command line: ``forensicviewer COMMAND …``; without a command, the window opens."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer import __version__
from forensicviewer.app.runtime.offline import is_asked_to_stay_offline, refuse_network
from forensicviewer.cli import (
    console,
    demo,
    genai,
    info,
    plugins,
    render,
    rules,
    sample,
    score,
    selftest,
    trials,
    validate,
)
from forensicviewer.cli import open as open_command
from forensicviewer.cli.benchmarking import duplicates, results_grid
from forensicviewer.cli.command import ExitCode, Subcommand, follow_links
from forensicviewer.cli.judging import case, claim, measure, qa, report, review, ruling
from forensicviewer.core.problem import ForensicViewerError, UsageError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

COMMANDS: tuple[Subcommand, ...] = (
    open_command.COMMAND,
    render.COMMAND,
    info.COMMAND,
    trials.COMMAND,
    score.COMMAND,
    validate.COMMAND,
    qa.COMMAND,
    duplicates.COMMAND,
    results_grid.COMMAND,
    claim.COMMAND,
    measure.COMMAND,
    ruling.COMMAND,
    case.COMMAND,
    report.COMMAND,
    review.COMMAND,
    genai.COMMAND,
    rules.COMMAND,
    plugins.COMMAND,
    sample.COMMAND,
    demo.COMMAND,
    selftest.COMMAND,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code of the process."""
    if getattr(sys, "frozen", False):
        # In a program installed without Python, worker processes begin here and go no further.
        import multiprocessing

        multiprocessing.freeze_support()
        if sys.argv[1:2] == ["decoder-process"]:
            from forensicviewer.decoder_worker import main as decode  # imports every codec

            decode(sys.argv[2:])
            return ExitCode.FINE
    console.prepare_output()
    if is_asked_to_stay_offline():
        refuse_network()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options = _parsed(_with_command(given))
        follow_links(options)
        return int(options.run(options))
    except UsageError as error:
        console.complain(error)
        return ExitCode.WRONG_USAGE
    except ForensicViewerError as error:
        console.complain(error)
        return ExitCode.CANNOT
    except KeyboardInterrupt:
        console.say_error("Stopped")
        return ExitCode.CANNOT
    except BrokenPipeError:
        # The reader of our output went away (``| head``), which is no failure.
        console.abandon_output()
        return ExitCode.FINE
    except OSError as error:
        # No right to read or write, a full disk, a name too long: the machine's no, not a bug.
        console.say_error(f"error: {error.strerror or error}: {error.filename or 'output'}")
        return ExitCode.CANNOT
    except Exception:  # noqa: BLE001 - the last door: a bug is told as a bug, with its own exit code
        console.say_error("This is a bug in forensicviewer; please report the lines below")
        console.say_error(traceback.format_exc())
        return ExitCode.BUG


def open_window() -> int:
    """Open the window from a desktop starter, which knows no commands, only files."""
    return main(["open", *sys.argv[1:]])


def _with_command(given: list[str]) -> list[str]:
    """Insert the command ``open`` if the first argument is missing or a path."""
    if not given:
        return [open_command.COMMAND.name]
    if given[0] == "--selftest":
        return [selftest.COMMAND.name, *given[1:]]
    if given[0].startswith("-"):
        is_own = given[0] in ("-h", "--help", "--version")
        return given if is_own else [open_command.COMMAND.name, *given]
    if any(command.name == given[0] for command in COMMANDS):
        return given
    # A path that does not exist is told as such, not as a command nobody meant.
    if "/" in given[0] or Path(given[0]).exists():
        return [open_command.COMMAND.name, *given]
    raise UsageError(
        f"{given[0]!r} is neither a command nor a file or folder here",
        hint="commands are " + ", ".join(command.name for command in COMMANDS),
    )


def _parsed(given: list[str]) -> argparse.Namespace:
    """The options; submissions may be before or after them, which argparse does not support."""
    options, left = _parser().parse_known_args(given)
    is_path = hasattr(options, "submissions") and not any(word.startswith("-") for word in left)
    if left and not is_path:
        options.parser.error(f"unrecognized arguments: {' '.join(left)}")
    if left:
        options.submissions = [*options.submissions, *map(Path, left)]
    return options


class _Parser(argparse.ArgumentParser):
    """A parser whose messages escape control characters."""

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        super()._print_message(console.printable(message), file)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="forensicviewer",
        usage="%(prog)s DATASET [SUBMISSION ...]\n       %(prog)s COMMAND ...",
        description="Inspect, score and judge media-forensics results",
        epilog="Exit codes: 0 success, 1 finished with problems (validate: rejected), 2 wrong "
        "usage, 3 error, 70 bug",
    )
    parser.add_argument("--version", action="version", version=f"forensicviewer {__version__}")
    # Without its own name, the commands would take the usage above for theirs.
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, prog=parser.prog
    )
    for command in COMMANDS:
        command.add_to(commands)
    return parser
