"""A report painted as PDF: all of its text, none of it markup."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QFont, QPdfWriter

from forensicviewer.app.reports.model import Report, ReportTable, Section
from forensicviewer.ui.reports.pdf import Pages, write_pdf

pytestmark = [pytest.mark.ui, pytest.mark.usefixtures("qapp")]
HOSTILE = "<b onclick=x>bold</b><img src='file:///etc/passwd'>\u202e"


def pages_of(path: Path) -> int:
    return len(re.findall(rb"/Type /Page\b", path.read_bytes()))


def test_hostile_text_is_painted_and_loads_nothing(tmp_path: Path) -> None:
    section = Section(HOSTILE, (HOSTILE,), grids=(ReportTable(("A", "B"), ((HOSTILE, "1"),)),))

    write_pdf(Report(HOSTILE, (("Case", HOSTILE),), (section,)), tmp_path / "report.pdf")

    written = (tmp_path / "report.pdf").read_bytes()
    assert written.startswith(b"%PDF")
    assert b"/URI" not in written
    assert b"/JavaScript" not in written
    assert b"/XObject <<\n>>" in written or b"/Subtype /Image" not in written


def test_what_is_longer_than_a_page_goes_on_in_the_next(tmp_path: Path) -> None:
    rows = tuple((str(number), "word " * 40) for number in range(120))

    write_pdf(Report("short", ()), tmp_path / "short.pdf")
    write_pdf(
        Report("long", (), (Section("Rows", grids=(ReportTable(("N", "Text"), rows),)),)),
        tmp_path / "long.pdf",
    )

    assert pages_of(tmp_path / "short.pdf") == 1
    assert pages_of(tmp_path / "long.pdf") > 3


def test_a_row_stays_in_one_piece_below_the_titles_of_its_page(tmp_path: Path) -> None:
    writer = QPdfWriter(str(tmp_path / "rows.pdf"))
    writer.setResolution(150)
    pages = Pages(writer)
    while pages.number == 1:
        pages.text("filler", QFont("DejaVu Sans", 8))
        left = pages._height - pages._y
        if left < 80:
            break
    tall = ReportTable(("N", "Text"), (("1", "word\n" * 8),))

    pages.grid(tall)
    used, number = pages._y, pages.number
    pages.end()
    alone = Pages(writer := QPdfWriter(str(tmp_path / "alone.pdf")))
    writer.setResolution(150)
    alone.grid(tall)
    height = alone._y
    alone.end()

    assert number == 2
    assert used == pytest.approx(height)
