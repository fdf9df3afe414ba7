"""Scores every trial of the submission looked at, in the background, for the trial list.

The numbers are those of ``forensicviewer score`` for the task: the same jobs, the same store, the
same rules. They come in portions of under a second, so that the list fills while it runs and
cancelling is immediate; masks that were counted once are never counted again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from forensicviewer.app.jobs import Portion, Ticket
from forensicviewer.app.mask_metrics import ThresholdTotals
from forensicviewer.app.mask_scoring import SCORED_KINDS
from forensicviewer.app.scorecolumns import Scores, score_columns
from forensicviewer.app.scoreplans import (
    GraphPlan,
    MaskPlan,
    ScoredTrial,
    ScorePlan,
    VideoPlan,
    mask_settings,
)
from forensicviewer.app.settings import SCORE_IN_BACKGROUND, WORKERS, Settings
from forensicviewer.app.state import Change, Scoring, ViewState
from forensicviewer.app.triallist import ListChange, TrialList
from forensicviewer.app.words import decimal, tr
from forensicviewer.app.workbench import Workbench
from forensicviewer.core.model import Submission, Task, TaskKind
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.score import ThresholdSweep

_PORTION_S = 0.7
_LANE = "batch"


@dataclass(frozen=True, slots=True, eq=False)
class _Portion:
    """The trials scored since the last answer, and where to go on."""

    plan: ScorePlan
    scored: Sequence[ScoredTrial]
    following: int


class Scoreboard:
    """Fills the score columns of the trial list for the submission looked at."""

    def __init__(self, workbench: Workbench, trials: TrialList, settings: Settings) -> None:
        self._workbench = workbench
        self._trials = trials
        self._settings = settings
        self._scores = Scores.unknown(0)
        self._totals = ThresholdTotals()
        self._sweeps: list[ThresholdSweep] = []
        self._started_s = 0.0
        self._scoring: object = None
        trials.subscribe(self._follow_list)
        workbench.subscribe(self._follow)
        if trials.library is not None:
            self.start()

    def start(self) -> None:
        """Begin anew for what is looked at now; what is known already comes at once."""
        jobs, state = self._workbench.jobs, self._workbench.state
        jobs.cancel(_LANE)
        task, submission = state.task, state.submission
        self._scoring = _key(state.scoring)
        if task is None or submission is None or not self._settings.of(SCORE_IN_BACKGROUND):
            return
        if not task.has_reference:
            return
        make = self._plan(task, submission, state.scoring)
        if make is None:
            return
        self._scores = Scores.unknown(len(task.trials), score_columns(task))
        self._totals, self._sweeps = ThresholdTotals(), []
        self._started_s = time.monotonic()
        title = tr("Scoring all trials")
        jobs.submit(_LANE, make, self._go_on, title=title, on_error=self._stop)

    def _plan(
        self, task: Task, submission: Submission, scoring: Scoring
    ) -> Callable[[], ScorePlan] | None:
        """How a plan for the task is made; ``None`` where the list has no scores of it."""
        rules = self._workbench.state.rules
        if task.kind is TaskKind.VIDEO:
            return partial(VideoPlan, task, submission, rules)
        if task.kind.is_provenance:
            return partial(GraphPlan.of, task, submission, rules)
        if task.kind in SCORED_KINDS:
            settings = mask_settings(task, scoring, rules)
            return partial(MaskPlan.of, task, submission, settings, self._settings.of(WORKERS))
        return None

    def _follow_list(self, change: ListChange) -> None:
        # The columns are new: another task or submission. Its scores begin empty.
        if ListChange.COLUMNS in change and self._trials.library is not None:
            self.start()

    def _follow(self, state: ViewState, change: Change) -> None:
        is_new = Change.SCORING in change and _key(state.scoring) != self._scoring
        if is_new or Change.RULES in change:
            self._workbench.forget_maxima()
            self.start()

    def _go_on(self, plan: ScorePlan, start: int = 0) -> None:
        if start >= plan.length:
            self._trials.put_scores(self._scores.copy(is_complete=True))
            self._tell_maximum()
            return
        self._workbench.jobs.submit_long(
            _LANE,
            partial(_score_portion, plan, start),
            self._take,
            title=self._title(start, plan.length),
            on_error=self._stop,
            portion=Portion(self._started_s, start, plan.length),
        )

    def _take(self, portion: _Portion) -> None:
        for scored in portion.scored:
            self._scores.put(scored.row, scored.numbers)
            if scored.sweep is not None:
                self._totals.add(scored.sweep)
                self._sweeps.append(scored.sweep)
        self._trials.put_scores(self._scores.copy())
        self._go_on(portion.plan, portion.following)

    def _tell_maximum(self) -> None:
        maximum = self._totals.maximum(lambda: self._sweeps)
        self._sweeps = []
        self._workbench.set_maximum(maximum)

    def _stop(self, _lane: str, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            raise error
        self._workbench.report([error.as_problem()])

    def _title(self, done: int, total: int) -> str:
        elapsed_s = time.monotonic() - self._started_s
        if elapsed_s < 10 or not done:
            return tr("Scoring all trials")
        left_s = elapsed_s / done * (total - done)
        left = f"{decimal(left_s, 0)} s" if left_s < 90 else f"{decimal(left_s / 60, 0)} min"
        return tr("Scoring all trials, {time} left", time=left)


def _key(scoring: Scoring) -> object:
    """What the columns depend on; the selected operations are the open trial's own."""
    return scoring.kernels, scoring.uses_bit_planes, scoring.honours_opt_out


def _score_portion(plan: ScorePlan, start: int, ticket: Ticket) -> _Portion:
    """Score trials from ``start`` on until it is time to show them."""
    ends_s = time.monotonic() + _PORTION_S
    return _Portion(plan, *plan.score(start, lambda: time.monotonic() >= ends_s, ticket))
