"""Pointing at an operation shows all of its area, whatever else lies there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget

from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Layer, Pane
from forensicviewer.core.array import Size
from forensicviewer.sources.media.masks import write_bit_planes
from forensicviewer.ui.panes.grid import PaneGrid
from tests.build import Built, a_dataset, box, exact
from tests.ui.conftest import open_trial

pytestmark = pytest.mark.ui
SMALL, ALL = box(10, 10, 30, 30), box(0, 0, 64, 48)
PLANES = "reference/manipulation/planes.jp2"
FIRST = "255 0 0"
Show = Callable[..., QWidget]


def journal_with(built: Built, change: Callable[[str, int], str]) -> None:
    """Change the rows of the journal, counted from 1."""
    journal = built.table("-journalmask.csv")
    head, *rows = journal.read_text(encoding="utf-8").splitlines()
    changed = [change(row, number) for number, row in enumerate(rows, start=1)]
    journal.write_text("\n".join([change(head, 0), *changed]) + "\n", encoding="utf-8")


def lit(bench: Workbench, show: Show, layer: Layer) -> list[bool]:
    """Whether pointing at the first operation changes a pixel inside and one outside its area."""
    bench.set_panes([Pane(layer)])
    bench.set_look("bare", has_pixel_grid=False, has_minimap=False)
    grid = show(PaneGrid(bench))
    assert isinstance(grid, PaneGrid)
    canvas = grid.canvases[0]
    before = canvas.grab().toImage()
    bench.highlight_operation(0)
    after = canvas.grab().toImage()
    places = [canvas.widget_point(x, y).toPoint() for x, y in ((20.5, 20.5), (50.5, 40.5))]
    return [after.pixel(place) != before.pixel(place) for place in places]


def test_an_operation_under_a_later_one_is_highlighted(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    made = a_dataset(tmp_path).with_trial(
        "p1",
        manipulated={"PasteSplice": SMALL, "Blur": ALL},
        facts={"ProbeBitPlaneMaskFileName": PLANES},
    )
    built = made.with_answer("p1", exact()).write()
    size = Size(64, 48)
    planes = SMALL(size).astype(np.uint8) + 2 * ALL(size).astype(np.uint8)
    write_bit_planes(built.root / PLANES, planes[:, :, np.newaxis])
    journal_with(built, lambda row, number: f"{row}|{number or 'BitPlane'}")
    open_trial(bench, built)
    bench.set_scoring(uses_bit_planes=True)

    assert lit(bench, show, Layer.PICTURE) == [True, False]


def test_an_operation_that_shares_its_colour_is_highlighted(
    bench: Workbench, tmp_path: Path, show: Show
) -> None:
    twice = {"PasteSplice": SMALL, "Blur": box(60, 44, 64, 48)}
    built = a_dataset(tmp_path).with_trial("p1", manipulated=twice).with_answer("p1", exact())
    made = built.write()
    journal_with(made, lambda row, _number: row.replace("0 247 250", FIRST))
    open_trial(bench, made)

    assert lit(bench, show, Layer.PICTURE) == [True, False]
