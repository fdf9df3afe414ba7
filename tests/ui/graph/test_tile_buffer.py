"""Only what changed of a graph is drawn again, and looks as if all of it had been."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.graph.state import Focus
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.ui.graph.canvas import GraphCanvas
from forensicviewer.ui.graph.style import CARD
from tests.provenance_build import a_provenance_dataset, file_of

pytestmark = pytest.mark.ui

LINKS: list[tuple[str, ...]] = [
    ("base", "crop"),
    ("crop", "paste"),
    ("paste", "blur"),
    ("blur", "probe"),
    ("donor", "paste", "Donor"),
]


@pytest.fixture
def review(tmp_path: Path) -> GraphReview:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=LINKS)
    built.with_answer(
        "probe",
        nodes={"probe": 1, "blur": 1, "paste": 0.2, "crop": 1, "base": 1, "stranger": 0.3},
        links={
            ("base", "crop"): 1,
            ("paste", "crop"): 0.9,
            ("paste", "blur"): 0.2,
            ("stranger", "probe"): 0.4,
        },
    )
    review = GraphReview(inline_jobs())
    review.show(*built.open(), "probe")
    return review


def drawn(canvas: GraphCanvas) -> QImage:
    return canvas.viewport().grab().toImage()


def levels(picture: QImage) -> NDArray[np.int16]:
    return np.frombuffer(picture.constBits(), np.uint8).astype(np.int16)


def a_canvas(review: GraphReview, qtbot: QtBot) -> GraphCanvas:
    canvas = GraphCanvas(review)
    qtbot.addWidget(canvas)
    canvas.resize(1100, 700)
    canvas.is_patient = True
    canvas.show()
    qtbot.waitExposed(canvas)
    return canvas


def drag(canvas: GraphCanvas, name: str) -> None:
    view = canvas.viewport()
    assert canvas.picture is not None
    node = canvas.picture.nodes[canvas.picture.position[file_of(name)]]
    start = canvas.mapFromScene(node.center)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    for step in (1, 2, 3):
        QTest.mouseMove(view, start + QPoint(20, 30) * step)
        drawn(canvas)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start + QPoint(60, 90))
    canvas.review.select(None)


def show_neighbours(canvas: GraphCanvas) -> None:
    canvas.review.select(file_of("paste"))
    canvas.review.set_focus(Focus.NEIGHBOURS)


CHANGES: dict[str, Callable[[GraphCanvas], None]] = {
    "a threshold": lambda canvas: canvas.review.set_cut(nodes=0.5),
    "a threshold of links": lambda canvas: canvas.review.set_cut(links=0.5),
    "a selected neighbourhood": show_neighbours,
    "differences only": lambda canvas: canvas.review.set_only_differences(on=True),
    "folded donors": lambda canvas: canvas.review.fold_donors(on=True),
    "a dragged node": lambda canvas: drag(canvas, "paste"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_drawn_again_looks_like_a_picture_from_nothing(
    qtbot: QtBot, review: GraphReview, change: Callable[[GraphCanvas], None]
) -> None:
    canvas = a_canvas(review, qtbot)
    before = drawn(canvas)

    change(canvas)
    after = drawn(canvas)

    fresh = a_canvas(review, qtbot)
    fresh.setTransform(canvas.transform())
    fresh.centerOn(canvas.visible_area().center())
    assert after == drawn(fresh)
    assert after != before
    canvas.let_go()
    fresh.let_go()


def moved_down(canvas: GraphCanvas, name: str) -> list[NDArray[np.int16]]:
    """Where a node's sign is, on its way over a tile: at some places only that is in the next."""
    assert canvas.picture is not None
    node = canvas.picture.nodes[canvas.picture.position[file_of(name)]]
    center = node.center
    pictures = []
    for step in range(60):
        place = center.x(), center.y() + 4 * step / canvas.scale_now
        canvas.review.move(file_of(name), place)
        corner = canvas.mapFromScene(QPointF(*place) + CARD.topRight())
        pictures.append(levels(drawn(canvas).copy(corner.x() - 40, corner.y() - 12, 60, 30)))
        canvas.review.undo()
    return pictures


def test_no_card_is_cut_where_tiles_meet(
    qtbot: QtBot, review: GraphReview, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = a_canvas(review, qtbot)
    in_tiles = moved_down(canvas, "paste")
    monkeypatch.setattr("forensicviewer.ui.graph.tile_buffer._TILE_PX", 2400)
    whole = a_canvas(review, qtbot)
    whole.setTransform(canvas.transform())
    whole.centerOn(canvas.visible_area().center())

    pairs = zip(in_tiles, moved_down(whole, "paste"), strict=True)

    # Smooth edges are rounded a little differently at another place of a pixmap.
    assert max(np.abs(tiles - one).max() for tiles, one in pairs) < 4
    canvas.let_go()
    whole.let_go()


def test_a_node_that_is_put_back_leaves_nothing_behind(qtbot: QtBot, review: GraphReview) -> None:
    canvas = a_canvas(review, qtbot)
    before = drawn(canvas)
    drag(canvas, "paste")
    drawn(canvas)

    review.undo()

    assert drawn(canvas) == before
    canvas.let_go()


def test_a_moved_view_shows_the_same_pixels_elsewhere(qtbot: QtBot, review: GraphReview) -> None:
    canvas = a_canvas(review, qtbot)
    canvas.zoom_by(1.3)
    drawn(canvas)

    canvas._pan(QPoint(37, -21))
    moved = drawn(canvas)
    canvas._buffer.clear()

    assert moved == drawn(canvas)
    canvas.let_go()


def test_a_view_at_rest_is_not_drawn_again(
    qtbot: QtBot, review: GraphReview, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = a_canvas(review, qtbot)
    canvas.zoom_by(2.0)
    qtbot.waitUntil(lambda: not canvas._buffer._rest.isActive())
    for _ in range(5):
        QApplication.processEvents()
    frames: list[QPainter] = []
    monkeypatch.setattr(canvas, "draw_graph", frames.append)

    for _ in range(20):
        QApplication.processEvents()

    assert canvas.minimap.is_needed
    assert frames == []
    canvas.let_go()
