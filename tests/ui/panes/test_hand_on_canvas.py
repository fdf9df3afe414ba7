"""What mouse, wheel and fingers do on pictures, timeline and threshold, with real events."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import CompareMode, Viewpoint
from forensicviewer.ui.panes.canvas import PaneCanvas
from forensicviewer.ui.panes.grid import PaneGrid
from forensicviewer.ui.score.threshold import ThresholdPanel
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.wheel import invert_wheel
from tests.build import Built, two_answered_trials
from tests.hand import (
    CTRL,
    LEFT,
    NO_KEYS,
    NOTCH,
    SHIFT,
    drag,
    pinch,
    press_and_drag,
    right_click,
    turn_wheel,
)
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


@pytest.fixture
def panes(bench: Workbench, built: Built, show: Callable[..., QWidget]) -> PaneGrid:
    open_trial(bench, built)
    grid = show(PaneGrid(bench))
    assert isinstance(grid, PaneGrid)
    return grid


def test_the_wheel_zooms_about_the_cursor_in_all_panes(panes: PaneGrid) -> None:
    canvas = panes.canvases[0]
    point = canvas.widget_point(20.5, 30.5)
    before = canvas.window_shown().scale

    turn_wheel(canvas, 5 * NOTCH, at=point.toPoint())

    after = canvas.widget_point(20.5, 30.5)
    assert canvas.window_shown().scale > 2 * before
    assert (after - point).manhattanLength() <= 3
    assert panes.canvases[3].window_shown().scale == canvas.window_shown().scale


def test_an_inverted_wheel_turns_the_other_way(bench: Workbench, panes: PaneGrid) -> None:
    bench.set_threshold(100)
    canvas = panes.canvases[0]
    before = canvas.window_shown().scale
    invert_wheel(is_inverted=True)

    turn_wheel(canvas, -NOTCH)
    turn_wheel(canvas, -3 * NOTCH, CTRL)
    invert_wheel(is_inverted=False)

    assert canvas.window_shown().scale > before
    assert bench.state.shown_threshold(bench.state.thresholds.main) == 158


@pytest.mark.parametrize("button", [Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton])
@pytest.mark.parametrize("holds_space", [False, True])
def test_left_middle_and_space_drags_move_the_view(
    panes: PaneGrid,
    button: Qt.MouseButton,
    holds_space: bool,  # noqa: FBT001
) -> None:
    canvas = panes.canvases[0]
    canvas.zoom_to(20)
    start = canvas.window_shown()
    if holds_space:
        QTest.keyPress(canvas, Qt.Key.Key_Space)

    drag(canvas, QPoint(100, 100), QPoint(140, 120), button=button)
    if holds_space:
        QTest.keyRelease(canvas, Qt.Key.Key_Space)

    assert canvas.window_shown().left == pytest.approx(start.left - 2, abs=0.1)
    assert canvas.window_shown().top == pytest.approx(start.top - 1, abs=0.1)


def test_the_wheel_with_control_moves_the_threshold(bench: Workbench, panes: PaneGrid) -> None:
    bench.set_threshold(100)

    turn_wheel(panes.canvases[0], 3 * NOTCH, CTRL)

    assert bench.state.shown_threshold(bench.state.thresholds.main) == 158


def test_shift_and_drag_zoom_into_a_rectangle(panes: PaneGrid) -> None:
    canvas = panes.canvases[0]
    before = canvas.window_shown().scale

    drag(canvas, QPoint(100, 100), QPoint(150, 140), SHIFT)

    assert canvas.window_shown().scale > 3 * before


def test_the_rectangle_to_zoom_into_is_seen_while_it_is_drawn(panes: PaneGrid) -> None:
    canvas, area = panes.canvases[0], QRect(60, 50, 80, 60)
    before = canvas.grab().toImage()

    press_and_drag(canvas, area.topLeft(), area.bottomRight(), SHIFT)
    drawn = canvas.grab().toImage()
    QTest.mouseRelease(canvas, LEFT, SHIFT, area.bottomRight())

    accent = canvas.colors().accent
    edge = [QColor(drawn.pixel(x, area.top())) for x in range(area.left(), area.right())]
    assert any(abs(color.blue() - accent.blue()) < 40 for color in edge)
    assert drawn.pixel(area.center()) != before.pixel(area.center())


def test_escape_lets_go_of_the_rectangle_and_the_view_stays(opened: MainWindow) -> None:
    bench = opened.desk.workbench
    bench.set_compare(mode=CompareMode.SWIPE)
    opened.notice.dismiss()  # of what was opened: Escape would mean that first
    canvas = opened.findChildren(PaneCanvas)[0]
    before = canvas.window_shown()

    press_and_drag(canvas, QPoint(40, 40), QPoint(100, 90), SHIFT)
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    QTest.mouseRelease(canvas, LEFT, SHIFT, QPoint(100, 90))

    modes = [bench.state.compare.mode]
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    modes.append(bench.state.compare.mode)
    assert canvas.window_shown() == before
    assert modes == [CompareMode.SWIPE, CompareMode.OFF]  # the first Escape meant the rectangle


def test_an_unsteady_click_does_not_move_a_picture_that_fits(panes: PaneGrid) -> None:
    canvas = panes.canvases[0]

    QTest.mousePress(canvas, LEFT, pos=QPoint(80, 80))
    QTest.mouseMove(canvas, QPoint(81, 81))
    QTest.mouseRelease(canvas, LEFT, pos=QPoint(81, 81))

    assert canvas._workbench.state.viewpoint(0) is None


def test_the_wheel_turned_in_a_drag_zooms_and_the_drag_goes_on(panes: PaneGrid) -> None:
    canvas = panes.canvases[0]
    canvas.zoom_to(10)
    middle = canvas.rect().center()

    QTest.mousePress(canvas, LEFT, pos=middle)
    QTest.mouseMove(canvas, middle + QPoint(20, 0))
    turn_wheel(canvas, 120)
    enlarged = canvas.window_shown()
    QTest.mouseMove(canvas, middle + QPoint(25, 0))
    QTest.mouseRelease(canvas, LEFT, pos=middle + QPoint(25, 0))

    assert enlarged.scale == pytest.approx(12.5)
    assert canvas.window_shown().scale == enlarged.scale
    assert canvas.window_shown().left == pytest.approx(enlarged.left - 25 / 12.5, abs=0.2)


def test_clicking_twice_on_the_minimap_moves_the_view_but_maximises_nothing(
    panes: PaneGrid,
) -> None:
    canvas = panes.canvases[0]
    canvas.zoom_to(20)
    canvas.grab()
    place = canvas._minimap.area.center().toPoint() / canvas.devicePixelRatioF()

    QTest.mouseDClick(canvas, LEFT, pos=place)

    assert all(other.isVisible() for other in panes.canvases)


def test_linked_panes_have_one_map_and_others_one_each(bench: Workbench, panes: PaneGrid) -> None:
    def mapped() -> list[bool]:
        for canvas in panes.canvases:
            canvas.grab()
        return [not canvas._minimap.area.isEmpty() for canvas in panes.canvases]

    for pane in range(4):
        bench.set_viewpoint(pane, Viewpoint(20, 20, 40.0))
    first = mapped()
    bench.activate_pane(2)
    third = mapped()
    bench.set_linked(linked=False)

    assert first == [True, False, False, False]
    assert third == [False, False, True, False]
    assert mapped() == [True] * 4


def test_slider_number_and_chart_take_the_same_steps_of_the_wheel(
    bench: Workbench, built: Built, show: Callable[..., QWidget]
) -> None:
    open_trial(bench, built)
    panel = show(ThresholdPanel(bench), 420, 420)
    assert isinstance(panel, ThresholdPanel)
    parts = (panel.main, panel.main.slider, panel.main.number, panel.plot.curves)
    bench.set_threshold(100)
    shown = [bench.state.shown_threshold(bench.state.threshold())]

    for part in parts:
        for keys in (NO_KEYS, CTRL):
            turn_wheel(part, 120, keys)
            shown.append(bench.state.shown_threshold(bench.state.threshold()))

    assert shown == list(range(shown[0], shown[0] + 9))


def test_an_inverted_wheel_turns_slider_and_number_too(
    bench: Workbench, built: Built, show: Callable[..., QWidget]
) -> None:
    open_trial(bench, built)
    panel = show(ThresholdPanel(bench), 420, 420)
    assert isinstance(panel, ThresholdPanel)
    bench.set_threshold(100)
    before = bench.state.shown_threshold(bench.state.threshold())

    invert_wheel(is_inverted=True)
    turn_wheel(panel.main.slider, 120)
    turn_wheel(panel.main.number, 240)
    invert_wheel(is_inverted=False)

    assert bench.state.shown_threshold(bench.state.threshold()) == before - 3


def test_small_turns_of_a_touchpad_add_up_to_a_step(bench: Workbench, panes: PaneGrid) -> None:
    bench.set_threshold(100)
    before = bench.state.shown_threshold(bench.state.threshold())
    canvas = panes.canvases[0]

    for _ in range(9):
        turn_wheel(canvas, 30, CTRL)
    raised = bench.state.shown_threshold(bench.state.threshold())
    for _ in range(4):
        turn_wheel(canvas, -30, CTRL)

    assert raised == before + 2
    assert bench.state.shown_threshold(bench.state.threshold()) == before + 1


def test_a_pinch_in_a_drag_keeps_what_is_under_the_fingers(panes: PaneGrid) -> None:
    canvas = panes.canvases[1]
    canvas.zoom_to(10)
    at = QPoint(90, 70)
    under = canvas.image_pixel(QPointF(at))

    pinch(canvas, at, 0.25)
    pinch(canvas, at, -0.1)

    assert canvas.window_shown().scale == pytest.approx(10 * 1.25 * 0.9)
    assert canvas.image_pixel(QPointF(at)) == under


def test_a_right_click_offers_what_can_be_done_about_that_pixel(opened: MainWindow) -> None:
    canvas = opened.findChildren(PaneCanvas)[0]
    at = canvas.widget_point(7.5, 5.5).toPoint()
    QTest.mouseMove(canvas, at)

    menu = right_click(canvas, at)
    offered = {action.text(): action for action in menu.actions() if not action.isSeparator()}
    offered["Copy coordinates"].trigger()
    copied = QGuiApplication.clipboard().text()
    menu.close()

    wanted = {"Copy pixel", "Copy coordinates", "Show in file manager", "Export view…"}
    assert wanted <= offered.keys()
    assert "Write note about this place" in offered
    assert all(action.isEnabled() for action in offered.values())
    assert copied == "7, 5"


def test_a_right_click_beside_the_picture_offers_nothing_about_a_pixel(opened: MainWindow) -> None:
    canvas = opened.findChildren(PaneCanvas)[0]
    QTest.mouseMove(canvas, QPoint(2, 2))

    menu = right_click(canvas, QPoint(2, 2))
    offered = {action.text() for action in menu.actions()}
    menu.close()

    assert "Export view…" in offered
    assert not {"Copy pixel", "Copy coordinates", "Write note about this place"} & offered


def test_a_picture_cannot_be_lost_by_dragging_or_zooming_beside_it(panes: PaneGrid) -> None:
    canvas = panes.canvases[0]

    for _ in range(4):
        drag(canvas, QPoint(5, 5), QPoint(canvas.width() - 5, canvas.height() - 5))
    for _ in range(20):
        turn_wheel(canvas, NOTCH, at=QPoint(3, 3))

    middle = QPointF(canvas.rect().center())
    assert canvas.image_pixel(middle + QPointF(20, 20)) is not None
