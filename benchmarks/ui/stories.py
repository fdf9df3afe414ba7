"""The longest the window keeps anybody waiting, story by story.

What counts is a whole turn of the event loop, not a single event: a key pressed at its beginning is
heard at its end. Everything a story sets off, jobs and their answers included, belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from benchmarks.report import Figure
from benchmarks.ui import deeds
from benchmarks.ui.tools import Turns, million_trials, threads, write_large_trials
from forensicviewer.app.datasets.sample import sample_places
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.session.recent import RecentPlaces
from forensicviewer.app.settings import Settings
from forensicviewer.ui.shell.start import make_window
from forensicviewer.ui.shell.window import MainWindow
from forensicviewer.ui.widgets.watch import WatchedApplication

LIMIT_MS = 50
LAYOUTS = ("annotate", "adjudicate", "video", "graph", "inspect")


Story = Callable[[Turns], None]
Stories = Iterator[tuple[str, Story]]


def measure(application: WatchedApplication, home: Path, _kept: Path) -> Iterator[Figure]:
    root, submission = write_large_trials(home / "story")
    large = OpenRequest(root, (submission,))
    yield from _measure(application, home, lambda window: _stories(window, home, large))


def measure_many_rows(application: WatchedApplication, home: Path, kept: Path) -> Iterator[Figure]:
    """The same with a table of a million rows."""
    million = OpenRequest(million_trials(kept))
    yield from _measure(application, home, lambda window: _many_rows(window, million))


def _measure(
    application: WatchedApplication, home: Path, stories: Callable[[MainWindow], Stories]
) -> Iterator[Figure]:
    with threads() as jobs:
        desk = Desk(jobs, Settings(home / "story.json"), recent=RecentPlaces(home / "recent.json"))
        window = make_window(desk, application)
        window.resize(1600, 1000)
        for name, story in stories(window):
            turns = Turns(application, jobs)
            story(turns)
            turns.rest()
            yield Figure(f"longest block: {name}", turns.longest_ms, "ms", limit=LIMIT_MS)
        window.deleteLater()
        application.processEvents()


def _stories(window: MainWindow, home: Path, large: OpenRequest) -> Stories:
    desk = window.desk
    yield "the window appears, panels are made", partial(deeds.appear, window)
    yield "sample written and opened", lambda turns: turns.do(desk.open_sample)
    yield "a trial after another", partial(deeds.walk, window, 30)
    yield "another submission opened", partial(deeds.open_more, desk)
    yield "threshold dragged", partial(deeds.drag_threshold, window)
    yield "filter typed and cleared", partial(deeds.type_filter, window, "MCC < 0.5")
    yield "operations selected", partial(deeds.select_operations, desk)
    yield "one, two, six panes", partial(deeds.arrange_panes, desk)
    yield "detection first shown", partial(deeds.show_panel, window, "detection")
    yield from _around_the_window(window, desk, home)
    yield "sample opened again", lambda turns: _open(desk, OpenRequest(*sample_places()), turns)
    yield "session saved and opened", partial(deeds.reopen_session, desk, home / "kept.fvsession")
    yield "12 megapixels opened", partial(_open, desk, large)
    yield "12 megapixels looked at", partial(deeds.look_around, window)
    yield "another task: video", partial(deeds.open_task, desk, "video")
    yield "a video after another", partial(deeds.walk, window, 6)
    yield "another task: graph", partial(deeds.open_task, desk, "provenance")
    yield "a graph after another", partial(deeds.walk, window, 6)
    yield "dataset closed", partial(deeds.run, window, "file.close_dataset")
    yield "window closed", lambda turns: turns.do(window.close)


def _around_the_window(window: MainWindow, desk: Desk, home: Path) -> Stories:
    for name in LAYOUTS:
        yield f"layout {name}", partial(deeds.run, window, f"layout.{name}")
    yield "layouts one after another", partial(deeds.switch_layouts, window, LAYOUTS)
    yield "window resized", partial(deeds.resize, window)
    for name in ("dark", "light"):
        yield f"theme {name}", partial(deeds.run, window, f"theme.{name}")
    yield "larger letters, and back", partial(deeds.change_fonts, desk)
    yield "settings", partial(deeds.show_dialog, window, "edit.settings")
    yield "command palette", partial(deeds.use_palette, window, "help.palette", "theme")
    yield "trial palette", partial(deeds.use_palette, window, "trial.go_to", "a1")
    yield "key sheet", partial(deeds.show_dialog, window, "help.keys")
    yield "manual", partial(deeds.show_dialog, window, "help.manual")
    yield "rule sets compared", partial(deeds.show_dialog, window, "trial.rules")
    yield "verdicts with a note", partial(deeds.judge, window)
    yield "view, pane and table exported", partial(deeds.export, window, home)


def _many_rows(window: MainWindow, million: OpenRequest) -> Stories:
    desk = window.desk
    yield "the window appears", partial(deeds.appear, window)
    yield "1,000,000 rows opened", partial(_open, desk, million)
    yield "1,000,000 rows: words typed", partial(deeds.type_filter, window, "clone")
    query = "ProbeWidth > 3000"
    yield "1,000,000 rows: query typed", partial(deeds.type_filter, window, query)
    yield "1,000,000 rows: facet chosen", partial(deeds.choose_facet, desk, "Face", "yes")
    yield "1,000,000 rows: sorted", partial(deeds.sort, desk, ("DonorFileID", "ProbeWidth"))
    yield "1,000,000 rows: a trial after another", partial(deeds.walk, window, 10)
    yield (
        "1,000,000 rows: trial palette",
        partial(deeds.use_palette, window, "trial.go_to", "a1b2"),
    )
    yield "1,000,000 rows: closed", lambda turns: turns.do(window.close)


def _open(desk: Desk, request: OpenRequest, turns: Turns) -> None:
    turns.do(partial(desk.open, request))
