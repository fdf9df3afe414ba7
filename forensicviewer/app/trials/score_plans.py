"""How the trials of each kind of task are scored for the list, some at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol, TypeAlias

from forensicviewer.app.genai.review import agreement_of, calls_of
from forensicviewer.app.genai.scoring import read_system
from forensicviewer.app.masks.count_jobs import ImageCounter
from forensicviewer.app.masks.counting import CountingOffice
from forensicviewer.app.masks.image_count import CountJob
from forensicviewer.app.masks.journal import read_journal
from forensicviewer.app.masks.metrics import MaskScorer, SideMetrics
from forensicviewer.app.masks.question import UNUSABLE_MASK, Question
from forensicviewer.app.masks.question_maker import QuestionMaker
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.app.masks.selection import Selection, everything
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.masks.trials import TrialRow, read_trials, sides_of
from forensicviewer.app.provenance.filtering import score_ranking
from forensicviewer.app.provenance.reading import ProvenanceReader
from forensicviewer.app.provenance.scoring import MEASURES, score_graph
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.app.provenance.trials import ProvenanceTrial, list_trials
from forensicviewer.app.runtime.batch import Crew, inline_crew
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.app.temporal.extents import extents_in
from forensicviewer.app.temporal.scoring import score_temporal
from forensicviewer.app.temporal.trials import TemporalSettings, has_intervals
from forensicviewer.app.trials.score_columns import (
    AGREEMENT,
    DONOR_MCC,
    DONOR_NMM,
    DONOR_THRESHOLD,
    ERROR,
    MCC,
    NMM,
    THRESHOLD,
    recall_lengths,
    recall_name,
    score_columns,
)
from forensicviewer.app.workbench.state import Scoring
from forensicviewer.core.array import Floats
from forensicviewer.core.model import Side, Submission, Task, TaskKind, TrialId, trial_id
from forensicviewer.core.problem import Problem, ProblemLog, Severity
from forensicviewer.core.rules import RuleSet
from forensicviewer.core.score import ThresholdSweep
from forensicviewer.core.sweep_block import SweepBlock

IsOver: TypeAlias = Callable[[], bool]

_NAMED = 100
_TOGETHER_S = 0.1
_MOST_TOGETHER = 256
_TOO_MANY = Problem(
    Severity.ERROR,
    f"More than {_NAMED} masks cannot be scored",
    hint="forensicviewer score mask lists them all",
    rule=UNUSABLE_MASK,
)
_NOWHERE = -1
_OPTIMA = ("OptimumMCC", "OptimumNMM", "OptimumThreshold")
_SIDES = {
    Side.PROBE: (MCC, NMM, THRESHOLD),
    Side.DONOR: (DONOR_MCC, DONOR_NMM, DONOR_THRESHOLD),
}


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRow:
    """One row of the list: its numbers by column, and the sweeps of its masks."""

    row: int
    numbers: Mapping[str, float | None]
    sweeps: Mapping[Side, ThresholdSweep] = field(default_factory=dict)


def mask_settings(task: Task, scoring: Scoring, rules: RuleSet) -> MaskSettings:
    """What ``score mask`` would be asked for to give what the window shows."""
    return MaskSettings.as_shown(
        task,
        scoring.kernels,
        rules,
        uses_bit_planes=scoring.uses_bit_planes,
        honours_opt_out=scoring.honours_opt_out,
    )


class ScorePlan(Protocol):
    """What a whole run has in common; made once, in the background."""

    @property
    def length(self) -> int:
        """How many trials there are to score."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What opening the files did not tell yet: answers found so far that cannot be scored."""

    def score(self, start: int, is_over: IsOver, ticket: Ticket) -> tuple[Sequence[ScoredRow], int]:
        """Score trials from ``start`` until it is over; with them comes where to go on."""


class ColumnPlan(Protocol):
    """What a table alone says about all trials: whole columns at once."""

    def columns(self) -> Mapping[str, Floats]:
        """The numbers of every trial by column, NaN where it has none."""


