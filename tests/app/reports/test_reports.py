"""Reports say what was measured, and hostile text in them stays text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from forensicviewer.app.datasets.answered_task import open_answered_task
from forensicviewer.app.reports.html import html_of
from forensicviewer.app.reports.making import Heading, evaluated_state, trial_report
from forensicviewer.app.reports.model import Grid, LegendLine, Picture, Report, Section, plain
from forensicviewer.cli import main
from forensicviewer.core.model import TrialId
from tests.build import Built, a_dataset, box, shifted

HOSTILE = "<script>alert(1)</script>\u202e\"'><img src=x onerror=alert(2)>{{7*7}}"


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path / "data").nist("NC2017")
    return (
        made.with_trial("p1", manipulated=box(10, 10, 40, 40)).with_answer("p1", shifted(8)).write()
    )


def test_a_trial_report_has_the_number_of_the_score_files_and_the_digests(
    built: Built, tmp_path: Path
) -> None:
    task, submission = open_answered_task(built.root, built.submission, name=None)

    report = trial_report(evaluated_state(task, submission, TrialId("p1")), Heading(case="C 1"))

    out = tmp_path / "scores"
    main(["score", "mask", str(built.root), str(built.submission), "--out", str(out), "--quiet"])
    (table,) = out.glob("*perimage.csv")
    head, row = (line.split("|") for line in table.read_text("utf-8").splitlines()[:2])
    page = html_of(report)
    assert dict(zip(head, row, strict=True))["OptimumMCC"] in page
    assert len(re.findall(r"\b[0-9a-f]{64}\b", page)) >= 3
    assert page.count("data:image/png;base64,") == 5
    assert "C 1" in page
    assert re.search(r"<td>PixelTP</td><td>\d+</td>", page)


def test_hostile_text_is_only_text_in_a_page() -> None:
    picture = Picture(b"png", HOSTILE, (LegendLine("red;background:url(//x)", HOSTILE),))
    section = Section(
        HOSTILE, (HOSTILE,), (picture,), (Grid((HOSTILE,), ((HOSTILE,),)),), (HOSTILE,)
    )

    page = html_of(Report(HOSTILE, ((HOSTILE, HOSTILE),), (section,)))

    assert "<script" not in page
    assert "<img src=x" not in page
    assert "url(" not in page
    assert "\u202e" not in page
    assert "{{7*7}}" in page
    assert "http://" not in page.replace("http-equiv", "")
    assert plain("a\u202eb\x00") == "a\\u202eb\\x00"


@pytest.mark.parametrize("kind", ["trial", "dispute", "submission", "set", "review"])
def test_the_command_writes_every_kind_and_replaces_nothing(
    built: Built, tmp_path: Path, kind: str
) -> None:
    out = tmp_path / "report.html"
    words = ["report", kind, str(built.root), str(built.submission), "--out", str(out), "--quiet"]
    words += ["--trial", "p1", "--metric", "MCC", "--value", "0.5", "--case", HOSTILE]

    assert main(words) == 0
    assert "<script>alert" not in out.read_text("utf-8")
    assert main(words) == 2
