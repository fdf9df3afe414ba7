"""Scores every trial of the submission looked at, in the background, for the trial list.

The numbers are those of ``forensicviewer score mask`` (for videos ``score temporal``): the same
jobs, the same store, the same rules. Masks come in portions of under a second, so that the list
fills while it runs, cancelling is immediate, and what was counted once is never counted again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from forensicviewer.app.batch import Crew, inline_crew
from forensicviewer.app.jobs import Ticket
from forensicviewer.app.library import Scores
from forensicviewer.app.mask_jobs import CountingOffice, JobMaker, PictureCounter
from forensicviewer.app.mask_journal import read_journal
from forensicviewer.app.mask_metrics import MaskScorer, ThresholdTotals
from forensicviewer.app.mask_scoring import SCORED_KINDS
from forensicviewer.app.mask_selection import Selection, everything
from forensicviewer.app.mask_settings import MaskSettings, Side
from forensicviewer.app.mask_trials import TrialRow, read_trials
from forensicviewer.app.media_extent import extents_in
from forensicviewer.app.settings import RULES, SCORE_IN_BACKGROUND, WORKERS, Settings
from forensicviewer.app.state import Change, Scoring, ViewState
from forensicviewer.app.store import ResultStore
from forensicviewer.app.temporal_scoring import score_temporal
from forensicviewer.app.temporal_trials import TemporalSettings
from forensicviewer.app.triallist import ListChange, TrialList
from forensicviewer.app.workbench import Workbench
from forensicviewer.core.model import Submission, Task, TaskKind
from forensicviewer.core.problem import ForensicViewerError, ProblemLog
from forensicviewer.core.rules import rule_set
from forensicviewer.core.score import ThresholdSweep
from forensicviewer.core.trialkey import trial_id

_PORTION_S = 0.7
_LANE = "batch"


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """What a whole run has in common; made once, in the background."""

    task: Task
    rows: tuple[TrialRow, ...]
    selection: Selection
    maker: JobMaker
    settings: MaskSettings
    crew: Crew


@dataclass(frozen=True, slots=True, eq=False)
class _Portion:
    """The trials scored since the last answer: (row of the list, MCC, NMM, threshold, sweep)."""

    plan: _Plan
    scored: tuple[tuple[int, float, float, float, ThresholdSweep | None], ...]
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
        if task.kind is TaskKind.VIDEO:
            self._score_videos(task, submission)
        elif task.kind in SCORED_KINDS:
            self._score_masks(task, submission, state.scoring)

    def _score_masks(self, task: Task, submission: Submission, scoring: Scoring) -> None:
        self._scores = Scores.unknown(len(task.trials))
        self._totals, self._sweeps = ThresholdTotals(), []
        self._started_s = time.monotonic()
        work = partial(
            _planned,
            task,
            submission,
            _mask_settings(task, scoring, self._settings.of(RULES)),
            self._settings.of(WORKERS),
        )
        self._workbench.jobs.submit(
            _LANE, work, self._go_on, title="Scoring all trials", on_error=self._stop
        )

    def _score_videos(self, task: Task, submission: Submission) -> None:
        work = partial(_video_scores, task, submission, self._settings.of(RULES))
        self._workbench.jobs.submit(
            _LANE, work, self._trials.put_scores, title="Scoring all videos", on_error=self._stop
        )

    def _follow_list(self, change: ListChange) -> None:
        # The columns are new: another task or submission. Its scores begin empty.
        if ListChange.COLUMNS in change and self._trials.library is not None:
            self.start()

    def _follow(self, state: ViewState, change: Change) -> None:
        if Change.SCORING in change and _key(state.scoring) != self._scoring:
            self._workbench.forget_maxima()
            self.start()

    def _go_on(self, plan: _Plan, start: int = 0) -> None:
        if start >= len(plan.rows):
            self._tell_maximum()
            return
        self._workbench.jobs.submit_long(
            _LANE,
            partial(_score_portion, plan, start),
            self._take,
            title="Scoring all trials" + self._time_left(start, len(plan.rows)),
            on_error=self._stop,
        )

    def _take(self, portion: _Portion) -> None:
        for row, mcc, nmm, threshold, sweep in portion.scored:
            self._scores.mcc[row] = mcc
            self._scores.nmm[row] = nmm
            self._scores.threshold[row] = threshold
            if sweep is not None:
                self._totals.add(sweep)
                self._sweeps.append(sweep)
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

    def _time_left(self, done: int, total: int) -> str:
        elapsed_s = time.monotonic() - self._started_s
        if elapsed_s < 10 or not done:
            return ""
        left_s = elapsed_s / done * (total - done)
        return f", {left_s:.0f} s left" if left_s < 90 else f", {left_s / 60:.0f} min left"


def _key(scoring: Scoring) -> object:
    """What the columns depend on; the selected operations are the open trial's own."""
    return scoring.kernels, scoring.uses_bit_planes, scoring.honours_opt_out


