"""``forensicviewer measure``: every number of one trial with given settings."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from forensicviewer.cli import console
from forensicviewer.cli.command import ExitCode, Subcommand, add_dataset, add_submission
from forensicviewer.cli.score.options import add_mask_options, add_rule_set, add_switches

if TYPE_CHECKING:
    from forensicviewer.core.measurement import Measurement
    from forensicviewer.core.model import Task

# The values of Side, which takes a while to import.
_SIDES = ("Probe", "Donor")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Prints every metric of one system mask with exactly these settings: the numbers of "
        "the window, of verdicts and of reports. Without --threshold, the threshold with the "
        "largest MCC is used."
    )
    add_dataset(parser)
    add_submission(parser)
    parser.add_argument("--trial", required=True, metavar="ID", help="the trial to measure")
    parser.add_argument("--side", choices=_SIDES, default=_SIDES[0], help="side of a splice")
    add_rule_set(parser)
    add_switches(parser, "mask")
    add_mask_options(parser)
    parser.add_argument(
        "--operation",
        nargs=3,
        action="append",
        metavar=("JOURNAL", "START", "END"),
        help="score this operation of the journal; may be repeated (default: all)",
    )
    parser.add_argument("--no-operations", action="store_true", help="score none of the operations")
    parser.add_argument(
        "--threshold",
        type=int,
        metavar="N",
        help="threshold on the dataset's own scale (default: the optimum)",
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.datasets.answered_task import open_answered_task
    from forensicviewer.app.judging.measuring import measure, with_digests
    from forensicviewer.app.report.numbers import printed, printed_count
    from forensicviewer.app.reports.making import state_at
    from forensicviewer.core.problem import ScoringError

    task, submission = open_answered_task(options.dataset, options.submission, name=options.task)
    state = state_at(_asked(options, task, submission.name), task, submission)
    found = measure(state)
    if found is None:
        raise ScoringError("The trial was not read")
    found = with_digests(found, task, submission)
    if options.json:
        console.say_json(found.as_json())
        return ExitCode.PROBLEMS if found.unscored else ExitCode.FINE
    if found.unscored:
        console.say(f"not scored: {found.unscored}")
        return ExitCode.PROBLEMS
    console.say(f"threshold {found.shown_threshold}")
    for name, value in found.metrics.items():
        shown = printed_count(value) if name.startswith("Pixel") else printed(value)
        console.say(f"{name} {shown}")
    return ExitCode.FINE


def _asked(options: argparse.Namespace, task: Task, submission: str) -> Measurement:
    from forensicviewer.app.masks.settings import usual_kernels
    from forensicviewer.core.measurement import Measurement
    from forensicviewer.core.rules import rule_set
    from forensicviewer.core.rules.mask import SWITCHES

    rules, distraction = rule_set(options.rules, options.rule), options.distraction
    threshold = options.threshold
    operations = None if options.operation is None else tuple(map(tuple, options.operation))
    return Measurement(
        task.name,
        options.trial,
        options.side,
        submission,
        rules=options.rules,
        choices=rules.choices(SWITCHES),
        kernel=options.kernel,
        erode_px=options.erode,
        dilate_px=options.dilate,
        distraction_px=usual_kernels(rules).distraction_px if distraction is None else distraction,
        operations=() if options.no_operations else operations,
        bit_planes=task.scores_planes(wanted=options.bit_planes),
        opt_out_pixels=options.opt_out_pixels,
        threshold=255 - threshold if threshold is not None and task.is_nist else threshold,
    )


COMMAND = Subcommand(
    "measure", "Print every number of one trial with given settings", _add_options, _run
)
