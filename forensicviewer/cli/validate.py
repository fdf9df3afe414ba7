"""``forensicviewer validate``: says whether a submission follows the rules."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.cli import console
from forensicviewer.cli.command import (
    ExitCode,
    Subcommand,
    add_dataset,
    add_printing,
    add_submission,
)
from forensicviewer.cli.imdl_options import add_places, choices_of

if TYPE_CHECKING:
    from forensicviewer.app.validation import Validation

_FAMILIES = ("nc16", "nc17", "mfc", "plan")


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_dataset(parser)
    add_submission(parser)
    parser.add_argument("--index", type=Path, metavar="FILE", help="index table to check against")
    parser.add_argument(
        "--rules",
        choices=_FAMILIES,
        help="nc16, nc17, mfc: check like NIST's program of that year (default: recognised by "
        "the columns); plan: check by the evaluation plan of the dataset's year",
    )
    parser.add_argument(
        "--check-name", action="store_true", help="also check the naming convention"
    )
    parser.add_argument(
        "--ncid", metavar="ID", help="evaluation that the name must contain, for example NC17"
    )
    parser.add_argument("--no-masks", action="store_true", help="skip checking mask files")
    parser.add_argument(
        "--targets-only", action="store_true", help="check only the masks of manipulated probes"
    )
    parser.add_argument(
        "--opt-out",
        action="store_true",
        help="skip checking the provenance files of opted-out probes",
    )
    parser.add_argument(
        "--ignore-overlap",
        action="store_true",
        help="report intervals that intersect, but do not reject",
    )
    parser.add_argument(
        "--ignore-end",
        action="store_true",
        help="report intervals that exceed the video, but do not reject",
    )
    parser.add_argument(
        "--strict", action="store_true", help="also reject submissions with warnings"
    )
    parser.add_argument(
        "--revised",
        type=Path,
        metavar="FILE",
        help="write the table with masks of wrong size marked FailedValidation",
    )
    add_places(parser)
    add_printing(parser, json="the findings", quiet="print only the verdict")


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.report.overwrite import require_no_input

    if options.revised is not None:
        require_no_input(options.revised, inputs=(options.dataset, options.submission))
    found = _validate(options)
    if options.revised is not None:
        is_written = found[0].write_revised(options.revised)
        wrote = f"wrote {options.revised}" if is_written else "no mask has a wrong size"
        console.say_error(wrote)
    if options.json:
        records = [_record(validation) for validation in found]
        console.say_json(records[0] if len(records) == 1 else {"submissions": records})
    for validation in () if options.json else found:
        _print(validation, quiet=options.quiet)
    is_accepted = all(validation.is_accepted for validation in found)
    return ExitCode.FINE if is_accepted else ExitCode.PROBLEMS


def _validate(options: argparse.Namespace) -> list[Validation]:
    # Slow modules (OpenCV, PyAV) are imported only once there is something to validate.
    from forensicviewer.app.validation import IntervalTolerance, RuleFamily, ValidationOptions
    from forensicviewer.app.validation.checking import check_package, experiments_in
    from forensicviewer.core.problem import UsageError

    if options.revised is not None and len(experiments_in(options.submission)) > 1:
        raise UsageError(
            "--revised needs a single submission", hint="name one submission of the package"
        )
    asked = ValidationOptions(
        family=RuleFamily(options.rules) if options.rules else None,
        names=options.check_name,
        ncid=options.ncid,
        masks=not options.no_masks,
        targets_only=options.targets_only,
        skip_opted_out=options.opt_out,
        strict=options.strict,
        tolerance=IntervalTolerance(overlap=options.ignore_overlap, beyond_end=options.ignore_end),
    )
    with console.ProgressLine("Checking masks", quiet=options.quiet) as progress:
        found = check_package(
            options.dataset,
            options.submission,
            asked,
            task=options.task,
            index=options.index,
            choices=choices_of(options),
            progress=progress,
        )
    return [checked.validation for checked in found]


def _record(validation: Validation) -> dict[str, object]:
    return {
        "submission": validation.submission,
        "task": validation.task,
        "rules": None if validation.family is None else validation.family.value,
        "accepted": validation.is_accepted,
        "findings": [finding.as_record() for finding in validation.findings],
    }


def _print(validation: Validation, *, quiet: bool) -> None:
    if not quiet:
        for finding in validation.findings:
            problem = finding.as_problem()
            console.say(
                f"{problem.severity.value:7} {finding.rule:24} {problem.where}: {problem.message}"
            )
            if problem.hint:
                console.say(f"{'':32} → {problem.hint}")
    verdict = "accepted" if validation.is_accepted else "rejected"
    by = (
        ""
        if validation.family is None
        else f" ({validation.task}, {validation.family.value} rules)"
    )
    console.say(f"{validation.submission}: {verdict}{by}")


COMMAND = Subcommand(
    "validate", "Check whether a submission follows the rules of its evaluation", _add_options, _run
)
