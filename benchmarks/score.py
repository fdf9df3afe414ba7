"""Mask scoring against scikit-learn and plain numpy, one mask end to end, and whole batches."""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import ParamSpec, TypeVar

import cv2
import numpy as np

from benchmarks.report import Figure, Report, best_of, busy_note, timed
from forensicviewer.app.datasets.opening import open_submission, open_task
from forensicviewer.app.masks.counting import CountOutcome, count_all
from forensicviewer.app.masks.image_count import CountJob, ImageMark, ReferenceKind
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.app.masks.run import score_masks
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.report.score_output import ScoreOutput, pipe_separated
from forensicviewer.app.runtime.batch import Crew, inline_crew
from forensicviewer.core.array import RgbImage, Size, U8Image
from forensicviewer.core.kernel import Kernels
from forensicviewer.core.mask import ReferenceMask, Region, Regions
from forensicviewer.core.model import Operation
from forensicviewer.core.score import ThresholdSweep
from forensicviewer.sources.media.masks import (
    Polarity,
    read_colour_reference,
    read_system_mask,
    write_colour_reference,
    write_grey,
)
from forensicviewer.sources.video.masks import write_video_mask

P = ParamSpec("P")
Result = TypeVar("Result")
LARGE = Size(width=4000, height=3000)
MEDIUM = Size(width=2400, height=1600)
SMALL = Size(width=160, height=120)
COLORS = ((255, 0, 0), (0, 247, 250), (0, 48, 255))
FRAME = Size(width=1920, height=1080)
DISTINCT = 10
VIDEOS = 8
FRAMES = 30
_SKLEARN = "scikit-learn at one threshold"
_NUMPY = "numpy at all thresholds"


def run(parts: Collection[str] = ()) -> Report:
    figures: list[Figure] = []
    for name, measure in PARTS.items():
        if not parts or name in parts:
            figures.extend(measure())
    return Report(
        "score",
        tuple(figures),
        notes=(
            f"  masks: one {LARGE}, batches {MEDIUM}, ten thousand {SMALL}; 256 levels",
            f"  video masks: {VIDEOS} of {FRAMES} frames, {FRAME}",
            busy_note(),
        ),
    )


def _in_memory() -> Iterator[Figure]:
    colours, scores = _paint(LARGE, seed=1)
    operations = [Operation("", "", "", "", color=color) for color in COLORS]
    regions = ReferenceMask.from_colours(colours, operations).regions([0, 1], Kernels())

    def from_colours() -> None:
        mask = ReferenceMask.from_colours(colours, operations)
        _everything(ThresholdSweep.of(scores, mask.regions([0, 1], Kernels())))

    given_s = best_of(lambda: _everything(ThresholdSweep.of(scores, regions)))
    whole_s = best_of(from_colours)
    sklearn_s = timed(lambda: _with_sklearn(scores, regions))[1]
    peers = {_SKLEARN: 1000 * sklearn_s, _NUMPY: 1000 * _with_numpy_s(scores, regions)}
    limit_ms = 1000 * sklearn_s / 200
    yield Figure("12 MP, regions given", 1000 * given_s, "ms", limit_ms, peers)
    yield Figure("12 MP, from the colour mask", 1000 * whole_s, "ms", limit_ms, peers)


def _everything(sweep: ThresholdSweep) -> object:
    """Every metric at every threshold."""
    return (
        (sweep.mcc, sweep.nmm, sweep.bwl1, sweep.gwl1, sweep.auc, sweep.eer, sweep.optimum),
        (sweep.f1, sweep.iou, sweep.precision, sweep.recall),
        (sweep.accuracy, sweep.balanced_accuracy),
    )


def _with_sklearn(scores: U8Image, regions: Regions) -> object:
    from sklearn import metrics

    scored = regions.codes <= Region.MANIPULATED
    truth = (regions.codes == Region.MANIPULATED)[scored]
    soft = scores[scored]
    called = soft >= 128
    return (
        metrics.f1_score(truth, called),
        metrics.jaccard_score(truth, called),
        metrics.accuracy_score(truth, called),
        metrics.roc_auc_score(truth, soft),
    )


