"""``forensicviewer score``: all scorers under one command."""

from __future__ import annotations

import argparse
from dataclasses import replace

from forensicviewer.cli.command import Subcommand
from forensicviewer.cli.score import (
    all_scorers,
    detection,
    filtering,
    genai,
    imdl,
    mask,
    provenance,
    temporal,
)

SCORERS: tuple[Subcommand, ...] = (
    mask.COMMAND,
    detection.COMMAND,
    temporal.COMMAND,
    provenance.COMMAND,
    filtering.COMMAND,
    genai.COMMAND,
    imdl.COMMAND,
    all_scorers.COMMAND,
)


def _add_scorers(parser: argparse.ArgumentParser) -> None:
    scorers = parser.add_subparsers(dest="scorer", metavar="SCORER", required=True)
    for scorer in SCORERS:
        _guarded(scorer).add_to(scorers)


def _guarded(scorer: Subcommand) -> Subcommand:
    def run(options: argparse.Namespace) -> int:
        # Imported here, so that the program starts quickly whatever it is asked to do.
        from forensicviewer.app.report.overwrite import require_replaceable, require_results_folder

        # Before hours of counting, not after them.
        answers = getattr(options, "submissions", None) or [options.submission]
        require_results_folder(options.out, inputs=(options.dataset, *answers))
        require_replaceable(options.out, page=options.html)
        return scorer.run(options)

    return replace(scorer, run=run)


def _run(options: argparse.Namespace) -> int:
    raise AssertionError(f"no scorer was chosen: {options}")


COMMAND = Subcommand("score", "Score a submission with NIST's metrics", _add_scorers, _run)
