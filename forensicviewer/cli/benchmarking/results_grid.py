"""``forensicviewer results-grid``: runs against datasets, as a table for a paper."""

from __future__ import annotations

import argparse
from pathlib import Path

from forensicviewer.cli import console
from forensicviewer.cli.command import Subcommand, exit_code
from forensicviewer.core.problem import ProblemLog, UsageError

_METRICS = ("F1", "IoU", "AUC", "Accuracy", "ImageF1", "ImageAUC", "ImageAccuracy")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs",
        type=Path,
        nargs="*",
        metavar="RUN",
        help="folder with an imdl_summary.csv of 'score imdl', or with IMDL-BenCo's log.txt "
        "and optionally model.json",
    )
    parser.add_argument(
        "--metric", choices=_METRICS, default="F1", help="metric to list (default: %(default)s)"
    )
    parser.add_argument(
        "--published", action="store_true", help="add the figures of the IMDL-BenCo paper"
    )
    parser.add_argument(
        "--robustness",
        action="store_true",
        help="list F1 by attack and level instead; RUN is then the log folder of IMDL-BenCo's "
        "robustness test (CSV only)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="output file: .csv, .html or .tex (LaTeX)"
    )
    parser.add_argument("--quiet", action="store_true", help="print only errors")


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.grid import grid as grids
    from forensicviewer.app.report.overwrite import require_no_input
    from forensicviewer.app.runtime.atomic import write_atomically
    from forensicviewer.sources.tables.benchmark_runs import read_run

    writers = grids.WRITERS
    if options.out is not None and options.out.suffix.lower() not in writers:
        raise UsageError(
            "Unknown file type", where=options.out, hint="use a name ending in .csv, .html or .tex"
        )
    if not options.runs and not options.published:
        raise UsageError("No runs to list", hint="name a RUN, or add --published")
    if options.robustness:
        return _list_robustness(options)
    log = ProblemLog()
    runs = [read_run(folder, log) for folder in options.runs]
    if options.published:
        runs += grids.published_runs(options.metric)
    grid = grids.make_grid(runs, options.metric)
    if options.out is not None:
        require_no_input(options.out, inputs=options.runs)
        options.out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(options.out, writers[options.out.suffix.lower()](grid))
    elif not options.quiet:
        console.say(grids.as_csv(grid).removesuffix("\n"))
    if not options.quiet:
        console.list_problems(log.freeze())
    return exit_code(log.freeze())


def _list_robustness(options: argparse.Namespace) -> int:
    from forensicviewer.app.imdl.robustness import read_runs, robustness_csv
    from forensicviewer.app.report.overwrite import require_no_input
    from forensicviewer.app.runtime.atomic import write_atomically

    if options.published or (options.out is not None and options.out.suffix.lower() != ".csv"):
        raise UsageError(
            "Robustness is written only as CSV, without published figures",
            hint="use a name ending in .csv, and omit --published",
        )
    log = ProblemLog()
    if gone := next((folder for folder in options.runs if not folder.is_dir()), None):
        raise UsageError("A robustness test must be a folder", where=gone)
    text = robustness_csv(read_runs(options.runs, log))
    if options.out is not None:
        require_no_input(options.out, inputs=options.runs)
        options.out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(options.out, text)
    elif not options.quiet:
        console.say(text.removesuffix("\n"))
    if not options.quiet:
        console.list_problems(log.freeze())
    return exit_code(log.freeze())


COMMAND = Subcommand("results-grid", "Compare runs over datasets in one table", _add_options, _run)
