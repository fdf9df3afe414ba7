"""``forensicviewer score filtering``: provenance filtering."""

from __future__ import annotations

import argparse

from forensicviewer.cli.command import Command
from forensicviewer.cli.score_provenance import add_provenance_options, score_and_finish


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.filtering_scoring import score_filtering
    from forensicviewer.app.provenance_figures import recall_figure

    return score_and_finish(options, word="filtering", score=score_filtering, figure=recall_figure)


COMMAND = Command(
    "filtering", "Score how well related images were found", add_provenance_options, _run
)
