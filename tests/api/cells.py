"""Compares the tables of the Python API with the files of the command line, cell by cell."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from forensicviewer.cli import main

RULES = ("mediscore", "mediscore-verbatim", "plan")


def score_by_command(kind: str, dataset: Path, submission: Path, out: Path, *more: str) -> Path:
    """Run ``forensicviewer score`` and return the folder of its files."""
    code = main(["score", kind, str(dataset), str(submission), "--out", str(out), "--quiet", *more])
    assert code in (0, 1)
    return out


def assert_same_cells(table: pd.DataFrame, file: Path) -> None:
    """Every cell of the table is what the file says: the same number, the same text, or a gap."""
    with file.open(encoding="utf-8", newline="") as stream:
        columns, *rows = csv.reader(stream, delimiter="|")
    assert list(table.columns) == columns
    assert len(table) == len(rows)
    for name, cells in zip(columns, zip(*rows, strict=True), strict=bool(rows)):
        _assert_same_column(name, table[name].tolist(), cells)


def _assert_same_column(name: str, values: Sequence[object], cells: Sequence[str]) -> None:
    for value, cell in zip(values, cells, strict=True):
        if cell == "":
            assert value is None or (isinstance(value, float) and math.isnan(value)), name
        elif isinstance(value, bool):
            assert str(value) == cell, name
        elif isinstance(value, int | float):
            assert value == float(cell), name
        else:
            assert value == cell, name
