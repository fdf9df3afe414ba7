"""The longest the window keeps anybody waiting, story by story.

What counts is a whole turn of the event loop, not a single event: a key pressed at its beginning is
heard at its end. Everything a story sets off, jobs and their answers included, belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from benchmarks.report import Figure
from benchmarks.ui.tools import Turns, threads, use_compiled, write_large_trials
from forensicviewer.app.desk import Desk
from forensicviewer.app.openrequest import OpenRequest
from forensicviewer.app.recent import RecentPlaces
from forensicviewer.app.sample import sample_answers, sample_places
from forensicviewer.app.settings import Settings
from forensicviewer.app.state import Viewpoint
from forensicviewer.ui.commandpalette import Palette
from forensicviewer.ui.start import make_window, warm_up
from forensicviewer.ui.watch import WatchedApplication
from forensicviewer.ui.window import MainWindow

LIMIT_MS = 50
LAYOUTS = ("annotate", "adjudicate", "video", "graph", "inspect")


def measure(application: WatchedApplication, home: Path) -> Iterator[Figure]:
    use_compiled(home)
    places = write_large_trials(home / "story")
    worst = 0.0
    with threads() as jobs:
        desk = Desk(jobs, Settings(home / "story.json"), recent=RecentPlaces(home / "recent.json"))
        window = make_window(desk, application)
        window.resize(1600, 1000)
        for name, story in _stories(window, desk, places):
            turns = Turns(application, jobs)
            story(turns)
            turns.rest()
            worst = max(worst, turns.longest_ms)
            yield Figure(f"longest block: {name}", turns.longest_ms, "ms", limit=LIMIT_MS)
        window.deleteLater()
        application.processEvents()
    yield Figure("longest block of the window over all stories", worst, "ms", limit=LIMIT_MS)


Story = Callable[[Turns], None]


def _stories(
    window: MainWindow, desk: Desk, places: tuple[Path, Path]
) -> Iterator[tuple[str, Story]]:
    def large(turns: Turns) -> None:
        turns.do(lambda: desk.open(OpenRequest(places[0], (places[1],))))

    yield "the window appears, panels are made", partial(_appear, window)
    yield "sample written and opened", lambda turns: turns.do(desk.open_sample)
    yield "a trial after another", partial(_walk, window, 30)
    yield "threshold dragged", partial(_drag, window)
    yield "filter typed and cleared", partial(_filter, window)
    yield "operations selected", partial(_operations, desk)
    for name in LAYOUTS:
        yield f"layout {name}", partial(_run, window, f"layout.{name}")
    for name in ("dark", "light"):
        yield f"theme {name}", partial(_run, window, f"theme.{name}")
    yield "settings", partial(_dialog, window, "edit.settings")
    yield "command palette", partial(_palette, window)
    yield "key sheet", partial(_dialog, window, "help.keys")
    yield (
        "sample opened again",
        lambda turns: turns.do(lambda: desk.open(OpenRequest(*sample_places()))),
    )
    yield "12 megapixels opened", large
    yield "12 megapixels looked at", partial(_look, window)
    yield "another task: video", partial(_task, desk, "video")
    yield "a video after another", partial(_walk, window, 6)
    yield "another task: graph", partial(_task, desk, "provenance")
    yield "a graph after another", partial(_walk, window, 6)
    yield "dataset closed", partial(_run, window, "file.close_dataset")
    yield "window closed", lambda turns: turns.do(window.close)


def _appear(window: MainWindow, turns: Turns) -> None:
    turns.do(window.show)
    turns.do(partial(warm_up, window))


def _run(window: MainWindow, command: str, turns: Turns) -> None:
    turns.do(partial(window.commands.run, command))


def _walk(window: MainWindow, steps: int, turns: Turns) -> None:
    bench = window.desk.workbench
    for _ in range(steps):
        turns.do(partial(window.commands.run, "trial.next"))
        turns.until(lambda: not bench.state.is_loading)
    for _ in range(steps):
        # An impatient user does not wait for what is shown.
        turns.do(partial(window.commands.run, "trial.previous"))


def _drag(window: MainWindow, turns: Turns) -> None:
    from forensicviewer.ui.curves import ThresholdPanel

    panel = window.docks.panel("score")
    assert isinstance(panel, ThresholdPanel)
    curves = panel.plot.curves
    at = [curves.point_of(t, 0).toPoint() for t in range(20, 236, 2)]
    left = Qt.MouseButton.LeftButton
    turns.do(partial(QTest.mousePress, curves, left, Qt.KeyboardModifier.NoModifier, at[0]))
    for point in at:
        turns.do(partial(QTest.mouseMove, curves, point))
    turns.do(partial(QTest.mouseRelease, curves, left, Qt.KeyboardModifier.NoModifier, at[-1]))


def _filter(window: MainWindow, turns: Turns) -> None:
    turns.do(partial(window.commands.run, "edit.filter"))
    box = window.docks.browser.filter_box
    for letter in "MCC < 0.5":
        turns.do(partial(QTest.keyClicks, box, letter))
    turns.do(partial(QTest.keyClick, box, Qt.Key.Key_Return))
    turns.rest()
    turns.do(partial(window.commands.run, "edit.clear_filter"))


def _operations(desk: Desk, turns: Turns) -> None:
    bench = desk.workbench
    turns.do(lambda: bench.set_selected_operations([0]))
    turns.rest()
    turns.do(lambda: bench.highlight_operation(0))
    turns.do(lambda: bench.highlight_operation(None))
    turns.do(lambda: bench.set_selected_operations(None))


def _dialog(window: MainWindow, command: str, turns: Turns) -> None:
    turns.do(partial(window.commands.run, command))
    turns.rest()
    dialog = next(w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not window)
    turns.do(dialog.close)


def _palette(window: MainWindow, turns: Turns) -> None:
    turns.do(partial(window.commands.run, "help.palette"))
    box = next(one.box for one in window.findChildren(Palette) if one.isVisible())
    for letter in "theme":
        turns.do(partial(QTest.keyClicks, box, letter))
    turns.do(partial(QTest.keyClick, box, Qt.Key.Key_Escape))


def _look(window: MainWindow, turns: Turns) -> None:
    bench = window.desk.workbench
    for _ in range(2):
        _walk(window, 1, turns)
        for threshold in range(40, 220, 12):
            turns.do(partial(bench.set_threshold, threshold))
        for scale in (0.3, 1.0, 4.0):
            turns.do(partial(bench.set_viewpoint, 0, Viewpoint(1500, 1200, scale)))
        turns.do(partial(bench.set_viewpoint, 0, None))
    canvas = window.page
    assert canvas is not None
    for x in range(100, 600, 10):
        turns.do(partial(QTest.mouseMove, canvas, QPoint(x, 300)))


def _task(desk: Desk, name: str, turns: Turns) -> None:
    dataset = sample_places()[0]
    turns.do(lambda: desk.open(OpenRequest(dataset, sample_answers(name), name)))
