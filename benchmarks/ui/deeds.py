"""What users do all day, as the stories do it: by command, by key and by mouse."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from benchmarks.ui.tools import Turns
from forensicviewer.app.datasets.sample import sample_answers, sample_places
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import FONT_SCALE
from forensicviewer.app.trials.trial_filter import Sort
from forensicviewer.app.workbench.state import Layer, Pane, Viewpoint
from forensicviewer.core.palette import Outcome
from forensicviewer.core.verdict import Ruling
from forensicviewer.sources.sample.locations import submissions_for
from forensicviewer.ui.dialogs.command_palette import ChoicePalette
from forensicviewer.ui.shell.start import warm_up
from forensicviewer.ui.shell.window import MainWindow

TYPING_S = 0.1


def appear(window: MainWindow, turns: Turns) -> None:
    turns.do(window.show)
    turns.do(partial(warm_up, window))


def run(window: MainWindow, command: str, turns: Turns) -> None:
    turns.do(partial(window.commands.run, command))


def walk(window: MainWindow, steps: int, turns: Turns) -> None:
    bench = window.desk.workbench
    for _ in range(steps):
        turns.do(partial(window.commands.run, "trial.next"))
        turns.until(lambda: not bench.state.is_loading)
    for _ in range(steps):
        # An impatient user does not wait for what is shown.
        turns.do(partial(window.commands.run, "trial.previous"))


def drag_threshold(window: MainWindow, turns: Turns) -> None:
    from forensicviewer.ui.score.threshold import ThresholdPanel

    panel = window.docks.panel("score")
    assert isinstance(panel, ThresholdPanel)
    curves = panel.plot.curves
    at = [curves.point_of(t, 0).toPoint() for t in range(20, 236, 2)]
    left = Qt.MouseButton.LeftButton
    turns.do(partial(QTest.mousePress, curves, left, Qt.KeyboardModifier.NoModifier, at[0]))
    for point in at:
        turns.do(partial(QTest.mouseMove, curves, point))
    turns.do(partial(QTest.mouseRelease, curves, left, Qt.KeyboardModifier.NoModifier, at[-1]))


def type_filter(window: MainWindow, typed: str, turns: Turns) -> None:
    turns.do(partial(window.commands.run, "edit.filter"))
    box = window.docks.browser.filter_box
    for letter in typed:
        turns.do(partial(QTest.keyClicks, box, letter))
        turns.wait(TYPING_S)
    turns.do(partial(QTest.keyClick, box, Qt.Key.Key_Return))
    turns.rest()
    turns.do(partial(window.commands.run, "edit.clear_filter"))


def select_operations(desk: Desk, turns: Turns) -> None:
    bench = desk.workbench
    turns.do(lambda: bench.set_selected_operations([0]))
    turns.rest()
    turns.do(lambda: bench.highlight_operation(0))
    turns.do(lambda: bench.highlight_operation(None))
    turns.do(lambda: bench.set_selected_operations(None))


def show_dialog(window: MainWindow, command: str, turns: Turns) -> None:
    turns.do(partial(window.commands.run, command))
    turns.rest()
    dialog = next(w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not window)
    turns.do(dialog.close)


def use_palette(window: MainWindow, command: str, typed: str, turns: Turns) -> None:
    turns.do(partial(window.commands.run, command))
    box = next(one.box for one in window.findChildren(ChoicePalette) if one.isVisible())
    for letter in typed:
        turns.do(partial(QTest.keyClicks, box, letter))
    turns.do(partial(QTest.keyClick, box, Qt.Key.Key_Escape))


def look_around(window: MainWindow, turns: Turns) -> None:
    bench = window.desk.workbench
    for _ in range(2):
        walk(window, 1, turns)
        for threshold in range(40, 220, 12):
            turns.do(partial(bench.set_threshold, threshold))
        for scale in (0.3, 1.0, 4.0):
            turns.do(partial(bench.set_viewpoint, 0, Viewpoint(1500, 1200, scale)))
        turns.do(partial(bench.set_viewpoint, 0, None))
        for outcome in (Outcome.MISS, Outcome.FALSE_ALARM):
            turns.do(partial(bench.toggle_outcome, outcome))
            turns.do(partial(bench.toggle_outcome, outcome))
    canvas = window.page
    assert canvas is not None
    for x in range(100, 600, 10):
        turns.do(partial(QTest.mouseMove, canvas, QPoint(x, 300)))


def open_task(desk: Desk, name: str, turns: Turns) -> None:
    dataset = sample_places()[0]
    turns.do(lambda: desk.open(OpenRequest(dataset, sample_answers(name), name)))


def open_more(desk: Desk, turns: Turns) -> None:
    """Open one more answer to the task that is open."""
    found = submissions_for(sample_places()[0], task="image")
    turns.do(lambda: desk.open_submissions(found[-1:]))


def show_panel(window: MainWindow, name: str, turns: Turns) -> None:
    turns.do(partial(window.show_panel, name))


def switch_layouts(window: MainWindow, layouts: Sequence[str], turns: Turns) -> None:
    """One layout after another, none of them waited for."""
    for name in layouts:
        turns.do(partial(window.commands.run, f"layout.{name}"))


def resize(window: MainWindow, turns: Turns) -> None:
    size = window.size()
    for step in range(1, 13):
        turns.do(partial(window.resize, size.width() - 30 * step, size.height() - 20 * step))
    turns.do(partial(window.resize, size))


def change_fonts(desk: Desk, turns: Turns) -> None:
    for scale in (125, 100):
        turns.do(partial(desk.settings.change, FONT_SCALE, scale))
        turns.rest()


def judge(window: MainWindow, turns: Turns) -> None:
    """A note and a verdict, for two trials, and one of them taken back."""
    for ruling in (Ruling.SOUND, Ruling.UNCLEAR):
        turns.do(partial(window.commands.run, "verdict.note"))
        note = window.docks.adjudicator.note
        for letter in "edge is soft":
            turns.do(partial(QTest.keyClicks, note, letter))
        turns.do(partial(window.commands.run, f"verdict.{ruling.value}"))
        turns.rest()
        turns.do(partial(window.commands.run, "trial.next"))
    turns.do(partial(window.commands.run, "trial.previous"))
    turns.do(partial(window.commands.run, "verdict.retract"))


def export(window: MainWindow, folder: Path, turns: Turns) -> None:
    commands = window.window_commands.files
    for name in ("view.png", "view.svg"):
        turns.do(partial(commands.export_view, folder / name))
        turns.rest()
    turns.do(partial(commands.export_full, folder / "full.png"))
    turns.rest()
    turns.do(partial(commands.export_trials, folder / "trials.csv"))
    turns.rest()
    turns.do(partial(window.commands.run, "edit.copy_view"))


def arrange_panes(desk: Desk, turns: Turns) -> None:
    bench, before = desk.workbench, desk.workbench.state.arrangement.panes
    layers = [Pane(layer) for layer in Layer]
    for count in (1, 2, 6):
        turns.do(partial(bench.set_panes, tuple(layers[i % len(layers)] for i in range(count))))
        turns.rest()
    turns.do(partial(bench.set_panes, before))


def sort(desk: Desk, columns: Sequence[str], turns: Turns) -> None:
    for name in columns:
        turns.do(partial(desk.trials.set_sort, Sort(name)))
        turns.rest()
    turns.do(partial(desk.trials.set_sort, Sort()))


def choose_facet(desk: Desk, column: str, cell: str, turns: Turns) -> None:
    for _ in range(2):
        turns.do(lambda: desk.trials.set_filter(desk.trials.filter.toggled(column, cell)))
        turns.rest()


def reopen_session(desk: Desk, path: Path, turns: Turns) -> None:
    turns.do(partial(desk.save_session, path))
    turns.rest()
    turns.do(partial(desk.open_session, path))