def _with_numpy_s(scores: U8Image, regions: Regions) -> float:
    """Seconds a straightforward loop over all 257 thresholds takes, judged by eight of them."""
    inside = regions.codes == Region.MANIPULATED
    outside = regions.codes == Region.BACKGROUND

    def eight() -> list[tuple[int, int]]:
        called = [scores >= t for t in range(0, 256, 32)]
        return [(int((c & inside).sum()), int((c & outside).sum())) for c in called]

    return timed(eight)[1] / 8 * 257


def _end_to_end() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        reference, system = _write_masks(Path(folder), "large", LARGE, seed=2)
        marks = tuple(ImageMark(color, None, selected=True) for color in COLORS)
        job = CountJob(
            reference=reference,
            system=system,
            kind=ReferenceKind.COLOURS,
            marks=marks,
            kernels=Kernels(),
        )

        def decode() -> None:
            """In this process, without the detour."""
            read_colour_reference.here(reference)
            read_system_mask.here(system, manipulated_is=Polarity.BLACK)

        assert count_all([job])[0].outcome is CountOutcome.COUNTED
        decode_s, whole_s = best_of(decode), best_of(lambda: count_all([job]))
    yield Figure(
        "12 MP end to end", 1000 * whole_s, "ms", 1500 * decode_s, {"decoding": 1000 * decode_s}
    )


def _batches() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_dataset(folder, MEDIUM, trials=1000)
        times = {}
        for workers in (1, 2):
            with _running(workers) as crew:
                times[workers] = timed(lambda crew=crew: _score(folder, crew))[1]  # type: ignore[misc]
        with ResultStore(folder / "scores.sqlite") as store:
            first_s = timed(lambda: _score(folder, inline_crew(), store))[1]
            second_s = timed(lambda: _score(folder, inline_crew(), store))[1]
    rate = {workers: 1000 / seconds for workers, seconds in times.items()}
    yield Figure(
        "1000 masks, 2 processes",
        rate[2],
        "1/s",
        limit=1.8 * rate[1],
        peers={"1 process": rate[1]},
        more_is_better=True,
    )
    yield Figure("1000 masks, second run", second_s, "s", first_s / 50, {"first run": first_s})


def _videos() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_videos(folder)
        score = partial(_score, folder, inline_crew(), task="video")
        with ResultStore(folder / "scores.sqlite") as store:
            first_s = timed(lambda: score(store=store))[1]
            second_s = timed(lambda: score(store=store))[1]
    # No promise: a row of numbers for every frame is written again, whatever its size.
    yield Figure("video masks, second run", second_s, "s", peers={"first run": first_s})


def _memory() -> Iterator[Figure]:
    """How much more memory ten thousand masks take than the first thousand of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_dataset(folder, SMALL, trials=10_000)
        seen: dict[int, float] = {}

        def watch(done: int, total: int) -> None:
            # Progress comes in bundles.
            if done >= 1000:
                seen.setdefault(1000, _memory_mb())
            if done == total:
                seen[total] = _memory_mb()

        _score(folder, inline_crew(), progress=watch)
    yield Figure("10,000 masks, growth since 1,000", seen[10_000] - seen[1000], "MB", 64)


def _memory_mb() -> float:
    if sys.platform != "linux":
        return float("nan")
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


class _Lasting(Executor):
    """An executor that stays open when a batch closes it, so that starting it is not measured."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(
        self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Result]:
        return self._executor.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002
        del wait, cancel_futures


@contextmanager
def _running(workers: int) -> Iterator[Crew]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_one_thread) as executor:
        list(executor.map(_wake, range(4 * workers)))
        yield Crew(lambda: _Lasting(executor), max(2, workers))


def _one_thread() -> None:
    cv2.setNumThreads(1)


def _wake(number: int) -> int:
    return number


def _score(
    folder: Path,
    crew: Crew,
    store: ResultStore | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    task: str = "manipulation",
) -> ScoreOutput:
    _, opened = open_task(folder, name=task)
    submission = open_submission(folder / "system.csv", task=opened)
    output = score_masks(
        opened, submission, MaskSettings(threshold=128), crew=crew, store=store, progress=progress
    )
    assert not output.problems, output.problems[:3]
    return output


def _write_dataset(folder: Path, size: Size, *, trials: int) -> None:
    """A dataset of a few masks under many names: each name is read and counted on its own."""
    masks = [_write_masks(folder, f"mask{i}", size, seed=i) for i in range(DISTINCT)]
    names = [f"p{number}" for number in range(trials)]
    for number, name in enumerate(names):
        _link(masks[number % DISTINCT], folder / name)
    _write_tables(folder, "NC2017-manipulation", names, size, ending="png")


