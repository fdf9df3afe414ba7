"""Values inside large pixels: what is written, and that it can be read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.inspection import inspect
from forensicviewer.app.workbench.state import Layer, Pane, SystemStyle, Viewpoint
from forensicviewer.core.array import Size
from forensicviewer.core.palette import Outcome
from forensicviewer.core.pyramid import Window
from forensicviewer.ui.panes.grid import PaneGrid
from forensicviewer.ui.panes.pixel_values import cells
from tests.build import Built, a_dataset, box, exact, write_png
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui
TWO = {"PasteSplice": box(4, 4, 34, 34), "Heal": box(44, 10, 60, 40)}
Show = Callable[..., QWidget]


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return a_dataset(tmp_path).with_trial("p1", manipulated=TWO).with_answer("p1", exact()).write()


def color_at(grid: PaneGrid, position: int, x: int, y: int) -> tuple[int, int, int]:
    """The colour a pane shows at an image pixel."""
    canvas = grid.canvases[position]
    point = canvas.widget_point(x + 0.5, y + 0.5)
    color = canvas.grab().toImage().pixelColor(int(point.x()), int(point.y()))
    return color.red(), color.green(), color.blue()


def written(bench: Workbench, layer: Layer, x: int, y: int) -> tuple[str, bool] | None:
    """What stands in a pixel of a layer, and whether in black."""
    part = Window(x, y, 1.0, Size(1, 1))
    found = [(lines[0], is_dark) for _, _, lines, is_dark in cells(bench.state, Pane(layer), part)]
    return found[0] if found else None


def test_values_are_read_on_the_colour_they_stand_on(bench: Workbench, built: Built) -> None:
    open_trial(bench, built)
    bench.set_threshold(128)

    assert written(bench, Layer.SYSTEM, 1, 1) == ("255", True)
    assert written(bench, Layer.SYSTEM, 19, 19) == ("0", False)
    bench.set_look("heat", system=SystemStyle.HEAT)
    assert written(bench, Layer.SYSTEM, 1, 1) == ("255", False)
    assert written(bench, Layer.SYSTEM, 19, 19) == ("0", True)
    bench.set_look("thresholded", system=SystemStyle.THRESHOLDED)
    bench.set_threshold(0)
    assert written(bench, Layer.SYSTEM, 1, 1) == ("255", False)
    assert written(bench, Layer.REFERENCE, 10, 10) == ("1", False)
    assert written(bench, Layer.REFERENCE, 50, 20) == ("2", True)
    assert written(bench, Layer.REFERENCE, 62, 46) is None


def test_a_hidden_outcome_is_not_written_either(bench: Workbench, built: Built) -> None:
    open_trial(bench, built)
    bench.set_threshold(128)
    shown = written(bench, Layer.COMPARISON, 19, 19)
    assert shown is not None
    assert shown[0] == "TP"

    bench.toggle_outcome(Outcome.HIT)

    assert written(bench, Layer.COMPARISON, 19, 19) is None
    assert written(bench, Layer.COMPARISON, 1, 40) is not None
    bench.set_look("overlays", has_overlays=False)
    assert written(bench, Layer.COMPARISON, 1, 40) is None


def test_a_mask_of_another_size_is_compared_as_it_is_scored(
    bench: Workbench, built: Built, show: Show
) -> None:
    write_png(built.submission / "mask" / "p1.png", np.zeros((30, 40), np.uint8))
    open_trial(bench, built)
    bench.set_threshold(100)
    bench.set_look("opaque", opacity=1.0)
    grid = show(PaneGrid(bench))
    assert isinstance(grid, PaneGrid)

    for x in (19, 52):
        bench.set_cursor((x, 22))
        pixel = inspect(bench.state)
        assert pixel is not None
        assert pixel.outcome is Outcome.MISS
        assert written(bench, Layer.COMPARISON, x, 22) == ("FN", False)
        bench.set_cursor(None)
        assert color_at(grid, 3, x, 22) == (51, 51, 255)


def test_grid_and_values_spare_what_is_said_in_words(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    clean = a_dataset(tmp_path / "clean").with_trial("p1").with_answer("p1", exact()).write()
    open_trial(bench, clean)
    bench.set_panes([Pane(Layer.REFERENCE), Pane(Layer.COMPARISON)])
    grid = show(PaneGrid(bench))
    assert isinstance(grid, PaneGrid)
    bench.set_viewpoint(0, Viewpoint(20, 20, 64.0))

    def drawn(*, has_grid: bool) -> tuple[QImage, QImage]:
        bench.set_look("grid", has_pixel_grid=has_grid, has_minimap=False)
        absent, compared = (canvas.grab() for canvas in grid.canvases)
        return absent.toImage(), compared.copy(0, 0, compared.width(), 20).toImage()

    assert drawn(has_grid=True) == drawn(has_grid=False)
