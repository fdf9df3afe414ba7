"""``forensicviewer qa``: which references of a dataset may be wrong."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.cli import console
from forensicviewer.cli.command import (
    DATASET_HELP,
    ExitCode,
    Subcommand,
    add_printing,
    add_submissions,
)
from forensicviewer.core.problem import Severity, UsageError

if TYPE_CHECKING:
    from forensicviewer.app.quality.search import CheckedReferences


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Checks every reference by rules: masks that are empty, full, inverted, moved or of "
        "another trial, masks that do not match their journal or base image, intervals that "
        "exceed the video, duplicates. With submissions, masks without a base image are "
        "compared with the regions on which systems agree. Exit code 1: there are errors or "
        "warnings."
    )
    parser.add_argument("dataset", type=Path, nargs="?", metavar="DATASET", help=DATASET_HELP)
    add_submissions(parser, help_="submission to compare with")
    parser.add_argument(
        "--task", metavar="TASK", help="check only this task (default: all with masks)"
    )
    parser.add_argument(
        "--off",
        action="append",
        default=[],
        metavar="RULE",
        help="turn a rule off (may be repeated); --list-rules lists them",
    )
    parser.add_argument(
        "--list-rules", action="store_true", help="list the rules with their false-alarm rates"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for suspects.csv and suspects.html"
    )
    add_printing(parser, json="the suspects")


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.datasets.opening import open_dataset, open_submission, tasks_called
    from forensicviewer.app.quality.report import document, report_title, write_report
    from forensicviewer.app.quality.search import require_rules, search_suspects, tasks_to_check
    from forensicviewer.app.report.overwrite import require_results_folder

    if options.list_rules:
        _list_rules()
        return ExitCode.FINE
    if options.dataset is None:
        raise UsageError("A dataset is missing", hint="forensicviewer qa DATASET [SUBMISSION…]")
    require_rules(options.off)
    if options.out is not None:
        require_results_folder(options.out, inputs=(options.dataset, *options.submissions))
    dataset = open_dataset(options.dataset)
    tasks = tasks_called(dataset, options.task) if options.task else tasks_to_check(dataset)
    submissions = [open_submission(path) for path in options.submissions]
    with console.ProgressLine("Checking references", quiet=options.quiet) as progress:
        findings = search_suspects(tasks, submissions, off=options.off, progress=progress)
    if options.out is not None:
        title = report_title(dataset)
        write_report(options.out, findings, tasks, submissions, title=title)
    if options.json:
        console.say_json(document(findings, options.off))
    elif not options.quiet:
        _say(findings)
    is_clean = all(one.suspect.level is Severity.NOTE for one in findings.suspects)
    return ExitCode.FINE if is_clean else ExitCode.PROBLEMS


def _say(findings: CheckedReferences) -> None:
    for one in findings.suspects:
        suspect = one.suspect
        console.say(f"{suspect.level.value}: {one.task} {one.trial}: {suspect.rule}")
        console.say(f"  {suspect.evidence}. {suspect.mending}.")
    count = sum(one.suspect.level is not Severity.NOTE for one in findings.suspects)
    console.say(f"{findings.trials} trials, {count} suspects")


def _list_rules() -> None:
    from forensicviewer.core.quality.rule import RULES

    for rule in RULES:
        console.say(f"{rule.name} ({rule.severity.value}): {rule.title}")
        console.say(f"  {rule.remedy}. False alarms on clean data: {rule.rate}.")


COMMAND = Subcommand("qa", "Find references that may be wrong", _add_options, _run)
