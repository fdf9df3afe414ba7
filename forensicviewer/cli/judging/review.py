"""``forensicviewer review``: set a review up, follow it, merge logs, verify and export."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forensicviewer.cli import console
from forensicviewer.cli.command import ExitCode, Subcommand, add_dataset, add_printing, exit_code
from forensicviewer.core.problem import ProblemLog, UsageError
from forensicviewer.core.verdict import Ruling

if TYPE_CHECKING:
    from forensicviewer.app.judging.review import Honeypot, Judge, Review, ReviewStatus
    from forensicviewer.core.model import Task

_RULINGS = [ruling.value for ruling in Ruling]


def _add_options(parser: argparse.ArgumentParser) -> None:
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    init = _step(steps, "init", "Create a review of a dataset, in a separate folder", _init)
    add_dataset(init)
    init.add_argument(
        "--judge",
        action="append",
        required=True,
        metavar="NAME",
        help="name of a judge; may be repeated",
    )
    init.add_argument("--chair", default="", metavar="NAME", help="who decides conflicts")
    init.add_argument(
        "--blind",
        action="store_true",
        help="hide the verdicts of others until the judge has judged",
    )
    init.add_argument(
        "--second",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="share of trials judged twice, 0 to 1",
    )
    init.add_argument(
        "--honeypot",
        action="append",
        default=[],
        metavar="TRIAL=RULING",
        help="trial with a known verdict; never exported or compared",
    )
    init.add_argument("--full", action="store_true", help="compute the digests of all media now")
    status = _step(steps, "status", "Show progress, agreement and conflicts", _status)
    status.add_argument("--dataset", type=Path, help="find verdicts whose files have changed since")
    merge = _step(steps, "merge", "Merge logs of judges, or other copies of the review", _merge)
    merge.add_argument("sources", type=Path, nargs="+", metavar="SOURCE", help="log or folder")
    _step(steps, "verify", "Check every log, and say what is proven", _verify)
    decide = _step(steps, "decide", "Decide a conflict as the chair", _decide)
    decide.add_argument("trial", metavar="TRIAL")
    decide.add_argument("ruling", choices=_RULINGS, metavar="RULING", help=", ".join(_RULINGS))
    decide.add_argument("--reason", required=True, metavar="TEXT")
    for name, words, run in (
        ("key", "Create a key that signs the verdicts of a judge on this machine", _key),
        ("countersign", "Record the current length of every log as a judge", _countersign),
    ):
        _step(steps, name, words, run).add_argument("--judge", required=True, metavar="NAME")
    export = _step(steps, "export", "Write verdicts, decisions and agreement as tables", _export)
    export.add_argument("--out", type=Path, required=True, metavar="DIR", help="new folder")


def _step(
    steps: argparse._SubParsersAction[Any],
    name: str,
    words: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = steps.add_parser(name, help=words, description=words)
    parser.add_argument("review", type=Path, metavar="REVIEW", help="folder of the review")
    add_printing(parser, json="the result")
    parser.set_defaults(run_step=run)
    return parser


def _run(options: argparse.Namespace) -> int:
    return int(options.run_step(options))


def _init(options: argparse.Namespace) -> int:
    from forensicviewer.app.datasets.opening import choose_task, open_dataset
    from forensicviewer.app.judging.review import ReviewPlan, begin_review

    dataset = open_dataset(options.dataset)
    task = choose_task(dataset, options.task)
    plan = ReviewPlan(
        tuple(dict.fromkeys(options.judge)),
        options.chair,
        options.blind,
        options.second,
        tuple(map(_honeypot, options.honeypot)),
        options.full,
    )
    review = begin_review(options.review, dataset, task.name, plan)
    names = {one.id: one.name for one in review.judges}
    dealt = {names[judge]: len(trials) for judge, trials in review.assigned.items()}
    words = [f"{review.folder}", *(f"{name}: {count} trials" for name, count in dealt.items())]
    _say(options, words, {"review": str(review.folder), "id": review.id, "assigned": dealt})
    return ExitCode.FINE


def _honeypot(written: str) -> Honeypot:
    from forensicviewer.app.judging.review import Honeypot

    trial, _, ruling = written.rpartition("=")
    if not trial or ruling not in _RULINGS:
        raise UsageError(
            f"{written} is not TRIAL=RULING", hint=f"the rulings are {', '.join(_RULINGS)}"
        )
    return Honeypot(trial, Ruling(ruling))


def _status(options: argparse.Namespace) -> int:
    from forensicviewer.app.judging.review import open_review, status_of

    review = open_review(options.review)
    book = review.book()
    status = status_of(review, book)
    stale = _stale(review, options.dataset) if options.dataset is not None else {}
    found = {**_as_json(status), "stale": stale}
    _say(options, [*_words(status), *(f"Stale: {t}: {w}" for t, w in stale.items())], found)
    console.list_problems(book.problems)
    return ExitCode.PROBLEMS if stale else exit_code(book.problems)


def _stale(review: Review, path: Path) -> dict[str, str]:
    """Trials that have changed since a judge saw them, and what changed."""
    from forensicviewer.app.datasets.opening import choose_task, open_dataset
    from forensicviewer.app.judging.identity import changes_since, foreign_reason
    from forensicviewer.app.judging.review import count_entries
    from forensicviewer.core.verdict import fold

    dataset = open_dataset(path)
    reason = foreign_reason(review.task, dataset)
    if reason:
        raise UsageError(f"This dataset does not belong to the review: {reason}", where=path)
    task: Task = choose_task(dataset, review.task.name)
    found: dict[str, str] = {}
    for trial, standing in fold(count_entries(review, review.book())).items():
        changed = dict.fromkeys(w for one in standing.opinions for w in changes_since(one, task))
        if changed:
            found[str(trial)] = "changed after the verdict: " + ", ".join(changed)
    return found


def _merge(options: argparse.Namespace) -> int:
    from forensicviewer.app.judging.merging import merge
    from forensicviewer.app.judging.review import open_review

    problems = ProblemLog()
    merged = merge(open_review(options.review), options.sources, problems)
    words = [f"{one.source}: {one.came.value} ({one.lines} lines)" for one in merged]
    found = [
        {"source": str(one.source), "came": one.came.name.lower(), "lines": one.lines}
        for one in merged
    ]
    _say(options, words, {"merged": found})
    console.list_problems(problems)
    return exit_code(problems)


def _verify(options: argparse.Namespace) -> int:
    from forensicviewer.app.judging.merging import forks
    from forensicviewer.app.judging.review import open_review

    review = open_review(options.review)
    book = review.book()
    branches = [path.name for path in forks(review)]
    words = [*book.proof, *(f"Fork (not used): {name}" for name in branches)]
    words.append(
        "The settings: review.json matches the digest in review.sha256, which every verdict names. "
        "Anyone who can write both files before the first verdict, or both and every log, can "
        "change them: compare copies on other machines."
    )
    problems = [
        {"rule": one.rule, "where": one.where, "message": one.message} for one in book.problems
    ]
    _say(options, words, {"proof": words, "forks": branches, "problems": problems})
    console.list_problems(book.problems)
    return ExitCode.PROBLEMS if branches else exit_code(book.problems)


def _decide(options: argparse.Namespace) -> int:
    from forensicviewer.app.judging.review import open_review
    from forensicviewer.app.judging.review_book import decide

    review = open_review(options.review)
    decide(review, options.trial, Ruling(options.ruling), reason=options.reason)
    words = f"{options.trial}: {Ruling(options.ruling).label}, decided by {review.chair}"
    _say(options, [words], {"trial": options.trial, "ruling": options.ruling})
    return ExitCode.FINE


def _key(options: argparse.Namespace) -> int:
    """Create a key; the passphrase is read from the environment, where others cannot see it."""
    from forensicviewer.app.judging.review import open_review
    from forensicviewer.app.judging.signing import PASSPHRASE, fingerprint, key_folder, make_key

    judge = _judge_of(open_review(options.review), options.judge)
    is_locked = bool(os.environ.get(PASSPHRASE))
    signer = make_key(judge.id, passphrase=os.environ.get(PASSPHRASE, ""))
    words = [
        f"{judge.name} signs with key {fingerprint(signer.public)}: tell the other judges",
        f"The private key is in {key_folder()}, "
        + (
            f"locked by {PASSPHRASE}"
            if is_locked
            else f"without passphrase ({PASSPHRASE} is not set)"
        ),
    ]
    found = {"judge": judge.name, "key": signer.public, "fingerprint": fingerprint(signer.public)}
    _say(options, words, found)
    return ExitCode.FINE


def _countersign(options: argparse.Namespace) -> int:
    from forensicviewer.app.judging.review import open_review
    from forensicviewer.app.judging.review_book import ReviewBook

    review = open_review(options.review)
    book = ReviewBook(review, judge=_judge_of(review, options.judge).name)
    count = book.countersign()
    _say(options, [f"{options.judge} has seen {count} other logs"], {"logs": count})
    console.list_problems(book.problems)
    return exit_code(book.problems)


def _judge_of(review: Review, name: str) -> Judge:
    judge = review.judge_named(name)
    if judge is None:
        names = ", ".join(one.name for one in review.judges)
        raise UsageError(f"{name} is not a judge of this review", hint=f"the judges are {names}")
    return judge


def _export(options: argparse.Namespace) -> int:
    from forensicviewer.app.judging.review import open_review
    from forensicviewer.app.judging.review_export import export_review

    review = open_review(options.review)
    problems = export_review(review, options.out)
    _say(options, [str(options.out)], {"out": str(options.out)})
    console.list_problems(problems)
    return exit_code(problems)


def _as_json(status: ReviewStatus) -> dict[str, Any]:
    agreement = status.agreement
    return {
        "judges": [
            {
                "judge": one.judge,
                "assigned": one.assigned,
                "judged": one.judged,
                "honeypots": one.honeypots,
                "caught": one.caught,
            }
            for one in status.progress
        ],
        "agreement": {
            "trials": agreement.trials,
            "raw": agreement.raw,
            "kappa": [[a, b, kappa] for a, b, kappa in agreement.kappas],
            "alpha": agreement.alpha,
        },
        "conflicts": [str(one.trial_id) for one in status.conflicts],
        "decided": status.decided,
    }


def _words(status: ReviewStatus) -> list[str]:
    from forensicviewer.app.judging.review_export import agreement_rows

    words = []
    for one in status.progress:
        hits = f"; honeypots {one.caught} of {one.honeypots}" if one.honeypots else ""
        words.append(f"{one.judge}: {one.judged} of {one.assigned} trials{hits}")
    words += [f"{what}: {value}" for what, value in agreement_rows(status.agreement)]
    words += [
        f"Conflict: {one.trial_id}: "
        + ", ".join(f"{said.judge} {said.ruling.label}" for said in one.opinions)
        for one in status.conflicts
    ]
    return words


def _say(options: argparse.Namespace, words: Iterable[str], found: dict[str, Any]) -> None:
    if options.json:
        console.say(json.dumps(found, ensure_ascii=False))
    elif not options.quiet:
        for line in words:
            console.say(line)


COMMAND = Subcommand(
    "review", "Set up, follow, merge, verify and export reviews", _add_options, _run
)
