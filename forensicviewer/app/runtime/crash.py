"""Crash reports: what went wrong, kept on this machine, and found again at the next start.

An exception nobody expected becomes a text the user can copy. A crash below Python (in a native
library) leaves ``faulthandler``'s lines in a file, which the next start finds and sets aside.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import platform
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TextIO

from forensicviewer import __version__
from forensicviewer.app.runtime.atomic import write_atomically
from forensicviewer.app.runtime.folders import state_folder

_SIGN = "running-"
PACKAGES = (
    "PySide6-Essentials",
    "pyqtgraph",
    "numpy",
    "opencv-python-headless",
    "h5py",
    "glymur",
    "imagecodecs",
    "av",
    "markdown-it-py",
    "networkx",
    "pandas",
    "pillow",
    "pi-heif",
    "rawpy",
    "cryptography",
    "jinja2",
)


def versions() -> dict[str, str]:
    """The program, what it runs on and what it is built with."""
    # Here, not above: it brings the e-mail package along, and the window starts with this module.
    from importlib.metadata import PackageNotFoundError, version

    found = {
        "forensicviewer": __version__,
        "Python": platform.python_version(),
        "System": platform.platform(),
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def report_of(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> str:
    """Everything a developer needs, and nothing about the user's data but file names in it."""
    lines = [f"{name} {found}" for name, found in versions().items()]
    return "\n".join(["".join(traceback.format_exception(kind, error, trace)), *lines])


def bug_of(kind: type[BaseException], trace: TracebackType | None) -> str:
    """What identifies a bug: the place where it was raised, not its message."""
    return "".join([*traceback.format_tb(trace), kind.__name__])


def keep_report(text: str) -> Path | None:
    """Write a report into the folder of reports; ``None`` where nothing can be written."""
    at = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    path = report_folder() / f"crash-{at}.txt"
    try:
        write_atomically(path, text)
    except OSError:
        return None
    return path


def report_folder() -> Path:
    return state_folder() / "reports"


class NativeCrashFile:
    """Takes faulthandler's lines while the program runs; a clean end leaves it empty.

    Some ends leave no lines: a power cut, or a system that ends programs for want of memory.
    ``was_cut_off`` says that one did, by a sign each run puts up and takes down.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or report_folder() / "native-crash.txt"
        self.last_crash = self._take_last()
        self.was_cut_off = self._take_signs()
        self._sign = self._path.parent / f"{_SIGN}{os.getpid()}"
        self._stream = self._open()

    def _take_signs(self) -> bool:
        """Whether an earlier run left its sign; the sign is removed."""
        found = False
        with contextlib.suppress(OSError):
            for sign in self._path.parent.glob(f"{_SIGN}*"):
                if not _is_running(sign.name.removeprefix(_SIGN)):
                    sign.unlink(missing_ok=True)
                    found = True
        return found

    def _take_last(self) -> str:
        """The lines that the last run left, saved as a separate report."""
        try:
            text = self._path.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""
        if text:
            keep_report(text)
        return text

    def _open(self) -> TextIO | None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._sign.touch()
            stream = self._path.open("w", encoding="utf-8")
        except OSError:
            # A read-only home is no reason not to start.
            return None
        faulthandler.enable(stream)
        return stream

    def close(self) -> None:
        """Record that the program ended cleanly."""
        if self._stream is not None:
            faulthandler.disable()
            self._stream.close()
            self._stream = None
            self._path.unlink(missing_ok=True)
            self._sign.unlink(missing_ok=True)


def _is_running(number: str) -> bool:
    """Whether a process exists; assumed where the system cannot be asked safely."""
    if number == str(os.getpid()):
        # In a container the next run often has the number of the last.
        return False
    if sys.platform == "win32" or not number.isdigit():
        return sys.platform == "win32"
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
