"""``forensicviewer score``: every scorer under one word."""

from __future__ import annotations

import argparse

from forensicviewer.cli import (
    score_all,
    score_detection,
    score_filtering,
    score_mask,
    score_provenance,
    score_temporal,
)
from forensicviewer.cli.command import Command

SCORERS: tuple[Command, ...] = (
    score_mask.COMMAND,
    score_detection.COMMAND,
    score_temporal.COMMAND,
    score_provenance.COMMAND,
    score_filtering.COMMAND,
    score_all.COMMAND,
)


def _add_scorers(parser: argparse.ArgumentParser) -> None:
    scorers = parser.add_subparsers(dest="scorer", metavar="SCORER", required=True)
    for scorer in SCORERS:
        scorer.add_to(scorers)


def _run(options: argparse.Namespace) -> int:
    raise AssertionError(f"no scorer was chosen: {options}")


COMMAND = Command("score", "Score a submission with NIST's metrics", _add_scorers, _run)
