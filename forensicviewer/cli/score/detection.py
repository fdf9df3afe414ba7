"""``forensicviewer score detection``: how well confidence separates targets from non-targets."""

from __future__ import annotations

import argparse

from forensicviewer.cli import console
from forensicviewer.cli.command import Subcommand
from forensicviewer.cli.score.options import add_shared_options, finish, open_asked, settings_from


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_shared_options(parser, scorer="detection")
    parser.add_argument(
        "--ci", action="store_true", help="compute confidence intervals by resampling the trials"
    )
    parser.add_argument(
        "--ci-level",
        type=float,
        default=0.9,
        metavar="X",
        help="confidence level, between 0.8 and 0.99 (default: %(default)s)",
    )
    parser.add_argument(
        "--far-stop",
        type=float,
        metavar="X",
        help="false alarm rate of AUC@FAR and CDR@FAR, 0 to 1 (default: from the rule set)",
    )
    parser.add_argument(
        "--dump-meta", action="store_true", help="also write the joined tables that were scored"
    )


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.datasets.opening import tables_read
    from forensicviewer.app.detection import report
    from forensicviewer.app.detection.scoring import DetectionSettings, run_detection

    task, submission = open_asked(options)
    settings = settings_from(options, DetectionSettings.from_options)
    with console.ProgressLine("Confidence intervals", quiet=options.quiet) as progress:
        run = run_detection(task, submission, settings, progress=progress)
    shown = options.html
    return finish(
        report.detection_output(run),
        options,
        inputs=tables_read(task, submission),
        figures=report.detection_figures(run) if shown else (),
        headlines=report.headlines_by_rules(task, submission, settings) if shown else None,
    )


COMMAND = Subcommand(
    "detection", "Score how well confidence separates targets from non-targets", _add_options, _run
)
