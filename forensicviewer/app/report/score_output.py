"""Writes score files as NIST's programs name and shape them, and the summary beside them."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from forensicviewer import __version__
from forensicviewer.app.report.overwrite import SUMMARY_NAME, require_replaceable
from forensicviewer.app.report.separated_text import joined
from forensicviewer.app.runtime.atomic import file_digest, write_atomically
from forensicviewer.core.problem import Problem


@dataclass(frozen=True, slots=True)
class OutputTable:
    """One file of results: its name inside the output folder and its cells as they are printed.

    ``is_detail`` marks a table about one mask alone, too much for a page.
    """

    name: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    is_detail: bool = False

    def records(self) -> list[dict[str, str]]:
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


@dataclass(frozen=True, slots=True)
class ScoreOutput:
    """Everything one scoring run produced, before it is written.

    ``headline`` are the few numbers a person wants to see first; ``settings`` say how they were
    made, ``notes`` how they are read.
    """

    scorer: str
    tables: tuple[OutputTable, ...]
    headline: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, object] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()


def write_output(output: ScoreOutput, folder: Path, *, inputs: Iterable[Path]) -> list[Path]:
    """Write all tables and ``summary.json``; return what was written.

    Only files an earlier run made are replaced; whatever else lies in the folder stays.
    """
    require_replaceable(folder, tables=[table.name for table in output.tables])
    written = [_write_table(table, folder) for table in output.tables]
    summary = folder / SUMMARY_NAME
    write_atomically(summary, json.dumps(summary_of(output, inputs=inputs), indent=2) + "\n")
    return [*written, summary]


def summary_of(output: ScoreOutput, *, inputs: Iterable[Path]) -> dict[str, object]:
    """What made these numbers: versions, settings and the digests of the tables that were read."""
    return {
        "program": "forensicviewer",
        "version": __version__,
        "python": platform.python_version(),
        "scorer": output.scorer,
        "settings": dict(output.settings),
        "headline": dict(output.headline),
        **({"notes": list(output.notes)} if output.notes else {}),
        "files": [table.name for table in output.tables],
        "inputs": {str(path): file_digest(path) for path in inputs if path.is_file()},
        "problems": [
            {
                "severity": problem.severity.value,
                "message": problem.message,
                "where": problem.where,
                "hint": problem.hint,
                "rule": problem.rule,
                "trial": problem.trial or "",
            }
            for problem in output.problems
        ],
    }


def pipe_separated(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The text of a pipe-separated table; cells holding a pipe, quote or line break are quoted."""
    return joined(chain((columns,), rows), separator="|")


def _write_table(table: OutputTable, folder: Path) -> Path:
    path = folder / table.name
    write_atomically(path, pipe_separated(table.columns, table.rows))
    return path
