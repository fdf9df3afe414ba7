"""The graph page speaks the user's language; its files speak everybody's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.language.words import use_language
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.ui.graph.files import export_graph
from forensicviewer.ui.graph.page import GraphDesk
from tests.provenance_build import a_provenance_dataset, file_of

pytestmark = pytest.mark.ui


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[GraphDesk]:
    assert use_language("de") == ()
    built = a_provenance_dataset(tmp_path)
    built.with_probe("probe", links=[("base", "probe")], kinds={"base": "base", "probe": "final"})
    built.with_answer("probe", nodes=["probe", "stranger"], links=[("stranger", "probe")])
    review = GraphReview(inline_jobs())
    made = GraphDesk(review)
    qtbot.addWidget(made)
    review.show(*built.open(), "probe")
    yield made
    made.let_go()
    use_language("en")


def test_reasons_facts_and_lists_are_german(desk: GraphDesk) -> None:
    desk.review.select(file_of("base"))
    facts, ranking = desk.panel.facts, desk.ranking.model

    assert facts.explanation.text() == "Fehlend: Das System gab dieses Bild nicht an."
    table = facts.table.model()
    cells = {table.index(row, 0).data(): table.index(row, 1).data() for row in range(3)}
    assert cells["Rolle"] == "Basis"
    shown = [str(ranking.data(ranking.index(row, 3))) for row in range(ranking.rowCount())]
    assert {words.split()[-1] for words in shown} == {"Richtig", "Fehlend", "Fehlalarm"}


def test_facts_are_copied_in_english(desk: GraphDesk, qtbot: QtBot) -> None:
    desk.review.select(file_of("base"))
    with qtbot.waitExposed(desk):
        desk.show()
    desk.activateWindow()
    table = desk.panel.facts.table
    table.setFocus()

    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    assert "Role\tbase" in QGuiApplication.clipboard().text().splitlines()


def test_drawings_and_tables_in_files_are_english(desk: GraphDesk, tmp_path: Path) -> None:
    for name in ("graph.svg", "graph.csv"):
        export_graph(desk.canvas.sheet(), tmp_path / name)

    drawn = (tmp_path / "graph.svg").read_text(encoding="utf-8")
    assert all(f">{word}<" in drawn for word in ("Correct", "False alarm", "probe", "base"))
    assert "Fehl" not in drawn
    assert "Missing: the system did not return" in (tmp_path / "graph.csv").read_text("utf-8")


def test_the_legend_goes_on_in_another_row_where_german_is_too_long(desk: GraphDesk) -> None:
    legend = desk.canvas.painter.legend

    wide = legend.height(has_unscored=True, room=1200)
    narrow = legend.height(has_unscored=True, room=500)

    assert narrow > wide
    drawn = legend.pixmap(has_unscored=True, room=500, density=1.0)
    assert (drawn.width(), drawn.height()) == (500, narrow)


def test_numbers_and_words_of_the_list_are_never_cut(desk: GraphDesk, qtbot: QtBot) -> None:
    ranking = desk.ranking
    ranking.resize(560, 300)
    with qtbot.waitExposed(desk):
        desk.show()
    header, measure = ranking.table.horizontalHeader(), ranking.table.fontMetrics()

    assert header.sectionSize(3) > measure.horizontalAdvance("x Fehlalarm")
    assert header.sectionSize(4) > measure.horizontalAdvance("Zwischenbild")
    least = ranking.recalls.horizontalHeader().minimumSectionSize()
    assert least > measure.horizontalAdvance("0.0000") + 12


def test_names_of_curves_take_a_row_more_where_the_chart_is_narrow(desk: GraphDesk) -> None:
    chart = desk.ranking.chart
    chart.resize(600, 200)
    wide = chart.plot_area().top()

    chart.resize(150, 200)

    assert chart.plot_area().top() > wide
