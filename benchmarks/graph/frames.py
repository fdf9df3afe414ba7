"""Frames while a graph is panned and zoomed, and steps of its confidence slider."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import median

from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest

from benchmarks.graph.data import Written
from benchmarks.report import Figure, timed
from forensicviewer.app.graph.review import GraphReview
from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.ui.graph.canvas import GraphCanvas
from forensicviewer.ui.graph.page import GraphDesk
from forensicviewer.ui.widgets.watch import WatchedApplication

_VIEW = (1600, 1000)
_CROWDED = "world/img02500.jpg"  # in the midst of the large graph
_REST_MS = 300
_SCALES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)


def measure(application: WatchedApplication, small: Written, large: Written) -> Iterator[Figure]:
    yield _frames(application, large)
    yield _slider(application, small, "500", limit=16)
    # Scored in the background there; here that is counted, too.
    yield _slider(application, large, "5,000", limit=None)


def _frames(application: WatchedApplication, written: Written) -> Figure:
    review = GraphReview(inline_jobs())
    canvas = GraphCanvas(review)
    canvas.resize(*_VIEW)
    canvas.show()
    review.show(written.task, written.submission)
    application.processEvents()
    slowest = 0.0
    for scale in (canvas.scale_now, *_SCALES):
        crowd = QPointF(*review.place_of(_CROWDED))
        canvas.zoom_by(scale / canvas.scale_now)
        canvas.show_point(crowd)
        application.processEvents()
        slowest = max(slowest, _median_frame(canvas))
        # Once the view rests it is drawn sharply; there is nothing of it yet a screen further on.
        QTest.qWait(_REST_MS)
        canvas.show_point(crowd - QPointF(_VIEW[0] / canvas.scale_now, 0))
        slowest = max(slowest, _median_frame(canvas))
    canvas.let_go()
    canvas.close()
    return Figure("pan and zoom at 5,000 images, slowest view", slowest * 1000, "ms", limit=16)


def _median_frame(canvas: GraphCanvas) -> float:
    return median(timed(lambda: _pan(canvas))[1] for _ in range(15))


def _pan(canvas: GraphCanvas) -> None:
    middle = canvas.visible_area().center()
    canvas.show_point(middle + QPointF(40 / canvas.scale_now, 12 / canvas.scale_now))
    canvas.viewport().repaint()


def _slider(
    application: WatchedApplication, written: Written, count: str, *, limit: float | None
) -> Figure:
    review = GraphReview(inline_jobs())
    desk = GraphDesk(review)
    desk.resize(*_VIEW)
    desk.show()
    review.show(written.task, written.submission)
    application.processEvents()
    steps = []
    for step in range(60):
        steps.append(timed(partial(_slide, desk, application, 100 + 12 * step))[1])
    desk.let_go()
    desk.close()
    name = f"confidence slider step at {count} images"
    return Figure(name, median(steps) * 1000, "ms", limit=limit)


def _slide(desk: GraphDesk, application: WatchedApplication, value: int) -> None:
    desk.panel.node_cut.slider.setValue(value)
    application.processEvents()
