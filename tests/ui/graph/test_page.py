"""The provenance page with a real mouse and real keys."""

from __future__ import annotations

import csv
import errno
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.datasets.opening import open_dataset
from forensicviewer.app.graph.drawing import LayoutKind
from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.graph.state import Focus
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.graph.provenance import Match
from forensicviewer.core.problem import UsageError
from forensicviewer.ui.graph.files import export_graph, picture_of
from forensicviewer.ui.graph.page import GraphDesk, GraphPage
from forensicviewer.ui.graph.painter import Detail, detail_for
from forensicviewer.ui.graph.style import DARK, LIGHT
from forensicviewer.ui.shell.restyling import Restyling
from forensicviewer.ui.widgets.theme import apply_theme, theme_named
from tests.provenance_build import ProvenanceBuilder, a_provenance_dataset, file_of

pytestmark = pytest.mark.ui

LINKS = [
    ("base", "crop"),
    ("crop", "paste", "PasteSplice"),
    ("donor", "paste", "Donor"),
    ("raw", "donor"),
    ("paste", "probe"),
]


def some_graph(folder: Path) -> ProvenanceBuilder:
    built = a_provenance_dataset(folder).with_probe(
        "probe", links=LINKS, kinds={"base": "base", "donor": "donor", "probe": "final"}
    )
    built.with_probe("second", links=[("x", "second")], journal="other")
    built.with_answer("second", nodes=["x", "second"], links=[("x", "second")])
    return built.with_answer(
        "probe",
        nodes={"base": 0.9, "crop": 0.8, "paste": 0.7, "probe": 1, "stranger": 0.2},
        links={("base", "crop"): 0.9, ("paste", "crop"): 0.4, ("stranger", "probe"): 0.1},
    )


def paint_world(folder: Path) -> None:
    world = folder / "MFC2019" / "world"
    world.mkdir(parents=True)
    for i, name in enumerate(("base", "crop", "probe")):
        pixels = np.full((48, 64, 3), (40 + 80 * i, 200 - 60 * i, 90), dtype=np.uint8)
        Image.fromarray(pixels).save(world / f"{name}.jpg", quality=95)


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[GraphDesk]:
    paint_world(tmp_path)
    review = GraphReview(inline_jobs())
    made = GraphDesk(review)
    qtbot.addWidget(made)
    made.resize(1400, 900)
    made.show()
    review.show(*some_graph(tmp_path).open(), "probe")
    QApplication.processEvents()
    yield made
    made.let_go()


def point_of(desk: GraphDesk, name: str) -> QPoint:
    return desk.canvas.mapFromScene(QPointF(*desk.review.place_of(file_of(name))))


def click(
    desk: GraphDesk,
    at: QPoint,
    modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    QTest.mouseClick(desk.canvas.viewport(), Qt.MouseButton.LeftButton, modifier, at)


def middle_of(desk: GraphDesk, source: str, target: str) -> QPoint:
    picture = desk.canvas.picture
    assert picture is not None
    link = picture.link((file_of(source), file_of(target)))
    return desk.canvas.mapFromScene(link.curve.point_at(0.5))


def drag(desk: GraphDesk, start: QPoint, end: QPoint) -> None:
    view = desk.canvas.viewport()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    for step in (0.3, 0.6, 1.0):
        between = start + (end - start) * step
        QApplication.sendEvent(view, _move(view.mapToGlobal(between), between))
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)


def _move(globally: QPoint, at: QPoint) -> QEvent:
    return QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(at),
        QPointF(globally),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )


def test_the_scores_beside_the_graph_are_those_of_the_command_line(desk: GraphDesk) -> None:
    comparison = desk.review.state.comparison
    assert comparison is not None

    assert desk.panel.scores.values["SimNLO"].text() == f"{comparison.scores.sim_nlo:.4f}"
    assert "Images: 4 correct, 2 missing, 1 false alarm\nLinks: " in desk.panel.scores.counts.text()
    assert desk.panel.scores.variation.text() == "Variation: end-to-end"


def test_clicking_a_reversed_link_explains_it(desk: GraphDesk) -> None:
    click(desk, middle_of(desk, "paste", "crop"))

    assert desk.review.state.selected == (file_of("paste"), file_of("crop"))
    assert "this link is reversed" in desk.panel.facts.explanation.text()


