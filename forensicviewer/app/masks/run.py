"""Scores the masks of a submission: from tables and files to NIST's files of results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

from forensicviewer.app.masks.averages import Averager, Common
from forensicviewer.app.masks.count_jobs import Counter, ImageCounter
from forensicviewer.app.masks.counting import CountingOffice
from forensicviewer.app.masks.journal import Journal, read_journal
from forensicviewer.app.masks.metrics import MaskScorer, SideMetrics
from forensicviewer.app.masks.nist_stops import note_stop, stops_of_results, stops_of_tables
from forensicviewer.app.masks.question import Question
from forensicviewer.app.masks.question_maker import QuestionMaker
from forensicviewer.app.masks.result_store import ResultStore
from forensicviewer.app.masks.selection import Selection, everything, selected_by
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.masks.sweeps import Sweeps
from forensicviewer.app.masks.tables import ScoredTrial, journal_table, per_image_table
from forensicviewer.app.masks.threshold_tables import MAX_CURVES, threshold_tables
from forensicviewer.app.masks.trials import (
    TrialRow,
    TrialSet,
    read_trials,
    sides_of,
)
from forensicviewer.app.masks.video_counter import VideoCounter
from forensicviewer.app.report.score_output import OutputTable, ScoreOutput
from forensicviewer.app.runtime.batch import Crew, inline_crew
from forensicviewer.core.model import Edition, Side, Submission, Task, TaskKind, key_columns
from forensicviewer.core.problem import ProblemLog, ScoringError
from forensicviewer.core.progress import Progress
from forensicviewer.core.rules import mask as switches
from forensicviewer.sources.media.masks import is_layered_name

SCORED_KINDS = (
    *(TaskKind.MANIPULATION, TaskKind.REMOVAL, TaskKind.SPLICE, TaskKind.CAMERA),
    TaskKind.VIDEO,
)


def score_masks(
    task: Task,
    submission: Submission,
    settings: MaskSettings,
    *,
    crew: Crew | None = None,
    store: ResultStore | None = None,
    progress: Progress | None = None,
    details: list[OutputTable] | None = None,
) -> ScoreOutput:
    """Score every target trial of the task, for every query of manipulations on its own.

    ``details`` receives the threshold tables of the first masks, for images of them.
    """
    if task.kind not in SCORED_KINDS:
        raise ScoringError(f"The task {task.name} has no masks to score", where=task.root)
    log = ProblemLog()
    journal = _journal(task, settings, log=log)
    trials = read_trials(task, submission, settings, journal=journal, log=log)
    _note_kernels(settings, log=log)
    _note_columns(submission, task, settings, log=log)
    for stop in stops_of_tables(task, submission, settings):
        note_stop(stop, settings, log=log)
    office = CountingOffice(crew or inline_crew(), store, progress)
    run = MaskRun(task, submission, settings, journal, trials, office, log, details)
    tables: list[OutputTable] = []
    headline: dict[str, str] = {}
    for folder, selection in run.selections():
        found = run.score(selection)
        tables += [replace(table, name=folder + table.name) for table in found]
        headline = headline or _headline(found)
    if store is not None:
        log.extend(store.problems)
    return ScoreOutput(
        scorer="mask",
        tables=tuple(tables),
        headline=headline,
        settings=settings_of(settings, task),
        problems=log.freeze(),
    )


def settings_of(settings: MaskSettings, task: Task) -> dict[str, object]:
    """How the numbers were made, for the summary."""
    kernels = settings.kernels(task.kind)
    return {
        "task": task.name,
        "rules": settings.rules.label,
        "switches": settings.rules.choices(switches.SWITCHES),
        "kernel": kernels.shape.value,
        "erode": kernels.erode_px,
        "dilate": kernels.dilate_px,
        "distraction": kernels.distraction_px,
        "threshold": settings.threshold,
        "no-score value": settings.no_score_value,
        "opt-out pixels": settings.leaves_out_pixels,
        "bit planes": settings.bit_planes,
        "scored only": settings.scored_only,
        "index filter": settings.index_filter,
        "opt-out": settings.opt_out,
        "precision": settings.precision,
        "queries": list(settings.queries),
        "partition": settings.partition,
        "queries of manipulations": list(settings.manipulation_queries),
        **({} if task.condition is None else {"training-testing": str(task.condition)}),
    }


@dataclass(frozen=True, slots=True)
class MaskRun:
    """Everything the selections of one run have in common."""

    task: Task
    submission: Submission
    settings: MaskSettings
    journal: Journal | None
    trials: TrialSet
    office: CountingOffice
    log: ProblemLog
    details: list[OutputTable] | None = None

    @property
    def is_splice(self) -> bool:
        return self.task.kind.has_donor

    @property
    def sides(self) -> tuple[Side, ...]:
        return sides_of(self.task.kind)

    @property
    def reported(self) -> Journal | None:
        """The journal as it is reported: with an index filter, in the order of the index."""
        if self.journal is None or not self.settings.index_filter or self.task.index is None:
            return self.journal
        keys = key_columns(self.task.kind)
        listed = zip(*(self.task.index[name] for name in keys), strict=True)
        return self.journal.restricted(listed)

    def selections(self) -> Iterator[tuple[str, Selection]]:
        """(folder, selection) of every part of the run that has something to score."""
        queries = self.settings.manipulation_queries
        if not queries:
            yield "", everything(self.trials, self.reported)
            return
        queried, reported = read_journal(self.task, is_queried=True), self.reported
        if queried is None or reported is None:
            raise ScoringError(
                "Manipulations cannot be queried without a journal", where=self.task.root
            )
        for number, query in enumerate(queries):
            selection = selected_by(
                query,
                self.trials,
                journal=queried,
                reported=reported,
                settings=self.settings,
                is_splice=self.is_splice,
            )
            if selection is None:
                self.log.note(f"The query selects no operation: {query}", rule="mask-query")
                if self.is_splice:
                    note_stop("a query that selects no splice", self.settings, log=self.log)
            else:
                yield (f"query_{number}/" if len(queries) > 1 else ""), selection

    def score(self, selection: Selection) -> list[OutputTable]:
        """The files of one selection."""
        rows = selection.rows
        reported = self.reported
        counter = self._counter()
        counted = counter.count(rows, self.sides, selection)
        _note_failures(counted, self.settings, self.log)
        scored, common, sweeps = self._scored(rows, counted, counter)
        kept = self._reported_trials(scored)
        averager = Averager(
            self.trials, self.settings, self.sides, common, sweeps.common_of, self.log
        )
        averages = averager.tables(kept, query=selection.query)
        for stop in stops_of_results(scored, averages, self.settings):
            note_stop(stop, self.settings, log=self.log)
        per_image = per_image_table(kept, self.trials, self.settings, is_splice=self.is_splice)
        tables = [per_image, *averages]
        if reported is not None:
            absent = {side: _without_region(rows, counted, side) for side in self.sides}
            tables.append(
                journal_table(reported, selection.asked, absent, is_splice=self.is_splice)
            )
        tables += counter.more_tables(rows, counted, maxima=common[self.sides[0]].maxima)
        if self.details is not None:
            more = MAX_CURVES - len(self.details)
            self.details.extend(islice(self._details(rows, sweeps), more))
        if self.settings.threshold_tables:
            tables += self._details(rows, sweeps)
        return tables

    def _counter(self) -> Counter[Any]:
        maker = QuestionMaker(
            *(self.task, self.submission, self.settings, self.reported),
            *(self.trials.statuses, self.log),
        )
        if self.task.kind is TaskKind.VIDEO:
            return VideoCounter(maker, self.office)
        return ImageCounter(maker, self.office)

    def _details(self, rows: Sequence[TrialRow], sweeps: Sweeps) -> Iterator[OutputTable]:
        for side in self.sides:
            subfolder = side.word if self.is_splice else ""
            yield from threshold_tables(rows, partial(sweeps.sweep, side=side), subfolder=subfolder)

    def _scored(
        self,
        rows: Sequence[TrialRow],
        counted: Sequence[Mapping[Side, Question[Any]]],
        counter: Counter[Any],
    ) -> tuple[list[ScoredTrial], Mapping[Side, Common], Sweeps]:
        scorer = MaskScorer(self.settings, self.task.edition)
        sides: list[dict[Side, SideMetrics]] = [{} for _ in rows]
        common: dict[Side, Common] = {}
        sweeps = Sweeps(rows, counted, counter, self.settings)
        for side in self.sides:
            metrics, common[side] = sweeps.metrics(side, scorer)
            for number, found in enumerate(metrics):
                sides[number][side] = found
        trials = [
            ScoredTrial(self._with_failed_names(row), found)
            for row, found in zip(rows, sides, strict=True)
        ]
        return self._repeated(trials), common, sweeps

    def _with_failed_names(self, row: TrialRow) -> TrialRow:
        """Masks that failed validation are reported without their names."""
        failed = {
            f"Output{side.value}MaskFileName": ""
            for side in self.sides
            if self.trials.statuses.has_failed(row.cells, side)
        }
        return replace(row, cells={**row.cells, **failed}) if failed else row

    def _repeated(self, trials: Sequence[ScoredTrial]) -> list[ScoredTrial]:
        """Each occurrence of a trial with the numbers of each, where the rules say so."""
        if not self.settings.chooses(switches.RepeatedTrials.SQUARED):
            return list(trials)
        by_key: dict[tuple[str, ...], list[ScoredTrial]] = {}
        for trial in trials:
            by_key.setdefault(trial.row.key, []).append(trial)
        return [
            ScoredTrial(trial.row, other.sides)
            for trial in trials
            for other in by_key[trial.row.key]
        ]

    def _reported_trials(self, trials: Sequence[ScoredTrial]) -> list[ScoredTrial]:
        kept = list(trials)
        if self.settings.scored_only:
            kept = [trial for trial in kept if trial.is_fully_scored]
        if self.settings.opt_out:
            missing = [t for t in kept if not self.trials.statuses.is_reported(t.row.cells)]
            if missing and self.settings.chooses(switches.MissingAnswers.DROPPED):
                kept = [t for t in kept if self.trials.statuses.is_reported(t.row.cells)]
            elif missing:
                self.log.warn(
                    f"{len(missing)} trials without an answer are scored as masks without "
                    "marked pixels",
                    rule=switches.MissingAnswers.key,
                )
        return kept


def _journal(task: Task, settings: MaskSettings, *, log: ProblemLog) -> Journal | None:
    journal = read_journal(task)
    # There were no journals in 2016.
    if journal is None and not task.kind.has_donor and task.edition is not Edition.NC2016:
        log.warn(
            "The task has no journal, so pure black counts as manipulated and all other "
            "colours are excluded",
            hint="NIST's program stops here",
            rule="mask-no-journal",
        )
    reference = task.reference
    if settings.bit_planes and not task.kind.has_donor and reference is not None:
        names = reference.columns.get("ProbeMaskFileName", ())
        if "ProbeBitPlaneMaskFileName" not in reference and not any(map(is_layered_name, names)):
            raise ScoringError(
                "The reference does not name any bit-plane masks", where=reference.name
            )
    return journal


def _note_kernels(settings: MaskSettings, *, log: ProblemLog) -> None:
    for width in settings.kernels(TaskKind.MANIPULATION).even_widths:
        log.warn(
            f"A kernel {width} pixels wide has no centre; {width + 1} pixels are used",
            hint="NIST's program stops here",
            rule="mask-even-kernel",
        )


def _note_columns(
    submission: Submission, task: Task, settings: MaskSettings, *, log: ProblemLog
) -> None:
    for side in sides_of(task.kind) if settings.opt_out_pixels else ():
        column = f"{side.value}OptOutPixelValue"
        if column not in submission.table:
            log.warn(
                f"The submission has no column {column}, so no pixel is opted out",
                where=submission.table.name,
                hint="NIST's program stops here",
                rule="mask-no-opt-out-column",
            )


def _note_failures(
    counted: Sequence[Mapping[Side, Question[Any]]], settings: MaskSettings, log: ProblemLog
) -> None:
    failed = sum(
        not side.is_scored and not side.has_no_region
        for sides in counted
        for side in sides.values()
    )
    if failed > 1 and settings.chooses(switches.UnusableMask.UNSCORED):
        log.note(
            f"{failed} masks were left unscored; NIST's program stops at the second such mask",
            rule="mask-two-failures",
        )


def _without_region(
    rows: Sequence[TrialRow], counted: Sequence[Mapping[Side, Question[Any]]], side: Side
) -> set[str]:
    return {
        row.cells.get(f"{side.value}FileID", "")
        for row, sides in zip(rows, counted, strict=True)
        if sides[side].has_no_region
    }


def _headline(tables: Sequence[OutputTable]) -> dict[str, str]:
    """The averages a person wants to see first."""
    averages = [t for t in tables if t.name.startswith("mask_score") and "_per" not in t.name]
    if not averages:
        return {}
    record = averages[0].records()[0]
    wanted = {"OptimumMCC", "OptimumNMM", "OptimumBWL1", "GWL1", "AUC", "EER", "TRR"}
    wanted |= {"MaximumMCC", "ActualMCC"}
    return {
        name: cell
        for name, cell in record.items()
        if cell and (name in wanted or name[1:] in wanted)
    }
