"""``forensicviewer trials``: the trials of a task as a table."""

from __future__ import annotations

import argparse
import difflib
from typing import TYPE_CHECKING

from forensicviewer.cli import console
from forensicviewer.cli.command import Subcommand, add_dataset, add_printing, add_tables, exit_code
from forensicviewer.cli.imdl_options import add_places, choices_of
from forensicviewer.core.problem import UsageError

if TYPE_CHECKING:
    from forensicviewer.core.model import Task
    from forensicviewer.core.table.text_table import Table

_USUAL_COLUMNS = (
    "ProbeFileName",
    "ProbeWidth",
    "ProbeHeight",
    "DonorFileName",
    "ProvenanceProbeFileName",
    "FrameCount",
    "IsTarget",
    "ProbeMaskFileName",
)


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_dataset(parser, task="task to list if there are several")
    add_tables(parser)
    parser.add_argument(
        "--query",
        metavar="Q",
        help="list only the trials this query selects, for example \"IsTarget=='Y' and "
        'ProbeWidth>1000"; journal columns, such as Operation, select trials with such '
        "an operation",
    )
    parser.add_argument(
        "--columns",
        nargs="+",
        metavar="NAME",
        help="columns to print, separated by spaces or commas; 'all' prints every column",
    )
    add_places(parser)
    add_printing(parser, json="a list of objects", quiet="do not print problems")


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.datasets.opening import open_task
    from forensicviewer.app.report.score_output import pipe_separated
    from forensicviewer.app.trials.query import trials_matching
    from forensicviewer.core.query.grammar import parse

    with console.ProgressLine("Reading tables", quiet=options.quiet) as progress:
        dataset, task = open_task(
            options.dataset,
            name=options.task,
            index=options.index,
            reference=options.reference,
            choices=choices_of(options),
            progress=progress,
        )
    table = task.table
    names = _columns(task, options.columns)
    if options.query:
        table = table.filter(trials_matching(task, parse(options.query)))
    if options.json:
        console.say_json(_records(table, names))
    else:
        rows = zip(*(table[name] for name in names), strict=True)
        console.say(pipe_separated(names, rows).removesuffix("\n"))
    if not options.quiet:
        console.list_problems(dataset.problems)
    return exit_code(dataset.problems)


def _records(table: Table, names: list[str]) -> list[dict[str, str]]:
    rows = zip(*(table[name] for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _columns(task: Task, wanted: list[str] | None) -> list[str]:
    from forensicviewer.core.model import key_columns

    present = task.table.names
    if wanted is None:
        return [name for name in (*key_columns(task.kind), *_USUAL_COLUMNS) if name in present]
    names = [name for word in wanted for name in word.split(",") if name]
    if names == ["all"]:
        return list(present)
    for name in names:
        if name not in present:
            near = difflib.get_close_matches(name, present, n=3)
            raise UsageError(
                f"The task has no column {name!r}",
                where=task.table.name,
                hint="did you mean " + " or ".join(near) + "?"
                if near
                else "its columns are " + ", ".join(present[:12]),
                rule="trials.column",
            )
    return names


COMMAND = Subcommand("trials", "List the trials of a task", _add_options, _run)
