"""Robustness of runs: F1 by attack and level, and one image with its predictions at every level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from forensicviewer.app.datasets.opening import open_submission
from forensicviewer.app.imdl.question import ask
from forensicviewer.app.imdl.settings import ImdlSettings
from forensicviewer.app.masks.counting import CountOutcome
from forensicviewer.app.report.separated_text import as_text
from forensicviewer.core.array import RgbImage
from forensicviewer.core.imdl.pixel_scores import as_levels
from forensicviewer.core.model import Task, Trial
from forensicviewer.core.problem import ForensicViewerError, ProblemLog
from forensicviewer.sources.imdl.masks import read_map
from forensicviewer.sources.tables.robustness_logs import (
    UNATTACKED,
    RobustnessPoint,
    read_robustness,
)

__all__ = [
    "PANELS",
    "UNATTACKED",
    "LevelView",
    "RobustRun",
    "RobustnessPoint",
    "points_of",
    "read_runs",
    "robustness_csv",
    "view_levels",
]

# The attack of each panel, and its levels in IMDL-BenCo's test_robust.py from weak to strong.
PANELS = {
    "blur": (3, 7, 11, 15, 19, 23),
    "noise": (3, 7, 11, 15, 19, 23),
    "JPEG": (100, 90, 80, 70, 60, 50),
}
COLUMNS = ("Run", "Attack", "Level", "F1")


@dataclass(frozen=True, slots=True)
class RobustRun:
    """A run by the name of its folder, and all its points."""

    name: str
    points: tuple[RobustnessPoint, ...]


@dataclass(frozen=True, slots=True, eq=False)
class LevelView:
    """One image at one level of one run: its map, small, and its F1; or why there is none."""

    image: str
    run: str
    attack: str
    level: float
    map: RgbImage | None = None
    f1: float = math.nan
    reason: str = ""


def read_runs(folders: Sequence[Path], log: ProblemLog) -> list[RobustRun]:
    """The robustness tests of some folders; a folder that has none is a problem."""
    runs = []
    for folder in folders:
        try:
            runs.append(RobustRun(folder.name, read_robustness(folder, log)))
        except ForensicViewerError as error:
            log.add(error.as_problem())
    return runs


def points_of(run: RobustRun, attack: str) -> list[RobustnessPoint]:
    """The scored points of a panel from weak to strong; first, where known, without an attack."""
    clean = [point for point in run.points if point.attack == UNATTACKED]
    found = [point for point in run.points if point.attack == attack]
    found.sort(key=lambda point: -point.level if attack == "JPEG" else point.level)
    attacked = [point for point in found if attack == "JPEG" or point.level > 0]
    return [point for point in (*clean, *attacked) if point.f1 is not None]


def robustness_csv(runs: Sequence[RobustRun]) -> str:
    """One line a scored point, separated by commas."""
    rows = [
        (run.name, point.attack, f"{point.level:g}", repr(point.f1))
        for run in runs
        for point in run.points
        if point.f1 is not None
    ]
    return as_text(COLUMNS, rows, separator=",")


def view_levels(
    task: Task, trial: Trial, runs: Sequence[RobustRun], *, edge_px: int
) -> list[LevelView]:
    """The predictions of one image at every level that has maps, in the order of the panels."""
    order = [UNATTACKED, *PANELS]
    found = []
    for run in runs:
        for attack in order:
            points = [point for point in run.points if point.attack == attack and point.maps]
            points.sort(key=lambda point: -point.level if point.attack == "JPEG" else point.level)
            found += [_view(task, trial, run, point, edge_px) for point in points]
    return found


def _view(
    task: Task, trial: Trial, run: RobustRun, point: RobustnessPoint, edge_px: int
) -> LevelView:
    view = LevelView(trial.id, run.name, point.attack, point.level)
    assert point.maps is not None
    try:
        submission = open_submission(point.maps, task=task)
        question = ask(task, submission, trial, ImdlSettings())
        if question.job is None or question.job.system is None:
            return replace(view, reason="This image has no prediction")
        answer = question.job.count()
        read = read_map(question.job.system, is_inverted=question.job.is_inverted)
    except ForensicViewerError as error:
        return replace(view, reason=str(error))
    except OSError as error:
        return replace(view, reason=error.strerror or str(error))
    if answer.outcome is not CountOutcome.COUNTED:
        return replace(view, map=_small(as_levels(read.values), edge_px), reason=answer.detail)
    f1 = answer.numbers["F1"]
    return replace(view, map=_small(as_levels(read.values), edge_px), f1=f1)


def _small(levels: np.typing.NDArray[np.uint8], edge_px: int) -> RgbImage:
    height, width = levels.shape
    scale = min(1.0, edge_px / max(height, width))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    grey = np.asarray(cv2.resize(levels, size, interpolation=cv2.INTER_AREA), np.uint8)
    return np.repeat(grey[:, :, np.newaxis], 3, axis=2)
