"""Checks the tables of a task for implausible cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from forensicviewer.core.model import TaskKind
from forensicviewer.core.problem import ProblemLog
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.layouts.trials import parse_color, parse_whole
from forensicviewer.sources.media.headers import MAX_PIXELS
from forensicviewer.sources.tables.file_names import report_unsafe_names
from forensicviewer.sources.tables.separated_text import NAMED_ROWS

_SIZES = tuple((f"{who}Width", f"{who}Height") for who in ("Probe", "Donor", "ProvenanceProbe"))
_TARGETS = {"", "y", "n"}


def check_trials(table: Table, *, kind: TaskKind, log: ProblemLog) -> None:
    """Report sizes that are not numbers, odd targets and names that lead outside the dataset."""
    report_unsafe_names(table, _file_columns(table), log=log)
    for sides in _SIZES:
        for name in sides:
            _report_cells(
                table,
                name,
                lambda cell: bool(parse_whole(cell)) or not cell.strip(),
                what="is not a size in pixels",
                hint="write a whole number above 0; the size is treated as unknown",
                rule="trial.size",
                log=log,
            )
        _report_large(table, *sides, log=log)
    _report_cells(
        table,
        "IsTarget",
        lambda cell: cell.strip().lower() in _TARGETS,
        what="is neither Y nor N",
        hint="write Y or N; the trial is treated as neither",
        rule="trial.target",
        log=log,
    )
    if kind is TaskKind.VIDEO:
        _report_cells(
            table,
            "FrameCount",
            lambda cell: bool(parse_whole(cell)) or not cell.strip(),
            what="is not a number of frames",
            hint="write a whole number above 0; the number is treated as unknown",
            rule="trial.frame-count",
            log=log,
        )


def check_journals(
    probe_journals: Table | None, journal_masks: Table | None, *, log: ProblemLog
) -> None:
    """Report colours and bit planes that cannot be read."""
    for table in (probe_journals, journal_masks):
        if table is None:
            continue
        _report_cells(
            table,
            "Color",
            lambda cell: cell.strip() in ("", "None") or parse_color(cell) is not None,
            what="is not a colour",
            hint="write red, green and blue from 0 to 255, as 0 247 250",
            rule="operation.color",
            log=log,
        )
        _report_cells(
            table,
            "BitPlane",
            lambda cell: cell.strip() in ("", "None") or bool(parse_whole(cell)),
            what="is not a bit plane",
            hint="write the number of the plane, from 1, or None",
            rule="operation.bit-plane",
            log=log,
        )


def _report_large(table: Table, width: str, height: str, *, log: ProblemLog) -> None:
    if width not in table or height not in table:
        return
    # NaN, where a cell is no number, compares as not larger.
    rows = np.flatnonzero(table[width].numbers * table[height].numbers > MAX_PIXELS).tolist()
    _report_rows(
        table,
        rows,
        lambda row: (
            f"{width} {table.cell(width, row)} by {height} {table.cell(height, row)} is more than "
            f"{MAX_PIXELS // 1_000_000} megapixels"
        ),
        hint="correct the index; images of this size are refused",
        rule="trial.size-limit",
        log=log,
    )


def _file_columns(table: Table) -> list[str]:
    # Names for NIST's browser server are no files of the dataset.
    return [name for name in table.names if name.endswith("FileName") and "Browser" not in name]


def _report_cells(
    table: Table,
    name: str,
    is_fine: Callable[[str], bool],
    *,
    what: str,
    hint: str,
    rule: str,
    log: ProblemLog,
) -> None:
    if name not in table:
        return
    codes, distinct = table[name].dictionary
    wrong = np.array([not is_fine(cell) for cell in distinct] or [False], dtype=np.bool_)
    if not wrong.any() or not len(table):
        return
    _report_rows(
        table,
        np.flatnonzero(wrong[codes]).tolist(),
        lambda row: f"{name} {table.cell(name, row)!r} {what}",
        hint=hint,
        rule=rule,
        log=log,
    )


def _report_rows(
    table: Table,
    rows: Sequence[int],
    say: Callable[[int], str],
    *,
    hint: str,
    rule: str,
    log: ProblemLog,
) -> None:
    for row in rows[:NAMED_ROWS]:
        log.warn(say(row), where=table.where(row), hint=hint, rule=rule)
    if len(rows) > NAMED_ROWS:
        more = len(rows) - NAMED_ROWS
        said = f"{say(rows[NAMED_ROWS])}; {more} more rows have the same problem"
        log.warn(said, where=table.name, hint=hint, rule=rule)
