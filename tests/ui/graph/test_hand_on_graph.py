"""What mouse, wheel and fingers do on a provenance graph and the pictures below it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from forensicviewer.ui.shell.window import MainWindow
from tests.hand import SHIFT, drag, pinch, press_and_drag, right_click
from tests.provenance_build import a_provenance_dataset, file_of
from tests.provenance_window import click, node_point, open_window, page_of

pytestmark = pytest.mark.ui
LINKS = [("base", "crop"), ("crop", "paste"), ("donor", "paste"), ("paste", "probe")]


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=LINKS)
    built.with_answer("probe", nodes=["base", "probe"], links=[("base", "probe")])
    world = tmp_path / "MFC2019" / "world"
    world.mkdir(parents=True)
    for name in ("base", "probe"):
        Image.fromarray(np.full((48, 64, 3), 120, dtype=np.uint8)).save(world / f"{name}.jpg")
    dataset, system = built.write()
    return open_window(qtbot, dataset, system)


def test_shift_and_drag_zoom_into_a_part_of_the_graph(window: MainWindow) -> None:
    canvas = page_of(window).canvas
    scale, at = canvas.scale_now, node_point(window, file_of("base"))
    wanted = canvas.mapToScene(at)

    drag(canvas.viewport(), at - QPoint(40, 30), at + QPoint(40, 30), SHIFT)

    assert canvas.scale_now > 2 * scale
    middle = canvas.visible_area().center()
    assert (middle - wanted).manhattanLength() < 12


def test_escape_lets_go_of_the_rectangle_and_keeps_the_selection(window: MainWindow) -> None:
    page = page_of(window)
    page.review.select(file_of("base"))
    view, scale = page.canvas.viewport(), page.canvas.scale_now

    press_and_drag(view, QPoint(5, 5), QPoint(90, 80), SHIFT)
    QTest.keyClick(page.canvas, Qt.Key.Key_Escape)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, SHIFT, QPoint(90, 80))

    assert page.canvas.scale_now == scale
    assert page.review.state.selected == file_of("base")


def test_shift_and_click_still_pair_two_images(window: MainWindow) -> None:
    review = page_of(window).review
    review.select(file_of("base"))

    click(window, node_point(window, file_of("crop")), SHIFT)

    assert review.pair() == (file_of("base"), file_of("crop"))


def test_dragging_with_space_moves_the_view_and_not_the_image(window: MainWindow) -> None:
    page = page_of(window)
    at, place = node_point(window, file_of("paste")), page.review.place_of(file_of("paste"))
    before = page.canvas.mapFromScene(QPointF(*place))

    QTest.keyPress(page.canvas, Qt.Key.Key_Space)
    drag(page.canvas.viewport(), at, at + QPoint(50, 20))
    QTest.keyRelease(page.canvas, Qt.Key.Key_Space)

    moved = page.canvas.mapFromScene(QPointF(*place)) - before
    assert page.review.place_of(file_of("paste")) == place
    assert (moved - QPoint(50, 20)).manhattanLength() <= 3
    assert not page.review.state.hidden  # Space alone folds


def test_two_fingers_zoom_the_graph_about_themselves(window: MainWindow) -> None:
    canvas, at = page_of(window).canvas, QPoint(200, 100)
    scale, under = canvas.scale_now, canvas.mapToScene(at)

    pinch(canvas.viewport(), at, 0.5)

    assert canvas.scale_now == pytest.approx(1.5 * scale)
    assert (canvas.mapToScene(at) - under).manhattanLength() < 4 / canvas.scale_now


def test_a_right_click_on_an_image_of_the_graph_is_about_that_image(window: MainWindow) -> None:
    canvas = page_of(window).canvas

    menu = right_click(canvas.viewport(), node_point(window, file_of("base")))
    offered = {action.text(): action for action in menu.actions()}
    offered["Copy name of the image"].trigger()
    menu.close()

    assert QGuiApplication.clipboard().text() == file_of("base")
    assert {"Show image in file manager", "Export view…", "Copy view"} <= offered.keys()
    assert "Copy pixel" not in offered  # a graph has none


def test_a_right_click_on_a_picture_below_the_graph_copies_its_pixel(window: MainWindow) -> None:
    pair = page_of(window).desk.pair
    QApplication.processEvents()
    canvas = pair.panes.canvases[0]
    at = canvas.widget_point(3.5, 2.5).toPoint()
    QTest.mouseMove(canvas, at)

    menu = right_click(canvas, at)
    offered = {action.text(): action for action in menu.actions()}
    offered["Copy coordinates"].trigger()
    menu.close()

    assert QGuiApplication.clipboard().text() == "3, 2"
    assert {"Copy pixel", "Fit image"} <= offered.keys()


def test_what_am_i_seeing_explains_the_graph_and_again_does_not(window: MainWindow) -> None:
    strip = page_of(window).explanation

    window.commands.run("help.whats_this")
    is_shown, is_ticked = strip.isVisible(), window.commands["help.whats_this"].isChecked()
    window.commands.run("help.whats_this")

    assert (is_shown, is_ticked) == (True, True)
    assert "green with a tick" in strip.text()
    assert 'href="graphs"' in strip.text()
    assert not strip.isVisible()
