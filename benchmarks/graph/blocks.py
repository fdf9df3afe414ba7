"""The longest the window keeps anybody waiting while a graph of 5,000 images is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from benchmarks.graph.data import Written
from benchmarks.report import Figure
from benchmarks.ui.tools import Turns, threads
from forensicviewer.app.graph.drawing import LayoutKind
from forensicviewer.app.runtime.garbage import keep_what_stays
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.ui.graph.page import GraphPage
from forensicviewer.ui.shell.start import make_window
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.watch import WatchedApplication

LIMIT_MS = 50
Story = Callable[[Turns], None]


def measure(application: WatchedApplication, small: Written, large: Written) -> Iterator[Figure]:
    with threads() as jobs:
        window = make_window(Desk(jobs, Settings(large.dataset / "settings.json")), application)
        window.resize(1600, 1000)
        window.show()
        first = Turns(application, jobs)
        first.do(partial(_open, window, small))
        first.rest()
        # As the program does once it has started.
        keep_what_stays()
        for name, story in _stories(window, large):
            turns = Turns(application, jobs)
            story(turns)
            turns.rest()
            yield Figure(f"longest block: {name}", turns.longest_ms, "ms", limit=LIMIT_MS)
        window.let_go()
        window.deleteLater()
        application.processEvents()


def _stories(window: MainWindow, large: Written) -> Iterator[tuple[str, Story]]:
    yield "5,000 images loaded", lambda turns: turns.do(partial(_open, window, large))
    page = window.page
    assert isinstance(page, GraphPage)
    yield "zoomed with the wheel and panned", partial(_zoom_and_pan, page)
    yield "a node selected, keys walk", partial(_walk, page)
    yield "confidence slider dragged", partial(_slide, page)
    yield "search typed", partial(_search, page)
    yield "donors folded and unfolded", partial(_click_twice, page, "fold")
    yield "differences only, and all again", partial(_click_twice, page, "differences")
    yield "a node dragged", partial(_drag, page)
    yield "undirected, and directed again", partial(_click_twice, page, "undirected")
    yield "force layout", lambda turns: turns.do(lambda: page.review.set_layout(LayoutKind.FORCE))
    yield "layers again", lambda turns: turns.do(lambda: page.review.set_layout(LayoutKind.LAYERED))


def _open(window: MainWindow, written: Written) -> None:
    window.desk.open(OpenRequest(written.dataset, (written.system,), "provenance"))


def _zoom_and_pan(page: GraphPage, turns: Turns) -> None:
    for _ in range(24):
        turns.do(lambda: page.canvas.zoom_by(1.2))
    for _ in range(20):
        middle = page.canvas.visible_area().center()
        step = QPoint(round(60 / page.canvas.scale_now), 0)
        turns.do(partial(page.canvas.show_point, middle + step.toPointF()))
    turns.rest()
    for _ in range(24):
        turns.do(lambda: page.canvas.zoom_by(1 / 1.2))
    turns.do(page.canvas.fit)


def _walk(page: GraphPage, turns: Turns) -> None:
    turns.do(page.canvas.show_probe)
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_Left, Qt.Key.Key_Down) * 4:
        turns.do(partial(QTest.keyClick, page.canvas, key))
    turns.do(page.canvas.fit)


def _slide(page: GraphPage, turns: Turns) -> None:
    slider = page.desk.panel.node_cut.slider
    for value in range(100, 900, 40):
        turns.do(partial(slider.setValue, value))
    turns.do(partial(slider.setValue, 0))


def _search(page: GraphPage, turns: Turns) -> None:
    for text in ("i", "im", "img", "img0", "img01", "img012", ""):
        turns.do(partial(page.desk.bar.search.setText, text))
        turns.rest()


def _click_twice(page: GraphPage, name: str, turns: Turns) -> None:
    for _ in range(2):
        turns.do(getattr(page.desk.bar, name).click)
        turns.rest()


def _drag(page: GraphPage, turns: Turns) -> None:
    turns.do(page.canvas.show_probe)
    turns.rest()
    view = page.canvas.viewport()
    start = view.rect().center()
    turns.do(partial(QTest.mousePress, view, Qt.MouseButton.LeftButton, pos=start))
    for step in range(1, 15):
        turns.do(partial(QTest.mouseMove, view, start + QPoint(6 * step, 4 * step)))
    end = start + QPoint(84, 56)
    turns.do(partial(QTest.mouseRelease, view, Qt.MouseButton.LeftButton, pos=end))
    turns.do(page.review.undo)
    turns.do(page.canvas.fit)
