"""Pointing without a mouse, and the reference laid over the probe."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.workbench.state import CompareMode, Layer, Pane, Viewpoint
from forensicviewer.ui.panes.page import StillsPage
from forensicviewer.ui.shell.window import MainWindow
from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.ui
_ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


@pytest.fixture
def alone(window: MainWindow, built: Built) -> MainWindow:
    """The window with a dataset and no answers."""
    window.desk.open(OpenRequest(built.root))
    window.refresh()
    window.activateWindow()
    return window


def page_of(window: MainWindow) -> StillsPage:
    assert isinstance(window.page, StillsPage)
    return window.page


def test_alt_and_arrows_point_at_pixels_from_the_middle_on(alone: MainWindow) -> None:
    bench = alone.desk.workbench
    bench.set_viewpoint(0, Viewpoint(30.0, 20.0, 8.0))

    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        QTest.keyClick(alone, key, _ALT)
    near = bench.state.cursor
    QTest.keyClick(alone, Qt.Key.Key_Home, _ALT)

    assert near == (32, 21)
    assert bench.state.cursor == (22, 21)
    assert "22" in page_of(alone).inspector.position.text()


def test_the_view_follows_a_cursor_that_leaves_it_and_keys_zoom_about_it(
    alone: MainWindow,
) -> None:
    bench, canvas = alone.desk.workbench, page_of(alone).panes.canvases[0]
    bench.set_viewpoint(0, Viewpoint(32.0, 24.0, 64.0))
    for _ in range(3):
        QTest.keyClick(alone, Qt.Key.Key_End, _ALT)
    cursor = bench.state.cursor
    assert cursor is not None

    before = canvas.widget_point(*cursor)
    in_sight = canvas.rect().contains(before.toPoint())
    QTest.keyClick(alone, Qt.Key.Key_Minus)

    assert cursor[0] > 45
    assert in_sight
    after = canvas.widget_point(cursor[0] + 0.5, cursor[1] + 0.5)
    assert canvas.rect().contains(after.toPoint())


def test_k_lays_the_reference_over_the_probe(alone: MainWindow) -> None:
    canvas = page_of(alone).panes.canvases[0]
    manipulated = canvas.widget_point(20.5, 20.5).toPoint()
    plain = canvas.grab().toImage().pixelColor(manipulated)

    QTest.keyClick(alone, Qt.Key.Key_K)

    assert canvas.grab().toImage().pixelColor(manipulated) != plain
    QTest.keyClick(alone, Qt.Key.Key_K)
    assert canvas.grab().toImage().pixelColor(manipulated) == plain


def test_without_answers_a_comparison_is_of_probe_and_reference(alone: MainWindow) -> None:
    QTest.keyClick(alone, Qt.Key.Key_X)

    compare = alone.desk.workbench.state.compare
    assert compare.mode is CompareMode.FADE
    assert (compare.first, compare.second) == (Pane(Layer.PICTURE), Pane(Layer.REFERENCE))
