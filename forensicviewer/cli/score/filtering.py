"""``forensicviewer score filtering``: provenance filtering."""

from __future__ import annotations

import argparse

from forensicviewer.cli.command import Subcommand
from forensicviewer.cli.score.provenance import add_provenance_options, score_and_finish


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_provenance_options(parser, scorer="filtering")
    parser.add_argument(
        "--node-type",
        nargs="+",
        default=[],
        metavar="T",
        choices=["donor", "base", "final", "interim", "all", "*"],
        help="also report recall for these types of images: donor, base, final, interim, or all",
    )


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.provenance.figures import recall_figure
    from forensicviewer.app.provenance.filtering import score_filtering

    return score_and_finish(options, word="filtering", score=score_filtering, figure=recall_figure)


COMMAND = Subcommand("filtering", "Score how many related images were found", _add_options, _run)
