"""``forensicviewer duplicates``: near-duplicates among the probes of a dataset."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.cli import console
from forensicviewer.cli.command import Subcommand, add_dataset, add_printing, exit_code
from forensicviewer.cli.imdl_options import add_places, choices_of
from forensicviewer.core.problem import UsageError

if TYPE_CHECKING:
    from forensicviewer.app.duplicates.search import DuplicateSearch


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Compares the probes as grey images of 256 by 256 pixels by structural similarity "
        "(SSIM, 7 by 7 windows) and groups similar ones, directly or through others. With up "
        "to 1000 images, all pairs are compared; with more, only pairs with similar "
        "perceptual hashes."
    )
    add_dataset(parser)
    add_places(parser)
    parser.add_argument(
        "--threshold",
        type=float,
        default=0.9,
        metavar="SSIM",
        help="images are similar at or above this index (default: %(default)s)",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder for duplicates.csv, similar_pairs.csv, kept_trials.txt and similarity.png",
    )
    parser.add_argument(
        "--split",
        type=float,
        metavar="SHARE",
        help="also write split.csv: the share of images for training; groups stay together",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of the split (default: %(default)s)"
    )
    add_printing(parser, json="the groups")


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.datasets.opening import open_task
    from forensicviewer.app.duplicates.report import write_report
    from forensicviewer.app.duplicates.search import search_duplicates
    from forensicviewer.app.report.overwrite import require_results_folder

    if options.split is not None and not (0 < options.split < 1 and options.out is not None):
        raise UsageError(
            f"{options.split} is not a valid split (between 0 and 1)",
            hint="choose a value between 0 and 1, and add --out",
        )
    if options.out is not None:
        require_results_folder(options.out, inputs=(options.dataset,))
    dataset, task = open_task(options.dataset, name=options.task, choices=choices_of(options))
    with (
        console.ProgressLine("Reading images", quiet=options.quiet) as reading,
        console.ProgressLine("Comparing images", quiet=options.quiet) as comparing,
    ):
        search = search_duplicates(
            task, threshold=options.threshold, reading=reading, comparing=comparing
        )
    problems = (*dataset.problems, *search.problems)
    if options.out is not None:
        split = None if options.split is None else search.split(options.split, seed=options.seed)
        write_report(options.out, search, search.first_of_each(), split=split)
    if options.json:
        console.say_json(_document(search))
    elif not options.quiet:
        _say(search)
        console.list_problems(problems)
    return exit_code(problems)


def _document(search: DuplicateSearch) -> dict[str, object]:
    return {
        "images": len(search.probes),
        "threshold": search.found.threshold,
        "compared": "all pairs" if search.found.matrix is not None else "similar hashes",
        "kept": len(search.first_of_each()),
        "groups": [[search.probes[n].name for n in members] for members in search.found.groups],
    }


def _say(search: DuplicateSearch) -> None:
    for number, members in enumerate(search.found.groups, start=1):
        console.say(f"group {number}, {len(members)} images")
        for probe in members:
            console.say(f"  {search.probes[probe].name}")
    if search.found.matrix is None:
        console.say("Only pairs with similar perceptual hashes were compared")
    console.say(
        f"{len(search.probes)} images, {len(search.found.groups)} groups, "
        f"{len(search.first_of_each())} remaining with one image per group"
    )


COMMAND = Subcommand("duplicates", "Find near-duplicates among the probes", _add_options, _run)
