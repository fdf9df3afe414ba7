"""One click on an image or a link shows its pictures in the panes of the workbench."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.workbench.state import CompareMode, ViewEdits
from forensicviewer.ui.graph.image_pair import ImagePair
from forensicviewer.ui.panes.canvas import PaneCanvas
from forensicviewer.ui.shell.window import MainWindow
from tests.provenance_build import a_provenance_dataset, file_of
from tests.provenance_window import click, link_point, node_point, open_window, page_of

pytestmark = pytest.mark.ui

LINKS = [("base", "paste", "PasteSplice"), ("paste", "probe", "OutputJpg")]
RED, GREEN, BLUE = (200, 30, 30), (30, 200, 30), (30, 30, 200)


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    built = a_provenance_dataset(tmp_path).with_probe("probe", links=LINKS)
    built.with_answer("probe", nodes=["base", "paste", "probe"], links=[("base", "paste")])
    for name, color in (("base", RED), ("paste", GREEN), ("probe", BLUE)):
        path = tmp_path / "MFC2019" / file_of(name)
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(np.full((96, 128, 3), color, np.uint8)).save(path, quality=100)
    journals = tmp_path / "MFC2019/reference/provenance/journals"
    document = json.loads((journals / "journal.json").read_text("utf-8"))
    document["links"][0]["maskname"] = "mask.png"
    (journals / "journal.json").write_text(json.dumps(document), "utf-8")
    mask = np.full((96, 128), 255, np.uint8)
    mask[24:72, 32:96] = 0
    Image.fromarray(mask).save(journals / "mask.png")
    return open_window(qtbot, *built.write())


def pair_in(window: MainWindow) -> ImagePair:
    return page_of(window).desk.pair


def canvases(window: MainWindow) -> tuple[PaneCanvas, ...]:
    return pair_in(window).panes.canvases


def color_at(canvas: PaneCanvas, x: float, y: float) -> str:
    """Which of the three images shows at an image point."""
    QApplication.processEvents()
    shown: QImage = canvas.grab().toImage()
    pixel = QColor(shown.pixel(canvas.widget_point(x, y).toPoint()))
    parts = {"red": pixel.red(), "green": pixel.green(), "blue": pixel.blue()}
    return max(parts, key=lambda name: parts[name])


def press(window: MainWindow, key: Qt.Key, modifier: Qt.KeyboardModifier | None = None) -> None:
    QTest.keyClick(page_of(window).canvas, key, modifier or Qt.KeyboardModifier.NoModifier)


def point_at(canvas: PaneCanvas, x: float, y: float) -> None:
    place = canvas.widget_point(x, y)
    QApplication.sendEvent(canvas, mouse(canvas, QEvent.Type.MouseMove, place))


def mouse(
    widget: QWidget,
    kind: QEvent.Type,
    at: QPointF,
    buttons: Qt.MouseButton = Qt.MouseButton.NoButton,
) -> QMouseEvent:
    return QMouseEvent(
        kind, at, widget.mapToGlobal(at), buttons, buttons, Qt.KeyboardModifier.NoModifier
    )


def turn_wheel(widget: QWidget, at: QPointF) -> None:
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - Qt's own signature
    )
    QApplication.sendEvent(widget, event)


def test_the_probe_is_there_before_anything_is_selected(window: MainWindow) -> None:
    first, second = canvases(window)

    assert first.isVisible()
    assert second.isVisible()
    assert color_at(first, 64, 48) == "blue"
    assert "Select an image" in second.accessibleDescription()


def test_one_click_shows_an_image_beside_the_probe(window: MainWindow) -> None:
    click(window, node_point(window, file_of("base")))

    assert [color_at(canvas, 4, 4) for canvas in canvases(window)] == ["blue", "red"]


def test_one_click_shows_both_images_of_a_link(window: MainWindow) -> None:
    click(window, link_point(window, file_of("base"), file_of("paste")))

    assert [color_at(canvas, 4, 4) for canvas in canvases(window)] == ["red", "green"]


def test_wheel_and_drag_move_both_images_together(window: MainWindow) -> None:
    click(window, node_point(window, file_of("base")))
    first, second = canvases(window)
    before = second.window_shown()

    turn_wheel(first, QPointF(40, 40))
    zoomed = second.window_shown()
    QApplication.sendEvent(
        first,
        mouse(first, QEvent.Type.MouseButtonPress, QPointF(60, 60), Qt.MouseButton.LeftButton),
    )
    QApplication.sendEvent(
        first, mouse(first, QEvent.Type.MouseMove, QPointF(30, 50), Qt.MouseButton.LeftButton)
    )
    QApplication.sendEvent(
        first,
        mouse(first, QEvent.Type.MouseButtonRelease, QPointF(30, 50), Qt.MouseButton.LeftButton),
    )

    assert zoomed.scale > before.scale
    assert second.window_shown().left > zoomed.left
    assert first.window_shown() == second.window_shown()


def test_the_crosshair_and_the_values_are_those_of_both(window: MainWindow) -> None:
    click(window, node_point(window, file_of("base")))
    first, second = canvases(window)
    QApplication.processEvents()
    before = second.grab().toImage()

    point_at(first, 30, 20)

    assert second.grab().toImage() != before
    told = pair_in(window).inspector
    assert told.position.text().split() == ["x", "30", "y", "20"]
    red, blue = told.values.text().split("probe (probe)")
    assert int(red.split()[1]) > 150
    assert int(blue.split()[2]) > 150


def test_keys_blink_swipe_reveal_and_fade(window: MainWindow, qtbot: QtBot) -> None:
    click(window, node_point(window, file_of("base")))
    pair, (_, shown) = pair_in(window), canvases(window)

    press(window, Qt.Key.Key_B)
    # It blinks by itself, at its own pace.
    qtbot.waitUntil(lambda: color_at(shown, 100, 40) == "blue")
    qtbot.waitUntil(lambda: color_at(shown, 100, 40) == "red")
    assert pair.buttons[CompareMode.BLINK].isChecked()

    press(window, Qt.Key.Key_S)
    point_at(shown, 64, 40)
    assert [color_at(shown, x, 10) for x in (20, 110)] == ["blue", "red"]

    # A lens the small pane has room around.
    view = ViewEdits.of(pair.bench.state)
    small = replace(view, compare=replace(view.compare, lens_radius_px=20))
    pair.bench.restore(small, is_linked=True)
    press(window, Qt.Key.Key_M)
    point_at(shown, 64, 48)
    assert [color_at(shown, *at) for at in ((64, 40), (2, 2))] == ["red", "blue"]

    press(window, Qt.Key.Key_X)
    pair.amount.setValue(100)
    assert color_at(shown, 20, 10) == "red"
    pair.amount.setValue(0)
    assert color_at(shown, 20, 10) == "blue"

    press(window, Qt.Key.Key_X)
    assert pair.buttons[CompareMode.OFF].isChecked()
    assert all(canvas.isVisible() for canvas in canvases(window))


def test_blinking_goes_by_itself_and_rests_while_it_cannot_be_seen(
    window: MainWindow, qtbot: QtBot
) -> None:
    click(window, node_point(window, file_of("base")))
    bench, desk = pair_in(window).bench, page_of(window).desk
    press(window, Qt.Key.Key_B)
    qtbot.waitUntil(lambda: bench.state.compare.shows_second, timeout=3000)

    desk.tabs.setCurrentWidget(desk.trials)
    assert not desk.pair.panes._blinking.isActive()
    desk.tabs.setCurrentWidget(desk.pair)
    assert desk.pair.panes._blinking.isActive()


def test_a_double_click_and_a_key_show_one_image_alone(window: MainWindow, qtbot: QtBot) -> None:
    click(window, node_point(window, file_of("base")))
    first, second = canvases(window)
    area = first.width() * first.height()

    QTest.mouseDClick(first, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    qtbot.waitUntil(lambda: first.width() * first.height() > area)
    assert not second.isVisible()
    press(window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    assert second.isVisible()


def test_the_mask_of_the_operation_lies_over_both_as_area_or_contour(window: MainWindow) -> None:
    click(window, link_point(window, file_of("base"), file_of("paste")))
    pair, (first, second) = pair_in(window), canvases(window)
    assert pair.note.text() == "PasteSplice"
    filled = QColor(second.grab().toImage().pixel(second.widget_point(64, 48).toPoint()))
    assert filled.red() > 100
    assert color_at(second, 8, 8) == "green"
    point_at(first, 64, 48)
    assert pair.inspector.operations.text() == "PasteSplice"

    press(window, Qt.Key.Key_C)
    assert color_at(second, 64, 48) == "green"
    rim = QColor(second.grab().toImage().pixel(second.widget_point(32.5, 48.5).toPoint()))
    assert rim.red() > 100

    press(window, Qt.Key.Key_K)
    assert color_at(second, 32.5, 48.5) == "green"
    assert not pair.marks.isChecked()


def test_a_link_without_a_mask_says_so(window: MainWindow) -> None:
    click(window, link_point(window, file_of("paste"), file_of("probe")))

    assert pair_in(window).note.text() == "There is no mask for this step"
    assert not pair_in(window).marks.isEnabled()


def test_zoom_keys_mean_the_images_where_these_have_the_keyboard(window: MainWindow) -> None:
    click(window, node_point(window, file_of("base")))
    first, _ = canvases(window)
    graph, scale = page_of(window).canvas, first.window_shown().scale
    before = graph.scale_now
    QTest.mouseClick(first, Qt.MouseButton.LeftButton, pos=QPoint(30, 30))

    QTest.keyClick(first, Qt.Key.Key_Plus)
    assert first.window_shown().scale > scale
    assert graph.scale_now == before
    QTest.keyClick(first, Qt.Key.Key_F)
    assert first.window_shown().scale == scale
