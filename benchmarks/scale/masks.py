"""Very many tiny masks and some large ones: on one and two processes, on Dask, and a second time.

Every run is a program of its own with an empty store of scores, the second runs excepted.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.report import Figure
from benchmarks.scale.data import MaskPlaces, write_masks
from benchmarks.scale.program import Run, run
from forensicviewer.core.array import Size

TINY, LARGE = Size(width=160, height=120), Size(width=4000, height=3000)
LARGE_MASKS = 50
_ONE, _TWO, _FIRST = "one process", "two processes", "first run"


def measure_tiny(folder: Path, *, masks: int, mediscore: Path | None) -> Iterator[Figure]:
    """``score mask`` of masks that take longer to fetch than to count."""
    place = write_masks(folder / "tiny", size=TINY, masks=masks)
    few = write_masks(folder / "few", size=TINY, masks=masks // 4)
    small, one, two = (_score(folder, *case) for case in ((few, 2), (place, 1), (place, 2)))
    again = _score(folder, place, 2, is_first=False)
    name = f"score mask, {masks:,} masks of {TINY}"
    yield Figure(f"{name}, per mask", 1000 * one.seconds / masks, "ms", 1.6)
    yield Figure(f"{name}, processor time each", 1000 * one.cpu_s / masks, "ms")
    yield Figure(f"{name}, two processes", two.seconds, "s", peers={_ONE: one.seconds})
    yield _at_least(f"{name}, two processes by one", one.seconds / two.seconds, 1.7)
    grown_kb = 1e6 * (two.memory_gb - small.memory_gb) / (masks - masks // 4)
    yield Figure(f"{name}, memory of a mask", grown_kb, "KB", 2.0)
    yield Figure(f"{name}, second run", again.seconds, "s", peers={_FIRST: one.seconds})
    yield Figure(f"{name}, second run, processor time", again.cpu_s, "s", peers={_FIRST: one.cpu_s})
    yield _at_least(f"{name}, first run by second", one.seconds / again.seconds, 20.0)
    yield from _with_peer(folder, few, name, mediscore)


def measure_large(folder: Path, *, mediscore: Path | None) -> Iterator[Figure]:
    """``score mask`` of masks that take long to decode."""
    place = write_masks(folder / "large", size=LARGE, masks=LARGE_MASKS)
    decoding: list[str | Path] = ["-m", "benchmarks.scale.decoding", "2", *place.files]
    firsts, plain = zip(
        *((_score(folder, place, 2), run(*decoding)) for _ in range(2)), strict=True
    )
    again = min(_score(folder, place, 2, is_first=False).seconds for _ in range(3))
    first_s, plain_s = (min(one.seconds for one in runs) for runs in (firsts, plain))
    name = f"score mask, {LARGE_MASKS} masks of {LARGE}"
    yield Figure(f"{name}, two processes", first_s, "s", 1.3 * plain_s, {"only decoding": plain_s})
    yield Figure(f"{name}, second run", again, "s", 0.35, {_FIRST: first_s})
    yield from _with_peer(folder, place, name, mediscore)


def measure_dask(folder: Path, *, masks: int) -> Iterator[Figure]:
    """The same on a cluster of two workers, beside our own two processes."""
    cases = ((TINY, masks // 4, 0.7), (LARGE, LARGE_MASKS, 0.9))
    with _cluster() as address:
        for size, count, limit in cases:
            place = write_masks(folder / f"dask-{size}", size=size, masks=count)
            own, dask = _score(folder, place, 2), _score(folder, place, address)
            name = f"score mask on Dask, {count:,} masks of {size}"
            yield Figure(name, dask.seconds, "s", peers={_TWO: own.seconds})
            yield _at_least(f"{name}, by own processes", own.seconds / dask.seconds, limit)


def _score(folder: Path, place: MaskPlaces, crew: int | str, *, is_first: bool = True) -> Run:
    cache = folder / "cache"
    if is_first:
        shutil.rmtree(cache, ignore_errors=True)
    who = ("--workers", str(crew)) if isinstance(crew, int) else ("--scheduler", crew)
    scored = ("-m", "forensicviewer", "score", "mask", place.root, place.submission, "--quiet")
    return run(*scored, *who, "--out", folder / "scores", environment={"XDG_CACHE_HOME": cache})


@contextmanager
def _cluster() -> Iterator[str]:
    import distributed

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def _with_peer(
    folder: Path, place: MaskPlaces, name: str, mediscore: Path | None
) -> Iterator[Figure]:
    """MediScore's scorer of masks, where a copy of it and what it needs are installed."""
    if mediscore is None:
        return
    ours = _score(folder, place, 2)
    theirs = run(
        *(mediscore / "tools" / "MaskScorer" / "MaskScorer.py", "-t", "manipulation"),
        *("--refDir", place.root, "-r", place.reference.relative_to(place.root)),
        *("-x", place.index.relative_to(place.root), "--sysDir", place.root),
        *("-s", place.submission.relative_to(place.root), "--speedup", "-p", "2"),
        *("--outRoot", folder / "mediscore" / "scores"),
    )
    yield Figure(
        f"{name}, beside MediScore", ours.seconds, "s", peers={"MediScore": theirs.seconds}
    )


def _at_least(name: str, ratio: float, limit: float) -> Figure:
    return Figure(name, ratio, "", limit=limit, more_is_better=True)