@dataclass(frozen=True, slots=True, eq=False)
class GenAIPlan:
    """Scores of AI-generated images: how wrong the listed system is, and whether all agree."""

    task: Task
    listed: Submission
    submissions: tuple[Submission, ...]

    def columns(self) -> Mapping[str, Floats]:
        systems = [read_system(self.task, submission) for submission in self.submissions]
        listed = systems[self.submissions.index(self.listed)]
        return {ERROR: listed.trials.errors, AGREEMENT: agreement_of(calls_of(systems))}


@dataclass(frozen=True, slots=True, eq=False)
class MaskPlan:
    """Masks, counted by the jobs and kept in the store of ``score mask``."""

    task: Task
    rows: tuple[TrialRow, ...]
    selection: Selection
    maker: QuestionMaker
    settings: MaskSettings
    crew: Crew

    @classmethod
    def of(
        cls, task: Task, submission: Submission, settings: MaskSettings, workers: int
    ) -> MaskPlan:
        # What is odd about the tables was told when they were opened; the scorer would repeat it.
        log = ProblemLog()
        journal = read_journal(task)
        trials = read_trials(task, submission, settings, journal=journal, log=log)
        maker = QuestionMaker(task, submission, settings, journal, trials.statuses, log)
        make: Callable[[], ThreadPoolExecutor] = partial(ThreadPoolExecutor, workers)
        crew = inline_crew() if workers == 1 else Crew(make, workers)
        # Of a trial listed or answered several times the first row counts, as in the window.
        first = {row.key: row for row in reversed(trials.rows)}
        rows = tuple(row for row in trials.rows if first[row.key] is row)
        return cls(task, rows, everything(trials, journal), maker, settings, crew)

    @property
    def length(self) -> int:
        return len(self.rows)

    @property
    def problems(self) -> tuple[Problem, ...]:
        # A broken reference mask is told of where its trial is looked at.
        found = [problem for problem in self.maker.log if problem.rule == UNUSABLE_MASK]
        return tuple(found[:_NAMED]) + ((_TOO_MANY,) if len(found) > _NAMED else ())

    def score(self, start: int, is_over: IsOver, ticket: Ticket) -> tuple[Sequence[ScoredRow], int]:
        scorer = MaskScorer(self.settings, self.task.edition)
        scored: list[ScoredRow] = []
        at, count = start, self.crew.size
        with ResultStore.of_user() as store:
            while at < len(self.rows) and not is_over():
                ticket.report(at, len(self.rows))
                rows = self.rows[at : at + count]
                office = CountingOffice(self.crew, store, None)
                began_s = time.monotonic()
                scored += self._scored(rows, ImageCounter(self.maker, office), scorer)
                at += len(rows)
                # Small masks together: each costs less than asking for it.
                fitting = int(count * _TOGETHER_S / max(time.monotonic() - began_s, 1e-3))
                count = max(self.crew.size, min(2 * count, fitting, _MOST_TOGETHER))
        return scored, at

    def metrics_of(self, trial: TrialId) -> dict[Side, Mapping[str, float]]:
        """Every number of one trial by side; nothing for a side that is not scored."""
        rows = tuple(row for row in self.rows if trial_id(row.key) == trial)[:1]
        scorer = MaskScorer(self.settings, self.task.edition)
        sides = sides_of(self.task.kind)
        found: dict[Side, Mapping[str, float]] = {}
        with ResultStore.of_user() as store:
            counter = ImageCounter(self.maker, CountingOffice(self.crew, store, None))
            for counted in counter.count(rows, sides, self.selection):
                for side in sides:
                    (measured,) = _metrics_of_all([counted[side]], counter, scorer)
                    if measured is not None:
                        found[side] = measured[1].numbers
        return found

    def _scored(
        self, rows: tuple[TrialRow, ...], counter: ImageCounter, scorer: MaskScorer
    ) -> list[ScoredRow]:
        sides = sides_of(self.task.kind)
        counted = counter.count(rows, sides, self.selection)
        found = [ScoredRow(_NOWHERE, {}) for _ in rows]
        for side in sides:
            measured = _metrics_of_all([sided[side] for sided in counted], counter, scorer)
            found = [_with_side(*pair, side) for pair in zip(found, measured, strict=True)]
        # Where a trial stands is looked for only where there is something to show.
        row_of = self.task.trials.row_of
        return [
            replace(scored, row=place)
            for row, scored in zip(rows, found, strict=True)
            if scored.numbers and (place := row_of(trial_id(row.key))) is not None
        ]


