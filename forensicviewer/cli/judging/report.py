"""``forensicviewer report``: a trial, a dispute, a submission, a set or a review to hand over."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.cli import console
from forensicviewer.cli.command import (
    DATASET_HELP,
    ExitCode,
    Subcommand,
    add_claim,
    add_submissions,
)
from forensicviewer.cli.judging.case import explained_by
from forensicviewer.core.problem import ForensicViewerError, UsageError

if TYPE_CHECKING:
    from forensicviewer.app.reports.making import ReportHeading
    from forensicviewer.app.reports.model import Report
    from forensicviewer.core.model import Submission, Task, TrialId
    from forensicviewer.core.verdict import Verdict

_ENDINGS = (".html", ".pdf")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "kind",
        choices=("trial", "dispute", "submission", "set", "review"),
        help="subject of the report",
    )
    parser.description = (
        "Writes one file to hand over: images with legend, numbers, curves, verdicts, "
        "method, settings, limitations, digests, versions, and the command that reproduces "
        "each number. PDF needs Qt; HTML does not."
    )
    parser.add_argument(
        "dataset",
        type=Path,
        metavar="DATASET",
        help=f"{DATASET_HELP}, or the folder of a review",
    )
    add_submissions(parser, help_="submissions to report on")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="new .html or .pdf file"
    )
    parser.add_argument("--trial", metavar="ID", help="trial of a trial or dispute report")
    parser.add_argument("--task", metavar="TASK", help="task to use if the dataset has several")
    add_claim(parser)
    parser.add_argument(
        "--steps",
        type=int,
        default=1,
        choices=(0, 1, 2),
        help="how many settings may differ at once in a dispute (default: %(default)s)",
    )
    parser.add_argument("--case", default="", metavar="NUMBER", help="case number")
    parser.add_argument("--judge", default="", metavar="NAME")
    parser.add_argument("--checker", default="", metavar="NAME")
    parser.add_argument("--note", default="", metavar="TEXT")
    parser.add_argument("--quiet", action="store_true", help="print only errors")


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.report.overwrite import require_free, require_no_input
    from forensicviewer.app.reports.html import html_of
    from forensicviewer.app.reports.making import ReportHeading
    from forensicviewer.app.runtime.atomic import write_atomically

    ending = options.out.suffix.lower()
    if ending not in _ENDINGS:
        raise UsageError("A report must be an .html or .pdf file", where=options.out)
    require_free(options.out)
    require_no_input(options.out, inputs=(options.dataset, *options.submissions))
    heading = ReportHeading(options.case, options.judge, options.checker, options.note)
    report = _report(options, heading)
    if ending == ".html":
        write_atomically(options.out, html_of(report))
    else:
        _write_pdf(report, options.out)
    if not options.quiet:
        console.say(str(options.out))
    return ExitCode.FINE


def _write_pdf(report: Report, path: Path) -> None:
    # Before Qt is imported: it then needs no display.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        from forensicviewer.ui.reports.pdf import write_pdf
        from forensicviewer.ui.shell.start import make_application
    except ImportError as error:
        raise ForensicViewerError(
            f"PDF needs Qt, which cannot be used ({error})",
            where=path,
            hint="write the report as .html, which does not need Qt",
        ) from error
    application = make_application()
    write_pdf(report, path)
    del application


def _report(options: argparse.Namespace, heading: ReportHeading) -> Report:
    from forensicviewer.app.datasets.answered_task import open_answered_task
    from forensicviewer.app.datasets.opening import open_submission
    from forensicviewer.app.reports.runs import submission_report

    if options.kind == "review":
        return _review(options, heading)
    if not options.submissions:
        raise UsageError(f"A report of a {options.kind} needs a submission")
    task, submission = open_answered_task(
        options.dataset, options.submissions[0], name=options.task
    )
    if options.kind in ("submission", "set"):
        others = [open_submission(path, task=task) for path in options.submissions[1:]]
        return submission_report(task, [submission, *others], heading, dataset=options.dataset)
    return _trial(options, heading, task, submission)


def _review(options: argparse.Namespace, heading: ReportHeading) -> Report:
    from forensicviewer.app.datasets.opening import open_dataset
    from forensicviewer.app.judging.verdict_log import VerdictBook, verdict_folder
    from forensicviewer.app.reports.reviews import project_report, review_report

    if (options.dataset / "review.json").is_file():
        from forensicviewer.app.judging.review import open_review

        return project_report(open_review(options.dataset), heading)
    dataset = open_dataset(options.dataset)
    book = VerdictBook(verdict_folder(dataset), judge=options.judge or "report")
    return review_report(book, heading, dataset=dataset.name)


def _trial(
    options: argparse.Namespace, heading: ReportHeading, task: Task, submission: Submission
) -> Report:
    from forensicviewer.app.reports.making import evaluated_state, trial_report
    from forensicviewer.core.model import TrialId

    if not options.trial:
        raise UsageError(f"A report of a {options.kind} needs --trial")
    trial_id = TrialId(options.trial)
    if options.kind == "dispute" and not options.metric:
        raise UsageError("A dispute needs --metric and --value")
    is_disputed = options.kind == "dispute"
    explained = explained_by(options, task, submission, trial_id) if is_disputed else None
    state = evaluated_state(task, submission, trial_id)
    places = str(options.dataset), str(options.submissions[0])
    return trial_report(
        state,
        heading,
        places=places,
        explained=explained,
        verdicts=_verdicts(options, task, trial_id),
    )


def _verdicts(options: argparse.Namespace, task: Task, trial_id: TrialId) -> tuple[Verdict, ...]:
    """The verdicts on the trial in the judges' logs of this machine."""
    from forensicviewer.app.datasets.opening import open_dataset
    from forensicviewer.app.judging.verdict_log import VerdictBook, verdict_folder

    book = VerdictBook(
        verdict_folder(open_dataset(options.dataset)), judge=options.judge or "report"
    )
    standing = book.standings(task.name).get(trial_id)
    return () if standing is None else standing.verdicts


COMMAND = Subcommand("report", "Write a report as HTML or PDF", _add_options, _run)
