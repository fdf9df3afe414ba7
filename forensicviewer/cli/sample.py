"""``forensicviewer sample``: write the sample datasets."""

from __future__ import annotations

import argparse
from pathlib import Path

from forensicviewer.cli import console
from forensicviewer.cli.command import Command, ExitCode


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", type=Path, metavar="DIR", help="new or empty folder, or an earlier sample"
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")
    parser.add_argument("--json", action="store_true", help="print the paths as JSON")


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.sources.sample import write_sample  # imports OpenCV
    from forensicviewer.sources.sample.locations import (
        datasets,
        demo_dataset,
        demo_submissions,
        submissions_for,
    )

    with console.Progress("Painting the sample", quiet=options.quiet) as progress:
        write_sample(options.folder, progress=progress)
    made = {
        str(dataset): [str(path) for path in submissions_for(dataset)]
        for dataset in datasets(options.folder)
    }
    if options.json:
        console.say_json({"datasets": made})
    elif not options.quiet:
        for dataset, submissions in made.items():
            console.say(f"{dataset}: {len(submissions)} submissions")
        first = demo_submissions(options.folder)[0]
        console.say(f"Look at it: forensicviewer open {demo_dataset(options.folder)} {first}")
    return ExitCode.FINE


COMMAND = Command("sample", "Write small sample datasets of every kind", _add_options, _run)
