"""The tables about one mask alone."""

from __future__ import annotations

from forensicviewer.app.report.score_output import OutputTable

# The tables NIST's program writes for each mask are called so.
TABLE_NAME = "thresMets.csv"


def is_detail(table: OutputTable) -> bool:
    """Whether a table is about one mask alone, too much for a page."""
    return table.name.endswith(TABLE_NAME)
