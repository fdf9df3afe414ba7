"""Scores every trial of the current submission, in the background, for the trial list.

Its rival follows where one threshold for all trials is asked for, so that both can be compared at
their best; nobody waits for that.

The numbers are those of ``forensicviewer score`` for the task: the same jobs, the same store, the
same rules. They come in portions of under a second, so that the list fills while it runs and
cancelling is immediate; masks that were counted once are never counted again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from forensicviewer.app.imdl.pair_job import PairAnswer
from forensicviewer.app.language.words import decimal, tr
from forensicviewer.app.masks.metrics import ThresholdTotals
from forensicviewer.app.masks.run import SCORED_KINDS
from forensicviewer.app.runtime.jobs import Lane, Portion, Priority, Ticket
from forensicviewer.app.settings import SCORE_IN_BACKGROUND, WORKERS, Settings
from forensicviewer.app.trials.imdl_plan import ImdlPlan, ImdlScored
from forensicviewer.app.trials.score_columns import MCC, Scores, score_columns
from forensicviewer.app.trials.score_plans import (
    ColumnPlan,
    GenAIPlan,
    GraphPlan,
    MaskPlan,
    ScoredRow,
    ScorePlan,
    VideoPlan,
    mask_settings,
)
from forensicviewer.app.trials.trial_list import ListChange, TrialList
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.metric_values import ruled_scores
from forensicviewer.app.workbench.state import Change, Scoring, Snap, ViewState
from forensicviewer.core.imdl.run_scores import f1_curve
from forensicviewer.core.model import Side, Submission, Task, TaskKind
from forensicviewer.core.problem import ForensicViewerError, Problem
from forensicviewer.core.score import LevelCounts, ThresholdSweep

_PORTION_S = 0.7
_SCORING_LANE = Lane("batch", Priority.BULK)


@dataclass(frozen=True, slots=True, eq=False)
class _Masks:
    """The masks of one side seen so far, for the threshold that is best for all of them."""

    totals: ThresholdTotals = field(default_factory=ThresholdTotals)
    # Not the sweeps, which are three times as large.
    counts: list[LevelCounts] = field(default_factory=list)

    def add(self, sweep: ThresholdSweep) -> None:
        self.totals.add(sweep)
        self.counts.append(sweep.counts)

    @property
    def maximum(self) -> int | None:
        return self.totals.maximum(lambda: map(ThresholdSweep, self.counts))

    @property
    def best_f1(self) -> int | None:
        """The threshold with the highest mean F1, as IMDL-BenCo averages it."""
        if not self.counts:
            return None
        return int(np.argmax(sum(map(f1_curve, self.counts))))


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """One submission on its way through all trials; ``system`` 0 is listed, 1 is its rival.

    ``scores`` are those of all portions so far; nobody writes into them any more.
    """

    submission: Submission
    system: int
    title: str
    scores: Scores
    masks: Mapping[Side, _Masks] = field(default_factory=lambda: {side: _Masks() for side in Side})
    started_s: float = field(default_factory=time.monotonic)

    def with_portion(self, portion: _Portion) -> _Run:
        for scored in portion.scored:
            for side, sweep in scored.sweeps.items():
                self.masks[side].add(sweep)
        return replace(self, scores=portion.scores)

    def describe(self, done: int, total: int) -> str:
        """What is done, and how long it will still take."""
        elapsed_s = time.monotonic() - self.started_s
        if elapsed_s < 10 or not done:
            return self.title
        left_s = elapsed_s / done * (total - done)
        left = f"{decimal(left_s, 0)} s" if left_s < 90 else f"{decimal(left_s / 60, 0)} min"
        return tr("{work}, {time} left", work=self.title, time=left)


@dataclass(frozen=True, slots=True, eq=False)
class _Portion:
    """The trials scored since the last answer, all scores with them, and where to go on."""

    plan: ScorePlan
    scored: Sequence[ScoredRow]
    scores: Scores
    following: int
    problems: tuple[Problem, ...]


class Scoreboard:
    """Fills the score columns of the trial list for the current submission."""

    def __init__(self, workbench: Workbench, trials: TrialList, settings: Settings) -> None:
        self._workbench = workbench
        self._trials = trials
        self._settings = settings
        self._scoring: object = None
        # The trial and the number in the list that was found to be outdated last.
        self._outdated: object = None
        trials.subscribe(self._follow_list)
        workbench.subscribe(self._follow)
        if trials.library is not None:
            self.start()

    def stop(self) -> None:
        self._workbench.jobs.cancel(_SCORING_LANE)

    def start(self, known: Scores | None = None) -> None:
        """Begin anew for what is looked at now; what is known already comes at once.

        ``known`` scores stay in the list until newer ones take their place.
        """
        self.stop()
        self._scoring = _key(self._workbench.state.scoring)
        self._begin(0, tr("Scoring all trials"), known)

    def _begin(self, system: int, title: str, known: Scores | None = None) -> None:
        state = self._workbench.state
        task, submission = state.task, state.submission_of(system)
        if task is None or submission is None or not self._settings.of(SCORE_IN_BACKGROUND):
            return
        # In a blind review a list of scores would tell of trials not judged yet.
        if not task.has_reference or state.unveiled is not None:
            return
        if task.kind is TaskKind.GENAI:
            self._fill(GenAIPlan(task, submission, state.submissions), submission, title)
            return
        make = self._plan(task, submission, state.scoring)
        if make is None:
            return
        scores = known or Scores.unknown(len(task.trials), score_columns(task))
        run = _Run(submission, system, title, scores)
        self._workbench.jobs.submit(
            _SCORING_LANE, make, partial(self._go_on, run), title=title, on_error=self._fail
        )

    def _fill(self, plan: ColumnPlan, submission: Submission, title: str) -> None:
        """Take whole columns at once, where a table alone says them."""

        def work() -> Scores:
            columns = plan.columns()
            return Scores(len(next(iter(columns.values()))), columns, is_complete=True)

        def take(scores: Scores) -> None:
            if self._workbench.state.submission is submission:
                self._trials.put_scores(scores)

        self._workbench.jobs.submit(_SCORING_LANE, work, take, title=title, on_error=self._fail)

    def _begin_rival(self) -> None:
        """Find the second submission's maximum, too, unless it is known since it was the first."""
        state = self._workbench.state
        task, rival = state.task, state.rival_submission
        if task is None or rival is None or task.kind not in SCORED_KINDS:
            return
        if Snap.MAXIMUM not in self._workbench.snaps(system=1):
            self._begin(1, tr("Scoring all trials of {name}", name=rival.name))

    def _plan(
        self, task: Task, submission: Submission, scoring: Scoring
    ) -> Callable[[], ScorePlan] | None:
        """How a plan for the task is made; ``None`` where the list has no scores of it."""
        rules = self._workbench.state.rules
        if task.kind is TaskKind.VIDEO:
            return partial(VideoPlan, task, submission, rules)
        if task.kind.is_provenance:
            return partial(GraphPlan.of, task, submission, rules)
        if task.kind is TaskKind.IMDL:
            return partial(ImdlPlan, task, submission)
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
        elif Change.LOADED in change:
            self._compare_with_list(state)

    def _compare_with_list(self, state: ViewState) -> None:
        """Score again where the current trial, just read, has another score than the list.

        Its mask has changed since. What did not change is known, so that this takes a moment.
        """
        library, loaded = self._trials.library, state.loaded
        if library is None or loaded is None or not library.scores.is_complete:
            return
        row = library.task.trials.row_of(loaded.trial.id)
        if row is None or MCC not in library.scores.values or state.scoring.selected is not None:
            return
        shown, listed = ruled_scores(state, Side.PROBE, 0, None), library.scores[MCC][row]
        outdated = loaded.trial.id, shown.get(MCC)
        is_same = math.isclose(shown.get(MCC, math.nan), listed, abs_tol=1e-9)
        if is_same or (not shown and math.isnan(listed)) or outdated == self._outdated:
            return
        self._outdated = outdated
        self.start(library.scores.copy())

    def _go_on(self, run: _Run, plan: ScorePlan, start: int = 0) -> None:
        if start >= plan.length:
            self._finish(run)
            return
        self._workbench.jobs.submit_long(
            _SCORING_LANE,
            partial(_score_portion, plan, start, run.scores),
            partial(self._take, run),
            title=run.describe(start, plan.length),
            on_error=self._fail,
            portion=Portion(run.started_s, start, plan.length),
        )

    def _take(self, run: _Run, portion: _Portion) -> None:
        if self._workbench.state.submission_of(run.system) is not run.submission:
            # Another one is looked at; a long list only takes its time to say so.
            return
        run = run.with_portion(portion)
        if run.system == 0:
            self._trials.put_answers(_answers_of(portion.scored))
            self._trials.put_scores(run.scores)
        self._go_on(run, portion.plan, portion.following)
        if not set(portion.problems) <= set(self._workbench.state.problems):
            self._workbench.report(portion.problems, is_aside=True)

    def _finish(self, run: _Run) -> None:
        if run.system == 0:
            self._trials.put_scores(replace(run.scores, is_complete=True))
        is_imdl = run.submission.kind is TaskKind.IMDL
        for side, masks in run.masks.items():
            maximum = masks.best_f1 if is_imdl else masks.maximum
            self._workbench.set_maximum(maximum, system=run.system, side=side)
        if run.system == 0:
            self._begin_rival()

    def _fail(self, error: BaseException) -> None:
        if not isinstance(error, ForensicViewerError):
            raise error
        self._workbench.report([error.as_problem()])


def _answers_of(scored: Sequence[ScoredRow]) -> dict[int, PairAnswer]:
    found = [one for one in scored if isinstance(one, ImdlScored)]
    return {one.row: one.answer for one in found if one.answer is not None}


def _key(scoring: Scoring) -> object:
    """What the columns depend on; the selected operations are the open trial's own."""
    return scoring.kernels, scoring.uses_bit_planes, scoring.honours_opt_out


def _score_portion(plan: ScorePlan, start: int, before: Scores, ticket: Ticket) -> _Portion:
    """Score trials from ``start`` on until it is time to show them."""
    ends_s = time.monotonic() + _PORTION_S
    scored, following = plan.score(start, lambda: time.monotonic() >= ends_s, ticket)
    # Copied here: the columns of a million trials would keep the window for a tenth of a second.
    scores = before.copy()
    for found in scored:
        scores.put(found.row, found.numbers)
    return _Portion(plan, scored, scores, following, plan.problems)
