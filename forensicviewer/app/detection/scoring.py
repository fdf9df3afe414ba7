"""Scores detection: how well a submission's confidence tells targets from non-targets."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from forensicviewer.app.detection.trials import (
    DetectionTrials,
    SelectedTrials,
    read_trials,
    select,
)
from forensicviewer.core.detection import (
    ConfidenceInterval,
    ConfidenceIntervals,
    Conventions,
    RocCurve,
    ScoredTrials,
    confidence_intervals,
    roc_curve,
    round_half_away,
)
from forensicviewer.core.model import Edition, Submission, Task, TrainTest
from forensicviewer.core.problem import ProblemLog, UsageError
from forensicviewer.core.progress import Progress
from forensicviewer.core.query.grammar import Queries, parse, queries_of
from forensicviewer.core.query.partition import Partitions, partitions
from forensicviewer.core.rules import MEDISCORE, VERBATIM, RuleSet, Switch, rule_set
from forensicviewer.core.rules import detection as switches

_NO_INTERVALS = ConfidenceIntervals(*(ConfidenceInterval(0, 0) for _ in range(3)))


@dataclass(frozen=True, slots=True)
class DetectionSettings:
    """What a user asks of a detection run; at most one kind of query.

    ``precision`` are significant digits; NIST's program prints 6 decimals instead.
    """

    rules: RuleSet = MEDISCORE
    queries: tuple[str, ...] = ()
    manipulation_queries: tuple[str, ...] = ()
    partition: str | None = None
    opt_out: bool = False
    far_stop: float | None = None
    with_intervals: bool = False
    level: float = 0.9
    dumps_meta: bool = False
    precision: int | None = None

    @classmethod
    def from_options(
        cls,
        *,
        rules: str = MEDISCORE.name,
        rule: Iterable[Switch] = (),
        query: Queries = None,
        query_partition: str | None = None,
        query_manipulation: Queries = None,
        opt_out: bool = False,
        precision: int | None = None,
        ci: bool = False,
        ci_level: float = 0.9,
        far_stop: float | None = None,
        dump_meta: bool = False,
    ) -> DetectionSettings:
        """The settings that options of the command line and the Python API mean, by their names."""
        return cls(
            rules=rule_set(rules, rule),
            queries=queries_of(query),
            manipulation_queries=queries_of(query_manipulation),
            partition=query_partition,
            opt_out=opt_out,
            far_stop=far_stop,
            with_intervals=ci,
            level=ci_level,
            dumps_meta=dump_meta,
            precision=precision,
        )

    def settled(self, edition: Edition) -> DetectionSettings:
        """With the rule set's false alarm rate for the evaluation, where the user gives none."""
        if self.far_stop is not None:
            return self
        is_whole = edition in (Edition.NC2016, Edition.NC2017)
        by_edition = 1.0 if is_whole else 0.05
        takes_ten = self.rules.chooses(switches.FarStop.TEN_PERCENT)
        return replace(self, far_stop=0.1 if takes_ten else by_edition)

    @property
    def stop(self) -> float:
        """The false alarm rate of a run, whose settings are settled."""
        assert self.far_stop is not None
        return self.far_stop


@dataclass(frozen=True, slots=True, eq=False)
class DetectionResult:
    """One line of the report: the trials of one query and their curve."""

    query: str | None
    labels: tuple[str, ...]
    selection: SelectedTrials
    trials: ScoredTrials
    curve: RocCurve
    intervals: ConfidenceIntervals

    @property
    def response_rate(self) -> float:
        base = self.selection.base
        return round_half_away(self.selection.responses / base, 2) if base else math.nan

    @property
    def name(self) -> str:
        return self.query or "all trials"


@dataclass(frozen=True, slots=True, eq=False)
class DetectionRun:
    """Everything a detection run found, before it is put into files."""

    settings: DetectionSettings
    all_trials: DetectionTrials
    results: tuple[DetectionResult, ...]
    factors: tuple[str, ...]
    log: ProblemLog
    condition: TrainTest | None = None


