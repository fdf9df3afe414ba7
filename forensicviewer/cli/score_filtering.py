"""``forensicviewer score filtering``: provenance filtering."""

from __future__ import annotations

import argparse

from forensicviewer.cli.command import Command
from forensicviewer.cli.score_options import finish
from forensicviewer.cli.score_provenance import (
    add_provenance_options,
    open_inputs,
    settings_from,
)


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.filtering_scoring import score_filtering

    settings = settings_from(options)
    task, submission, tables = open_inputs(options, "filtering")
    return finish(score_filtering(task, submission, settings), options, inputs=tables)


COMMAND = Command(
    "filtering", "Score how well related images were found", add_provenance_options, _run
)
