"""Threshold steps, panning and zooming, beside the same step with pyqtgraph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyqtgraph as pg

from benchmarks.report import Figure, middle_of
from benchmarks.ui.tools import SIZES, ellipse, median_ms, on_screen, open_tiny, soft_mask
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.loaded_trial import (
    LoadedSide,
    LoadedSystem,
    LoadedTrial,
    side_scored,
)
from forensicviewer.app.workbench.state import Layer, Pane, SystemStyle, Viewpoint
from forensicviewer.core.array import Size, U8Image
from forensicviewer.core.mask import ReferenceMask
from forensicviewer.core.model import Media, Side
from forensicviewer.core.pyramid import Pyramid, Reduce
from forensicviewer.ui.panes.grid import PaneGrid
from forensicviewer.ui.widgets.watch import WatchedApplication

PYQTGRAPH = "pyqtgraph"
_THRESHOLD = "threshold step, 4 panes, {} MP"
ROUNDS = 3
STEPS = 41
PEER_STEPS = 7


def measure(application: WatchedApplication, home: Path) -> Iterator[Figure]:
    masks = {megapixels: (soft_mask(size), ellipse(size)) for megapixels, size in SIZES.items()}
    benches = {megapixels: open_tiny(home / f"tiny-{megapixels}") for megapixels in SIZES}
    for megapixels, (scores, area) in masks.items():
        _show_size(benches[megapixels], scores, area)
    rounds = []
    # Every size in every round: the machine may be faster a second later.
    for _ in range(ROUNDS):
        steps = [
            _measure_size(application, benches[megapixels], megapixels, masks[megapixels])
            for megapixels in SIZES
        ]
        rounds.append([figure for figures in steps for figure in figures])
    figures = middle_of(rounds)
    yield from figures
    medians = {figure.name: figure.value for figure in figures}
    by_size = medians[_THRESHOLD.format(100)] / medians[_THRESHOLD.format(12)]
    yield Figure("threshold step, 100 MP by 12 MP", by_size, "", limit=1.5)


def _measure_size(
    application: WatchedApplication,
    bench: Workbench,
    megapixels: int,
    mask: tuple[U8Image, U8Image],
) -> Iterator[Figure]:
    size = SIZES[megapixels]
    peer = _pyqtgraph_step(application, *mask)
    with on_screen(application, PaneGrid(bench), Size(1600, 900)):
        threshold = _threshold_step(application, bench)
        pan, zoom = _pan_step(application, bench, size), _zoom_step(application, bench, size)
    yield Figure(_THRESHOLD.format(megapixels), threshold, "ms", limit=4, peers={PYQTGRAPH: peer})
    yield Figure(f"pan step, 4 panes, {megapixels} MP", pan, "ms", limit=16)
    yield Figure(f"zoom step, 4 panes, {megapixels} MP", zoom, "ms", limit=16)
    if megapixels == 50:
        large = _large_pane_step(application, bench)
        yield Figure("threshold step, one pane of 3840 by 2160, 50 MP", large, "ms", limit=6.5)


def _threshold_step(application: WatchedApplication, bench: Workbench) -> float:
    thresholds = iter(np.linspace(20, 230, STEPS + 4).round().astype(int).tolist())
    return median_ms(application, lambda: bench.set_threshold(next(thresholds)), times=STEPS)


def _pan_step(application: WatchedApplication, bench: Workbench, size: Size) -> float:
    places = iter(np.linspace(0.3, 0.7, STEPS + 4).tolist())

    def move() -> None:
        share = next(places)
        bench.set_viewpoint(0, Viewpoint(share * size.width, share * size.height, 0.4))

    return median_ms(application, move, times=STEPS)


def _zoom_step(application: WatchedApplication, bench: Workbench, size: Size) -> float:
    scales = iter(np.geomspace(0.05, 8, STEPS + 4).tolist())

    def zoom() -> None:
        bench.set_viewpoint(0, Viewpoint(size.width / 2, size.height / 2, next(scales)))

    found = median_ms(application, zoom, times=STEPS)
    bench.set_viewpoint(0, None)
    return found


def _large_pane_step(application: WatchedApplication, bench: Workbench) -> float:
    before = bench.state.arrangement.panes
    bench.set_panes([Pane(Layer.COMPARISON)])
    with on_screen(application, PaneGrid(bench), Size(3840, 2190)):
        found = _threshold_step(application, bench)
    bench.set_panes(before)
    return found


def _pyqtgraph_step(application: WatchedApplication, scores: U8Image, area: U8Image) -> float:
    packed = scores.astype(np.uint16) + 256 * area.astype(np.uint16)
    view = pg.GraphicsLayoutWidget()
    box_of_view = view.addViewBox(lockAspect=True)
    item = pg.ImageItem(axisOrder="row-major")
    item.setImage(packed, autoLevels=False, levels=(0, 512))
    box_of_view.addItem(item)
    thresholds = iter(np.linspace(20, 230, PEER_STEPS + 4).round().astype(int).tolist())

    def step() -> None:
        item.setLookupTable(_packed_colors(next(thresholds)))

    with on_screen(application, view, Size(1600, 900)):
        return median_ms(application, step, times=PEER_STEPS)


def _packed_colors(threshold: int) -> U8Image:
    table = np.zeros((512, 4), np.uint8)
    table[:, 3] = 255
    table[threshold:256, 0] = 255
    table[256 : 256 + threshold, 2] = 255
    table[256 + threshold :, 1] = 207
    return table


def _show_size(bench: Workbench, scores: U8Image, area: U8Image) -> None:
    """Show a trial of that size in place of the tiny one that is open."""
    loaded = bench.state.loaded
    assert loaded is not None
    picture = np.repeat(scores[:, :, np.newaxis], 3, axis=2)
    reference = ReferenceMask.from_area(area.view(np.bool_))
    side = LoadedSide(
        Side.PROBE,
        Media("p1", "p1.png"),
        pictures=Pyramid.of(picture, Reduce.MEAN),
        greys=Pyramid.of(scores, Reduce.MEAN),
        reference=reference,
        scored=reference,
        operations=Pyramid.of(area, Reduce.MAX),
        systems=(
            LoadedSystem(
                "system",
                None,
                scores=scores,
                means=Pyramid.of(scores, Reduce.MEAN),
                peaks=Pyramid.of(scores, Reduce.MAX),
            ),
        ),
    )
    bench.show_frame(LoadedTrial(loaded.request, side_scored(side, loaded.request)))
    bench.set_look("system mask", system=SystemStyle.THRESHOLDED)
