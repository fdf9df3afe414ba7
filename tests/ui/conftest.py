"""What every test of the window needs: leaks fail, and a trial can be opened in one line."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from forensicviewer.app.desk import Desk
from forensicviewer.app.jobs import inline_jobs
from forensicviewer.app.openrequest import OpenRequest
from forensicviewer.app.settings import Settings
from forensicviewer.app.workbench import Workbench
from forensicviewer.ui.window import MainWindow
from tests.build import Built


@pytest.fixture(autouse=True)
def _nothing_is_left_behind(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail when a test leaves top-level widgets, running timers or threads behind."""
    widgets_before = set(map(id, qapp.topLevelWidgets()))
    threads_before = set(threading.enumerate())
    started = _watch_timers(monkeypatch)

    yield

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    qapp.processEvents()
    widgets = [w for w in qapp.topLevelWidgets() if id(w) not in widgets_before]
    assert [_name(widget) for widget in widgets] == []
    timers = [t for t in started if shiboken6.isValid(t) and t.isActive()]
    assert [f"timer of {_name(timer.parent())}" for timer in timers] == []
    threads = [t for t in threading.enumerate() if t not in threads_before and t.is_alive()]
    assert [thread.name for thread in threads] == []


def _watch_timers(monkeypatch: pytest.MonkeyPatch) -> weakref.WeakSet[QTimer]:
    started: weakref.WeakSet[QTimer] = weakref.WeakSet()
    start: Callable[..., None] = QTimer.start

    def remember(timer: QTimer, *arguments: int) -> None:
        started.add(timer)
        start(timer, *arguments)

    monkeypatch.setattr(QTimer, "start", remember)
    return started


def _name(widget: object) -> str:
    told = widget.objectName() if isinstance(widget, QWidget) else ""
    return f"{type(widget).__name__} {told}".strip()


@pytest.fixture
def look_as_before(qapp: QApplication) -> Iterator[None]:
    """Give the application back the look it had: there is one for all tests."""
    palette, font, sheet = qapp.palette(), qapp.font(), qapp.styleSheet()
    yield
    qapp.setStyleSheet(sheet)
    qapp.setPalette(palette)
    qapp.setFont(font)


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
    bench.open_dataset(Path(built.root))
    bench.open_submission(Path(built.submission))
    bench.select_row(trial)


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
