"""What the parts share: pictures, datasets, and waiting for the window."""

from __future__ import annotations

import compileall
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import cv2
import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from benchmarks.dataset import write_dataset
from forensicviewer.app.runtime.jobs import Jobs, inline_jobs
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.core.array import RgbImage, Size, U8Image
from forensicviewer.ui.panes.grid import PaneGrid
from forensicviewer.ui.shell.bridge import MainThreadBridge
from forensicviewer.ui.shell.start import background_threads
from forensicviewer.ui.widgets.watch import WatchedApplication
from tests.bench_build import put_dataset, put_submission
from tests.build import a_dataset, blurred, box

SIZES = {12: Size(4000, 3000), 50: Size(8000, 6250), 100: Size(12_500, 8000)}
_RESTING_S = 0.3
_PAUSE_S = 0.001
_PATIENCE_S = 300.0


def open_tiny(folder: Path) -> Workbench:
    built = a_dataset(folder).with_trial("p1", manipulated=box(4, 4, 30, 30))
    made = built.with_answer("p1", blurred()).write()
    bench = Workbench(inline_jobs())
    put_dataset(bench, made.root)
    put_submission(bench, made.submission)
    return bench


def open_both(
    application: WatchedApplication, bench: Workbench, root: Path, submission: Path
) -> None:
    put_dataset(bench, root)
    wait(application, lambda: bench.state.is_current)
    put_submission(bench, submission)
    wait(application, lambda: bool(bench.state.submissions) and bench.state.is_current)


@contextmanager
def threads() -> Iterator[Jobs]:
    bridge = MainThreadBridge()
    jobs = Jobs(background_threads(), bridge.post, _raise)
    yield jobs
    jobs.close()


def _raise(error: BaseException) -> None:
    raise error


@contextmanager
def on_screen(application: WatchedApplication, widget: QWidget, size: Size) -> Iterator[None]:
    widget.resize(size.width, size.height)
    widget.show()
    settle(application)
    yield
    if isinstance(widget, PaneGrid):
        widget.let_go()
    widget.hide()
    widget.deleteLater()
    settle(application)


class Turns:
    """Turns the event loop as the program does, and keeps the longest turn.

    A whole turn, not a single event: a key pressed at its beginning is heard at its end.
    """

    def __init__(self, application: WatchedApplication, jobs: Jobs) -> None:
        self._application = application
        self._jobs = jobs
        self.longest_ms = 0.0

    def do(self, action: Callable[[], object]) -> None:
        """Do something as an event does it, and see it painted."""
        QTimer.singleShot(0, self._application, action)
        for _ in range(3):
            self.turn()

    def turn(self) -> None:
        started = time.perf_counter()
        self._application.processEvents()
        self.longest_ms = max(self.longest_ms, 1000 * (time.perf_counter() - started))
        # Others may work now, as they may while the program waits for its user.
        time.sleep(_PAUSE_S)

    def until(self, is_so: Callable[[], bool]) -> None:
        ends_s = time.perf_counter() + _PATIENCE_S
        while not is_so():
            self.turn()
            self._hurry(ends_s)

    def wait(self, seconds: float) -> None:
        """Let time pass, as a hand on its way to the next key does."""
        ends_s = time.perf_counter() + seconds
        while time.perf_counter() < ends_s:
            self.turn()

    def rest(self) -> None:
        """Wait until everything set off so far has come to an end."""
        rests_until_s = time.perf_counter() + _RESTING_S
        ends_s = time.perf_counter() + _PATIENCE_S
        while time.perf_counter() < rests_until_s:
            self.turn()
            self._hurry(ends_s)
            if self._jobs.is_busy():
                rests_until_s = time.perf_counter() + _RESTING_S

    def _hurry(self, ends_s: float) -> None:
        """Stop rather than wait for ever for a window that hangs."""
        if time.perf_counter() > ends_s:
            jobs = [status.title for status in self._jobs.statuses()]
            raise TimeoutError(f"The window does not come to rest; its jobs: {jobs}")


def use_home(home: Path) -> None:
    """Have the program keep its files there from now on."""
    for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        os.environ[variable] = str(home / variable.lower())


def use_compiled(home: Path) -> None:
    """Import compiled modules from now on, which is what an installed program has."""
    sys.pycache_prefix = str(home / "compiled")
    for package in ("forensicviewer", "pyqtgraph", "markdown_it", "mdurl"):
        found = find_spec(package)
        assert found is not None
        for folder in found.submodule_search_locations or ():
            compileall.compile_dir(folder, quiet=2)


def settle(application: WatchedApplication) -> None:
    for _ in range(10):
        application.processEvents()


def wait(application: WatchedApplication, condition: Callable[[], bool]) -> None:
    while not condition():
        application.processEvents()
        # As the program sleeps until it hears something: turning without a pause takes the
        # processor, and Python's lock, from the jobs that are waited for.
        time.sleep(_PAUSE_S)


def median_ms(application: WatchedApplication, step: Callable[[], object], *, times: int) -> float:
    for _ in range(3):
        elapsed_ms(application, step)
    return statistics.median(elapsed_ms(application, step) for _ in range(times))


def elapsed_ms(application: WatchedApplication, step: Callable[[], object]) -> float:
    started = time.perf_counter()
    step()
    application.processEvents()
    return 1000 * (time.perf_counter() - started)


def soft_mask(size: Size) -> U8Image:
    """Blobs with soft edges and some noise, quantised as real masks are."""
    rng = np.random.default_rng(7)
    small = rng.integers(0, 256, (size.height // 50, size.width // 50), dtype=np.uint8)
    blobs = cv2.resize(small, (size.width, size.height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(blobs, np.uint8) & np.uint8(0xF8)


def photo(size: Size) -> RgbImage:
    rng = np.random.default_rng(3)
    small = rng.integers(0, 256, (size.height // 8, size.width // 8, 3), dtype=np.uint8)
    smooth = cv2.resize(small, (size.width, size.height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(smooth, np.uint8)


def ellipse(size: Size) -> U8Image:
    area = np.zeros((size.height, size.width), np.uint8)
    middle = (size.width // 2, size.height // 2)
    cv2.ellipse(area, middle, (size.width // 4, size.height // 4), 20, 0, 360, (1,), -1)
    return area


def million_trials(folder: Path) -> Path:
    """A dataset with a table of a million rows, written by the first who asks."""
    root = folder / "million" / "MFC2019"
    if not root.is_dir():
        write_dataset(root, trials=1_000_000)
    return root


def write_large_trials(folder: Path) -> tuple[Path, Path]:
    size = SIZES[12]
    made = a_dataset(folder)
    for name in ("p1", "p2"):
        made = made.with_trial(name, manipulated=box(900, 700, 2600, 2200), size=size)
        made = made.with_answer(name, lambda _area: soft_mask(size))
    built = made.write()
    for name in ("p1", "p2"):
        # JPEG under a name that ends in png: readers go by content, as in the wild they must.
        _write_jpeg(built.root / "probe" / f"{name}.png", photo(size))
    return built.root, built.submission


def _write_jpeg(path: Path, pixels: RgbImage) -> None:
    done, encoded = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, 92])
    assert done
    path.write_bytes(encoded.tobytes())
