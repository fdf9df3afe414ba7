"""The page of a scoring run: complete, self-contained and safe to open."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

from forensicviewer.app.masks.threshold_tables import mask_figures
from forensicviewer.app.report.html_page import MAX_ROWS, RulesUsed, page_of, write_page
from forensicviewer.app.report.score_output import OutputTable, ScoreOutput
from forensicviewer.app.report.svg_figure import (
    Curve,
    NamedPoint,
    det_figure,
    roc_figure,
    threshold_figure,
)
from forensicviewer.core.problem import Problem, Severity
from forensicviewer.core.rules import PLAN, VERBATIM
from forensicviewer.core.rules.detection import FarStop, NearScores

NASTY = "<script>alert('x')</script>&\""


class Reader(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def an_output(*, rows: int = 1, text: str = "0.5") -> ScoreOutput:
    return ScoreOutput(
        scorer="detection",
        tables=(OutputTable("report.csv", ("AUC", text), ((text, "1"),) * rows),),
        headline={"AUC": text, "blank": ""},
        settings={text: text, "none": None, "yes": True, "list": ["a", "b"], "map": {"c": False}},
        problems=(Problem(Severity.WARNING, text, where=text, hint=text),),
    )


def test_the_page_shows_headline_tables_settings_and_problems() -> None:
    seen = Reader(page_of(an_output())).texts

    assert {"Detection scores", "AUC", "0.5", "report.csv", "Settings", "not given", "yes"} <= set(
        seen
    )
    assert {"Problems", "warning", "a\nb", "c: no"} <= set(seen)


def test_whatever_the_cells_hold_is_text_on_the_page() -> None:
    page = page_of(
        an_output(text=NASTY),
        figures=[
            roc_figure(
                [Curve(NASTY, ((0.0, 0.0), (1.0, 1.0)))], marks=[NamedPoint(NASTY, (0.5, 0.5))]
            )
        ],
        subpages={NASTY: NASTY},
    )

    assert "script" not in Reader(page).tags
    assert NASTY in Reader(page).texts


def test_the_page_loads_nothing_from_anywhere() -> None:
    page = page_of(an_output(), figures=[det_figure([Curve("all", ((0.1, 0.2),))])])

    assert Reader(page).addresses == []
    assert "default-src 'none'" in page


def test_long_tables_are_cut_and_the_page_says_so() -> None:
    page = page_of(an_output(rows=MAX_ROWS + 7))

    assert "… and 7 more rows in the file" in Reader(page).texts


def test_many_problems_are_cut_and_the_page_says_so() -> None:
    problems = tuple(Problem(Severity.NOTE, str(n)) for n in range(MAX_ROWS + 3))
    page = page_of(ScoreOutput(scorer="mask", tables=(), problems=problems))

    assert "… and 3 more" in Reader(page).texts


def test_threshold_tables_of_masks_become_curves_and_not_tables() -> None:
    columns = ("Threshold", "MCC", "TPR", "FPR")
    rows = (("-1", "0", "0", "0"), ("100", "0.5", "0.7", "0.1"), ("255", "", "1", "1"))
    tables = tuple(
        OutputTable(f"p{n}/thresMets.csv", columns, rows, is_detail=True) for n in range(8)
    )
    output = ScoreOutput("mask", (OutputTable("mask_score.csv", ("MCC",), (("0.5",),)), *tables))

    figures = mask_figures(tables)
    seen = Reader(page_of(output, figures=figures)).texts

    assert [len(figure.curves) for figure in figures] == [6, 7]
    assert figures[0].title == "MCC at every threshold, first 6 masks"
    assert figures[0].curves[1].label == "p1"
    assert figures[1].curves[0].points == ((0.0, 0.0), (0.1, 0.7), (1.0, 1.0))
    assert "8 more tables are in the folder" in seen
    assert mask_figures(()) == ()


def test_the_rules_that_made_the_numbers_are_explained_beside_the_others() -> None:
    headlines = {"mediscore": {"AUC": "0.9"}, "plan": {"AUC": "0.8", "TRR": "1"}}
    page = page_of(
        an_output(),
        comparison=RulesUsed(PLAN, (FarStop, NearScores), headlines),
    )
    seen = Reader(page).texts

    assert "Scores under each rule set" in seen
    assert any(
        text.startswith("is 5 % for MFC2018 and MFC2019, and 100 % for NC2016") for text in seen
    )
    assert "mediscore: 10 %\nmediscore-verbatim: 10 %" in seen
    assert "the same" in seen
    assert {"0.8", "0.9"} <= set(seen)


def test_a_rule_comparison_needs_no_numbers() -> None:
    page = page_of(an_output(), comparison=RulesUsed(VERBATIM))

    assert "mediscore-verbatim" in Reader(page).texts


def test_a_curve_is_drawn_inside_its_frame_and_broken_where_it_is_unknown() -> None:
    nan = float("nan")
    curve = Curve("mcc", ((-1.0, 0.0), (100.0, nan), (150.0, 0.5), (255.0, 9.0)))
    page = page_of(an_output(), figures=[threshold_figure("MCC", [curve], y_label="MCC")])

    assert 'd="M62.0 181.0M288.5 97.5L446.0 14.0"' in page


def test_a_straight_line_of_rates_bends_on_a_det_plot() -> None:
    nan = float("nan")
    figure = det_figure([Curve("all", ((0.0, 1.0), (1.0, 0.0), (nan, nan)))])

    assert len(figure.curves[0].points) == 53
    assert figure.curves[0].points[26] == pytest.approx((26 / 51, 25 / 51))


def test_a_curve_of_a_million_points_is_thinned() -> None:
    points = tuple((n / 1e6, n / 1e6) for n in range(100_000))
    page = page_of(an_output(), figures=[roc_figure([Curve("long", points)])])

    assert len(page) < 100_000


def test_the_page_is_written_beside_the_tables(tmp_path: Path) -> None:
    path = write_page(an_output(), tmp_path)

    assert path == tmp_path / "report.html"
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
