"""``forensicviewer sample``: write the sample datasets."""

from __future__ import annotations

import argparse
from pathlib import Path

from forensicviewer.cli import console
from forensicviewer.cli.command import ExitCode, Subcommand
from forensicviewer.core.problem import UsageError
from forensicviewer.sources.sample import write_sample
from forensicviewer.sources.sample.locations import (
    SAMPLES,
    datasets,
    demo_dataset,
    demo_submissions,
    plan_datasets,
    submissions_for,
)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        metavar="DIR",
        help="new or empty folder, or an earlier sample",
    )
    parser.add_argument(
        "names",
        nargs="*",
        default=[],
        metavar="NAME",
        help="datasets to write (default: all): " + ", ".join(SAMPLES),
    )
    parser.add_argument(
        "--list", action="store_true", help="list the datasets with their sizes and times"
    )
    parser.add_argument("--quiet", action="store_true", help="print only errors")
    parser.add_argument("--json", action="store_true", help="print the paths as JSON")


def _run(options: argparse.Namespace) -> int:
    if options.list:
        for name, sample in SAMPLES.items():
            size = f"{sample.megabytes:g} MB, about {sample.seconds} s"
            console.say(f"{name:<15} {sample.about} ({size})")
        return ExitCode.FINE
    if options.folder is None:
        raise UsageError(
            "No folder to write to was named", hint="forensicviewer sample DIR [NAME…]"
        )
    with console.ProgressLine("Painting the sample", quiet=options.quiet) as progress:
        write_sample(options.folder, options.names, progress=progress)
    written = [*datasets(options.folder), *plan_datasets(options.folder)]
    made = {
        str(dataset): [str(path) for path in submissions_for(dataset)]
        for dataset in written
        if not options.names or dataset.name in options.names
    }
    if options.json:
        console.say_json({"datasets": made})
    elif not options.quiet:
        for dataset, submissions in made.items():
            console.say(f"{dataset}: {len(submissions)} submissions")
        shown, first = _to_look_at(options.folder, made)
        console.say(f"To see it, run: forensicviewer open {shown} {first}")
    return ExitCode.FINE


def _to_look_at(folder: Path, made: dict[str, list[str]]) -> tuple[str, str]:
    """The dataset with the most features and a submission to it, if they were written."""
    demo = str(demo_dataset(folder))
    if demo in made:
        return demo, str(demo_submissions(folder)[0])
    shown = next(iter(made))
    return shown, made[shown][0]


COMMAND = Subcommand("sample", "Write small sample datasets of every kind", _add_options, _run)