def test_clicking_a_node_shows_its_facts_and_its_image_beside_the_probe(desk: GraphDesk) -> None:
    click(desk, point_of(desk, "base"))

    assert desk.review.state.selected == file_of("base")
    facts = desk.panel.facts.table
    cells = [facts.item(row, column) for row in range(facts.rowCount()) for column in (0, 1)]
    words = [cell.text() for cell in cells if cell is not None]
    assert words[words.index("Role") + 1] == "base"
    shown = [canvas.grab().toImage() for canvas in desk.pair.panes.canvases]
    left, right = (QColor(each.pixel(each.width() // 2, each.height() // 2)) for each in shown)
    assert left.red() > 150 > right.red()


def test_clicking_nothing_clears_the_selection(desk: GraphDesk) -> None:
    click(desk, point_of(desk, "base"))
    click(desk, QPoint(3, 3))

    assert desk.review.state.selected is None


def test_a_second_node_shows_the_way_between_both(desk: GraphDesk) -> None:
    click(desk, point_of(desk, "base"))
    click(desk, point_of(desk, "paste"), Qt.KeyboardModifier.ShiftModifier)

    assert desk.review.way() == tuple(map(file_of, ("base", "crop", "paste")))
    titles = desk.pair.bench.state.loaded.probe.titles if desk.pair.bench.state.loaded else {}
    assert [titles[layer] for layer in ("base", "picture")] == ["base", "paste"]


def test_arrow_keys_walk_along_the_links(desk: GraphDesk) -> None:
    click(desk, point_of(desk, "base"))
    seen = []
    for _ in range(3):
        QTest.keyClick(desk.canvas, Qt.Key.Key_Right)
        seen.append(desk.review.state.selected)

    assert seen == [file_of(name) for name in ("crop", "paste", "probe")]
    QTest.keyClick(desk.canvas, Qt.Key.Key_Escape)
    assert desk.review.state.selected is None


def test_dragging_a_node_moves_it_and_undo_brings_it_back(desk: GraphDesk) -> None:
    before = desk.review.place_of(file_of("crop"))
    start = point_of(desk, "crop")

    drag(desk, start, start + QPoint(60, 90))

    after = desk.review.place_of(file_of("crop"))
    assert after[1] - before[1] == pytest.approx(90 / desk.canvas.scale_now, abs=1)
    QTest.keyClick(desk.canvas, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert desk.review.place_of(file_of("crop")) == before
    QTest.keyClick(
        desk.canvas,
        Qt.Key.Key_Z,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    assert desk.review.place_of(file_of("crop")) == after


def test_dragging_the_background_pans(desk: GraphDesk) -> None:
    before = desk.canvas.visible_area().center()

    drag(desk, QPoint(8, 8), QPoint(88, 48))

    moved = desk.canvas.visible_area().center() - before
    assert moved.x() == pytest.approx(-80 / desk.canvas.scale_now, abs=3)


def test_the_wheel_zooms_about_the_mouse(desk: GraphDesk) -> None:
    at = QPoint(200, 150)
    scale, under = desk.canvas.scale_now, desk.canvas.mapToScene(at)

    QApplication.sendEvent(desk.canvas.viewport(), _turn(desk.canvas.viewport(), at, -240))

    assert desk.canvas.scale_now < scale
    assert (desk.canvas.mapToScene(at) - under).manhattanLength() < 8 / desk.canvas.scale_now


def test_double_clicking_a_node_folds_its_donors(desk: GraphDesk) -> None:
    view = desk.canvas.viewport()

    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=point_of(desk, "paste"))

    assert set(desk.review.state.hidden) == {file_of("donor"), file_of("raw")}
    picture = desk.canvas.picture
    assert picture is not None
    assert picture.nodes[picture.position[file_of("paste")]].hides == 2
    desk.bar.fold.setChecked(True)
    desk.bar.fold.setChecked(False)
    assert desk.review.state.hidden == {}


def test_the_confidence_slider_changes_scores_and_colours_at_once(desk: GraphDesk) -> None:
    before = desk.panel.scores.values["SimNO"].text()

    desk.panel.node_cut.slider.setFocus()
    QTest.keyClick(desk.panel.node_cut.slider, Qt.Key.Key_End)

    assert desk.review.state.cut.nodes > 0.9
    assert desk.panel.scores.values["SimNO"].text() != before
    assert desk.review.state.nodes[file_of("base")].match is Match.MISSED
    QTest.keyClick(desk.panel.node_cut.slider, Qt.Key.Key_Home)
    assert desk.panel.scores.values["SimNO"].text() == before
    assert desk.panel.node_cut.value.text() == "all"


def test_dragging_in_the_curve_moves_the_link_threshold(desk: GraphDesk) -> None:
    chart = desk.panel.link_cut.chart
    at = chart.point_of(0.5, 0.5).toPoint()

    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at)

    assert desk.review.state.cut.links == pytest.approx(0.5, abs=0.02)
    assert (file_of("stranger"), file_of("probe")) not in desk.review.state.links


def test_search_finds_and_goes_on_with_return(desk: GraphDesk) -> None:
    QTest.keyClicks(desk.bar.search, "as")

    assert (desk.bar.found.text(), desk.bar.found.toolTip()) == ("2", "2 found")
    first = desk.review.state.selected
    QTest.keyClick(desk.bar.search, Qt.Key.Key_Return)
    assert desk.review.state.selected != first


def test_conditions_layout_and_focus_are_a_click_away(desk: GraphDesk) -> None:
    desk.bar.undirected.click()
    assert desk.review.state.links[file_of("crop"), file_of("paste")].is_reversed
    desk.bar.direct.click()
    assert desk.review.state.settings.direct
    desk.bar.layout_kind.setCurrentIndex(1)
    assert desk.review.state.layout is LayoutKind.FORCE
    desk.bar.focus.setCurrentIndex(1)
    assert desk.review.state.focus is Focus.NEIGHBOURS
    desk.bar.differences.click()
    picture = desk.canvas.picture
    assert picture is not None
    assert not picture.shown_nodes[picture.position[file_of("base")]]


def test_another_rule_set_scores_anew_and_says_what_it_decides(desk: GraphDesk) -> None:
    desk.bar.direct.click()
    before = desk.panel.scores.values["SimNLO"].text()

    desk.bar.rules.setCurrentIndex(2)

    assert desk.review.state.settings.rules.name == "plan"
    assert desk.panel.scores.values["SimNLO"].text() != before
    assert "Both graphs are reduced" in desk.bar.rules.toolTip()


def test_the_ranking_marks_hits_and_selects_in_the_graph(desk: GraphDesk) -> None:
    desk.tabs.setCurrentWidget(desk.ranking)
    model = desk.ranking.model
    words = [model.data(model.index(row, 3)) for row in range(model.rowCount())]

    desk.ranking.table.selectRow(1)

    assert [str(word)[2:] for word in words].count("Correct") == 4
    assert "Missing" in str(words[-1])
    first = desk.ranking.recalls.item(0, 0)
    assert first is not None
    assert first.text() == "0.6667"
    assert desk.review.state.selected == file_of("base")


def test_the_trial_table_has_the_worst_first_and_opens_a_probe(desk: GraphDesk) -> None:
    model = desk.trials.lines
    probes = [model.data(model.index(row, 0)) for row in range(model.rowCount())]
    assert probes == ["probe", "second"]

    desk.tabs.setCurrentWidget(desk.trials)
    place = desk.trials.visualRect(model.index(1, 1)).center()
    QTest.mouseClick(desk.trials.viewport(), Qt.MouseButton.LeftButton, pos=place)

    assert set(desk.review.state.nodes) == {file_of("x"), file_of("second")}
    desk.trials.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert model.lines[0].trial.id == "second"


def _turn(widget: QWidget, at: QPoint, delta: int) -> QWheelEvent:
    return QWheelEvent(
        QPointF(at),
        QPointF(widget.mapToGlobal(at)),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - Qt's own signature
    )


def test_a_menu_on_a_node_folds_and_compares(desk: GraphDesk) -> None:
    choices = dict(desk.canvas.choices_at(point_of(desk, "paste")))
    choices["Fold or unfold its donors"]()
    assert desk.review.state.hidden
    choices["Compare with the probe"]()
    assert desk.review.state.selected == file_of("paste")
    beside = dict(desk.canvas.choices_at(point_of(desk, "base")))
    beside["Compare with the selected image"]()
    assert desk.review.pair() == (file_of("paste"), file_of("base"))
    for choose in dict(desk.canvas.choices_at(QPoint(4, 4))).values():
        choose()
    assert desk.review.state.hidden == {}


def test_the_mouse_over_a_node_tells_its_rank_and_confidence(desk: GraphDesk) -> None:
    QTest.mouseMove(desk.canvas.viewport(), point_of(desk, "base"))

    assert "rank 2 of 5" in QToolTip.text()
    assert "confidence 0.9" in QToolTip.text()
    QTest.mouseMove(desk.canvas.viewport(), middle_of(desk, "base", "crop"))
    assert QToolTip.text() == "TransformResize"
    QToolTip.hideText()


def test_space_folds_the_selected_node(desk: GraphDesk) -> None:
    click(desk, point_of(desk, "paste"))
    QTest.keyClick(desk.canvas, Qt.Key.Key_Space)

    assert file_of("donor") in desk.review.state.hidden


def test_only_the_way_to_the_probe_stays_bright(desk: GraphDesk) -> None:
    click(desk, point_of(desk, "base"))
    bright = desk.canvas.grab().toImage()
    desk.bar.focus.setCurrentIndex(2)

    assert desk.canvas.picture is not None
    way = desk.canvas.picture.bright
    assert way is not None
    assert {file_of("base"), file_of("probe")} <= way
    assert file_of("raw") not in way
    assert desk.canvas.grab().toImage() != bright


def test_matched_missed_and_invented_differ_in_colour_and_line(desk: GraphDesk) -> None:
    picture = desk.canvas.picture
    assert picture is not None
    sheet = desk.canvas.sheet()
    image = picture_of(sheet, sheet.drawn().size)

    corner = picture.bounds().topLeft()
    shares = {}
    for name in ("base", "donor", "stranger"):
        area = picture.nodes[picture.position[file_of(name)]].area.translated(-corner)
        y = round(area.top())
        row = [QColor(image.pixel(round(area.left()) + 12 + x, y)) for x in range(160)]
        shares[name] = sum(1 for color in row if color.lightness() < 160) / len(row)
    assert shares["base"] > 0.95
    assert 0.4 < shares["donor"] < 0.8
    assert 0.15 < shares["stranger"] < 0.6
    assert abs(shares["donor"] - shares["stranger"]) > 0.1


def test_curves_are_lighter_on_dark_ground_once_the_theme_changes(
    desk: GraphDesk, qapp: QApplication, qtbot: QtBot
) -> None:
    chart = desk.panel.node_cut.chart
    before = [series.color.lightness() for series in chart.series]

    apply_theme(qapp, theme_named("dark"), font_scale=100)
    Restyling(desk, recolor=list).start()

    qtbot.waitUntil(lambda: [each.color.lightness() for each in chart.series] != before)
    after = [series.color.lightness() for series in chart.series]
    assert all(new > old for new, old in zip(after, before, strict=True))


def test_far_away_only_boxes_are_drawn() -> None:
    assert detail_for(1.0, 20) is Detail.NEAR
    assert detail_for(1.0, 5000) is Detail.FAR
    assert detail_for(0.2, 200) is Detail.MIDDLE
    assert detail_for(0.05, 20) is Detail.FAR


def test_every_detail_draws_something(desk: GraphDesk) -> None:
    for scale in (1.0, 0.2, 0.05):
        desk.canvas.zoom_by(scale / desk.canvas.scale_now)
        QApplication.processEvents()
        image = desk.canvas.grab().toImage()
        colors = {
            image.pixel(x, y)
            for x in range(0, image.width(), 3)
            for y in range(0, image.height() - 40, 3)
        }
        assert len(colors) > 3


def test_the_map_appears_when_the_graph_does_not_fit_and_moves_the_view(desk: GraphDesk) -> None:
    assert not desk.canvas.minimap.is_needed
    desk.canvas.zoom_by(3)
    QApplication.processEvents()
    before = desk.canvas.visible_area().center()

    assert desk.canvas.minimap.is_needed
    QTest.mouseClick(desk.canvas.minimap, Qt.MouseButton.LeftButton, pos=QPoint(20, 60))
    assert desk.canvas.visible_area().center().x() < before.x()
    desk.canvas.fit()
    assert not desk.canvas.minimap.is_needed


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf", ".graphml", ".csv"])
def test_the_graph_is_exported(desk: GraphDesk, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"graph{ending}"

    export_graph(desk.canvas.sheet(), path)

    content = path.read_bytes()
    if ending == ".svg":
        assert ElementTree.fromstring(content).tag.endswith("svg")
        assert b"PasteSplice" in content
    elif ending == ".png":
        assert QImage(str(path)).width() == 2 * desk.canvas.sheet().drawn().size.width()
    elif ending == ".pdf":
        assert content.startswith(b"%PDF")
    elif ending == ".csv":
        rows = list(csv.DictReader(content.decode().splitlines(), delimiter="|"))
        assert {row["Kind"] for row in rows} == {"node", "link"}
    else:
        assert len(ElementTree.fromstring(content)) > 5


def test_an_unknown_ending_is_refused(desk: GraphDesk, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        export_graph(desk.canvas.sheet(), tmp_path / "graph.doc")


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf", ".graphml", ".csv"])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    desk: GraphDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    path = tmp_path / "out" / f"graph{ending}"
    path.parent.mkdir()
    path.write_bytes(b"the user's")

    def full(_descriptor: int) -> None:
        # Where disks have quotas, this is when the system notices.
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        export_graph(desk.canvas.sheet(), path)

    assert path.read_bytes() == b"the user's"
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_graph_that_cannot_be_made_says_so_on_the_canvas(qtbot: QtBot, tmp_path: Path) -> None:
    built = some_graph(tmp_path)
    built.references[0][-1] = "reference/none.json"
    review = GraphReview(inline_jobs())
    desk = GraphDesk(review)
    qtbot.addWidget(desk)
    desk.show()

    review.show(*built.open(), "probe")

    assert desk.canvas.picture is None
    assert not desk.canvas.grab().isNull()
    desk.let_go()


def test_the_canvas_follows_light_and_dark(desk: GraphDesk) -> None:
    palette = desk.canvas.palette()
    palette.setColor(palette.ColorRole.Window, QColor("#15181d"))
    desk.canvas.setPalette(palette)
    desk.canvas.grab()

    assert desk.canvas.painter.colors is DARK
    palette.setColor(palette.ColorRole.Window, QColor("#f3f5f8"))
    desk.canvas.setPalette(palette)
    desk.canvas.grab()
    assert desk.canvas.painter.colors is LIGHT


def test_the_page_follows_the_workbench(qtbot: QtBot, tmp_path: Path) -> None:
    built = some_graph(tmp_path)
    dataset_path, system = built.write()
    task, submission = built.open()
    bench = Workbench(inline_jobs())
    page = GraphPage(bench)
    qtbot.addWidget(page)
    page.show()

    bench.show_dataset(open_dataset(dataset_path), task, submissions=(submission,))
    first = page.review.state.document
    page.desk.trials.clicked.emit(page.desk.trials.lines.index(1, 0))

    assert system.is_file()
    assert first is not None
    assert first.trial.id == "probe"
    assert str(bench.state.trial_id) == "second"
    assert page.review.state.document is not None
    assert page.review.state.document.trial.id == "second"
    handlers = page.handlers()
    handlers["graph.only_errors"].run()
    assert handlers["graph.only_errors"].is_checked is not None
    assert handlers["graph.only_errors"].is_checked()
    handlers["graph.undirected"].run()
    for name in ("graph.fit", "graph.zoom_in", "graph.zoom_out", "graph.probe"):
        handlers[name].run()
    handlers["graph.next_error"].run()
    handlers["graph.previous_error"].run()
    for name in ("direct", "neighbours", "path", "fold", "force"):
        handler = handlers[f"graph.{name}"]
        assert handler.is_checked is not None
        before = handler.is_checked()
        handler.run()
        assert handler.is_checked() is not before
    handlers["graph.find"].run()
    assert page.focusWidget() is page.desk.bar.search
    assert not page.picture().isNull()
    assert b"<svg" in (page.content(".svg") or b"")
    page.let_go()
