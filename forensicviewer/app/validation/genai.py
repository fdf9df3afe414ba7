"""Checks system outputs of GenAI evaluations: every rule of sections 5.1 and 5.2 of NIST's plan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from forensicviewer.app.validation.finding import Findings
from forensicviewer.app.validation.rows import check_row_count, closest_name
from forensicviewer.core import genai
from forensicviewer.core.array import Rows
from forensicviewer.core.model import Submission, Task, TrialId
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.files import archives
from forensicviewer.sources.tables.genai_output import GenAIAnswers, tidied

_ARCHIVES = (".tgz", ".tar.gz")
_EXAMPLE = "genai25_image_d_sys_model-01_cutoff-50.csv"
# A system output that is all wrong must not bury its user.
_NAMED = 100


def check_output(task: Task, submission: Submission, findings: Findings) -> None:
    """Check a system output against the index of its task."""
    table = tidied(submission.table)
    _check_file_name(table.name, findings)
    if archives.is_archive(Path(submission.origin)):
        _check_archive(submission, findings)
    if _check_columns(table, findings):
        _check_file_ids(task, table, findings)
        _check_scores(table, findings)
        _check_words(table, findings)


def _check_file_name(name: str, findings: Findings) -> None:
    """5.1: a CSV file whose name has no special characters and says the cutoff."""
    path = Path(name)
    if path.suffix != ".csv":
        findings.error(
            "name.csv",
            f"The table is named {path.name}",
            expected="a name ending in .csv",
            hint="rename the file",
        )
    # The plan allows "_" only, but its own example has "-".
    odd = sorted(set(re.sub(r"[A-Za-z0-9_-]", "", path.stem)))
    if odd:
        findings.error(
            "name.characters",
            f"The file name has {', '.join(map(repr, odd))}",
            expected=f"letters, digits, _ and -, as in {_EXAMPLE}",
            hint="rename the file without spaces and special characters",
        )
    if genai.cutoff_of(path.stem) is None:
        findings.error(
            "name.cutoff",
            "The file name does not declare a cutoff",
            expected=f"cutoff-NN with NN from 0 to 100, as in {_EXAMPLE}",
            hint="cutoff-50 means that scores of 0.5 and above count as AI-generated",
        )


def _check_archive(submission: Submission, findings: Findings) -> None:
    """5.2.2: a gzipped tarball of the one CSV file."""
    origin = Path(submission.origin)
    if not origin.name.lower().endswith(_ARCHIVES):
        findings.error(
            "archive.kind",
            f"The archive is named {origin.name}",
            expected="a gzipped tarball, .tgz or .tar.gz",
            hint=f"pack it with tar zcvf {submission.name}.tgz {submission.name}.csv",
        )
    others = [
        entry.name
        for entry in sorted(Path(submission.root).iterdir())
        if entry.name != submission.table.name and not entry.name.startswith(".")
    ]
    if others:
        findings.error(
            "archive.one-table",
            f"The archive also contains {', '.join(others[:5])}",
            expected=f"{submission.table.name} alone",
            hint=f"pack it again with tar zcvf {submission.name}.tgz {submission.name}.csv",
        )


def _check_columns(table: Table, findings: Findings) -> bool:
    expected = "|".join(genai.OUTPUT_COLUMNS)
    missing = [name for name in genai.OUTPUT_COLUMNS if name not in table]
    for name in missing:
        near = closest_name(name, [other for other in table.names if other not in _KNOWN])
        findings.error(
            "columns.required",
            f"The required column {name} is missing",
            row=1,
            expected=expected,
            hint=f"rename the column {near} to {name}" if near else f"add a column {name}",
        )
    for name in table.names:
        if name not in _KNOWN and not missing:
            findings.warn(
                "columns.unknown",
                f"The column {name} is not in the plan",
                row=1,
                expected=expected,
                hint="delete the column",
            )
    return genai.FILE in table and genai.SCORE in table


_KNOWN = frozenset(genai.OUTPUT_COLUMNS)


def _check_file_ids(task: Task, table: Table, findings: Findings) -> None:
    """5.2.1: the files of the index, each once, in any order."""
    index = task.index if task.index is not None else task.table
    check_row_count(table, index, findings)
    rows = GenAIAnswers(table).rows_for(task.trials.ids())
    is_used = np.zeros(len(table), dtype=np.bool_)
    is_used[rows[rows >= 0]] = True
    spare = np.flatnonzero(~is_used).tolist()
    again = [row for row in spare if task.trials.row_of(_id(table, row)) is not None]
    for row in _some(again, "rows.duplicate", findings):
        findings.error(
            "rows.duplicate",
            f"{_id(table, row)} is answered more than once",
            row=table.line(row),
            expected="one row per trial",
            hint="delete one of the two rows",
        )
    unknown = sorted(set(spare) - set(again))
    loosely = {name.casefold(): name for name in task.trials.ids()} if unknown else {}
    for row in _some(unknown, "rows.unknown", findings):
        meant = loosely.get(_id(table, row).casefold())
        findings.error(
            "rows.unknown",
            f"{_id(table, row) or 'A blank FileID'} does not exist in the index file",
            row=table.line(row),
            expected=f"a FileID of {index.name}",
            hint=f"write it as {meant}" if meant else "delete the row or correct the id",
        )
    for place in _some(np.flatnonzero(rows < 0).tolist(), "rows.missing", findings):
        findings.miss_trial(task.trials.ids()[place])
    for name in (genai.DATASET, genai.TASK):
        _check_same_cells(name, table, index, rows, findings)


def _check_same_cells(
    name: str, table: Table, index: Table, rows: Rows, findings: Findings
) -> None:
    """5.1: DatasetID and TaskID are those of the trial in the index."""
    if name not in table or name not in index or len(rows) != len(index):
        return
    answered = np.flatnonzero(rows >= 0)
    said, wanted = table[name].take(rows[answered]), index[name].take(answered)
    differs = np.flatnonzero(said.cells != wanted.cells).tolist()
    for place in _some(differs, "cells.index", findings):
        findings.error(
            "cells.index",
            f"{name} {said[place]!r} does not match the trial",
            row=table.line(int(rows[answered[place]])),
            expected=f"{wanted[place]}, as in the index",
            hint="copy the cell from the index",
        )


def _check_scores(table: Table, findings: Findings) -> None:
    """5.1: a number from 0 to 1 for every trial."""
    column = table[genai.SCORE]
    numbers = column.numbers
    for row in _some(np.flatnonzero(np.isnan(numbers)).tolist(), "score.number", findings):
        findings.error(
            "score.number",
            f"The confidence score {column[row]!r} is not a number",
            row=table.line(row),
            expected="a number from 0 to 1",
            hint="give every trial a score",
        )
    outside = np.flatnonzero((numbers < 0) | (numbers > 1)).tolist()
    for row in _some(outside, "score.range", findings):
        findings.error(
            "score.range",
            f"The confidence score {column[row]} is outside 0 to 1",
            row=table.line(row),
            expected="a number from 0 to 1",
            hint="scale the scores so that 1 means certainly AI-generated",
        )


def _check_words(table: Table, findings: Findings) -> None:
    """5.1: every row names its system and version, and one file holds one system."""
    for name in (genai.DISCRIMINATOR, genai.VERSION):
        if name not in table:
            continue
        for row in _some(np.flatnonzero(table[name].blank).tolist(), "cells.blank", findings):
            findings.error(
                "cells.blank",
                f"{name} is blank",
                row=table.line(row),
                expected="the name of your site" if name == genai.DISCRIMINATOR else "a version",
                hint="fill in the cell",
            )
        distinct = [cell for cell in table[name].dictionary[1] if cell]
        if len(distinct) > 1:
            findings.warn(
                "cells.several",
                f"{name} has {len(distinct)} values: {', '.join(distinct[:3])}",
                expected="one system and one version per file",
                hint="write one file for each",
            )


def _some(rows: Sequence[int], rule: str, findings: Findings) -> Sequence[int]:
    """The rows to name one by one; a separate line says how many more break the rule."""
    more = len(rows) - _NAMED
    if more > 0:
        findings.error(rule, f"{more} more rows break this rule")
    return rows[:_NAMED]


def _id(table: Table, row: int) -> TrialId:
    return TrialId(table.cell(genai.FILE, row))
