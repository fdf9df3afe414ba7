"""What every test of the window needs: leaks fail, and a trial can be opened in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.ui.shell.window import MainWindow
from tests.bench_build import put_dataset, put_row, put_submission
from tests.build import Built
from tests.window_checks import beginning_of_the_program, nothing_left_behind

__all__ = ["beginning_of_the_program", "nothing_left_behind"]


@pytest.fixture(autouse=True)
def _as_every_window(beginning_of_the_program: None, nothing_left_behind: None) -> None:
    """Every test here is one of a window."""


@pytest.fixture
def bench() -> Workbench:
    """A workbench whose jobs are done when they are submitted."""
    return Workbench(inline_jobs())


@pytest.fixture
def show(qtbot: QtBot) -> Callable[..., QWidget]:
    """Show a widget in a given size and wait until it is on the screen."""

    def put_on_screen(widget: QWidget, width: int = 800, height: int = 600) -> QWidget:
        qtbot.addWidget(widget, before_close_func=_let_go)
        widget.resize(width, height)
        with qtbot.waitExposed(widget):
            widget.show()
        return widget

    return put_on_screen


def _let_go(widget: QWidget) -> None:
    let_go = getattr(widget, "let_go", None)
    if let_go is not None:
        let_go()


def open_trial(bench: Workbench, built: Built, *, trial: int = 0) -> None:
    """Open a built dataset and its submission and look at a trial."""
    put_dataset(bench, Path(built.root))
    put_submission(bench, Path(built.submission))
    put_row(bench, trial)


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    """The main window on the screen, its jobs done when they are submitted."""
    shown = MainWindow(Desk(inline_jobs(), Settings()))
    qtbot.addWidget(shown)
    shown.resize(1200, 800)
    with qtbot.waitExposed(shown):
        shown.show()
    return shown


@pytest.fixture
def opened(window: MainWindow, built: Built, qtbot: QtBot) -> MainWindow:
    """The window with the module's own ``built`` dataset and submission."""
    window.desk.open(OpenRequest(built.root, (built.submission,)))
    window.refresh()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window
