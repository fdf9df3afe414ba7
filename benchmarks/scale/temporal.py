"""A long video with very many intervals: time must grow hardly faster than their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import Figure, shortest_in_turn
from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.temporal.scoring import score_temporal
from forensicviewer.app.temporal.trials import TemporalSettings

_Frames = NDArray[np.integer]
INTERVALS = (10_000, 40_000)
_SPACE = 60  # frames from one interval to the next


def measure(folder: Path) -> Iterator[Figure]:
    """Scoring alone: opening the tables and starting Python would hide how the time grows."""
    works = [_scoring(folder / str(count), count) for count in INTERVALS]
    few, many = shortest_in_turn(works, times=3)
    names = [f"{count:,} intervals" for count in INTERVALS]
    yield Figure(f"score temporal, {names[1]}", many, "s", peers={names[0]: few})
    yield Figure(f"score temporal, {names[1]} by {names[0]}", many / few, "", limit=5.0)


def _scoring(folder: Path, count: int) -> Callable[[], object]:
    answers = _write_video(folder, count)
    _, task = open_task(folder, name="video")
    submission = open_submission(answers, task=task)
    output = score_temporal(task, submission, TemporalSettings(collar=2))
    assert not output.problems, output.problems[:3]
    return partial(score_temporal, task, submission, TemporalSettings(collar=2))


def _write_video(folder: Path, count: int) -> Path:
    rng = np.random.default_rng(count)
    starts = 1 + _SPACE * np.arange(count)
    said = starts + rng.integers(0, 8, count)
    # Neither side lists its intervals in order: whoever sorts them must do so himself.
    marked = _cell(rng, starts, starts + rng.integers(10, 25, count))
    called = _cell(rng, said, said + rng.integers(10, 25, count))
    stem = "MFC2019-manipulation-video"
    reference = folder / "reference" / "manipulation-video"
    probe, step = "manipulation|V1|probe/V1.mp4", "J1|0|1"
    _write(
        folder / "indexes" / f"{stem}-index.csv",
        "TaskID|ProbeFileID|ProbeFileName|FrameCount|FrameRate",
        f"{probe}|{_SPACE * (count + 1)}|30",
    )
    _write(
        reference / f"{stem}-ref.csv",
        "TaskID|ProbeFileID|ProbeFileName|IsTarget|ProbeMaskFileName|JournalName",
        f"{probe}|Y||J1",
    )
    keys = "JournalName|StartNodeID|EndNodeID"
    _write(
        reference / f"{stem}-ref-journalmask.csv",
        f"{keys}|Operation|VideoFrame|AudioSample",
        f"{step}|PasteFrames|{marked}|[]",
    )
    _write(
        reference / f"{stem}-ref-probejournaljoin.csv",
        f"ProbeFileID|{keys}|VideoTaskDesignation",
        f"V1|{step}|temporal",
    )
    return _write(
        folder / "system.csv",
        "ProbeFileID|ConfidenceScore|ProbeStatus|VideoFrameSegments|AudioSampleSegments"
        "|VideoFrameOptOutSegments",
        f"V1|0.5|Processed|{called}|[]|[]",
    )


def _cell(rng: np.random.Generator, first: _Frames, last: _Frames) -> str:
    pairs = np.stack([first, last], axis=1)[rng.permutation(len(first))]
    return str(pairs.tolist())


def _write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
