"""The table of definitions for the current image and the run it belongs to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from forensicviewer.app.imdl.pair_job import PairAnswer
from forensicviewer.app.imdl.question import (
    derived_by,
    is_read_inverted,
    with_derived,
    with_polarity,
)
from forensicviewer.app.imdl.run import HEAD, PREDICTION_POLARITY
from forensicviewer.app.imdl.settings import ImageScore
from forensicviewer.app.trials.imdl_plan import run_numbers
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.array import Floats
from forensicviewer.core.imdl.definitions import giving
from forensicviewer.core.imdl.pixel_scores import level_numbers
from forensicviewer.core.imdl.run_scores import threshold_of_level
from forensicviewer.core.model import Side
from forensicviewer.sources.media.masks import Polarity


@dataclass(frozen=True, slots=True, eq=False)
class RunTable:
    """Every definition over the images scored so far; ``level`` is the best single threshold.

    ``curve`` is the mean F1 at each slider level, the numbers the best threshold is chosen from.
    Without a ``has_head`` the scores of images are derived from the maps.
    """

    numbers: Mapping[str, float]
    images: int
    level: int | None
    best_f1: float
    curve: Floats = field(default_factory=lambda: np.zeros(0))
    has_head: bool = False

    @property
    def threshold(self) -> float:
        return math.nan if self.level is None else threshold_of_level(self.level)


def run_table(
    state: ViewState, answers: Mapping[int, PairAnswer], *, manipulated_only: bool
) -> RunTable:
    task, submission = state.task, state.submission
    if task is None or submission is None:
        return RunTable({}, 0, None, math.nan)
    numbers, totals, kind = run_numbers(
        task, submission, answers, manipulated_only=manipulated_only
    )
    return RunTable(
        numbers,
        totals.images,
        totals.best_level,
        numbers["F1_best_single"],
        totals.mean_curve,
        has_head=kind == HEAD,
    )


def live_numbers(state: ViewState) -> dict[str, float]:
    """What 8 bits tell of the image at the threshold it is looked at."""
    found = None if state.loaded is None else state.loaded.system(Side.PROBE, 0)
    if found is None or found.sweep is None:
        return {}
    return level_numbers(found.sweep.counts, state.thresholds.main, beyond_band=found.beyond_band)


def exact_numbers(state: ViewState, answers: Mapping[int, PairAnswer]) -> Mapping[str, float]:
    """What its own values tell of the image at 0.5, once it is scored."""
    task, trial = state.task, state.trial_id
    row = None if task is None or trial is None else task.trials.row_of(trial)
    answer = None if row is None else answers.get(row)
    return {} if answer is None else answer.numbers


def curve_points(run: RunTable) -> tuple[Floats, Floats]:
    """Thresholds in 0 to 1 and the mean F1 at them; none before an image is scored."""
    if not run.images:
        return np.zeros(0), np.zeros(0)
    levels = np.arange(len(run.curve), dtype=np.float64)
    return np.clip((levels - 0.5) / 255, 0, 1), run.curve


def shown_threshold(state: ViewState) -> float:
    return min(1.0, max(0.0, threshold_of_level(state.thresholds.main)))


def keys_giving(columns: Mapping[str, Mapping[str, float]], typed: str) -> dict[str, set[str]]:
    """By column, the definitions whose value reads as the number typed."""
    return {name: set(giving(values, typed)) for name, values in columns.items()}


def describe_inversion(state: ViewState) -> str:
    """Why the current predictions seem inverted; blank where they do not."""
    if state.submission is None:
        return ""
    origin = str(state.submission.origin)
    found = [one for one in state.problems if one.rule == PREDICTION_POLARITY]
    return next((one.message for one in found if one.where == origin), "")


def is_inverted(state: ViewState) -> bool:
    submission = state.submission
    return submission is not None and is_read_inverted(submission)


def set_inverted(workbench: Workbench, *, inverted: bool) -> None:
    """Read the maps of the current submission with black as manipulated, or white again."""
    submission = workbench.state.submission
    if submission is not None and is_inverted(workbench.state) is not inverted:
        polarity = Polarity.BLACK if inverted else Polarity.WHITE
        workbench.add_submissions([with_polarity(submission, polarity)])


def image_score_shown(state: ViewState) -> ImageScore:
    """How the image scores of the current submission are derived."""
    return ImageScore.MAX if state.submission is None else derived_by(state.submission)


def derive_image_scores(workbench: Workbench, how: ImageScore) -> None:
    """Derive the image scores of the current submission in another way."""
    submission = workbench.state.submission
    if submission is not None and derived_by(submission) is not how:
        workbench.add_submissions([with_derived(submission, how)])