def _write_videos(folder: Path) -> None:
    """The masks of one video under several names."""
    colours, scores = _paint(FRAME, seed=1)
    marked = np.where((colours < 255).any(axis=2), 0, 255).astype(np.uint8)
    paths = folder / "video-r.hdf5", folder / "video-s.hdf5"
    for path, frame in zip(paths, (marked, 255 - scores), strict=True):
        write_video_mask(path, {0: np.stack([np.roll(frame, i, axis=1) for i in range(FRAMES)])})
    names = [f"v{number}" for number in range(VIDEOS)]
    for name in names:
        _link(paths, folder / name)
    _write_tables(folder, "MFC2019-manipulation-video", names, FRAME, ending="hdf5")


def _link(masks: tuple[Path, Path], name: Path) -> None:
    for path, kind in zip(masks, ("r", "s"), strict=True):
        name.with_name(f"{name.name}{kind}{path.suffix}").hardlink_to(path)


def _write_tables(
    folder: Path, task: str, names: Sequence[str], size: Size, *, ending: str
) -> None:
    """Index, reference, journal and answers of probes whose masks are named after them."""
    stem = folder / "reference" / task.partition("-")[2] / f"{task}-ref"
    index = [[p, f"{p}.jpg", str(size.width), str(size.height)] for p in names]
    _table(
        folder / "indexes" / f"{task}-index.csv",
        ("ProbeFileID", "ProbeFileName", "ProbeWidth", "ProbeHeight"),
        index,
    )
    _table(
        stem.with_suffix(".csv"),
        ("ProbeFileID", "ProbeFileName", "IsTarget", "ProbeMaskFileName", "JournalName"),
        [[p, f"{p}.jpg", "Y", f"{p}r.{ending}", "J"] for p in names],
    )
    steps = [["J", str(i), f"{i}b"] for i in range(len(COLORS))]
    keys = ("JournalName", "StartNodeID", "EndNodeID")
    _table(
        stem.with_name(f"{stem.name}-probejournaljoin.csv"),
        ("ProbeFileID", *keys),
        [[p, *step] for p in names for step in steps],
    )
    colors = [" ".join(map(str, color)) for color in COLORS]
    _table(
        stem.with_name(f"{stem.name}-journalmask.csv"),
        (*keys, "Operation", "Color", "Purpose"),
        [[*step, "Paste", color, "add"] for step, color in zip(steps, colors, strict=True)],
    )
    _table(
        folder / "system.csv",
        ("ProbeFileID", "ConfidenceScore", "OutputProbeMaskFileName", "IsOptOut"),
        [[p, "0.5", f"{p}s.{ending}", "N"] for p in names],
    )


def _table(path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    task = [["manipulation", *row] for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(pipe_separated(("TaskID", *columns), task), encoding="utf-8")


def _write_masks(folder: Path, name: str, size: Size, *, seed: int) -> tuple[Path, Path]:
    colours, scores = _paint(size, seed=seed)
    reference, system = folder / f"{name}-r.png", folder / f"{name}-s.png"
    write_colour_reference(reference, colours)
    write_grey(system, np.asarray(255 - scores, np.uint8))
    return reference, system


def _paint(size: Size, *, seed: int) -> tuple[RgbImage, U8Image]:
    """Three objects in three colours, and a blurred and noisy answer of all grey levels."""
    random = np.random.default_rng(seed)
    colours = np.full((size.height, size.width, 3), 255, np.uint8)
    for color in COLORS:
        centre = random.integers(size.height // 4, 3 * size.height // 4, 2)
        cv2.circle(colours, [int(x) for x in centre], size.height // 7, color, -1)
    soft = cv2.blur(np.where((colours < 255).any(axis=2), 200, 40).astype(np.uint8), (31, 31))
    noise = random.integers(0, 56, size=(size.height, size.width), dtype=np.uint8)
    return colours, np.asarray(cv2.add(soft, noise), np.uint8)


PARTS: dict[str, Callable[[], Iterator[Figure]]] = {
    "pixels": _in_memory,
    "mask": _end_to_end,
    "batches": _batches,
    "videos": _videos,
    "memory": _memory,
}
