"""What a subcommand is: a name, a help text, its options and what it runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

DATASET_HELP = "dataset folder, or an index or reference table"


class ExitCode(IntEnum):
    """What the process returns."""

    FINE = 0
    PROBLEMS = 1
    WRONG_USAGE = 2
    CANNOT = 3
    BUG = 70


@dataclass(frozen=True, slots=True)
class Command:
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
        parser.set_defaults(run=self.run, parser=parser)
