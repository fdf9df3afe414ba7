"""What every test that opens a window begins with and leaves behind, wherever it is kept."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from forensicviewer.ui.widgets.theme import LIGHT, apply_theme


@pytest.fixture
def beginning_of_the_program(qapp: QApplication) -> None:
    """There is one look and one clipboard for all tests: none sees what another left there."""
    apply_theme(qapp, LIGHT, font_scale=100)
    qapp.clipboard().clear()


@pytest.fixture
def nothing_left_behind(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
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
