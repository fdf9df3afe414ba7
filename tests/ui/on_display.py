"""Stories told inside a real display: real platform plugin, window, threads, mouse and keys.

A story is a generator over the window: what it yields is waited for. ``play`` runs one in this
process and ends with the program's exit code; what the story wants checked outside it writes down.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.app.workbench.state import CompareMode, Layer, Pane, Viewpoint
from forensicviewer.ui.panes.page import StillsPage
from forensicviewer.ui.score.threshold import ThresholdPanel
from forensicviewer.ui.shell.window import MainWindow

_LEFT = Qt.MouseButton.LeftButton
_LONGEST_TURNS = 600
# Panels follow one after the other, and the display takes a while to show them.
_QUIET_TURNS = 6


@dataclass
class Scene:
    """The window of a story and what the story writes down."""

    window: MainWindow
    dataset: Path
    submission: Path
    folder: Path
    told: dict[str, object] = field(default_factory=dict)
    _quiet: int = 0

    @property
    def page(self) -> StillsPage:
        page = self.window.page
        assert isinstance(page, StillsPage)
        return page

    def open(self) -> None:
        self.window.desk.open(OpenRequest(self.dataset, (self.submission,)))

    def is_still(self) -> bool:
        """Whether nothing has been going on for a while."""
        desk = self.window.desk
        state = desk.workbench.state
        is_shown = state.dataset is None or state.is_current
        is_quiet = is_shown and not desk.jobs.is_busy()
        self._quiet = self._quiet + 1 if is_quiet else 0
        return self._quiet > _QUIET_TURNS

    def photograph(self, name: str = "screen") -> None:
        """Keep what is on the screen, all of it."""
        self._quiet = 0
        picture = QGuiApplication.primaryScreen().grabWindow(0)
        assert picture.save(str(self.folder / f"{name}.png"))

    def place(self, name: str, widget: QWidget) -> None:
        """Write down where something is on the screen, in its pixels."""
        corner, density = widget.mapToGlobal(QPoint(0, 0)), widget.devicePixelRatioF()
        area = (corner.x(), corner.y(), widget.width(), widget.height())
        self.told[name] = [round(number * density) for number in area]


Story = Callable[[Scene], Iterator[Callable[[], bool]]]


def walk(scene: Scene) -> Iterator[Callable[[], bool]]:
    """Open, and go to the next trial by key."""
    scene.open()
    yield scene.is_still
    QTest.keyClick(scene.window, Qt.Key.Key_N)
    yield lambda: scene.window.desk.workbench.state.trial_id == "p2"
    yield scene.is_still
    scene.photograph()


def pick_and_drag(scene: Scene) -> Iterator[Callable[[], bool]]:
    """Pick the second trial with the mouse, drag the threshold, read the score."""
    scene.open()
    yield scene.is_still
    bench, docks = scene.window.desk.workbench, scene.window.docks
    table = docks.browser.table
    QTest.mouseClick(table.viewport(), _LEFT, pos=QPoint(40, table.rowViewportPosition(1) + 6))
    yield scene.is_still
    panel = docks.panel("score")
    assert isinstance(panel, ThresholdPanel)
    curves = panel.plot.curves
    start, end = (curves.point_of(at, 0).toPoint() for at in (30, 200))
    QTest.mousePress(curves, _LEFT, pos=start)
    for step in range(1, 9):
        QTest.mouseMove(curves, start + (end - start) * step / 8)
    QTest.mouseRelease(curves, _LEFT, pos=end)
    yield scene.is_still
    scene.told["trial"] = bench.state.trial_id
    scene.told["threshold"] = panel.main.number.value()
    scene.told["mcc"] = docks.metrics.value("MCC")
    scene.place("comparison", scene.page.panes.canvases[3])
    scene.photograph()


def drop(scene: Scene) -> Iterator[Callable[[], bool]]:
    """Drag a dataset and its submission over the start page, and let go."""
    window = scene.window
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(p)) for p in (scene.dataset, scene.submission)])
    middle, action = window.rect().center(), Qt.DropAction.CopyAction
    nothing = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(middle, action, dropped, _LEFT, nothing))
    yield scene.is_still
    scene.place("sheet", window)
    scene.photograph("over")
    QApplication.sendEvent(window, QDropEvent(QPointF(middle), action, dropped, _LEFT, nothing))
    yield lambda: window.desk.workbench.state.submission is not None
    yield scene.is_still
    scene.told["title"] = window.windowTitle()
    scene.told["notice"] = window.notice.text
    scene.photograph("dropped")


def swipe_and_blink(scene: Scene) -> Iterator[Callable[[], bool]]:
    """Reference left and probe right of an edge under the mouse; then both in turn."""
    scene.open()
    yield scene.is_still
    bench = scene.window.desk.workbench
    bench.set_panes([Pane(Layer.PICTURE), Pane(Layer.REFERENCE)])
    yield scene.is_still
    canvas = scene.page.panes.canvases[0]
    QTest.mouseClick(canvas, _LEFT, pos=canvas.rect().center())
    QTest.keyClick(scene.window, Qt.Key.Key_S)
    yield lambda: bench.state.compare.mode is CompareMode.SWIPE
    for across in (3, 2):
        QTest.mouseMove(canvas, QPoint(canvas.width() // across, canvas.height() // 2))
    yield lambda: abs(bench.state.compare.amount - 0.5) < 0.02
    yield scene.is_still
    scene.place("pane", canvas)
    scene.photograph("swipe")
    QTest.keyClick(scene.window, Qt.Key.Key_B)
    # Painted before it is photographed: on a busy machine the screen follows later.
    yield lambda: bench.state.compare.shows_second
    canvas.repaint()
    scene.photograph("second")
    yield lambda: not bench.state.compare.shows_second
    canvas.repaint()
    scene.photograph("first")


def small_and_dense(scene: Scene) -> Iterator[Callable[[], bool]]:
    """A screen of 1024 by 768 with two pixels for one: everything fits, and points hit."""
    scene.open()
    yield scene.is_still
    bench, window = scene.window.desk.workbench, scene.window
    bench.set_viewpoint(0, Viewpoint(20.0, 20.0, 16.0))
    yield scene.is_still
    canvas = scene.page.panes.canvases[1]
    for pixel in ((15, 19), (19, 21)):
        QTest.mouseMove(canvas, canvas.widget_point(pixel[0] + 0.5, pixel[1] + 0.5).toPoint())
    yield lambda: bench.state.cursor == (19, 21)
    yield scene.is_still
    scene.told["density"] = window.devicePixelRatioF()
    scene.told["window"] = [window.width(), window.height()]
    scene.place("reference", canvas)
    scene.told["pixel"] = [
        round(number * canvas.devicePixelRatioF())
        for number in canvas.widget_point(19, 21).toTuple()
    ]
    scene.told["cut off"] = [
        name
        for name, dock in window.docks.docks.items()
        if not dock.visibleRegion().isEmpty() and not window.rect().contains(dock.geometry())
    ]
    scene.photograph()


def pixel_for_pixel(scene: Scene) -> Iterator[Callable[[], bool]]:
    """The probe at 100 % in four panes, which begin between device pixels on odd densities."""
    scene.open()
    yield scene.is_still
    bench = scene.window.desk.workbench
    bench.set_panes([Pane(Layer.PICTURE)] * 4, columns=2)
    bench.set_viewpoint(0, Viewpoint(32.0, 24.0, 1.0))
    yield scene.is_still
    canvases = scene.page.panes.canvases
    scene.told["corners"] = [
        [
            number * canvas.devicePixelRatioF()
            for number in canvas.mapToGlobal(canvas.widget_point(0, 0)).toTuple()
        ]
        for canvas in canvases
    ]
    assert bench.state.loaded is not None
    pictures = bench.state.loaded.probe.pictures
    assert pictures is not None
    np.save(scene.folder / "probe.npy", pictures.levels[0])
    scene.photograph()


def fewer_panes(scene: Scene) -> Iterator[Callable[[], bool]]:
    """Six panes, then a layout with two below each other: where others were there is a gap."""
    scene.open()
    yield scene.is_still
    bench = scene.window.desk.workbench
    bench.set_panes([Pane(Layer.PICTURE)] * 6, columns=2)
    yield scene.is_still
    scene.window.commands.run("layout.annotate")
    yield scene.is_still
    upper, lower = scene.page.panes._frames
    corner = upper.mapToGlobal(upper.rect().bottomLeft())
    gap = lower.mapToGlobal(QPoint(0, 0)).y() - corner.y() - 1
    scene.told["gap"] = [corner.x(), corner.y() + 1, upper.width(), gap]
    scene.photograph()


STORIES: Mapping[str, Story] = {
    story.__name__: story
    for story in (
        walk,
        pick_and_drag,
        drop,
        swipe_and_blink,
        small_and_dense,
        pixel_for_pixel,
        fewer_panes,
    )
}


def play(name: str, size: str, dataset: Path, submission: Path, folder: Path) -> int:
    """Tell one story in a window of its own; the exit code is the program's, or 3 for a stall."""
    from forensicviewer.ui.shell.start import make_application, make_desk, make_window

    application = make_application()
    window = make_window(make_desk(Settings()), application)
    window.resize(*map(int, size.split("x")))
    window.move(0, 0)
    window.show()
    # There is no window manager on this display to do it.
    window.activateWindow()
    scene = Scene(window, dataset, submission, folder)
    steps = STORIES[name](scene)
    waiting: list[Callable[[], bool]] = [window.isActiveWindow]
    turns = 0
    ticking = QTimer(window, interval=40)

    def turn() -> None:
        nonlocal turns
        turns += 1
        if turns > _LONGEST_TURNS:
            application.exit(3)
        elif waiting[0]():
            following = next(steps, None)
            if following is not None:
                waiting[0] = following
                return
            ticking.stop()
            (folder / "told.json").write_text(json.dumps(scene.told), encoding="utf-8")
            window.close()

    ticking.timeout.connect(turn)
    ticking.start()
    return application.exec()


if __name__ == "__main__":
    sys.exit(play(sys.argv[1], sys.argv[2], *map(Path, sys.argv[3:6])))
