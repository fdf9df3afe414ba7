"""The program on a real (virtual) display, driven by the keyboard from outside."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest

from tests.build import Built, two_answered_trials

pytestmark = pytest.mark.xvfb

# Runs inside the display: real platform plugin, real window, real threads and key events.
PROGRAM = """
import sys
from pathlib import Path
from tests.stories.test_window_on_a_display import visit
sys.exit(visit(*map(Path, sys.argv[1:])))
"""


@pytest.fixture
def built(tmp_path: Path) -> Built:
    return two_answered_trials(tmp_path)


@pytest.fixture
def display() -> Iterator[str]:
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed")
    reading, writing = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
        pass_fds=[writing],
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as told:
        number = told.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait(10)


def visit(dataset: Path, submission: Path, screenshot: Path) -> int:
    """Open, walk by key, photograph the screen, and close; the exit code is the program's."""
    from forensicviewer.app.openrequest import OpenRequest
    from forensicviewer.app.settings import Settings
    from forensicviewer.ui.start import make_application, make_desk, make_window

    application = make_application()
    window = make_window(make_desk(Settings()), application)
    window.resize(1300, 820)
    window.show()
    # There is no window manager on this display to do it.
    window.activateWindow()
    window.desk.open(OpenRequest(dataset, (submission,)))
    asking = QTimer(window, interval=100)
    quiet_turns = 0

    def ask() -> None:
        nonlocal quiet_turns
        state = window.desk.workbench.state
        is_quiet = state.is_current and not window.desk.jobs.is_busy()
        quiet_turns = quiet_turns + 1 if is_quiet else 0
        # Panels follow one after the other, and the display takes a while to show them.
        if quiet_turns < 10:
            return
        if state.trial_id == "p1":
            QTest.keyClick(window, Qt.Key.Key_N)
            return
        asking.stop()
        application.primaryScreen().grabWindow(0).save(str(screenshot))
        window.close()

    asking.timeout.connect(ask)
    asking.start()
    return application.exec()


def test_the_window_appears_on_the_screen_and_answers_keys(
    display: str, built: Built, tmp_path: Path
) -> None:
    screenshot = tmp_path / "screen.png"

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, built.root, built.submission, screenshot],
        env={**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"},
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    pixels = cv2.imread(str(screenshot))
    assert pixels is not None
    assert pixels.shape == (900, 1400, 3)
    # Hits are green over the grey probe; nothing else in the window is so green.
    blue, green, red = (pixels[:, :, channel].astype(int) for channel in range(3))
    assert np.count_nonzero((green > red + 60) & (green > blue + 60)) > 200
    assert pixels[:820, :1300].mean() > 120
