"""IMDL-BenCo's metrics at all thresholds against scikit-learn and its own code at one, and lists.

``AUC_benco`` is timed apart: it repeats the order of a sort, which no histogram knows.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
import numpy as np
from sklearn.metrics import accuracy_score, f1_score, jaccard_score, roc_auc_score

from benchmarks.report import Figure, Report, best_of
from forensicviewer.app.trials.library import Library
from forensicviewer.app.trials.score_columns import Scores, score_columns
from forensicviewer.app.trials.trial_filter import Sort, TrialFilter
from forensicviewer.core.array import BoolImage, U8Image
from forensicviewer.core.imdl.pixel_scores import NO_KERNELS, measure, regions_of
from forensicviewer.core.imdl.ranking import Ranking
from forensicviewer.core.imdl.run_scores import f1_curve
from forensicviewer.core.imdl.sort_order import descending_order
from forensicviewer.core.mask import Region
from forensicviewer.core.model import Edition, Task, TaskKind
from forensicviewer.core.score import LevelCounts, ThresholdSweep
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.layouts.trials import TableTrials

PAIRS = 100
_PEER_PAIRS = 3  # of the same pairs; scikit-learn takes most of a second for each
_LISTED = 10_000
_SKLEARN = "scikit-learn at one threshold"
_BENCO = "IMDL-BenCo at one threshold"
Pairs = Sequence[tuple[U8Image, BoolImage]]


def run() -> Report:
    cv2.setNumThreads(1)
    figures = [figure for edge in (512, 1024) for figure in _scoring(edge)]
    notes = ["one thread; 8-bit maps and masks in memory; means per pair"]
    if not _benco():
        notes.append("IMDL-BenCo and torch are not importable here, so its code was not timed")
    return Report("imdl", (*figures, *_listing()), notes=tuple(notes))


def _pairs(edge: int) -> Pairs:
    random = np.random.default_rng(7)
    found = []
    for _ in range(PAIRS):
        top, left = (int(at) for at in random.integers(0, edge * 3 // 4, 2))
        area = np.zeros((edge, edge), np.bool_)
        area[top : top + edge // 4, left : left + edge // 4] = True
        noise = random.normal(60, 40, (edge, edge)).astype(np.float32)
        found.append((np.clip(noise + 110 * area, 0, 255).astype(np.uint8), area))
    return found


def _scoring(edge: int) -> list[Figure]:
    pairs = _pairs(edge)
    ours = _per_pair(_at_all_thresholds, pairs)
    peers = {_SKLEARN: _per_pair(_by_sklearn, pairs[:_PEER_PAIRS])}
    theirs = _benco()
    if theirs is not None:
        peers[_BENCO] = _per_pair(theirs, pairs[:_PEER_PAIRS])
    exact = _per_pair(lambda values, area: measure(values, area, threshold=0.5), pairs[:10])
    alone = _per_pair(_in_order_of_sort, pairs[:10])
    return [
        Figure(f"all metrics at all thresholds, {edge}²", ours, "ms", peers=peers),
        Figure(f"AUC_benco alone, as it is and inverted, {edge}²", alone, "ms"),
        Figure(f"every definition with AUC_benco and border band, {edge}²", exact, "ms"),
    ]


def _at_all_thresholds(values: U8Image, area: BoolImage) -> object:
    """F1, IoU, accuracy in three modes, and AUC: everything the slider needs."""
    levels = LevelCounts.of(values, regions_of(area, scored=None, kernels=NO_KERNELS))
    sweep = ThresholdSweep(levels)
    ranking = Ranking.of_levels(levels.table[Region.MANIPULATED], levels.table[Region.BACKGROUND])
    return f1_curve(levels), sweep.iou, sweep.accuracy, ranking.auc, ranking.best_f1


def _in_order_of_sort(values: U8Image, area: BoolImage) -> object:
    """What AUC_benco costs beyond the histograms: both sorts, and the counts in their order."""
    manipulated = area.ravel()
    orders = (descending_order(each.ravel()) for each in (values, np.invert(values)))
    return [np.cumsum(manipulated[order], dtype=np.int64) for order in orders]


def _by_sklearn(values: U8Image, area: BoolImage) -> object:
    truth, scores = area.ravel(), values.ravel()
    called = scores >= 128
    return (
        f1_score(truth, called),
        jaccard_score(truth, called),
        accuracy_score(truth, called),
        roc_auc_score(truth, scores),
    )


def _benco() -> Callable[[U8Image, BoolImage], object] | None:
    """IMDL-BenCo's four pixel evaluators, where torch and its code are importable."""
    try:
        torch = importlib.import_module("torch")
        parts = [
            importlib.import_module(f"IMDLBenCo.evaluation.{name}")
            for name in ("F1", "IOU", "Accuracy", "AUC")
        ]
    except ImportError:
        return None
    torch.set_num_threads(1)
    names = ("PixelF1", "PixelIOU", "PixelAccuracy", "PixelAUC")
    evaluators = [getattr(part, name)() for part, name in zip(parts, names, strict=True)]

    def evaluate(values: U8Image, area: BoolImage) -> object:
        predict = torch.from_numpy(values.astype(np.float32) / 255)[None, None]
        mask = torch.from_numpy(area.astype(np.float32))[None, None]
        return [evaluator.batch_update(predict, mask) for evaluator in evaluators]

    return evaluate


def _per_pair(work: Callable[[U8Image, BoolImage], object], pairs: Pairs) -> float:
    def everything() -> None:
        for values, area in pairs:
            work(values, area)

    return 1000 * best_of(everything, times=2) / len(pairs)


def _listing() -> list[Figure]:
    """A list of ten thousand scored pairs: shown, filtered and sorted."""
    task = _task()
    random = np.random.default_rng(3)
    columns = {column.name: random.random(_LISTED) for column in score_columns(task)}
    library = Library(task, None, scores=Scores(_LISTED, columns, is_complete=True))
    wanted = TrialFilter(text="Image_00")

    def arrange() -> None:
        Library(task, None, scores=library.scores).arranged(wanted, Sort("F1"))

    return [Figure("list, filter and sort 10,000 pairs", 1000 * best_of(arrange), "ms", limit=200)]


def _task() -> Task:
    names = [f"Image_{number:05}.jpg" for number in range(_LISTED)]
    table = Table.of(
        "pairs",
        {
            "ProbeFileID": names,
            "ProbeFileName": [f"Tp/{name}" for name in names],
            "ProbeMaskFileName": [f"Gt/{name}" for name in names],
            "IsTarget": ["Y"] * _LISTED,
        },
    )
    trials = TableTrials(TaskKind.IMDL, table, journal_masks=None, probe_journals=None)
    return Task(TaskKind.IMDL, Edition.IMDL, Path(), table, trials, reference=table)
