"""How fast the bundle of the installers starts, beside the virtual environment it was built from.

Needs ``make installers`` (or ``python packaging/build.py bundle``) of the same commit before.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import Figure, Report
from forensicviewer.sources.sample import write_sample

_ROOT = Path(__file__).resolve().parent.parent
_BUNDLE = _ROOT / "build" / "bundle" / "forensicviewer" / "forensicviewer-gui"
_RUNS = 7
# What the installed program may take longer.
_START_MS = 250
_OPENED_TIMES = 1.3


def run() -> Report:
    if not _BUNDLE.exists():
        raise SystemExit(f"There is no {_BUNDLE.relative_to(_ROOT)}: run make installers first")
    with tempfile.TemporaryDirectory() as name:
        return Report(
            "installed: whole processes until everything is shown, each the shortest of its runs",
            tuple(_measure(Path(name))),
        )


def _measure(home: Path) -> Iterator[Figure]:
    installed, virtualenv = _alternating(home)
    yield Figure(
        "start page", installed, "ms", limit=virtualenv + _START_MS, peers={"venv": virtualenv}
    )
    write_sample(home / "sample")
    submission = home / "sample" / "submissions" / "p-noisy_1_MFC2019-image"
    installed, virtualenv = _alternating(
        home, str(home / "sample" / "MFC2019_Sample"), str(submission)
    )
    limit = virtualenv * _OPENED_TIMES
    yield Figure("sample opened", installed, "ms", limit=limit, peers={"venv": virtualenv})


def _alternating(home: Path, *places: str) -> tuple[float, float]:
    """Milliseconds of the bundle and of this environment; the first run of each warms the disk."""
    code = "import sys; from forensicviewer.cli import open_window; sys.exit(open_window())"
    programs = ([str(_BUNDLE)], [sys.executable, "-c", code])
    runs: tuple[list[float], list[float]] = ([], [])
    for _ in range(_RUNS):
        for program, took in zip(programs, runs, strict=True):
            took.append(_start([*program, "--fresh", "--new-window", "--smoke", *places], home))
    return min(runs[0][1:]), min(runs[1][1:])


def _start(command: list[str], home: Path) -> float:
    # Warm means with compiled modules, which an installed program has.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["QT_QPA_PLATFORM"] = "offscreen"
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        environment[variable] = str(home / variable.lower())
    started = time.perf_counter()
    subprocess.run(command, check=True, cwd=home, env=environment, stdin=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - started)
