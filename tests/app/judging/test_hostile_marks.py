"""Names of operations and texts of marks come from anybody: no export renders or runs them."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from forensicviewer.app.judging.findings import ReportedVerdict, write_findings
from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.app.judging.verdict_table import write_verdicts
from forensicviewer.app.reports.html import html_of
from forensicviewer.app.reports.making import verdict_section
from forensicviewer.app.reports.model import Report
from forensicviewer.core.examination import (
    ChecklistAnswer,
    ChecklistQuestion,
    Examination,
    Mark,
    MarkShape,
    Reply,
)
from forensicviewer.core.model import TrialId
from forensicviewer.core.verdict import Fate, Ruling

HOSTILE = (
    '=HYPERLINK("http://x","y")',
    "<script>alert(1)</script><img src=x onerror=alert(2)>",
    "{{ 7 * 7 }}{% raw %}",
    "\u202egnp.exe\u2066",
    "a\x00b\x1b[31m\r\n,\"'",
    "w" * 100_000,
)


@pytest.fixture(params=HOSTILE, ids=range(len(HOSTILE)))
def book(request: pytest.FixtureRequest, tmp_path: Path) -> VerdictBook:
    text: str = request.param
    check = ChecklistAnswer(("j", "1", "2"), text, ChecklistQuestion.MASK, Reply.WRONG)
    examined = Examination((check,), (Mark(MarkShape.PIN, ((1, 2),), text=text),))
    book = VerdictBook(tmp_path / "log", judge="Ada")
    book.say(TrialId("p1"), Ruling.SOUND, facts={}, task="manipulation", examined=examined)
    again = book.read_again()
    assert again.problems == ()
    (verdict,) = again.standings("manipulation")[TrialId("p1")].verdicts
    assert verdict.examined == examined
    return again


@pytest.fixture
def long_cells() -> Iterator[None]:
    """The limit of the csv module is the whole process's: other tests expect the usual one."""
    usual = csv.field_size_limit(1 << 24)
    yield
    csv.field_size_limit(usual)


@pytest.mark.usefixtures("long_cells")
def test_tables_hold_no_formulas(book: VerdictBook, tmp_path: Path) -> None:
    write_verdicts(book, tmp_path / "verdicts.csv")

    with (tmp_path / "verdicts.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert len(rows) == 2
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "@", "\t"))]


def test_pages_hold_no_markup_of_strangers(book: VerdictBook, tmp_path: Path) -> None:
    (verdict,) = book.standings("manipulation")[TrialId("p1")].verdicts
    finding = ReportedVerdict(verdict, Fate.STANDS)
    write_findings(tmp_path / "page.html", [finding], book, title="Verdicts")
    report = html_of(Report("Trial", (), (verdict_section([verdict]),)))

    for page in ((tmp_path / "page.html").read_text("utf-8"), report):
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert ">49<" not in page
