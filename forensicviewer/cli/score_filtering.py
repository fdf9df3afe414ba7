"""``forensicviewer score filtering``: provenance filtering."""

from __future__ import annotations

import argparse
from dataclasses import replace

from forensicviewer.cli.command import Command
from forensicviewer.cli.score_options import finish, headlines_by_rules
from forensicviewer.cli.score_provenance import (
    add_provenance_options,
    open_inputs,
    settings_from,
)


def _run(options: argparse.Namespace) -> int:
    from forensicviewer.app.filtering_scoring import score_filtering

    settings = settings_from(options)
    task, submission, tables = open_inputs(options, "filtering")
    headlines = None
    if options.html:
        headlines = headlines_by_rules(
            lambda rules: score_filtering(task, submission, replace(settings, rules=rules))
        )
    output = score_filtering(task, submission, settings)
    return finish(output, options, inputs=tables, headlines=headlines)


COMMAND = Command(
    "filtering", "Score how well related images were found", add_provenance_options, _run
)
