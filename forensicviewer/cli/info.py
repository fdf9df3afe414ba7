"""``forensicviewer info``: what a dataset and its submissions were recognised as."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.cli import console
from forensicviewer.cli.command import (
    DATASET_HELP,
    Subcommand,
    add_printing,
    add_submissions,
    exit_code,
)
from forensicviewer.cli.imdl_options import add_places, choices_of
from forensicviewer.core.model import TaskKind
from forensicviewer.core.problem import ProblemLog, SubmissionError

if TYPE_CHECKING:
    from forensicviewer.app.datasets.overview import Coverage
    from forensicviewer.core.model import Dataset, Submission, Task

_MOST_EVIDENCE = 12


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", type=Path, metavar="DATASET", help=DATASET_HELP)
    add_submissions(parser, help_="submission folders, tables or archives")
    parser.add_argument(
        "--files",
        action="store_true",
        help="also check every file the dataset names: presence, sizes, colours and bit planes",
    )
    add_places(parser)
    add_printing(parser, json="everything")


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.datasets.opening import open_dataset
    from forensicviewer.app.datasets.overview import coverage_of

    with console.ProgressLine("Reading tables", quiet=options.quiet) as progress:
        dataset = open_dataset(options.dataset, choices=choices_of(options), progress=progress)
    problems = ProblemLog(dataset.problems)
    looked_at = _check_files(dataset, log=problems, quiet=options.quiet) if options.files else ""
    submissions = _opened(options.submissions, dataset, log=problems)
    covered = [(submission, coverage_of(dataset, submission)) for submission in submissions]
    if options.json:
        _say_json(dataset, covered, problems)
    elif not options.quiet:
        _say_dataset(dataset)
        if looked_at:
            console.say(looked_at)
        for submission, coverage in covered:
            _say_submission(submission, coverage)
        console.list_problems(problems)
    return exit_code(problems)


def _check_files(dataset: Dataset, *, log: ProblemLog, quiet: bool) -> str:
    """Check every file and print one line with the result."""
    from forensicviewer.app.datasets.file_check import check_files

    found = ProblemLog()
    for task in dataset.tasks:
        with console.ProgressLine(f"Checking the files of {task.name}", quiet=quiet) as progress:
            found.extend(check_files(task, progress=progress))
    log.extend(found)
    trials = _counted(sum(len(task.trials) for task in dataset.tasks), "trial")
    outcome = _counted(len(found), "problem") if len(found) else "all present and as declared"
    return f"Files of {trials}: {outcome}"


def _opened(paths: list[Path], dataset: Dataset, *, log: ProblemLog) -> list[Submission]:
    """The submissions that open; for the others, the reason."""
    from forensicviewer.app.datasets.opening import experiments_of, open_submission

    opened = []
    # Maps are found by the names of the images; tables of answers say themselves what they answer.
    is_imdl = len(dataset.tasks) == 1 and dataset.tasks[0].kind is TaskKind.IMDL
    task = dataset.tasks[0] if is_imdl else None
    for path in paths:
        try:
            found = [open_submission(each, task=task) for each in experiments_of(path)]
        except SubmissionError as error:
            log.add(error.as_problem())
            continue
        opened += found
        log.extend(problem for submission in found for problem in submission.problems)
    return opened


def _say_json(
    dataset: Dataset, covered: list[tuple[Submission, Coverage | None]], problems: ProblemLog
) -> None:
    from forensicviewer.app.datasets.overview import (
        describe_dataset,
        describe_problems,
        describe_submission,
    )

    console.say_json(
        {
            "dataset": describe_dataset(dataset),
            "submissions": [describe_submission(*each) for each in covered],
            "problems": describe_problems(problems),
        }
    )


def _say_dataset(dataset: Dataset) -> None:
    editions = dict.fromkeys(task.edition.value for task in dataset.tasks)
    console.say(f"Dataset {dataset.name}: {', '.join(editions)}")
    console.say(f"  {dataset.root}")
    console.say("Recognised by")
    for line in dataset.evidence[:_MOST_EVIDENCE]:
        console.say(f"  {line}")
    if len(dataset.evidence) > _MOST_EVIDENCE:
        console.say(f"  … and {len(dataset.evidence) - _MOST_EVIDENCE} more tables")
    console.say("Tasks")
    width = max(len(task.name) for task in dataset.tasks)
    for task in dataset.tasks:
        console.say(f"  {task.name:<{width}}  {_counts(task)}")


def _counts(task: Task) -> str:
    from forensicviewer.app.datasets.overview import describe_task

    described = describe_task(task)
    said = [_counted(len(task.trials), "trial")]
    if described["targets"] is not None:
        said += [
            _counted(described["targets"], "target"),
            _counted(described["non_targets"], "non-target"),
        ]
    said += [] if task.has_reference else ["no reference"]
    said += [] if task.condition is None else [f"training-testing {task.condition}"]
    said += [str(described["variation"])] if described["variation"] else []
    return ", ".join([*said, task.edition.value])


def _counted(number: object, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _say_submission(submission: Submission, coverage: Coverage | None) -> None:
    from forensicviewer.app.datasets.overview import md5_of_package

    kind = "" if submission.kind is None else f": {submission.kind.value}"
    console.say(f"Submission {submission.name}{kind}")
    console.say(f"  {submission.origin}")
    for part, word in submission.identity.items():
        console.say(f"  {part} {word}")
    if submission.description:
        console.say(f"  system description {submission.description}")
    packed = md5_of_package(submission)
    if packed:
        console.say(f"  MD5 {packed}")
    answered = _counted(len(submission.answers), "answer")
    if coverage is None:
        console.say(f"  {answered}, none for a trial of this dataset")
        return
    trials = len(coverage.task.trials)
    console.say(f"  {answered}, for {coverage.answered} of {trials} trials of {coverage.task.name}")


COMMAND = Subcommand("info", "Show what a dataset and its submissions contain", _add_options, _run)
