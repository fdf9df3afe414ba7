"""``forensicviewer case``: a disputed trial as one file, opened and checked elsewhere."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.cli import console
from forensicviewer.cli.command import (
    ExitCode,
    Subcommand,
    add_claim,
    add_printing,
    add_submissions,
)
from forensicviewer.core.problem import UsageError

if TYPE_CHECKING:
    from forensicviewer.app.cases.opening import OpenedCase
    from forensicviewer.app.claims.search import ExplainedClaim
    from forensicviewer.core.model import Submission, Task, TrialId

_WITHHELD = {
    "probe": "probe",
    "donor": "donor",
    "base": "base",
    "reference": "reference",
    "system-mask": "system mask",
}


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "write: pack a trial with its rows, masks, numbers and verdicts. verify: check a "
        "case file and compute its numbers again. open: verify it and keep the files in a "
        "new folder. hand-on: write it again with a custody entry. Exit code 1: a number "
        "differs."
    )
    parser.add_argument("action", choices=("write", "verify", "open", "hand-on"))
    parser.add_argument(
        "path", type=Path, metavar="DATASET|FILE", help="the dataset of the trial, or a case file"
    )
    add_submissions(parser, help_="the submission of the trial")
    parser.add_argument("--trial", metavar="ID", help="the trial to write")
    parser.add_argument("--task", metavar="TASK", help="task to use if the dataset has several")
    parser.add_argument("--out", type=Path, metavar="FILE", help="new .fvcase file")
    parser.add_argument("--into", type=Path, metavar="DIR", help="new folder for the opened case")
    parser.add_argument("--case", default="", metavar="NUMBER", help="case number")
    parser.add_argument("--who", default="", metavar="NAME", help="who writes it or hands it on")
    parser.add_argument("--checker", default="", metavar="NAME", help="who checked it")
    parser.add_argument("--note", default="", metavar="TEXT")
    add_claim(parser)
    parser.add_argument(
        "--licence", default="", metavar="TEXT", help="what the recipient may do with it"
    )
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        choices=tuple(_WITHHELD),
        help="exclude these files and keep their digests",
    )
    parser.add_argument(
        "--anonymise",
        action="store_true",
        help="replace names of judges and submissions by numbers",
    )
    add_printing(parser, json="what was checked")


def _run(options: argparse.Namespace) -> int:
    if options.action == "write":
        return _write(options)
    if options.action == "open":
        return _open(options)
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.cases.opening import opened_for_a_while
    from forensicviewer.app.cases.writing import hand_on

    if options.action == "hand-on" and options.out is None:
        raise UsageError("hand-on needs --out")
    with opened_for_a_while(options.path) as opened:
        if options.action == "hand-on":
            hand_on(
                options.path,
                options.out,
                who=options.who,
                what=options.note or "handed on",
                manifest=opened.manifest,
                folder=opened.folder,
            )
        return _tell(opened, options)


def _open(options: argparse.Namespace) -> int:
    from forensicviewer.app.cases.opening import open_case

    if options.into is None:
        raise UsageError("open needs --into")
    opened = open_case(options.path, options.into)
    code = _tell(opened, options)
    if not options.quiet and not options.json:
        console.say(f"dataset     {opened.dataset}")
        for path in opened.submissions:
            console.say(f"submission  {path}")
    return code


def _write(options: argparse.Namespace) -> int:
    from forensicviewer.app.cases.writing import CaseRequest, write_case
    from forensicviewer.app.datasets.answered_task import open_answered_task
    from forensicviewer.app.datasets.opening import open_dataset, open_submission
    from forensicviewer.app.judging.judging import user_name
    from forensicviewer.app.judging.verdict_log import VerdictBook, verdict_folder
    from forensicviewer.app.reports.making import ReportHeading
    from forensicviewer.core.model import TrialId

    if not options.trial or options.out is None or not options.submissions:
        raise UsageError("write needs a submission, --trial and --out")
    first, *others = options.submissions
    task, submission = open_answered_task(options.path, first, name=options.task)
    dataset, trial_id = open_dataset(options.path), TrialId(options.trial)
    book = VerdictBook(verdict_folder(dataset), judge=options.who or user_name())
    standing = book.standings(task.name).get(trial_id)
    request = CaseRequest(
        task,
        trial_id,
        (submission, *(open_submission(path, task=task) for path in others)),
        dataset.name,
        verdicts=() if standing is None else standing.verdicts,
        heading=ReportHeading(options.case, options.who, options.checker, options.note),
        licence=options.licence,
        who=options.who or user_name(),
        withheld=frozenset(_WITHHELD[one] for one in options.without),
        is_anonymous=options.anonymise,
        explained=explained_by(options, task, submission, trial_id),
    )
    with console.ProgressLine("Submissions", quiet=options.quiet) as progress:
        manifest = write_case(request, options.out, progress=progress)
    if options.json:
        console.say_json({"out": str(options.out), "content": manifest.digest})
    elif not options.quiet:
        console.say(f"{options.out}\ncontent {manifest.digest}")
    return ExitCode.FINE


def explained_by(
    options: argparse.Namespace, task: Task, submission: Submission, trial_id: TrialId
) -> ExplainedClaim | None:
    """The claim that the options name, explained; ``None`` without one."""
    from forensicviewer.app.claims.claim import Claim
    from forensicviewer.app.claims.search import Dispute, explain

    if len(options.metric) != len(options.value):
        raise UsageError("Every --metric needs a --value, and every --value a --metric")
    if not options.metric:
        return None
    claims = tuple(map(Claim.of, options.metric, options.value))
    steps = getattr(options, "steps", 1)
    return explain(Dispute(task, submission, trial_id, claims), depth=steps)


def _tell(opened: OpenedCase, options: argparse.Namespace) -> int:
    manifest = opened.manifest
    if options.json:
        checked = [
            {"what": one.what, "words": one.words, "same": one.is_same, "differs": one.is_different}
            for one in opened.findings
        ]
        custody = [one.as_json() for one in manifest.custody]
        console.say_json({"content": manifest.digest, "checked": checked, "custody": custody})
    elif not options.quiet:
        console.say(f"case {manifest.content['case'] or 'without number'}: {manifest.trial}")
        console.say(f"content {manifest.digest}")
        for one in opened.findings:
            console.say(f"{one.what}: {one.words}")
        for line in manifest.custody:
            console.say(f"custody: {line.when} {line.who}, {line.what}")
        if licence := manifest.content["licence"]:
            console.say(f"licence: {licence}")
    return ExitCode.PROBLEMS if opened.is_different else ExitCode.FINE


COMMAND = Subcommand("case", "Write, open and verify case files", _add_options, _run)
