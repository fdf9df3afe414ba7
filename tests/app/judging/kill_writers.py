"""Kills writers of verdicts and looks whether one that was acknowledged is lost.

``python -m tests.app.judging.kill_writers --count 1000 --writers 2`` prints how many were killed,
how many verdicts were acknowledged, lost, and in how many logs a change was found that nobody made.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from forensicviewer.app.judging.verdict_log import VerdictBook
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import Severity
from forensicviewer.core.verdict import Ruling, Verdict

# A log is begun anew after so many kills, or reading it would take most of the time.
_KILLS_A_LOG = 20


@dataclass(frozen=True, slots=True)
class Losses:
    """What came of killing: ``alarms`` are errors found in logs that nobody changed."""

    killed: int
    acknowledged: int
    lost: tuple[str, ...]
    alarms: tuple[str, ...]
    torn: int


def kill_writers(folder: Path, *, count: int, writers: int = 1, seed: int = 1) -> Losses:
    """Kill ``count`` times while ``writers`` processes write one judge's log."""
    chance = random.Random(seed)
    killed = acknowledged = torn = 0
    lost: list[str] = []
    alarms: list[str] = []
    while killed < count:
        place, said = folder / f"log{killed:06d}", list[str]()
        for round_ in range(min(_KILLS_A_LOG, count - killed)):
            names = [f"{round_}-{writer}" for writer in range(writers)]
            said += _killed(place, names, chance.uniform(0, 0.02))
            book = VerdictBook(place, judge="Ada")
            held = {one.trial_id for one in book.entries if isinstance(one, Verdict)}
            lost += [f"{place.name}:{trial}" for trial in said if trial not in held]
            errors = [one for one in book.problems if one.severity is Severity.ERROR]
            alarms += [f"{one.where}: {one.message}" for one in errors]
            torn += sum(one.rule == "verdict.torn" for one in book.problems)
            killed += 1
        acknowledged += len(said)
    return Losses(killed, acknowledged, tuple(lost), tuple(alarms), torn)


def _killed(place: Path, names: list[str], wait_s: float) -> list[str]:
    """Let processes write until the first verdict of each is kept, and a while more."""
    running = [_writer(place, name) for name in names]
    heard = [os.read(pipe, 1 << 12) for _, pipe in running]
    time.sleep(wait_s)
    for process, _ in running:
        os.kill(process, signal.SIGKILL)
    said = []
    for (process, pipe), first in zip(running, heard, strict=True):
        os.waitpid(process, 0)
        with os.fdopen(pipe, "rb") as stream:
            said += (first + stream.read()).decode().split("\n")[:-1]
    return said


def _writer(place: Path, name: str) -> tuple[int, int]:
    """A process that writes verdicts without end, and a pipe with each that it was told is kept."""
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return process, reading
    book = VerdictBook(place, judge="Ada")
    for number in range(1 << 30):
        trial = f"{name}-{number}"
        book.say(TrialId(trial), Ruling.SOUND, note="x" * 500, facts={})
        os.write(writing, f"{trial}\n".encode())
    os._exit(0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--writers", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = kill_writers(
            Path(folder), count=options.count, writers=options.writers, seed=options.seed
        )
    sys.stdout.write(
        f"killed {found.killed}, acknowledged {found.acknowledged}, lost {len(found.lost)}, "
        f"false alarms {len(found.alarms)}, torn lines set aside {found.torn}\n"
    )
    sys.stdout.writelines(f"{one}\n" for one in (*found.lost, *found.alarms)[:20])
    return 1 if found.lost or found.alarms else 0


if __name__ == "__main__":
    sys.exit(main())
