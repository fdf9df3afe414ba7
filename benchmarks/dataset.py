"""A million splice trials: opening, listing, filtering and sorting them, beside pandas."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import Figure, Report, best_of, busy_note, peak_memory_gb, timed

TRIALS = 1_000_000
QUERY = "Operation == ['PasteSplice', 'Clone'] and ProbeWidth > 3000"
SORTED_BY = "ProbeFileID"

_PROBES, _DONORS = 10_000, 5_000
_ROWS_AT_ONCE = 50_000


def run() -> Report:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "MFC2019"
        write_dataset(root, trials=TRIALS)
        ours = _in_own_process(measure_ours, root)
        pandas = _in_own_process(measure_pandas, root)
    figures = [
        ("open index and reference", "s", 5.0, "open"),
        ("open, processor time", "s", None, "open processor"),
        ("peak memory after opening", "GB", 1.5, "memory"),
        ("list 1,000 trials", "ms", 200.0, "list"),
        ("filter by query, first time", "ms", 200.0, "filter"),
        ("filter by query, again", "ms", 200.0, "filter again"),
        ("sort by probe, first time", "ms", 200.0, "sort"),
        ("sort by probe, again", "ms", 200.0, "sort again"),
        ("find a trial by its id", "ms", None, "find"),
    ]
    return Report(
        f"dataset: {TRIALS:,} splice trials with metadata",
        tuple(
            Figure(
                name,
                ours[key],
                unit,
                limit=limit,
                peers={"pandas": pandas[key]} if key in pandas else {},
            )
            for name, unit, limit, key in figures
        ),
        notes=(
            busy_note(),
            f"  query: {QUERY}; pandas: read_csv of both tables, merge, query, sort_values",
        ),
    )


def measure_ours(root: Path) -> dict[str, float]:
    from forensicviewer.app.datasets.opening import open_dataset
    from forensicviewer.app.trials.library import Library
    from forensicviewer.app.trials.trial_filter import Sort, TrialFilter

    before = time.process_time()
    dataset, open_s = timed(lambda: open_dataset(root))
    measured = {"open": open_s, "open processor": time.process_time() - before}
    measured["memory"] = peak_memory_gb()
    task = dataset.tasks[0]
    library = Library(task)
    rows = np.linspace(0, len(task.trials) - 1, 1000).astype(int).tolist()
    measured["list"] = 1000 * best_of(lambda: [task.trials[row].id for row in rows])
    work: dict[str, Callable[[], Any]] = {
        "filter": lambda: library.arranged(TrialFilter(text=QUERY), Sort()),
        "sort": lambda: library.arranged(TrialFilter(), Sort(SORTED_BY)),
    }
    for name, action in work.items():
        measured[name] = 1000 * timed(action)[1]
        measured[f"{name} again"] = 1000 * best_of(action)
    ids = task.trials.ids()
    task.trials.row_of(ids[0])
    measured["find"] = 1000 * best_of(lambda: task.trials.row_of(ids[len(ids) // 2]))
    return measured


def measure_pandas(root: Path) -> dict[str, float]:
    import pandas as pd

    def opened() -> pd.DataFrame:
        index = pd.read_csv(root / "indexes" / "MFC2019-splice-index.csv", sep="|")
        reference = pd.read_csv(root / "reference" / "splice" / "MFC2019-splice-ref.csv", sep="|")
        keys = ["ProbeFileID", "DonorFileID"]
        added = [name for name in reference.columns if name in keys or name not in index.columns]
        return index.merge(reference[added], how="left", on=keys)

    before = time.process_time()
    trials, open_s = timed(opened)
    measured = {"open": open_s, "open processor": time.process_time() - before}
    measured["memory"] = peak_memory_gb()
    rows = np.linspace(0, len(trials) - 1, 1000).astype(int)
    measured["list"] = 1000 * best_of(lambda: trials.iloc[rows].to_dict("records"))
    work: dict[str, Callable[[], Any]] = {
        "filter": lambda: trials.query(QUERY),
        "sort": lambda: trials[SORTED_BY].sort_values(kind="stable").index,
    }
    for name, action in work.items():
        measured[name] = 1000 * timed(action)[1]
        measured[f"{name} again"] = 1000 * best_of(action, times=3)
    return measured


def write_dataset(root: Path, *, trials: int) -> None:
    """Write an index and a reference of splice pairs with the kinds of metadata NIST adds."""
    table = _columns(trials)
    index = ("TaskID", *_media("Probe"), *_media("Donor"))
    reference = (
        "TaskID",
        "ProbeFileID",
        "ProbeFileName",
        "DonorFileID",
        "DonorFileName",
        "IsTarget",
        "ProbeMaskFileName",
        "BinaryProbeMaskFileName",
        "DonorMaskFileName",
        "JournalName",
        "Operation",
        "HPDeviceID",
        "Face",
        "Quality",
        "Collection",
    )
    _write(root / "indexes" / "MFC2019-splice-index.csv", index, table)
    _write(root / "reference" / "splice" / "MFC2019-splice-ref.csv", reference, table)


def _media(who: str) -> tuple[str, ...]:
    return tuple(f"{who}{part}" for part in ("FileID", "FileName", "Width", "Height"))


def _columns(trials: int) -> dict[str, list[str]]:
    rng = np.random.default_rng(2019)
    probes, donors = _digests(rng, _PROBES), _digests(rng, _DONORS)
    probe = [probes[i * _PROBES // trials] for i in range(trials)]
    donor = [donors[i * 49 % _DONORS] for i in range(trials)]
    target = [i % 10 == 0 for i in range(trials)]
    masks = [f"reference/splice/mask/{p}" if t else "" for p, t in zip(probe, target, strict=True)]
    operations = ("PasteSplice", "PasteSampled", "Clone", "Fill")
    return {
        "TaskID": ["splice"] * trials,
        "ProbeFileID": probe,
        "ProbeFileName": [f"probe/{name}.jpg" for name in probe],
        "ProbeWidth": _numbers(rng, trials, 600, 6000),
        "ProbeHeight": _numbers(rng, trials, 400, 4000),
        "DonorFileID": donor,
        "DonorFileName": [f"world/{name}.jpg" for name in donor],
        "DonorWidth": _numbers(rng, trials, 600, 6000),
        "DonorHeight": _numbers(rng, trials, 400, 4000),
        "IsTarget": ["Y" if is_target else "N" for is_target in target],
        "ProbeMaskFileName": [f"{mask}.png" if mask else "" for mask in masks],
        "BinaryProbeMaskFileName": [f"{mask}-bin.png" if mask else "" for mask in masks],
        "DonorMaskFileName": [f"{mask}-donor.png" if mask else "" for mask in masks],
        "JournalName": [p if t else "" for p, t in zip(probe, target, strict=True)],
        "Operation": [operations[i] for i in rng.integers(0, 4, trials)],
        "HPDeviceID": [f"PAR-{i:04d}" for i in rng.integers(0, 200, trials)],
        "Face": ["yes" if i else "no" for i in rng.integers(0, 2, trials)],
        "Quality": [f"{q:.4f}" for q in rng.random(trials)],
        "Collection": [f"Nimble-{i}" for i in rng.integers(0, 5, trials)],
    }


def _digests(rng: np.random.Generator, count: int) -> list[str]:
    return [digest.tobytes().hex() for digest in rng.integers(0, 256, (count, 16), dtype=np.uint8)]


def _numbers(rng: np.random.Generator, count: int, low: int, high: int) -> list[str]:
    return [str(number) for number in rng.integers(low, high, count)]


def _write(path: Path, names: tuple[str, ...], table: dict[str, list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = [table[name] for name in names]
    with path.open("w", encoding="utf-8") as stream:
        stream.write("|".join(names) + "\n")
        for start in range(0, len(columns[0]), _ROWS_AT_ONCE):
            rows = zip(*(column[start : start + _ROWS_AT_ONCE] for column in columns), strict=True)
            stream.write("".join("|".join(row) + "\n" for row in rows))


def _in_own_process(measure: Callable[[Path], dict[str, float]], root: Path) -> dict[str, float]:
    """Measured in a fresh process, so that the memory is that of this work alone."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        return pool.submit(measure, root).result()
