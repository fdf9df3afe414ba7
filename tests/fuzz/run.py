"""Drives inputs through a process like the window's and counts what goes wrong."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HANG_S = 10.0
PEAK_MB = 1024
_GIVE_UP_S = 90.0
_ROUND = 400


@dataclass
class Report:
    """What happened; ``decoders`` counts those that ended and cost one file each.

    ``slow`` are inputs that waited for a busy machine: neither they computed for so long, nor did
    they take so long once more.
    """

    inputs: Counter[str] = field(default_factory=Counter)
    crashes: list[str] = field(default_factory=list)
    internal: dict[str, list[str]] = field(default_factory=dict)
    hangs: list[str] = field(default_factory=list)
    peaks: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    talked: list[str] = field(default_factory=list)
    decoders: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    largest_mb: int = 0

    @property
    def is_clean(self) -> bool:
        found = (self.crashes, self.internal, self.hangs, self.peaks, self.opened, self.talked)
        return not any(found)

    def lines(self) -> Iterator[str]:
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.inputs.items()))
        yield f"inputs                     {sum(self.inputs.values())} ({kinds})"
        yield f"crashes                    {len(self.crashes)}"
        yield f"distinct internal errors   {len(self.internal)}"
        slowest = f"(slowest {self.slowest_s:.1f} s)"
        yield f"hangs over {HANG_S:g} s            {len(self.hangs)} {slowest}"
        yield "  by processor time, or by the clock twice; waiting for a busy machine is none:"
        yield f"  slow once                {len(self.slow)}"
        yield f"peaks over {PEAK_MB} MB         {len(self.peaks)} (largest {self.largest_mb} MB)"
        yield f"reads outside              {len(self.opened)}"
        yield f"sockets and programs       {len(self.talked)}"
        yield f"decoders lost              {len(self.decoders)} (each cost its own file only)"
        for title in ("crashes", "hangs", "slow", "peaks", "opened", "talked", "decoders"):
            for line in getattr(self, title)[:20]:
                yield f"  {title}: {line}"
        for signature, inputs in self.internal.items():
            yield f"  internal error: {signature} ({len(inputs)}: {', '.join(inputs[:3])})"


def run(
    folder: Path,
    *,
    count: int,
    seed: str,
    kinds: Sequence[str],
    first: int = 0,
    tell: Callable[[str], None],
) -> Report:
    """Open ``count`` inputs below a folder; what failed stays there."""
    report = Report()
    _set_trap(folder)
    number, stop = first, first + count
    while number < stop:
        # A new process now and then, so that what one leaves behind is noticed as growth.
        number = _drive(folder, report, seed, number, min(stop, number + 5 * _ROUND), kinds)
        tell(f"{number - first} of {count}")
    return report


def _set_trap(folder: Path) -> None:
    (folder / "outside").mkdir(parents=True, exist_ok=True)
    (folder / "in").mkdir(exist_ok=True)
    secret = b"\x89PNG\r\n\x1a\n nobody reads this"
    (folder / "outside" / "secret.png").write_bytes(secret)


def _drive(
    folder: Path, report: Report, seed: str, start: int, stop: int, kinds: Sequence[str]
) -> int:
    """Open inputs in one process; returns the first that is yet to be opened."""
    homes = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    environment = {**os.environ, **{name: str(folder / "home" / name) for name in homes}}
    command = [sys.executable, "-m", "tests.fuzz.driver", str(folder), seed, str(start), str(stop)]
    process = subprocess.Popen(
        [*command, ",".join(kinds)], stdout=subprocess.PIPE, env=environment, text=True
    )
    open_now: dict[str, Any] = {}
    done = start
    for message in _messages(process):
        if "begin" in message:
            open_now = message
        else:
            take(report, message, open_now["kind"])
            done, open_now = message["end"] + 1, {}
    if done >= stop:
        return done
    how = f"exit code {process.returncode}"
    named = f"input {done} ({open_now.get('kind', 'being made')})"
    lost = report.hangs if process.returncode == -9 else report.crashes
    lost.append(f"{named}: {how}")
    return done + 1


def _messages(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    """What the process says; it is ended when it says nothing for too long."""
    assert process.stdout is not None
    heard_s = time.monotonic()
    with selectors.DefaultSelector() as waiting, process:
        waiting.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not waiting.select(1.0):
                if time.monotonic() - heard_s > _GIVE_UP_S:
                    process.kill()
                continue
            line = process.stdout.readline()
            if not line:
                return
            heard_s = time.monotonic()
            yield json.loads(line)


def take(report: Report, message: dict[str, Any], kind: str) -> None:
    """Add what a driver tells about an input."""
    named = f"input {message['end']} ({kind})"
    report.inputs[kind] += 1
    report.slowest_s = max(report.slowest_s, message["seconds"])
    report.largest_mb = max(report.largest_mb, message["peak_mb"])
    if message["internal"]:
        report.internal.setdefault(message["internal"], []).append(named)
    if message["seconds"] > HANG_S:
        is_hang = max(message["processor"], message["again"]) > HANG_S
        times = f"{message['seconds']} s, of that {message['processor']} s of processor time"
        (report.hangs if is_hang else report.slow).append(
            f"{named}: {times}; again {message['again']} s"
        )
    if message["peak_mb"] > PEAK_MB:
        report.peaks.append(f"{named}: {message['peak_mb']} MB")
    report.opened += [f"{named}: {path}" for path in message["opened"]]
    report.talked += [f"{named}: {event}" for event in message["talked"]]
    if not message["internal"]:
        report.decoders += [f"{named}: {text[:300]}" for text in message["logged"]]
