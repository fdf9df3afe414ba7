"""``forensicviewer score mask``: masks of manipulated regions at every threshold."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from forensicviewer.cli import console
from forensicviewer.cli.command import Subcommand
from forensicviewer.cli.score.options import (
    add_mask_options,
    add_shared_options,
    finish,
    headlines_by_rules,
    open_asked,
    settings_from,
)

if TYPE_CHECKING:
    from forensicviewer.app.report.score_output import OutputTable
    from forensicviewer.app.runtime.batch import Crew


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_shared_options(parser, scorer="mask")
    add_mask_options(parser)
    parser.add_argument(
        "--threshold",
        type=int,
        metavar="N",
        help="the system's own threshold, -1 to 255: grey values at or below it are manipulated",
    )
    parser.add_argument(
        "--no-score-value", type=int, metavar="N", help="grey value of pixels that are never scored"
    )
    parser.add_argument(
        "--scored-only", action="store_true", help="list only trials that could be scored"
    )
    parser.add_argument(
        "--index-filter", action="store_true", help="score only the trials of the index"
    )
    parser.add_argument(
        "--threshold-tables", action="store_true", help="also write the numbers at every threshold"
    )
    add_workers(parser)


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Add the options for worker processes."""
    parser.add_argument(
        "--workers", type=int, metavar="N", help="number of worker processes (default: all cores)"
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="use the Dask cluster of this scheduler"
    )


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.datasets.opening import tables_read
    from forensicviewer.app.masks.result_store import ResultStore
    from forensicviewer.app.masks.run import score_masks
    from forensicviewer.app.masks.settings import MaskSettings
    from forensicviewer.app.masks.threshold_tables import mask_figures
    from forensicviewer.core.model import TaskKind

    settings = settings_from(options, MaskSettings.from_options)
    task, submission = open_asked(options)
    details: list[OutputTable] = []
    counted = "Videos" if task.kind is TaskKind.VIDEO else "Masks"
    with (
        crew_of(options) as crew,
        ResultStore.of_user() as store,
        console.ProgressLine(counted, quiet=options.quiet) as progress,
    ):
        output = score_masks(
            task,
            submission,
            settings,
            crew=crew,
            store=store,
            progress=progress,
            details=details if options.html else None,
        )
        headlines = None
        if options.html:
            headlines = headlines_by_rules(
                lambda rules: score_masks(
                    task, submission, replace(settings, rules=rules), crew=crew, store=store
                )
            )
    return finish(
        output,
        options,
        inputs=tables_read(task, submission),
        figures=mask_figures(details),
        headlines=headlines,
    )


@contextmanager
def crew_of(options: argparse.Namespace) -> Iterator[Crew]:
    """The processes, or the cluster, that the options ask for."""
    from forensicviewer.app.runtime.batch import cluster_crew, process_crew

    if options.scheduler is None:
        yield process_crew(options.workers)
    else:
        with cluster_crew(options.scheduler) as crew:
            yield crew


COMMAND = Subcommand(
    "mask", "Score masks of manipulated regions at every threshold", _add_options, _run
)