_Measured: TypeAlias = tuple[ThresholdSweep, SideMetrics] | None


def _with_side(scored: ScoredRow, measured: _Measured, side: Side) -> ScoredRow:
    if measured is None:
        return scored
    sweep, metrics = measured
    named = {name: metrics.get(metric) for name, metric in zip(_SIDES[side], _OPTIMA, strict=True)}
    numbers, sweeps = {**scored.numbers, **named}, {**scored.sweeps, side: sweep}
    return replace(scored, numbers=numbers, sweeps=sweeps)


def _metrics_of_all(
    questions: Sequence[Question[CountJob]], counter: ImageCounter, scorer: MaskScorer
) -> list[_Measured]:
    """The sweep and the numbers of each scored side."""
    scored = [question for question in questions if question.is_scored]
    sweeps = iter(SweepBlock([counter.counts(each) for each in scored]).sweeps if scored else ())
    found: list[_Measured] = []
    for question in questions:
        sweep = next(sweeps) if question.is_scored else None
        if sweep is None:
            found.append(None)
        else:
            found.append((sweep, scorer.metrics(sweep, is_omitted=question.is_omitted)))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class GraphPlan:
    """Provenance graphs or rankings, read and compared one by one."""

    task: Task
    trials: tuple[ProvenanceTrial, ...]
    reader: ProvenanceReader
    settings: ProvenanceSettings

    @classmethod
    def of(cls, task: Task, submission: Submission, rules: RuleSet) -> GraphPlan:
        log = ProblemLog()
        needs_links = task.kind is TaskKind.PROVENANCE
        reader = ProvenanceReader(task, submission, rules=rules, log=log, needs_links=needs_links)
        trials = list_trials(task, submission, rules=rules, log=log, leave_out_unprocessed=False)
        return cls(task, tuple(trials), reader, ProvenanceSettings(rules=rules))

    @property
    def length(self) -> int:
        return len(self.trials)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return ()

    def score(self, start: int, is_over: IsOver, ticket: Ticket) -> tuple[Sequence[ScoredRow], int]:
        scored = []
        at = start
        while at < len(self.trials) and not is_over():
            ticket.report(at, len(self.trials))
            trial = self.trials[at]
            row = self.task.trials.row_of(trial_id((trial.id,)))
            if row is not None:
                scored.append(ScoredRow(row, self._numbers(trial)))
            at += 1
        return scored, at

    def _numbers(self, trial: ProvenanceTrial) -> dict[str, float | None]:
        if self.task.kind is TaskKind.PROVENANCE:
            graph = score_graph(self.reader, trial, self.settings)
            shown = {column.name for column in score_columns(self.task)}
            scores = None if graph is None else graph.scores
            return {
                name: None if scores is None else measure(scores)
                for name, measure in MEASURES
                if name in shown
            }
        ranked = score_ranking(self.reader, trial, self.settings)
        recalls = () if ranked is None else ranked.recalls(recall_lengths(self.task))
        return {recall_name(recall.n): recall.value for recall in recalls}


@dataclass(frozen=True, slots=True, eq=False)
class VideoPlan:
    """Intervals of videos, all at once: they are tables. Masks are scored on the video's page.

    Where no intervals were asked for, as in NC2017 (2.1.1), trials have no number.
    """

    task: Task
    submission: Submission
    rules: RuleSet

    @property
    def length(self) -> int:
        return 1

    @property
    def problems(self) -> tuple[Problem, ...]:
        return ()

    def score(
        self, _start: int, _is_over: IsOver, _ticket: Ticket
    ) -> tuple[Sequence[ScoredRow], int]:
        if not has_intervals(self.submission):
            return (), 1
        output = score_temporal(
            self.task,
            self.submission,
            TemporalSettings(rules=self.rules),
            extents=extents_in(Path(self.task.root)),
        )
        probes = next((table for table in output.tables if table.name == "scores_probes.csv"), None)
        scored = []
        for record in () if probes is None else probes.records():
            row = self.task.trials.row_of(trial_id((record["ProbeFileID"],)))
            if row is not None and record["MCC"]:
                scored.append(ScoredRow(row, {MCC: float(record["MCC"])}))
        return scored, 1
