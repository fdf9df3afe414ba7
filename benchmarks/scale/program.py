"""Runs a program as a user does, and measures it from outside."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_LOOK_S = 0.02
# What a script does with some tables before anything else.
READ_TABLES = (
    "import sys, pandas\nfor path in sys.argv[1:]: pandas.read_csv(path, sep='|', engine='c')"
)


@dataclass(frozen=True, slots=True)
class Run:
    """What a program took; memory is the most its own process held.

    ``cpu_s`` is the processor time of it and of the processes it waited for, which tells more than
    the clock where other programs run.
    """

    seconds: float
    memory_gb: float
    cpu_s: float


def run(*arguments: str | Path, environment: Mapping[str, str | Path] | None = None) -> Run:
    """Python with these arguments, until it ends."""
    command = [sys.executable, *map(str, arguments)]
    variables = {**os.environ, **{name: str(text) for name, text in (environment or {}).items()}}
    before_s = _cpu_s()
    started_s = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=variables
    ) as program:
        peak = 0.0
        while program.poll() is None:
            peak = max(peak, _peak_gb(program.pid))
            time.sleep(_LOOK_S)
        seconds = time.perf_counter() - started_s
        # Exit code 1 says that problems were found, which is what some data are made for.
        if program.returncode not in (0, 1):
            assert program.stderr is not None
            raise RuntimeError(f"{command} ended with {program.stderr.read().decode()}")
    return Run(seconds, peak, _cpu_s() - before_s)


def in_turn(programs: Sequence[Sequence[str | Path]], *, times: int) -> list[Run]:
    """The shortest run of each program; they take turns, as the machine's speed changes."""
    rounds = [[run(*arguments) for arguments in programs] for _ in range(times)]
    return [
        Run(
            min(one.seconds for one in runs),
            max(one.memory_gb for one in runs),
            min(one.cpu_s for one in runs),
        )
        for runs in zip(*rounds, strict=True)
    ]


def _cpu_s() -> float:
    found = os.times()
    return found.children_user + found.children_system


def _peak_gb(process_id: int) -> float:
    try:
        lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
    except OSError:
        return 0.0
    found = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return int(found[0]) * 1024 / 1e9 if found else 0.0
