"""``forensicviewer genai``: descriptions and participation in GenAI evaluations."""

from __future__ import annotations

import argparse
from pathlib import Path

from forensicviewer.cli import console
from forensicviewer.cli.command import ExitCode, Subcommand
from forensicviewer.core.problem import UsageError


def _add_commands(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="genai", metavar="COMMAND", required=True)
    for command in (_TEMPLATE, _CHECK, _PARTICIPANT):
        command.add_to(commands)


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="Markdown or text file")


def _write_template(options: argparse.Namespace) -> int:
    from forensicviewer.app.report.overwrite import require_free
    from forensicviewer.app.runtime.atomic import write_atomically
    from forensicviewer.app.validation.description import GENAI_SECTIONS, template

    require_free(options.file)
    write_atomically(options.file, template(GENAI_SECTIONS))
    console.say(f"wrote {options.file}")
    return ExitCode.FINE


def _check(options: argparse.Namespace) -> int:
    from forensicviewer.app.validation.description import GENAI_SECTIONS, check_description

    findings = check_description(options.file, GENAI_SECTIONS)
    for finding in findings:
        problem = finding.as_problem()
        console.say(f"{problem.severity.value:7} {problem.where}: {problem.message}")
        console.say(f"        → {problem.hint}")
    if not findings:
        console.say(f"{options.file.name}: all five sections are present")
    return ExitCode.PROBLEMS if findings else ExitCode.FINE


def _add_answer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "dataset", type=Path, metavar="DATASET", help="test set: its folder, archive or index"
    )
    parser.add_argument(
        "answer",
        nargs="?",
        choices=["yes", "no"],
        help="yes: hide its images from me; no: I am an organizer or analyst",
    )


def _say_participant(options: argparse.Namespace) -> int:
    from forensicviewer.app.datasets.genai_choices import say_participation
    from forensicviewer.app.datasets.opening import open_dataset
    from forensicviewer.app.genai.report import media_rule
    from forensicviewer.core.model import Edition

    dataset = open_dataset(options.dataset)
    if dataset.edition is not Edition.GENAI:
        raise UsageError(
            "This is not a dataset of a GenAI evaluation",
            where=options.dataset,
            hint="the rule about viewing images applies only to its test sets",
        )
    if options.answer is not None:
        say_participation(dataset, is_participant=options.answer == "yes")
    for task in dataset.tasks:
        console.say(f"{task.files['index']}: {media_rule(task)}")
    return ExitCode.FINE


_TEMPLATE = Subcommand(
    "template", "Write a template for a system description", _add_file, _write_template
)
_CHECK = Subcommand("check", "Check the five sections of a system description", _add_file, _check)
_PARTICIPANT = Subcommand(
    "participant",
    "State whether you take part in the evaluation of a test set",
    _add_answer,
    _say_participant,
)


def _run(options: argparse.Namespace) -> int:
    raise AssertionError(f"no command was chosen: {options}")


COMMAND = Subcommand(
    "genai",
    "Write and check GenAI system descriptions, and declare participation",
    _add_commands,
    _run,
)
