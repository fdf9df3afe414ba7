"""The canvas: pixels have the colours they should, mouse and wheel do what they say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import (
    CompareMode,
    Layer,
    OverlayStyle,
    Pane,
    SystemStyle,
    Viewpoint,
)
from forensicviewer.core.array import Size
from forensicviewer.core.model import Side
from forensicviewer.core.palette import Outcome
from forensicviewer.ui.panes.drawing import PaneColors, draw_banner, draw_placeholder
from forensicviewer.ui.panes.grid import PaneGrid
from tests.bench_build import put_submission
from tests.build import Built, a_dataset, blurred, box, exact, write_png
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui
TWO = {"PasteSplice": box(4, 4, 34, 34), "Heal": box(44, 10, 60, 40)}
LEFT = Qt.MouseButton.LeftButton
NO_KEYS = Qt.KeyboardModifier.NoModifier
Show = Callable[..., QWidget]


@pytest.fixture
def built(tmp_path: Path) -> Built:
    made = a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_trial("p2", manipulated=TWO)
    return made.with_answer("p1", exact()).with_answer("p2", blurred(6)).write()


@pytest.fixture
def panes(bench: Workbench, built: Built, show: Show) -> PaneGrid:
    open_trial(bench, built)
    grid = show(PaneGrid(bench))
    assert isinstance(grid, PaneGrid)
    return grid


def color_at(grid: PaneGrid, position: int, x: float, y: float) -> QColor:
    """The colour a pane shows at an image pixel."""
    canvas = grid.canvases[position]
    image = canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    point = canvas.widget_point(x + 0.5, y + 0.5)
    return image.pixelColor(int(point.x()), int(point.y()))


def rgb(color: QColor) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()


def alone(bench: Workbench, layer: Layer) -> None:
    bench.set_panes([Pane(layer, lens="ela" if layer is Layer.LENS else "")])


def test_a_hit_is_green_and_a_false_alarm_red_without_a_picture(
    bench: Workbench, built: Built, show: Show
) -> None:
    (built.root / "probe" / "p1.png").unlink()
    scores = np.full((48, 64), 255, np.uint8)
    scores[:, 40:] = 0
    write_png(built.submission / "mask" / "p1.png", scores)
    open_trial(bench, built)
    alone(bench, Layer.COMPARISON)
    grid = show(PaneGrid(bench))
    assert isinstance(grid, PaneGrid)

    bench.set_threshold(255)

    assert rgb(color_at(grid, 0, 52, 25)) == (0, 207, 0)
    assert rgb(color_at(grid, 0, 19, 19)) == (51, 51, 255)
    assert rgb(color_at(grid, 0, 38, 46)) == (255, 255, 255)
    assert rgb(color_at(grid, 0, 50, 47)) == (255, 0, 0)


def test_moving_the_threshold_recolours_the_comparison(bench: Workbench, panes: PaneGrid) -> None:
    bench.set_threshold(0)
    everything = rgb(color_at(panes, 3, 62, 2))

    bench.set_threshold(256)

    assert rgb(color_at(panes, 3, 62, 2)) != everything


def test_the_reference_has_the_journals_colours(panes: PaneGrid) -> None:
    assert rgb(color_at(panes, 1, 10, 10)) == (255, 0, 0)
    assert rgb(color_at(panes, 1, 50, 20)) == (0, 247, 250)
    assert rgb(color_at(panes, 1, 62, 46)) == (255, 255, 255)


def test_an_operation_not_selected_pales(bench: Workbench, panes: PaneGrid) -> None:
    bench.set_selected_operations([1])

    assert min(rgb(color_at(panes, 1, 10, 10))) > 150
    assert rgb(color_at(panes, 1, 50, 20)) == (0, 247, 250)


def test_a_highlighted_operation_shines_through_the_picture(
    bench: Workbench, panes: PaneGrid
) -> None:
    before = rgb(color_at(panes, 0, 10, 10))

    bench.highlight_operation(0)

    assert rgb(color_at(panes, 0, 10, 10)) != before
    assert rgb(color_at(panes, 0, 62, 46)) == rgb(color_at(panes, 0, 63, 46))


@pytest.mark.parametrize(
    ("style", "inside"),
    [(SystemStyle.GREY, (0, 0, 0)), (SystemStyle.THRESHOLDED, (0, 0, 0))],
)
def test_a_nist_system_mask_is_black_where_manipulated(
    bench: Workbench, panes: PaneGrid, style: SystemStyle, inside: tuple[int, int, int]
) -> None:
    bench.set_look("system mask", system=style)

    assert rgb(color_at(panes, 2, 10, 10)) == inside
    assert rgb(color_at(panes, 2, 62, 46)) == (255, 255, 255)


def test_a_heat_map_is_bright_where_manipulated(bench: Workbench, panes: PaneGrid) -> None:
    bench.set_look("system mask", system=SystemStyle.HEAT)

    assert sum(rgb(color_at(panes, 2, 10, 10))) > sum(rgb(color_at(panes, 2, 62, 46)))


def test_hidden_overlays_leave_the_grey_probe(bench: Workbench, panes: PaneGrid) -> None:
    bench.set_look("overlays", has_overlays=False)

    red, green, blue = rgb(color_at(panes, 3, 19, 19))
    assert red == green == blue


def test_contours_leave_the_inside_of_areas_free(bench: Workbench, panes: PaneGrid) -> None:
    bench.set_look("contours", overlay=OverlayStyle.CONTOUR)

    red, green, blue = rgb(color_at(panes, 3, 19, 19))
    assert red == green == blue


def test_a_hidden_outcome_disappears(bench: Workbench, panes: PaneGrid) -> None:
    bench.toggle_outcome(Outcome.HIT)

    red, green, blue = rgb(color_at(panes, 3, 19, 19))
    assert red == green == blue


def press(canvas: QWidget, at: QPoint, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    QTest.mousePress(canvas, LEFT, keys, at)


def release(canvas: QWidget, at: QPoint, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
    QTest.mouseRelease(canvas, LEFT, keys, at)


def test_zoom_ends_at_one_and_at_6400_per_cent(panes: PaneGrid) -> None:
    canvas = panes.canvases[0]

    canvas.zoom_by(1e9)
    assert canvas.window_shown().scale == 64
    canvas.zoom_by(1e-9)

    assert canvas.window_shown().scale == 0.01


def test_dragging_moves_linked_panes(bench: Workbench, panes: PaneGrid) -> None:
    canvas = panes.canvases[0]
    canvas.zoom_to(20)
    start = canvas.window_shown()

    press(canvas, QPoint(100, 100))
    QTest.mouseMove(canvas, QPoint(140, 120))
    release(canvas, QPoint(140, 120))

    for moved in (canvas, panes.canvases[2]):
        assert moved.window_shown().left == pytest.approx(start.left - 2, abs=0.1)
        assert moved.window_shown().top == pytest.approx(start.top - 1, abs=0.1)
    assert bench.state.arrangement.active == 0


def test_unlinked_panes_stay_where_they_are(bench: Workbench, panes: PaneGrid) -> None:
    bench.set_linked(linked=False)
    before = panes.canvases[2].window_shown()

    panes.canvases[0].zoom_to(30)

    assert panes.canvases[2].window_shown() == before


def test_a_double_click_maximises_and_restores(panes: PaneGrid) -> None:
    QTest.mouseDClick(panes.canvases[2], LEFT)
    assert [canvas.isVisible() for canvas in panes.canvases] == [False, False, True, False]

    QTest.mouseDClick(panes.canvases[2], LEFT)

    assert all(canvas.isVisible() for canvas in panes.canvases)


def test_the_cursor_is_followed_and_forgotten(bench: Workbench, panes: PaneGrid) -> None:
    canvas = panes.canvases[1]

    QTest.mouseMove(canvas, canvas.widget_point(30.5, 20.5).toPoint())
    assert bench.state.cursor == (30, 20)
    QApplication.sendEvent(canvas, QEvent(QEvent.Type.Leave))

    assert bench.state.cursor is None


def test_beside_the_picture_there_is_no_pixel(panes: PaneGrid) -> None:
    canvas = panes.canvases[0]

    assert canvas.image_pixel(canvas.widget_point(-1, 5)) is None
    assert canvas.image_pixel(canvas.widget_point(63.9, 47.9)) == (63, 47)


def test_the_crosshair_shows_in_every_pane(bench: Workbench, panes: PaneGrid) -> None:
    plain = [canvas.grab().toImage() for canvas in panes.canvases]

    bench.set_cursor((5, 5))

    crossed = [canvas.grab().toImage() for canvas in panes.canvases]
    assert all(before != after for before, after in zip(plain, crossed, strict=True))


def test_swipe_shows_one_layer_on_each_side(bench: Workbench, panes: PaneGrid) -> None:
    alone(bench, Layer.PICTURE)
    bench.set_compare(
        mode=CompareMode.SWIPE, first=Pane(Layer.REFERENCE), second=Pane(Layer.SYSTEM)
    )

    bench.move_comparison(1.0)
    assert rgb(color_at(panes, 0, 20, 20)) == (255, 0, 0)
    bench.move_comparison(0.0)

    assert rgb(color_at(panes, 0, 20, 20)) == (0, 0, 0)


def test_the_swipe_edge_follows_the_mouse(bench: Workbench, panes: PaneGrid) -> None:
    bench.set_compare(mode=CompareMode.SWIPE)
    canvas = panes.active_canvas

    QTest.mouseMove(canvas, QPoint(canvas.width() // 4, 50))

    assert bench.state.compare.amount == pytest.approx(0.25, abs=0.02)


def test_a_fade_mixes_two_layers(bench: Workbench, panes: PaneGrid) -> None:
    alone(bench, Layer.PICTURE)
    bench.set_compare(mode=CompareMode.FADE, first=Pane(Layer.REFERENCE), second=Pane(Layer.SYSTEM))

    bench.move_comparison(0.5)

    red, green, blue = rgb(color_at(panes, 0, 20, 20))
    assert 100 < red < 160
    assert green == blue == 0


def test_blink_shows_one_layer_after_the_other(
    bench: Workbench, panes: PaneGrid, qtbot: QtBot
) -> None:
    alone(bench, Layer.PICTURE)
    bench.set_compare(
        mode=CompareMode.BLINK, first=Pane(Layer.REFERENCE), second=Pane(Layer.SYSTEM)
    )

    assert rgb(color_at(panes, 0, 20, 20)) == (255, 0, 0)
    qtbot.waitUntil(lambda: bench.state.compare.shows_second)
    assert rgb(color_at(panes, 0, 20, 20)) == (0, 0, 0)
    bench.set_compare(mode=CompareMode.OFF)


def test_a_compared_layer_that_is_not_there_says_why_instead_of_showing_the_other(
    bench: Workbench, panes: PaneGrid
) -> None:
    alone(bench, Layer.PICTURE)
    bench.set_compare(
        mode=CompareMode.SWIPE, first=Pane(Layer.REFERENCE), second=Pane(Layer.SYSTEM, system=1)
    )

    bench.move_comparison(0.0)

    assert rgb(color_at(panes, 0, 20, 20)) != (255, 0, 0)


def test_a_long_banner_takes_as_many_lines_as_it_needs() -> None:
    colors = PaneColors(paper=QColor("white"), text=QColor("black"), accent=QColor("blue"))

    def height(text: str) -> int:
        image = QImage(300, 200, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        painter = QPainter(image)
        draw_banner(painter, Size(300, 200), text, colors)
        painter.end()
        return sum(rgb(image.pixelColor(2, y)) != (255, 255, 255) for y in range(200))

    assert 0 < height("Short") < height("A much longer reason " * 4) < 100


def test_a_long_path_in_a_placeholder_is_broken_not_cut() -> None:
    colors = PaneColors(paper=QColor("white"), text=QColor("black"), accent=QColor("blue"))
    size = Size(240, 160)

    def inked(reason: str) -> set[tuple[int, int]]:
        image = QImage(size.width, size.height, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        painter = QPainter(image)
        draw_placeholder(painter, size, "", reason, colors)
        painter.end()
        places = ((x, y) for x in range(size.width) for y in range(size.height))
        return {(x, y) for x, y in places if rgb(image.pixelColor(x, y)) != (255, 255, 255)}

    long, longer = inked("M" * 60), inked("M" * 70)

    assert min(x for x, _y in long) >= 24
    assert max(x for x, _y in long) < size.width - 24
    assert max(y for _x, y in longer) < size.height - 16
    assert len(longer) > len(long)


def test_a_lens_reveals_the_second_layer_under_the_mouse(
    bench: Workbench, panes: PaneGrid, qtbot: QtBot
) -> None:
    alone(bench, Layer.PICTURE)
    bench.set_look("crosshair", has_crosshair=False)
    bench.set_compare(mode=CompareMode.LENS, first=Pane(Layer.REFERENCE), second=Pane(Layer.SYSTEM))
    canvas = panes.canvases[0]

    QTest.mouseMove(canvas, canvas.widget_point(10, 10).toPoint())
    QTest.mouseMove(canvas, canvas.widget_point(20, 20).toPoint())

    qtbot.waitUntil(lambda: rgb(color_at(panes, 0, 20, 20)) == (0, 0, 0))
    assert rgb(color_at(panes, 0, 50, 35)) == (0, 247, 250)


def test_a_minimap_appears_when_zoomed_and_moves_the_view(
    bench: Workbench, panes: PaneGrid
) -> None:
    alone(bench, Layer.REFERENCE)
    canvas = panes.canvases[0]
    canvas.grab()
    assert canvas._minimap.area.isEmpty()

    bench.set_viewpoint(0, Viewpoint(50, 40, 40.0))
    canvas.grab()
    area = canvas._minimap.area
    assert not area.isEmpty()
    corner = QPointF(area.left() + 3, area.top() + 3).toPoint()
    QTest.mouseClick(canvas, LEFT, pos=corner)

    assert bench.state.viewpoint(0) is not None
    assert canvas.window_shown().left < 0


def test_the_grid_begins_at_eight_to_one(bench: Workbench, panes: PaneGrid) -> None:
    alone(bench, Layer.PICTURE)
    bench.set_viewpoint(0, Viewpoint(30, 20, 7.9))
    canvas = panes.canvases[0]
    bench.set_look("minimap", has_minimap=False)
    below = len(_colors(canvas))

    bench.set_viewpoint(0, Viewpoint(30, 20, 8.0))

    assert len(_colors(canvas)) > below


def _colors(canvas: QWidget) -> set[int]:
    image = canvas.grab().toImage()
    middle = image.height() // 2
    return {image.pixel(x, middle) for x in range(100, image.width() - 100)}


def test_a_very_wide_picture_fits_and_its_map_shows_both_ends(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    ends = {"PasteSplice": box(0, 0, 2_000, 800), "Heal": box(18_000, 0, 20_000, 800)}
    wide = a_dataset(tmp_path / "wide").with_trial("p", manipulated=ends, size=Size(20_000, 800))
    open_trial(bench, wide.write())
    alone(bench, Layer.REFERENCE)
    grid = show(PaneGrid(bench), 160, 160)
    assert isinstance(grid, PaneGrid)
    canvas = grid.canvases[0]

    canvas.zoom_by(0.5)
    assert (canvas.widget_point(0, 0).x(), canvas.widget_point(20_000, 0).x()) == (0, 160)
    grid.resize(800, 600)
    bench.set_viewpoint(0, Viewpoint(10_000, 400, 1.0))

    shown, area = canvas.grab().toImage(), canvas._minimap.area
    middle = int(area.center().y())
    assert rgb(shown.pixelColor(int(area.left()) + 5, middle)) == (255, 0, 0)
    assert rgb(shown.pixelColor(int(area.right()) - 5, middle)) == (0, 247, 250)


@pytest.mark.parametrize("layer", [Layer.PICTURE, Layer.REFERENCE, Layer.SYSTEM, Layer.COMPARISON])
def test_values_are_written_into_large_pixels(
    bench: Workbench, panes: PaneGrid, layer: Layer
) -> None:
    alone(bench, layer)
    bench.set_look("grid", has_pixel_grid=False, has_minimap=False)
    bench.set_viewpoint(0, Viewpoint(19.5, 19.5, 64.0))
    plain = panes.canvases[0].grab().toImage()

    bench.set_look("grid", has_pixel_grid=True)

    assert panes.canvases[0].grab().toImage() != plain


def test_false_alarms_of_a_picture_nobody_manipulated_are_named_in_large_pixels(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    built = a_dataset(tmp_path / "clean").with_trial("p1").with_answer("p1", exact()).write()
    write_png(next(built.submission.rglob("*.png")), np.zeros((48, 64), np.uint8))
    open_trial(bench, built)
    bench.set_threshold(128)
    alone(bench, Layer.COMPARISON)
    bench.set_look("minimap", has_minimap=False, has_crosshair=False)
    grid = show(PaneGrid(bench))
    assert isinstance(grid, PaneGrid)

    bench.set_viewpoint(0, Viewpoint(19.5, 30.5, 64.0))

    canvas = grid.canvases[0]
    image = canvas.grab().toImage()
    middle = canvas.widget_point(19.5, 30.5).toPoint()
    inside = {image.pixel(middle.x() + x, middle.y() + y) for x in range(-20, 21) for y in (-3, 0)}
    assert len(inside) > 1


def test_a_broken_trial_shows_its_problem_in_words(
    bench: Workbench, built: Built, show: Show
) -> None:
    (built.root / "probe" / "p1.png").write_bytes(b"")
    open_trial(bench, built)
    grid = show(PaneGrid(bench))
    assert isinstance(grid, PaneGrid)

    assert bench.state.loaded is not None
    assert grid.canvases[0].accessibleDescription() == bench.state.loaded.probe.reason
    shown = grid.canvases[0].grab().toImage()
    rows = range(0, shown.height(), 2)
    assert len({shown.pixel(shown.width() // 2 + d, y) for y in rows for d in range(20)}) > 3


def test_the_margin_of_a_smaller_mask_is_hatched(
    bench: Workbench, built: Built, show: Show
) -> None:
    write_png(built.submission / "mask" / "p1.png", np.full((30, 40), 255, np.uint8))
    open_trial(bench, built)
    alone(bench, Layer.SYSTEM)
    grid = show(PaneGrid(bench))
    assert isinstance(grid, PaneGrid)

    margin = {rgb(color_at(grid, 0, x, 40)) for x in range(2, 60)}
    assert len(margin) > 1
    assert rgb(color_at(grid, 0, 20, 20)) == (255, 255, 255)


def test_panes_say_in_words_what_they_show(panes: PaneGrid) -> None:
    canvas = panes.canvases[3]

    assert canvas.accessibleName() == "Comparison pane"
    assert "hit" in canvas.accessibleDescription()
    assert "false alarm" in canvas.accessibleDescription()


def test_a_dense_screen_shows_one_image_pixel_per_device_pixel(
    panes: PaneGrid, monkeypatch: pytest.MonkeyPatch
) -> None:
    canvas = panes.canvases[0]
    monkeypatch.setattr(type(canvas), "devicePixelRatioF", lambda _self: 2.0)

    canvas.zoom_to(1.0)

    assert canvas.window_shown().size == Size(2 * canvas.width(), 2 * canvas.height())
    left, right = canvas.widget_point(0, 0), canvas.widget_point(64, 0)
    assert right.x() - left.x() == 32


def test_the_donor_side_of_a_splice_can_be_shown(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    made = a_dataset(tmp_path / "s").with_trial("p1", donor="d1", manipulated=box(10, 10, 40, 40))
    open_trial(bench, made.with_answer("p1+d1", exact()).write())
    bench.set_panes([Pane(Layer.PICTURE, Side.DONOR), Pane(Layer.COMPARISON, Side.DONOR)])

    grid = show(PaneGrid(bench))

    assert isinstance(grid, PaneGrid)
    assert grid.canvases[0].accessibleName() == "Donor pane"
    assert "donor" in grid.canvases[1].accessibleDescription()


def test_panes_are_added_and_removed_up_to_six(bench: Workbench, panes: PaneGrid) -> None:
    for _ in range(4):
        panes.add_pane()
    assert len(panes.canvases) == 6

    bench.activate_pane(1)
    panes.remove_pane()
    assert bench.state.arrangement.panes[1].layer is Layer.SYSTEM
    panes.set_columns(1)
    panes.reset_panes()

    assert len(panes.canvases) == 4


def test_the_base_picture_is_read_when_a_pane_wants_it(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    made = a_dataset(tmp_path / "b").with_trial(
        "p1", manipulated=TWO, facts={"BaseFileName": "world/base.png"}
    )
    built = made.with_answer("p1", exact()).write()
    write_png(built.root / "world" / "base.png", np.full((48, 64, 3), (9, 120, 200), np.uint8))
    open_trial(bench, built)
    assert bench.state.loaded is not None
    assert bench.state.loaded.probe.base is None
    grid = show(PaneGrid(bench))
    assert isinstance(grid, PaneGrid)

    bench.set_panes([Pane(Layer.BASE)])

    assert rgb(color_at(grid, 0, 30, 20)) == (9, 120, 200)


def test_arrows_move_the_view_and_with_alt_the_cursor(bench: Workbench, panes: PaneGrid) -> None:
    canvas = panes.canvases[0]
    canvas.zoom_to(20)
    before = canvas.window_shown()

    QTest.keyClick(canvas, Qt.Key.Key_Right)
    shown = before.size.width / before.scale
    assert canvas.window_shown().left == pytest.approx(before.left + shown / 10, abs=0.1)
    QTest.keyClick(canvas, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)

    middle = before.left + shown * 0.6
    assert bench.state.cursor == (int(middle), 25)


def test_a_pane_is_given_another_layer_from_its_menu(bench: Workbench, panes: PaneGrid) -> None:
    menu = panes._frames[0]._chooser.menu()
    assert menu is not None
    menu.aboutToShow.emit()
    offered = {action.text(): action for action in menu.actions() if action.text()}
    assert set(offered) == {"Probe", "Reference", "System", "Comparison", "Base", "Lens"}
    assert offered["Probe"].isChecked()

    offered["Comparison"].trigger()

    assert bench.state.arrangement.panes[0] == Pane(Layer.COMPARISON)
    assert panes.canvases[0].accessibleName() == "Comparison pane"


def test_the_menu_of_a_splice_offers_both_sides_and_both_systems(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    made = a_dataset(tmp_path / "s").with_trial("p1", donor="d1", manipulated=box(10, 10, 40, 40))
    built = made.with_answer("p1+d1", exact()).write()
    open_trial(bench, built)
    put_submission(bench, built.copied_submission(tmp_path / "second"))
    grid = show(PaneGrid(bench))
    assert isinstance(grid, PaneGrid)

    menu = grid._frames[0]._chooser.menu()
    assert menu is not None
    menu.aboutToShow.emit()

    offered = [action.text() for action in menu.actions() if action.text()]
    assert "Donor" in offered
    assert "Second comparison · donor" in offered
