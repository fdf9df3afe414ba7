"""A window for the checks that need one: made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from forensicviewer.app.runtime.jobs import inline_jobs
from forensicviewer.app.session.desk import Desk
from forensicviewer.app.session.open_request import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.ui.shell.window import MainWindow
from tests.window_checks import beginning_of_the_program, nothing_left_behind

__all__ = ["beginning_of_the_program", "nothing_left_behind"]


@pytest.fixture
def make_window(request: pytest.FixtureRequest) -> Callable[..., MainWindow]:
    """Open a dataset and submissions in the main window, its jobs done when submitted."""

    def make(root: Path, *submissions: Path, task: str | None = None) -> MainWindow:
        request.getfixturevalue("beginning_of_the_program")
        qtbot: QtBot = request.getfixturevalue("qtbot")
        window = MainWindow(Desk(inline_jobs(), Settings()))
        qtbot.addWidget(window)
        window.resize(1200, 800)
        with qtbot.waitExposed(window):
            window.show()
        window.desk.open(OpenRequest(root, submissions, task=task))
        window.refresh()
        return window

    return make
