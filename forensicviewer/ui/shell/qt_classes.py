"""Has the Python classes of Qt made on the main thread before any other thread meets them.

PySide makes each class when it is first named. Two threads doing so at once crash the program, and
importing a part of the window on a worker thread names dozens while the window is being built.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from PySide6 import QtCore, QtGui, QtSvg, QtWidgets

_PIECE_S = 0.004


def make_classes(parent: QtCore.QObject, then: Callable[[], None]) -> None:
    """Name every class, a few in each turn of the event loop, then go on."""
    modules = (QtWidgets, QtGui, QtCore, QtSvg)
    waiting = deque((module, name) for module in modules for name in dir(module))
    timer = QtCore.QTimer(parent, interval=0)

    def make_some() -> None:
        ends_s = time.perf_counter() + _PIECE_S
        while waiting and time.perf_counter() < ends_s:
            getattr(*waiting.popleft())
        if not waiting:
            timer.stop()
            timer.deleteLater()
            then()

    timer.timeout.connect(make_some)
    timer.start()
