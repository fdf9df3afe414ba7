"""Tables for spreadsheets hold no formulas; score files hold what they were given."""

import csv
import io
from pathlib import Path

import pytest

from forensicviewer.app.report.score_output import pipe_separated
from forensicviewer.app.report.separated_text import as_text, write_table


@pytest.mark.parametrize(
    "cell", ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1"]
)
def test_a_cell_that_begins_like_a_formula_is_marked_as_text(cell: str) -> None:
    text = as_text([cell], [[cell, "p1"]], separator=",")

    assert list(csv.reader(io.StringIO(text, newline=""))) == [["'" + cell], ["'" + cell, "p1"]]


@pytest.mark.parametrize("cell", ["-0.5", "+3", "-1e-9", "-inf", "", "p-1", "a=b", "1@2"])
def test_numbers_and_other_text_stay_as_they_are(cell: str) -> None:
    assert as_text(["c"], [[cell, "x"]], separator="\t") == f"c\n{cell}\tx\n"


def test_exported_files_are_safe_in_either_form(tmp_path: Path) -> None:
    for name in ("list.csv", "list.tsv"):
        write_table(tmp_path / name, ["Trial"], [["=1+1"]])

        assert (tmp_path / name).read_text() == "Trial\n'=1+1\n"


def test_score_files_are_never_changed() -> None:
    assert pipe_separated(["ProbeFileID", "MCC"], [["=1+1", "-0.5"]]) == (
        "ProbeFileID|MCC\n=1+1|-0.5\n"
    )
