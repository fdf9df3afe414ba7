"""``forensicviewer claim``: which settings give a number somebody claims for a mask."""

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
from forensicviewer.cli.score.options import add_rule_set
from forensicviewer.core.problem import UsageError
from forensicviewer.core.rules import rule_set

if TYPE_CHECKING:
    from forensicviewer.app.claims.search import ExplainedClaim, Explanation

_LISTED = 30


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Searches kernels, thresholds, rule sets and single switches, operations, opt-out, "
        "polarity and other masks for every setting that gives the claimed number to its "
        "printed digits, the simplest first. Exit code 0: the evaluation's settings give it; "
        "1: other settings do, or none."
    )
    add_dataset(parser)
    add_submission(parser)
    parser.add_argument("--trial", required=True, metavar="ID", help="the trial of the claim")
    parser.add_argument(
        "--metric",
        action="append",
        required=True,
        metavar="NAME",
        help="for example MCC; may be repeated",
    )
    parser.add_argument(
        "--value",
        action="append",
        required=True,
        metavar="NUMBER",
        help="the claimed number as printed, one for each --metric",
    )
    add_rule_set(parser, help_="rule set of the evaluation (default: %(default)s)")
    parser.add_argument(
        "--steps",
        type=int,
        default=2,
        choices=(0, 1, 2, 3),
        help="how many settings may differ at once (default: %(default)s)",
    )
    parser.add_argument(
        "--mask",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="another mask that may have been scored; may be repeated",
    )
    parser.add_argument(
        "--other",
        type=Path,
        action="append",
        default=[],
        metavar="SUBMISSION",
        help="another submission whose mask may have been scored; may be repeated",
    )
    parser.add_argument("--all", action="store_true", help=f"list more than {_LISTED} settings")
    add_printing(parser, json="the result")


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.claims.claim import Claim
    from forensicviewer.app.claims.search import Dispute, explain
    from forensicviewer.app.datasets.answered_task import open_answered_task
    from forensicviewer.app.datasets.opening import open_submission
    from forensicviewer.core.model import TrialId

    if len(options.metric) != len(options.value):
        raise UsageError("Every --metric needs a --value, and every --value a --metric")
    claims = tuple(map(Claim.of, options.metric, options.value))
    task, submission = open_answered_task(options.dataset, options.submission, name=options.task)
    dispute = Dispute(
        task,
        submission,
        TrialId(options.trial),
        claims,
        rule_set(options.rules),
        tuple(open_submission(path, task=task) for path in options.other),
        tuple(path.resolve() for path in options.mask),
    )
    with console.ProgressLine("Settings", quiet=options.quiet) as progress:
        explained = explain(dispute, depth=options.steps, report=progress)
    if options.json:
        console.say_json(_document(explained, options.dataset))
    elif not options.quiet:
        _say(explained, options)
    return ExitCode.FINE if explained.is_correct else ExitCode.PROBLEMS


def _say(explained: ExplainedClaim, options: argparse.Namespace) -> None:
    from forensicviewer.app.claims.search import written

    claims = explained.dispute.claims
    console.say("claimed     " + ", ".join(f"{claim.metric} {claim.text}" for claim in claims))
    for side, numbers in explained.recomputed.items():
        name = "recomputed" if len(explained.recomputed) == 1 else side.word
        console.say(f"{name:<11} {written(numbers)} at the evaluation's settings")
    if explained.unscored:
        console.say(f"The evaluation does not score this trial: {explained.unscored}")
    count = len(explained.found)
    gives = "gives" if count == 1 else "give"
    console.say(f"{count} of {explained.tried} settings tried {gives} the claimed number")
    shown = explained.found if options.all else explained.found[:_LISTED]
    for one in shown:
        _say_one(explained, one, options.dataset)
    if count > len(shown):
        console.say(f"… and {count - len(shown)} more; --all lists them")
    if explained.wants_digits:
        console.say(
            "Many settings give this number. Use more digits, or add a second number "
            "(--metric NMM --value …)"
        )


def _say_one(explained: ExplainedClaim, one: Explanation, dataset: Path) -> None:
    from forensicviewer.app.claims.search import also_text, command_of, written

    count = "1 difference" if one.steps == 1 else f"{one.steps} differences"
    console.say(f"\n{count}: {'; '.join(_texts(explained, one))}")
    console.say(f"  {written(one.numbers)}")
    if also := also_text(one):
        console.say(f"  also the same with: {also}")
    if command := command_of(explained.dispute, one, dataset):
        console.say(f"  {command}")


def _texts(explained: ExplainedClaim, one: Explanation) -> list[str]:
    from forensicviewer.app.claims.search import ranges_of

    texts = [departure.text for departure in one.departures]
    if not one.is_at_optimum:
        texts.append(f"threshold {ranges_of(one.thresholds)}, not the optimum")
    if len(explained.recomputed) > 1:
        texts.append(f"of the {one.side.word}")
    return texts or ["none, these are the evaluation's settings"]


def _document(explained: ExplainedClaim, dataset: Path) -> dict[str, object]:
    from forensicviewer.app.claims.search import command_of
    from forensicviewer.core.score import nist_threshold

    return {
        "trial": str(explained.dispute.trial_id),
        "claims": {claim.metric: claim.text for claim in explained.dispute.claims},
        "recomputed": {side.word: dict(n) for side, n in explained.recomputed.items()},
        "tried": explained.tried,
        "steps": explained.depth,
        "is_correct": explained.is_correct,
        "wants_digits": explained.wants_digits,
        "found": [
            {
                "steps": one.steps,
                "side": one.side.word,
                "differences": {d.dimension.value: d.text for d in one.departures},
                "at": "optimum" if one.is_at_optimum else "threshold",
                "thresholds": sorted(nist_threshold(t) for t in one.thresholds),
                "numbers": dict(one.numbers),
                "also": [[d.text for d in more] for more in one.also],
                "command": command_of(explained.dispute, one, dataset),
            }
            for one in explained.found
        ],
    }


COMMAND = Subcommand(
    "claim", "Explain a claimed number: find the settings that give it", _add_options, _run
)
