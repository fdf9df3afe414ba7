"""``forensicviewer score temporal``: which frames and audio samples were found."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from forensicviewer.cli.command import Subcommand
from forensicviewer.cli.score.options import (
    add_shared_options,
    finish,
    headlines_by_rules,
    settings_from,
)

if TYPE_CHECKING:
    from forensicviewer.app.report.svg_figure import Figure


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_shared_options(parser, scorer="temporal")
    parser.add_argument("--journal-mask", type=Path, metavar="FILE", help="journalmask table")
    parser.add_argument(
        "--probe-journal-join", type=Path, metavar="FILE", help="probejournaljoin table"
    )
    parser.add_argument(
        "--collar",
        type=int,
        default=0,
        metavar="N",
        help="frames on each side of every reference boundary that are not scored",
    )
    parser.add_argument(
        "--score-all",
        action="store_true",
        help="score every probe, whatever its status; without this option, opted-out probes "
        "are excluded, as with --opt-out",
    )
    parser.add_argument(
        "--ignore-opt-out-segments", action="store_true", help="also score opted-out frames"
    )
    parser.add_argument(
        "--refuse-beyond-end",
        action="store_true",
        help="refuse answers whose intervals exceed the video, instead of cutting them",
    )
    parser.add_argument(
        "--refuse-overlap",
        action="store_true",
        help="refuse answers whose intervals overlap, instead of merging them",
    )


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.app.datasets.named_tables import with_named_journals
    from forensicviewer.app.datasets.opening import open_submission, open_task, tables_read
    from forensicviewer.app.temporal.extents import extents_in
    from forensicviewer.app.temporal.figures import temporal_figures
    from forensicviewer.app.temporal.scoring import score_temporal
    from forensicviewer.app.temporal.trials import TemporalSettings
    from forensicviewer.core.problem import ProblemLog

    _, opened = open_task(
        options.dataset,
        name=options.task or "video",
        index=options.index,
        reference=options.reference,
    )
    log = ProblemLog()
    task = with_named_journals(
        opened,
        dataset=options.dataset,
        journal_mask=options.journal_mask,
        probe_journal_join=options.probe_journal_join,
        log=log,
    )
    submission = open_submission(options.submission, task=task)
    settings = settings_from(options, TemporalSettings.from_options)
    extents = extents_in(Path(task.root))
    output = score_temporal(task, submission, settings, extents=extents)
    headlines: dict[str, Mapping[str, str]] | None = None
    figures: tuple[Figure, ...] = ()
    if options.html:
        figures = temporal_figures(output, task, submission, settings, extents=extents)
        headlines = headlines_by_rules(
            lambda rules: score_temporal(
                task, submission, replace(settings, rules=rules), extents=extents
            )
        )
    return finish(
        replace(output, problems=(*log, *output.problems)),
        options,
        inputs=tables_read(task, submission),
        figures=figures,
        headlines=headlines,
    )


COMMAND = Subcommand(
    "temporal", "Score which frames and audio samples were found", _add_options, _run
)
