"""``forensicviewer results-grid``: runs against datasets, as a table for a paper."""

from __future__ import annotations

import argparse
from pathlib import Path

from forensicviewer.cli import console
from forensicviewer.cli.command import Command, exit_code
from forensicviewer.core.problem import ProblemLog, UsageError

_METRICS = ("F1", "IoU", "AUC", "Accuracy", "ImageF1", "ImageAUC", "ImageAccuracy")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs",
        type=Path,
        nargs="*",
        metavar="RUN",
        help="folder with imdl_summary.csv files of 'score imdl', or IMDL-BenCo's log.txt, and "
        "perhaps model.json",
    )
    parser.add_argument(
        "--metric", choices=_METRICS, default="F1", help="what to list (default: %(default)s)"
    )
    parser.add_argument(
        "--published", action="store_true", help="add the figures of the IMDL-BenCo paper"
    )
    parser.add_argument(
        "--robustness",
        action="store_true",
        help="list F1 by attack and level instead; a RUN is then the log folder of IMDL-BenCo's "
        "robustness test (only .csv)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="write it as .csv, .html or .tex (LaTeX)"
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.grid import grid as grids
    from forensicviewer.app.report.overwrite import require_no_input
    from forensicviewer.app.runtime.atomic import write_atomically
    from forensicviewer.sources.tables.benchmark_runs import read_run

    writers = grids.WRITERS
    if options.out is not None and options.out.suffix.lower() not in writers:
        raise UsageError(
            "Unknown kind of file", where=options.out, hint="end it with .csv, .html or .tex"
        )
    if not options.runs and not options.published:
        raise UsageError("There is no run to list", hint="name a RUN, or add --published")
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
            "Robustness is listed as CSV, without published figures",
            hint="end --out with .csv, and leave --published out",
        )
    log = ProblemLog()
    if gone := next((folder for folder in options.runs if not folder.is_dir()), None):
        raise UsageError("A robustness test is a folder", where=gone)
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


COMMAND = Command("results-grid", "Compare runs over datasets in one table", _add_options, _run)