def run_detection(
    task: Task,
    submission: Submission,
    settings: DetectionSettings,
    *,
    progress: Progress | None = None,
) -> DetectionRun:
    """Score all trials, or those of each query."""
    settings = settings.settled(task.edition)
    _check(settings)
    log = ProblemLog((*submission.problems,))
    trials = read_trials(task, submission, settings.rules, log)
    _report_abort(trials, settings, log)
    parts = _partitions(trials, settings, log)
    wanted: list[tuple[str | None, str | None, tuple[str, ...]]] = [
        *((query, query, ()) for query in settings.queries),
        *((query, _targets_only(query), ()) for query in settings.manipulation_queries),
        *((part.query, part.query, part.labels) for part in (parts.parts if parts else ())),
    ]
    results = []
    for number, (shown, query, labels) in enumerate(wanted or [(None, None, ())]):
        chosen = select(trials, query, opt_out=settings.opt_out, rules=settings.rules)
        result = _result(trials, chosen, settings, progress=_part_of(progress, number, len(wanted)))
        results.append(replace(result, query=shown, labels=labels))
        _report_result(results[-1], settings, log)
    factors = parts.factors if parts else ()
    return DetectionRun(settings, trials, tuple(results), factors, log, task.condition)


def _check(settings: DetectionSettings) -> None:
    kinds = [settings.queries, settings.manipulation_queries, settings.partition]
    if sum(bool(kind) for kind in kinds) > 1:
        raise UsageError(
            "Only one kind of query can be used at a time",
            hint="use --query, --query-manipulation or --query-partition",
        )
    if not 0 <= settings.stop <= 1:
        raise UsageError(f"{settings.stop:g} is not a valid false alarm stop (0 to 1)")
    if not 0.8 < settings.level < 0.99:
        raise UsageError(
            f"{settings.level:g} is not a valid confidence level (between 0.8 and 0.99)",
            hint="NIST's program accepts levels strictly between the two",
        )
    if settings.precision is not None and settings.precision < 1:
        raise UsageError("The precision must be at least 1 digit")
    # Every query is read before anything is scored.
    for query in (*settings.queries, *settings.manipulation_queries):
        parse(query)


def _targets_only(query: str) -> str:
    """The query NIST's program makes of one that is meant for targets; all non-targets stay.

    No parentheses of our own: with ``or`` inside, NIST's text binds differently from its intention.
    """
    return f"({query} and IsTarget == ['Y']) or IsTarget == ['N']"


def _partitions(
    trials: DetectionTrials, settings: DetectionSettings, log: ProblemLog
) -> Partitions | None:
    if settings.partition is None:
        return None
    names = set(trials.table.names) | set(trials.journals.names if trials.journals else ())
    found = partitions(settings.partition, columns=names, knows_greater=True, verbatim=False)
    for term in found.ignored:
        log.warn(
            f"{term!r} is not a valid part of a partition and is ignored",
            hint="use Column==['a','b'] and conditions with < and >",
            rule="detection-partition-ignored",
        )
    return found


def _report_abort(trials: DetectionTrials, settings: DetectionSettings, log: ProblemLog) -> None:
    if settings.partition is not None and settings.rules.name == VERBATIM.name:
        log.note(
            "NIST's program stops at every partition query; these are the numbers it would give",
            rule="detection-partition-abort",
        )
    if settings.opt_out and trials.status is None:
        log.warn(
            "The submission has neither IsOptOut nor ProbeStatus: every answer is scored",
            hint="NIST's program stops here",
            rule="detection-no-status",
        )


def _part_of(progress: Progress | None, number: int, total: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, steps: progress(number * steps + done, max(total, 1) * steps)


def _result(
    trials: DetectionTrials,
    chosen: SelectedTrials,
    settings: DetectionSettings,
    *,
    progress: Progress | None,
) -> DetectionResult:
    scored = trials.scored(chosen.rows)
    conventions = Conventions.of(settings.rules)
    intervals = _NO_INTERVALS
    if settings.with_intervals and len(scored):
        intervals = confidence_intervals(
            scored, conventions, level=settings.level, far_stop=settings.stop, progress=progress
        )
    return DetectionResult(None, (), chosen, scored, roc_curve(scored, conventions), intervals)


def _report_result(result: DetectionResult, settings: DetectionSettings, log: ProblemLog) -> None:
    where = f"query {result.query!r}" if result.query else ""
    if not len(result.trials):
        hint = "NIST's program stops here" if settings.rules.name == VERBATIM.name else ""
        log.warn("No trial is left to score", where=where, hint=hint, rule="detection-empty")
    elif not result.trials.has_both_classes:
        absent = "non-target" if result.trials.target_count else "target"
        log.warn(
            f"The scored trials contain no {absent}, so there is no curve",
            where=where,
            rule="detection-one-class",
        )
