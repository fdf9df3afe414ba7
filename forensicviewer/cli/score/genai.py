"""``forensicviewer score genai``: how well systems distinguish AI-generated images."""

from __future__ import annotations

import argparse
from pathlib import Path

from forensicviewer.cli import console
from forensicviewer.cli.command import Subcommand, add_tables
from forensicviewer.cli.score.options import add_reporting, finish


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "dataset", type=Path, metavar="DATASET", help="dataset folder, archive or index table"
    )
    parser.add_argument(
        "submissions",
        type=Path,
        nargs="+",
        metavar="SYSTEM_OUTPUT",
        help="system outputs: tables, archives with one table, or folders of these",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="output folder")
    parser.add_argument(
        "--task", metavar="TASK", help="task to score if the dataset has several indexes"
    )
    add_tables(parser)
    parser.add_argument(
        "--label-column",
        metavar="NAME",
        help="column of the reference that says which images are AI-generated",
    )
    parser.add_argument(
        "--fpr",
        type=float,
        default=0.1,
        metavar="X",
        help="false positive rate of pAUC and TPR@FPR, 0 to 1 (default: %(default)s)",
    )
    parser.add_argument(
        "--by",
        default="DatasetID",
        metavar="COLUMN",
        help="score each value of this column separately (default: %(default)s)",
    )
    parser.add_argument(
        "--ci", action="store_true", help="compute confidence intervals by resampling the trials"
    )
    parser.add_argument(
        "--anonymise",
        action="store_true",
        help="replace team names by numbers in every file and chart",
    )
    add_reporting(parser, page="also write an HTML page with the curves")


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.datasets.opening import open_submission, open_task
    from forensicviewer.app.genai import report
    from forensicviewer.app.genai.charts import figures_of
    from forensicviewer.app.genai.naming import names_for
    from forensicviewer.app.genai.opening import remember_label, require_labels, system_outputs
    from forensicviewer.app.genai.scoring import GenAISettings, run_genai

    with console.ProgressLine("Reading tables", quiet=options.quiet) as progress:
        dataset, task = open_task(
            options.dataset,
            name=options.task,
            index=options.index,
            reference=options.reference,
            label_column=options.label_column,
            progress=progress,
        )
    require_labels(dataset)
    submissions = [open_submission(path, task=task) for path in system_outputs(options.submissions)]
    settings = GenAISettings(options.fpr, options.by, with_intervals=options.ci)
    with console.ProgressLine("Confidence intervals", quiet=options.quiet) as progress:
        run = run_genai(task, submissions, settings, progress=progress)
    if options.label_column is not None:
        remember_label(task, options.label_column)
    tables = [Path(task.root) / name for name in task.files.values()]
    outputs = [Path(found.root) / found.table.name for found in submissions]
    names = names_for(run.systems, is_anonymous=options.anonymise)
    return finish(
        report.genai_output(
            run, opening=dataset.problems, names=names if options.anonymise else None
        ),
        options,
        figures=figures_of(run.systems, names) if options.html else (),
        inputs=tables if options.anonymise else [*tables, *outputs],
    )


COMMAND = Subcommand(
    "genai",
    "Score how well systems distinguish AI-generated images from others",
    _add_options,
    _run,
)