def _mask_settings(task: Task, scoring: Scoring, rules: str) -> MaskSettings:
    kernels = scoring.kernels
    reference = task.reference
    has_colours = reference is not None and "ProbeMaskFileName" in reference
    has_planes = reference is not None and "ProbeBitPlaneMaskFileName" in reference
    return MaskSettings(
        shape=kernels.shape,
        erode_px=kernels.erode_px,
        dilate_px=kernels.dilate_px,
        distraction_px=kernels.distraction_px,
        bit_planes=has_planes and (scoring.uses_bit_planes or not has_colours),
        opt_out_pixels=scoring.honours_opt_out,
        rules=rule_set(rules),
    )


def _planned(task: Task, submission: Submission, settings: MaskSettings, workers: int) -> _Plan:
    # What is odd about the tables was told when they were opened; the scorer would say it again.
    log = ProblemLog()
    journal = read_journal(task)
    trials = read_trials(task, submission, settings, journal=journal, log=log)
    maker = JobMaker(task, submission, settings, journal, trials.statuses, log)
    make: Callable[[], ThreadPoolExecutor] = partial(ThreadPoolExecutor, workers)
    crew = inline_crew() if workers == 1 else Crew(make, workers)
    return _Plan(task, trials.rows, everything(trials, journal), maker, settings, crew)


def _score_portion(plan: _Plan, start: int, ticket: Ticket) -> _Portion:
    """Score trials from ``start`` on until it is time to show them."""
    ends_s = time.monotonic() + _PORTION_S
    scorer = MaskScorer(plan.settings, plan.task.edition)
    scored: list[tuple[int, float, float, float, ThresholdSweep | None]] = []
    at = start
    with ResultStore.of_user() as store:
        while at < len(plan.rows) and time.monotonic() < ends_s:
            ticket.report(at, len(plan.rows))
            rows = plan.rows[at : at + plan.crew.size]
            office = CountingOffice(plan.crew, store, None)
            scored += _scored(plan, rows, office, scorer)
            at += len(rows)
    return _Portion(plan, tuple(scored), at)


def _scored(
    plan: _Plan, rows: tuple[TrialRow, ...], office: CountingOffice, scorer: MaskScorer
) -> list[tuple[int, float, float, float, ThresholdSweep | None]]:
    sides = (Side.PROBE,)
    counter = PictureCounter(plan.maker, office)
    counted = counter.count(rows, sides, plan.selection)
    found: list[tuple[int, float, float, float, ThresholdSweep | None]] = []
    for row, sided in zip(rows, counted, strict=True):
        place = plan.task.trials.row_of(trial_id(row.key))
        one = sided[Side.PROBE]
        if place is None or not one.has_counts:
            continue
        sweep = ThresholdSweep(counter.counts(one))
        numbers = scorer.metrics(sweep, is_omitted=one.work.is_omitted)
        found.append(
            (
                place,
                numbers.get("OptimumMCC"),
                numbers.get("OptimumNMM"),
                numbers.get("OptimumThreshold"),
                sweep,
            )
        )
    return found


def _video_scores(task: Task, submission: Submission, rules: str) -> Scores:
    """The MCC over frames of each video; masks of videos are scored frame by frame on its page."""
    scores = Scores.unknown(len(task.trials))
    output = score_temporal(
        task,
        submission,
        TemporalSettings(rules=rule_set(rules)),
        extents=extents_in(Path(task.root)),
    )
    probes = next((table for table in output.tables if table.name == "scores_probes.csv"), None)
    for record in () if probes is None else probes.records():
        row = task.trials.row_of(trial_id((record["ProbeFileID"],)))
        if row is not None and record["MCC"]:
            scores.mcc[row] = float(record["MCC"])
    return scores
