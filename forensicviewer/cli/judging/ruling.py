"""``forensicviewer ruling``: the effect of a ruling on the averages and ranks of submissions."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.cli import console
from forensicviewer.cli.command import (
    ExitCode,
    Subcommand,
    add_dataset,
    add_printing,
    add_submissions,
)
from forensicviewer.cli.score.options import (
    add_mask_options,
    add_rule_set,
    add_switches,
    rules_of,
    settings_from,
)
from forensicviewer.core.problem import UsageError
from forensicviewer.core.rules import rule_set

if TYPE_CHECKING:
    from forensicviewer.app.rulings.effect import Effect
    from forensicviewer.app.rulings.ruling import Decision
    from forensicviewer.core.model import Task, TrialId

_USUAL: dict[str, object] = {"kernel": "box", "erode": 15, "dilate": 11, "distraction": None}
_USUAL |= {"opt_out_pixels": False, "bit_planes": False, "rule": []}


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Scores every submission with and without a ruling, and prints averages and ranks "
        "before and after. The dataset is not changed."
    )
    add_dataset(parser)
    add_submissions(parser, help_="submissions to rank", nargs="+")
    ruling = parser.add_argument_group("the ruling, with one or more parts")
    ruling.add_argument(
        "--leave-out",
        action="append",
        default=[],
        metavar="ID",
        help="exclude this trial for all submissions",
    )
    ruling.add_argument(
        "--verdicts",
        action="store_true",
        help="exclude the trials that the judges' verdicts leave out",
    )
    ruling.add_argument(
        *("--reference-mask",),
        nargs=2,
        action="append",
        default=[],
        metavar=("ID", "FILE"),
        help="mask that replaces the reference mask of a trial",
    )
    ruling.add_argument("--reference", type=Path, metavar="FILE", help="corrected reference table")
    ruling.add_argument(
        *("--system-mask",),
        nargs=3,
        action="append",
        default=[],
        metavar=("NAME", "ID", "FILE"),
        help="mask that replaces the one of the submission NAME",
    )
    add_mask_options(ruling)
    add_rule_set(ruling, default=None, help_="score again with this rule set")
    add_switches(ruling, "mask")
    add_rule_set(
        parser,
        name="--evaluation-rules",
        help_="rule set before the ruling (default: %(default)s)",
    )
    parser.add_argument(
        "--metric", default="", metavar="NAME", help="average that decides the ranks"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="new .csv with every average")
    add_printing(parser, json="the effect")


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.datasets.answered_task import open_answered_task
    from forensicviewer.app.datasets.opening import open_submission
    from forensicviewer.app.report.overwrite import require_free
    from forensicviewer.app.report.separated_text import write_table
    from forensicviewer.app.rulings.effect import COLUMNS, effect_of, rows_of

    if options.out is not None:
        require_free(options.out)
    first, *others = options.submissions
    task, submission = open_answered_task(options.dataset, first, name=options.task)
    submissions = [submission, *(open_submission(path, task=task) for path in others)]
    decision = _decision(options, task)
    with console.ProgressLine("Scores", quiet=options.quiet) as progress:
        effect = effect_of(
            decision,
            task,
            submissions,
            metric=options.metric,
            rules=rule_set(options.evaluation_rules),
            progress=progress,
        )
    if options.out is not None:
        write_table(options.out, COLUMNS, rows_of(effect))
    if options.json:
        console.say_json(document_of(effect))
    elif not options.quiet:
        _say(effect)
    return ExitCode.FINE


def _decision(options: argparse.Namespace, task: Task) -> Decision:
    from forensicviewer.app.datasets.opening import open_task
    from forensicviewer.app.masks.settings import MaskSettings
    from forensicviewer.app.rulings.ruling import Decision
    from forensicviewer.core.model import TrialId

    turned = any(getattr(options, name) != usual for name, usual in _USUAL.items())
    settings = None
    if turned or options.rules:
        asked = argparse.Namespace(**vars(options))
        asked.rules = options.rules or options.evaluation_rules
        asked.bit_planes = task.scores_planes(wanted=options.bit_planes)
        settings = settings_from(asked, MaskSettings.from_options)
        assert settings.rules == rules_of(asked)
    corrected = None
    if options.reference is not None:
        _, corrected = open_task(
            options.dataset, name=options.task or task.name, reference=options.reference
        )
    return Decision(
        left_out=frozenset(map(TrialId, options.leave_out)) | _judged(options, task),
        references={TrialId(one): Path(path) for one, path in options.reference_mask},
        masks={(name, TrialId(one)): Path(path) for name, one, path in options.system_mask},
        reference=corrected,
        settings=settings,
    )


def _judged(options: argparse.Namespace, task: Task) -> frozenset[TrialId]:
    from forensicviewer.app.datasets.opening import open_dataset
    from forensicviewer.app.judging.judging import user_name
    from forensicviewer.app.judging.verdict_log import VerdictBook, verdict_folder
    from forensicviewer.app.rulings.ruling import left_out_by

    if not options.verdicts:
        return frozenset()
    book = VerdictBook(verdict_folder(open_dataset(options.dataset)), judge=user_name())
    found = left_out_by(book.standings(task.name))
    if not found:
        raise UsageError("The verdicts do not leave out any trial of the dataset")
    return found


def _say(effect: Effect) -> None:
    width = max(len(one.name) for one in effect.submissions)
    console.say(f"{'submission':<{width}}  rank       {effect.metric} before → after (change)")
    for one in effect.submissions:
        places = f"{_place(one.before.rank)} → {_place(one.after.rank)}"
        numbers = f"{one.before.text or 'none'} → {one.after.text or 'none'}"
        change = "" if math.isnan(one.change) else f" ({one.change:+.6g})"
        console.say(f"{one.name:<{width}}  {places:<9}  {numbers}{change}")
        for trial, (before, after) in list(one.trials.items())[:10]:
            console.say(f"  {trial}: {before or 'not scored'} → {after or 'not scored'}")
        if len(one.trials) > 10:
            console.say(f"  … and {len(one.trials) - 10} more trials")
    console.say("Ranks change" if effect.changes_ranks else "No rank changes")


def _place(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def document_of(effect: Effect) -> dict[str, object]:
    """The effect for other programs; numbers are as the score files print them."""
    return {
        "scorer": effect.scorer,
        "metric": effect.metric,
        "changes_ranks": effect.changes_ranks,
        "submissions": [
            {
                "name": one.name,
                "before": dict(one.averages[0]),
                "after": dict(one.averages[1]),
                "rank_before": one.before.rank,
                "rank_after": one.after.rank,
                "scored_before": one.scored[0],
                "scored_after": one.scored[1],
                "trials": {str(trial): list(pair) for trial, pair in one.trials.items()},
            }
            for one in effect.submissions
        ],
    }


COMMAND = Subcommand(
    "ruling", "Show the effect of a ruling on averages and ranks", _add_options, _run
)
