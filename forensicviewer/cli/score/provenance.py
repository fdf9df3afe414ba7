"""``forensicviewer score provenance``: provenance graphs."""

from __future__ import annotations

import argparse
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
    from collections.abc import Callable

    from forensicviewer.app.provenance.settings import ProvenanceSettings
    from forensicviewer.app.report.score_output import ScoreOutput
    from forensicviewer.app.report.svg_figure import Figure
    from forensicviewer.core.model import Submission, Task

    Score = Callable[[Task, Submission, ProvenanceSettings], ScoreOutput]
    MakeFigure = Callable[[ScoreOutput], Figure]


def add_provenance_options(parser: argparse.ArgumentParser, *, scorer: str) -> None:
    """The options of both provenance scorers."""
    add_shared_options(parser, scorer=scorer)
    parser.add_argument("--nodes", type=Path, metavar="FILE", help="node table to use")
    parser.add_argument("--world", type=Path, metavar="FILE", help="world table to use")
    parser.add_argument(
        "--pool",
        type=Path,
        metavar="FILE",
        help="table of the images of NIST's oracle filter: "
        "ProvenanceProbeFileID|WorldFileID|WorldFileName",
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_provenance_options(parser, scorer="provenance")
    parser.add_argument(
        "--direct", action="store_true", help="score only ancestors and descendants of the probe"
    )
    parser.add_argument(
        "--undirected", action="store_true", help="count a link as found in either direction"
    )


def score_and_finish(
    options: argparse.Namespace, *, word: str, score: Score, figure: MakeFigure
) -> int:
    """Score; for ``--html``, also draw a curve and score with the other rule sets."""
    from forensicviewer.app.datasets.named_tables import open_provenance_task
    from forensicviewer.app.datasets.opening import open_submission, tables_read
    from forensicviewer.app.provenance.settings import ProvenanceSettings

    settings = settings_from(options, ProvenanceSettings.from_options)
    task = open_provenance_task(
        options.dataset,
        name=options.task or word,
        index=options.index,
        reference=options.reference,
        nodes=options.nodes,
        world=options.world,
        pool=options.pool,
    )
    submission = open_submission(options.submission, task=task)
    tables = tables_read(task, submission)
    output = score(task, submission, settings)
    if not options.html:
        return finish(output, options, inputs=tables)
    headlines = headlines_by_rules(
        lambda rules: score(task, submission, replace(settings, rules=rules))
    )
    return finish(output, options, inputs=tables, figures=[figure(output)], headlines=headlines)


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.provenance.figures import graph_figure
    from forensicviewer.app.provenance.scoring import score_provenance

    return score_and_finish(options, word="provenance", score=score_provenance, figure=graph_figure)


COMMAND = Subcommand("provenance", "Score provenance graphs", _add_options, _run)
