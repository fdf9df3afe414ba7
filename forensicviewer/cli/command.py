"""What a subcommand is: a name, a help text, its options and what it runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from forensicviewer.core.problem import Problem, Severity

DATASET_HELP = "dataset folder, or an index or reference table"


class ExitCode(IntEnum):
    """What the process returns."""

    FINE = 0
    PROBLEMS = 1
    WRONG_USAGE = 2
    CANNOT = 3
    BUG = 70


def exit_code(problems: Iterable[Problem]) -> ExitCode:
    """The exit code of a finished run; notes alone do not count as problems."""
    spoiled = any(problem.severity is not Severity.NOTE for problem in problems)
    return ExitCode.PROBLEMS if spoiled else ExitCode.FINE


@dataclass(frozen=True, slots=True)
class Subcommand:
    """One subcommand. ``run`` gets the parsed options and returns the exit code.

    Modules that define commands import nothing slow; ``run`` imports what it needs.
    """

    name: str
    help: str
    add_options: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]

    def add_to(self, commands: argparse._SubParsersAction[Any]) -> None:
        parser = commands.add_parser(self.name, help=self.help, description=self.help)
        self.add_options(parser)
        add_link_option(parser)
        parser.set_defaults(run=self.run, parser=parser)


def add_dataset(
    parser: argparse.ArgumentParser, *, task: str = "task to use if the dataset has several"
) -> None:
    """Add the options that name the dataset and its task."""
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=DATASET_HELP)
    parser.add_argument("--task", metavar="TASK", help=task)


def add_submission(parser: argparse.ArgumentParser) -> None:
    """Add the argument for one submission."""
    parser.add_argument(
        "submission", type=Path, metavar="SUBMISSION", help="submission folder, table or archive"
    )


def add_submissions(parser: argparse.ArgumentParser, *, help_: str, nargs: str = "*") -> None:
    """Add the argument for several submissions."""
    # With a default, none are asked for where none are needed.
    parser.add_argument(
        "submissions", type=Path, nargs=nargs, default=[], metavar="SUBMISSION", help=help_
    )


def add_tables(parser: argparse.ArgumentParser) -> None:
    """Add the options for tables that replace those found in the dataset."""
    parser.add_argument("--index", type=Path, metavar="FILE", help="index table to use")
    parser.add_argument("--reference", type=Path, metavar="FILE", help="reference table to use")


def add_printing(
    parser: argparse.ArgumentParser, *, json: str, quiet: str = "print only errors"
) -> None:
    """Add the options for the output: text, JSON, or errors only."""
    parser.add_argument("--json", action="store_true", help=f"print {json} as JSON")
    parser.add_argument("--quiet", action="store_true", help=quiet)


def add_claim(parser: argparse.ArgumentParser) -> None:
    """Add the options for a claimed number."""
    parser.add_argument(
        "--metric", action="append", default=[], help="metric of the claim, for example MCC"
    )
    parser.add_argument("--value", action="append", default=[], help="the claimed number")


def add_link_option(parser: argparse.ArgumentParser) -> None:
    """Add the option to follow links of a dataset; :func:`follow_links` applies it."""
    known = parser._actions  # noqa: SLF001 - argparse has no other list of its arguments
    if any(action.dest == "dataset" for action in known):
        parser.add_argument(
            "--follow-links",
            action="store_true",
            help="follow links of the dataset that lead outside its folder; links of "
            "submissions and archives are never followed",
        )


def follow_links(options: argparse.Namespace) -> None:
    """Trust the links of the named dataset if ``--follow-links`` is given."""
    if getattr(options, "follow_links", False) and options.dataset is not None:
        # Imported here: only this option needs it.
        from forensicviewer.app.datasets.opening import root_of
        from forensicviewer.sources.files.links import trust_links

        trust_links(root_of(options.dataset))
