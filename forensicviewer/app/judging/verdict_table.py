"""Verdicts as a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from forensicviewer.app.judging.verdict_log import SUFFIX, VerdictBook
from forensicviewer.app.report.separated_text import write_table
from forensicviewer.app.runtime.atomic import write_bytes
from forensicviewer.core.verdict import Fate, Verdict, fates


def write_verdicts(book: VerdictBook, path: Path) -> None:
    """Write every verdict ever given, or this judge's log as it is for another judge to add."""
    if path.name.lower().endswith(SUFFIX):
        write_bytes(path, book.log_path.read_bytes())
        return
    write_table(path, *verdict_table(fates(book.entries)))


def verdict_table(
    said: Sequence[tuple[Verdict, Fate]],
) -> tuple[Sequence[str], list[list[str]]]:
    """The columns and rows of a table of verdicts."""
    facts = sorted({name for verdict, _ in said for name in verdict.facts})
    rows = [
        [
            *(verdict.trial_id, verdict.task, verdict.judge, verdict.ruling.label, fate.value),
            *(verdict.note, verdict.said_at),
            *(verdict.facts.get(name, "") for name in facts),
        ]
        for verdict, fate in said
    ]
    return ["Trial", "Task", "Judge", "Verdict", "Fate", "Note", "When", *facts], rows
