"""What a benchmark measured, and how it is printed."""

from __future__ import annotations

import gc
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TypeVar

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number; smaller is better unless ``more_is_better``.

    ``limit`` is what we promised, ``peers`` the same measured with other software in the same run.
    """

    name: str
    value: float
    unit: str
    limit: float | None = None
    peers: dict[str, float] = field(default_factory=dict)
    more_is_better: bool = False
    runs: tuple[float, ...] = ()  # each of several runs, of which ``value`` is the middle one

    @property
    def is_kept(self) -> bool | None:
        """Whether the promise was kept; ``None`` where none was made."""
        if self.limit is None:
            return None
        return self.value >= self.limit if self.more_is_better else self.value <= self.limit

    def ratio_to(self, peer: str) -> float:
        """How many times better than the peer."""
        ours, theirs = self.value, self.peers[peer]
        better, worse = (ours, theirs) if self.more_is_better else (theirs, ours)
        return better / worse if worse else float("inf")


@dataclass(frozen=True, slots=True)
class Report:
    """Everything one benchmark measured."""

    name: str
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        width = max((len(figure.name) for figure in self.figures), default=0)
        return [self.name, *(_line(figure, width) for figure in self.figures), *self.notes]

    def as_document(self) -> dict[str, object]:
        return {
            "name": self.name,
            "figures": [
                {
                    "name": figure.name,
                    "value": figure.value,
                    "unit": figure.unit,
                    "limit": figure.limit,
                    "is_kept": figure.is_kept,
                    "runs": list(figure.runs),
                    "peers": figure.peers,
                    "times_better": {peer: figure.ratio_to(peer) for peer in figure.peers},
                }
                for figure in self.figures
            ],
            "notes": list(self.notes),
        }


def timed(work: Callable[[], _Result]) -> tuple[_Result, float]:
    """The result of some work and the seconds it took."""
    gc.collect()
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started


def best_of(work: Callable[[], object], *, times: int = 5) -> float:
    """The shortest of several runs, in seconds: other programs only ever make it longer."""
    return min(timed(work)[1] for _ in range(times))


def shortest_in_turn(works: Sequence[Callable[[], object]], *, times: int) -> list[float]:
    """The shortest run of each work; they take turns, as the machine's speed changes."""
    rounds = [[timed(work)[1] for work in works] for _ in range(times)]
    return [min(runs) for runs in zip(*rounds, strict=True)]


def middle_of(runs: Sequence[Sequence[Figure]]) -> list[Figure]:
    """The same figures of several runs, each with the value in the middle."""
    return [
        replace(
            same[0],
            value=statistics.median(figure.value for figure in same),
            peers={
                peer: statistics.median(figure.peers[peer] for figure in same)
                for peer in same[0].peers
            },
            runs=tuple(figure.value for figure in same),
        )
        for same in zip(*runs, strict=True)
    ]


def write_figures(path: Path, figures: Sequence[Figure]) -> None:
    path.write_text(json.dumps([asdict(figure) for figure in figures]), encoding="utf-8")


def read_figures(path: Path) -> list[Figure]:
    return [Figure(**stored) for stored in json.loads(path.read_text(encoding="utf-8"))]


def longest_pause_ms(*, watched_s: float = 5.0) -> float:
    """How long the machine stopped this program while it did nothing but look at the clock."""
    longest_s = 0.0
    before = time.perf_counter()
    until = before + watched_s
    while before < until:
        now = time.perf_counter()
        longest_s, before = max(longest_s, now - before), now
    return 1000 * longest_s


def peak_memory_gb() -> float:
    """The most memory this process ever held; NaN where the system does not tell."""
    status = Path("/proc/self/status")
    if status.is_file():
        # Not getrusage: on Linux it begins with what the parent held when this process started.
        fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) * 1024 / 1e9
    if sys.platform == "win32":
        return float("nan")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e9 if sys.platform == "darwin" else peak * 1024 / 1e9


def busy_note() -> str:
    """A line telling how busy the machine was, since that decides how far times can be trusted."""
    if not hasattr(os, "getloadavg"):
        return f"  {os.cpu_count()} processors"
    return f"  {os.getloadavg()[0]:.1f} programs were running on {os.cpu_count()} processors"


def _line(figure: Figure, width: int) -> str:
    said = {None: "", True: " kept", False: " MISSED"}[figure.is_kept]
    limit = "" if figure.limit is None else f"  limit {figure.limit:g}{said}"
    peers = "".join(
        f"  {peer} {value:.4g} ({figure.ratio_to(peer):.2g}×)"  # noqa: RUF001 - the sign for times
        for peer, value in figure.peers.items()
    )
    runs = "".join(f" {run:.3g}" for run in sorted(figure.runs))
    runs = f"  runs{runs}" if runs else ""
    return f"  {figure.name:<{width}}  {figure.value:>9.4g} {figure.unit:<3}{limit}{peers}{runs}"
