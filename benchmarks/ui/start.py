"""From starting the process to a window that can be used, with the imports apart."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import Figure
from forensicviewer.ui.widgets.watch import WatchedApplication

_START = """
import gc, time
began = time.perf_counter()
gc.disable()  # as the command does until the window is there
import PySide6.QtWidgets
qt = time.perf_counter()
from forensicviewer.ui.shell.start import make_application, make_desk, make_window
from forensicviewer.app.settings import Settings
ours = time.perf_counter()
application = make_application()
window = make_window(make_desk(Settings()), application)
window.show()
for _ in range(10):
    application.processEvents()
shown = time.perf_counter()
print(1000 * (qt - began), 1000 * (ours - qt), 1000 * (shown - ours))
window.desk.jobs.close()
import os
os._exit(0)
"""


def measure(_application: WatchedApplication, home: Path) -> Iterator[Figure]:
    # Warm means with compiled modules, which an installed program has.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(home / "compiled")
    runs = []
    for _ in range(4):
        started = time.perf_counter()
        answer = subprocess.run(
            [sys.executable, "-c", _START],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        total = 1000 * (time.perf_counter() - started)
        runs.append((total, *map(float, answer.stdout.split()[-3:])))
    total, qt, ours, window = min(runs)
    yield Figure("start to usable window, warm, whole process", total, "ms", limit=350)
    yield Figure("  importing Qt", qt, "ms")
    yield Figure("  importing forensicviewer", ours, "ms")
    yield Figure("  making and painting the window", window, "ms")
