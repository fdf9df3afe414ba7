"""Makes the scored trials of a detection run: NIST's joins, missing scores, opt-outs, queries."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np

from forensicviewer.core.array import Flags, Floats, Rows
from forensicviewer.core.detection import ScoredTrials
from forensicviewer.core.model import Edition, Submission, Task, TaskKind, key_columns
from forensicviewer.core.problem import ProblemLog, ScoringError, UsageError
from forensicviewer.core.query.grammar import parse
from forensicviewer.core.rules import RuleSet
from forensicviewer.core.rules import detection as switches
from forensicviewer.core.table.join import common_columns, first_rows, inner_join, left_join
from forensicviewer.core.table.pandas_types import ColumnKind, PandasColumn
from forensicviewer.core.table.text_table import CleanedColumn, Column, Table
from forensicviewer.sources.layouts.conditions import with_conditions

SCORE = "ConfidenceScore"
TARGET = "IsTarget"
_OLD_STATUS, _NEW_STATUS = "IsOptOut", "ProbeStatus"
_STEP = ("JournalName", "StartNodeID", "EndNodeID")
# Trials that stay when opted-out ones are left out; failures count as answers.
_KEPT = {
    "IsOptOut": frozenset({"N", "Localization"}),
    "ProbeStatus": frozenset(
        {
            "Processed",
            "NonProcessed",
            "OptOutLocalization",
            "FailedValidation",
            "OptOutTemporal",
            "OptOutSpatial",
        }
    ),
}
_PROBABILITY_EDITIONS = (Edition.MFC2018, Edition.MFC2019)
_OPTED_OUT = frozenset({"OptOut", "OptOutAll", "OptOutDetection", "Y", "Detection"})
_NOT_DETECTED = _OPTED_OUT | {"NonProcessed", "FailedValidation"}


@dataclass(frozen=True, slots=True, eq=False)
class DetectionTrials:
    """All trials of a run in NIST's order, with their scores, and the tables they come from.

    ``keys`` are the columns that identify a trial, ``status_column`` the one that says what the
    system did; ``journals`` are the joined journal tables a query may use, or ``None``, and
    ``journal_keys`` the columns they are found by. ``overwritten`` are columns in which NIST's
    program wrote infinity into whole rows before it dropped them, so that it holds decimals where
    there was none.
    """

    table: Table
    scores: Floats
    answered: Flags
    keys: tuple[str, ...]
    journals: Table | None
    journal_keys: tuple[str, ...] = ()
    status_column: str | None = None
    overwritten: frozenset[str] = frozenset()

    @property
    def status(self) -> Column | None:
        return None if self.status_column is None else self.table[self.status_column]

    @property
    def targets(self) -> Flags:
        return self.table[TARGET].among({"Y"})

    def scored(self, rows: Rows) -> ScoredTrials:
        return ScoredTrials(self.scores[rows], self.targets[rows])

    def typed_as_pandas(self, frame: Table) -> dict[str, PandasColumn]:
        """The columns of a table made from these trials as NIST's program holds them."""
        columns = {
            name: column.typed_as_pandas(blanks_are_gaps=True)
            for name, column in frame.columns.items()
        }
        columns |= {name: columns[name].as_decimal() for name in self.overwritten & set(columns)}
        scores = [None if math.isnan(score) else score for score in frame[SCORE].numbers.tolist()]
        return columns | {SCORE: PandasColumn.of(ColumnKind.DECIMAL, scores)}

    def detected(self) -> Flags:
        """The trials whose status says that detection was done."""
        status = self.status
        return self.answered if status is None else self.answered & ~status.among(_NOT_DETECTED)

    def opted_out(self) -> Flags:
        """The trials whose status says that the system would not detect."""
        status = self.status
        if status is None:
            return np.zeros(len(self.table), dtype=np.bool_)
        return status.among(_OPTED_OUT)


@dataclass(frozen=True, slots=True, eq=False)
class SelectedTrials:
    """The trials of one query: ``rows`` to score, ``meta`` their cells, journals' included.

    ``base`` counts the trials the query selects before opted-out ones are left out.
    """

    rows: Rows
    base: int
    responses: int
    meta: Table


def read_trials(
    task: Task, submission: Submission, rules: RuleSet, log: ProblemLog
) -> DetectionTrials:
    """Join reference, submission and index, and give every trial its score."""
    if task.kind is TaskKind.GENAI:
        raise UsageError(
            "Datasets of GenAI evaluations have their own metrics",
            where=task.root,
            hint="use score genai",
            rule="detection-genai",
        )
    reference, system = _reference(task), _cleaned(submission.table)
    if SCORE not in system:
        raise ScoringError(
            f"The submission has no column {SCORE}", where=system.name, rule="detection-no-score"
        )
    journals = _journals(task, rules, log)
    joins = _Joins.of(task, reference, system, journals, rules)
    joined = left_join(reference, joins.own(system), on=joins.answers)
    table, answered = joined.table, joined.right_rows >= 0
    # NIST's program means to write the smallest score into the cells without one. Where the
    # submission has a blank score that is infinity, and it writes it into the whole row.
    drops = rules.chooses(switches.MissingScore.DROPPED)
    overwritten = frozenset(table.names if drops and system[SCORE].blank.any() else ())
    _report_unasked(system, joined.right_rows, log)
    if task.index is not None:
        index = _cleaned(task.index)
        indexed = inner_join(table, joins.added(index, table), on=joins.index)
        _report_outside_index(len(table) - len(indexed.table), log, index.name)
        table, answered = indexed.table, answered[indexed.left_rows]
    if not rules.chooses(switches.QueryCells.PYTHON2):
        table = with_conditions(table)
    trials = DetectionTrials(
        table=table,
        scores=table[SCORE].numbers,
        answered=answered,
        keys=joins.answers,
        journals=journals,
        journal_keys=_journal_keys(reference if joins.taken else table, journals),
        status_column=_status_column(system, rules, log),
        overwritten=overwritten,
    )
    if rules.chooses(switches.ScoreRange.REPORTED) and task.edition in _PROBABILITY_EDITIONS:
        _report_range(system, log)
    return _with_scores(_once(trials, rules, log), rules, log)


@dataclass(frozen=True, slots=True)
class _Joins:
    """By which columns the tables of a run find each other's rows.

    ``taken`` are the names of columns that a submission cannot change by having them too; NIST's
    program has none, and joins on them.
    """

    answers: tuple[str, ...]
    index: tuple[str, ...]
    taken: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, task: Task, reference: Table, system: Table, journals: Table | None, rules: RuleSet
    ) -> _Joins:
        if rules.chooses(switches.Join.KEY):
            keys = key_columns(task.kind)
            missing = [name for name in keys if name not in system]
            if missing:
                raise _not_keyed(f"The submission has no column {missing[0]}", system)
            known = [reference, *(table for table in (task.index, journals) if table is not None)]
            names = frozenset(name for table in known for name in table.names)
            return cls(keys, keys, names - {*keys})
        keys = common_columns(system, reference)
        if not keys:
            raise _not_keyed("The submission and the reference have no common column", system)
        return cls(keys, () if task.index is None else common_columns(task.index, reference))

    def own(self, system: Table) -> Table:
        """The columns of a submission that are its own."""
        return system.with_only({n: c for n, c in system.columns.items() if n not in self.taken})

    def added(self, index: Table, table: Table) -> Table:
        """What the index adds to a table; with NIST's joins all of it."""
        return _without(index, table, keys=self.index) if self.taken else index


def _journal_keys(table: Table, journals: Table | None) -> tuple[str, ...]:
    return () if journals is None else common_columns(table, journals)


def _not_keyed(message: str, system: Table) -> ScoringError:
    return ScoringError(
        message,
        where=system.name,
        hint="check whether the submission belongs to another task",
        rule="detection-no-key",
    )


def _without(table: Table, other: Table, *, keys: Collection[str]) -> Table:
    """A table without the columns the other has too, except its keys."""
    kept = {n: c for n, c in table.columns.items() if n in keys or n not in other}
    return table.with_only(kept)


def _status_column(system: Table, rules: RuleSet, log: ProblemLog) -> str | None:
    has_both = _OLD_STATUS in system and _NEW_STATUS in system
    if has_both and rules.chooses(switches.BothStatusColumns.PROBE_STATUS):
        log.warn(
            "The submission has both IsOptOut and ProbeStatus; ProbeStatus decides",
            where=system.name,
            rule=switches.BothStatusColumns.key,
        )
        return _NEW_STATUS
    return next((name for name in (_OLD_STATUS, _NEW_STATUS) if name in system), None)


def select(
    trials: DetectionTrials, query: str | None, *, opt_out: bool, rules: RuleSet
) -> SelectedTrials:
    """The trials a query selects, each once; all trials without one."""
    kept = _kept(trials, rules) if opt_out else np.ones(len(trials.table), dtype=bool)
    if query is None:
        rows = np.flatnonzero(kept)
        responses = _responses(trials, np.arange(len(kept)), rows, rules)
        return SelectedTrials(rows, len(kept), responses, trials.table.take(rows))
    scored, meta = _matching(trials, query, np.flatnonzero(kept), rules)
    selected = scored
    if not kept.all():
        selected, _ = _matching(trials, query, np.arange(len(trials.table)), rules)
    everything = rules.chooses(switches.ResponseBase.EVERYTHING)
    base = len(trials.table) if everything else len(selected)
    return SelectedTrials(scored, base, _responses(trials, selected, scored, rules), meta)


def _matching(
    trials: DetectionTrials, query: str, rows: Rows, rules: RuleSet
) -> tuple[Rows, Table]:
    """Which of these trials fulfil a query, each once, and their cells, journals' included."""
    frame, origin = _with_journals(trials, rows)
    if rules.chooses(switches.QueryCells.PYTHON2):
        # NIST's program fills gaps with empty text before it queries, which guesses types again.
        columns = trials.typed_as_pandas(frame)
        filled = {name: column.filled("").inferred() for name, column in columns.items()}
        matches = parse(query).matches_verbatim(filled)
    else:
        matches = parse(query).matches(frame)
    first = _first_of_each(frame, matches, trials.keys)
    return origin[first], frame.take(first)


def journal_meta(trials: DetectionTrials, rows: Rows) -> Table:
    """These trials joined with the journals: one row per trial and operation."""
    return _with_journals(trials, rows)[0]


def _with_journals(trials: DetectionTrials, rows: Rows) -> tuple[Table, Rows]:
    """The joined table, and which trial each of its rows comes from."""
    table = trials.table.take(rows)
    if trials.journals is None:
        return table, rows
    joined = left_join(table, trials.journals, on=trials.journal_keys)
    return joined.table, rows[joined.left_rows]


def _reference(task: Task) -> Table:
    if task.reference is None or TARGET not in task.reference:
        raise ScoringError(
            f"Detection cannot be scored without a reference that has {TARGET}",
            where=task.reference.name if task.reference is not None else task.root,
            hint="name the reference with --reference",
            rule="detection-no-reference",
        )
    return _cleaned(task.reference)


def _cleaned(table: Table) -> Table:
    """The table with pandas' words for "no value" as blanks."""
    return table.with_only({name: CleanedColumn(c) for name, c in table.columns.items()})


def _journals(task: Task, rules: RuleSet, log: ProblemLog) -> Table | None:
    joins, masks = task.probe_journals, task.journal_masks
    if joins is None or masks is None:
        return None
    if not _named_after_reference(task):
        if rules.chooses(switches.JournalFiles.BY_NAME):
            log.note(
                "NIST's program skips these journal tables because their names differ from "
                "that of the reference",
                where=joins.name,
                rule="detection-journals-skipped",
            )
            return None
        log.note("Journal tables were found under names that differ from NIST's", where=joins.name)
    joins, masks = _cleaned(joins), _cleaned(masks)
    shared = common_columns(joins, masks)
    if rules.chooses(switches.Join.KEY) and set(_STEP) <= set(shared):
        return left_join(joins, _without(masks, joins, keys=_STEP), on=_STEP).table
    return left_join(joins, masks, on=shared).table


def _named_after_reference(task: Task) -> bool:
    names = {role: PurePath(name).stem for role, name in task.files.items()}
    stem = names.get("reference", "")
    expected = {f"{stem}-probejournaljoin", f"{stem}-journalmask"}
    return expected <= set(names.values())


def _once(trials: DetectionTrials, rules: RuleSet, log: ProblemLog) -> DetectionTrials:
    """Each trial once, unless the rules count every row."""
    first = first_rows(trials.table, trials.keys) == np.arange(len(trials.table))
    repeated = int(np.count_nonzero(~first))
    if not repeated:
        return trials
    counted = rules.chooses(switches.RepeatedTrials.ALL)
    log.warn(
        f"{repeated} rows repeat a trial; "
        + ("they count again" if counted else "the first one counts"),
        where=trials.table.where(int(np.flatnonzero(~first)[0])),
        rule="detection-repeated-trial",
    )
    return trials if counted else _taken(trials, np.flatnonzero(first))


def _taken(trials: DetectionTrials, rows: Rows) -> DetectionTrials:
    return replace(
        trials,
        table=trials.table.take(rows),
        scores=trials.scores[rows],
        answered=trials.answered[rows],
    )


def _with_scores(trials: DetectionTrials, rules: RuleSet, log: ProblemLog) -> DetectionTrials:
    """Every trial with the score it counts with; trials without one may go."""
    scores = trials.scores.copy()
    missing = np.isnan(scores)
    lowest = _lowest(trials, scores[~missing])
    if rules.chooses(switches.StatusScore.LOWEST):
        scores[~missing & trials.answered & ~trials.detected()] = lowest
    if missing.any():
        treatment = rules.choice(switches.MissingScore)
        _report_missing(trials, missing, treatment, log)
        if treatment is switches.MissingScore.DROPPED:
            present = np.flatnonzero(~missing)
            trials, scores = _taken(trials, present), scores[present]
        else:
            smallest = trials.scores[~missing].min() if not missing.all() else lowest
            scores[missing] = lowest if treatment is switches.MissingScore.LOWEST else smallest
    answered = trials.answered & ~np.isnan(trials.scores)
    return replace(trials, scores=scores, answered=answered)


def _lowest(trials: DetectionTrials, scores: Floats) -> float:
    """What a trial without detection counts as: 0 in MFC, below all others in NC2017."""
    if not len(scores):
        return 0.0
    smallest = float(scores.min())
    return smallest - 1 if trials.status_column == _OLD_STATUS else min(0.0, smallest)


def _report_missing(
    trials: DetectionTrials, missing: Flags, treatment: switches.MissingScore, log: ProblemLog
) -> None:
    consequence = {
        switches.MissingScore.DROPPED: "excluded, as in NIST's program",
        switches.MissingScore.MINIMUM: "given the smallest score of the submission",
        switches.MissingScore.LOWEST: "ranked below all others",
    }
    log.warn(
        f"{int(np.count_nonzero(missing))} of {len(missing)} trials have no score and are "
        + consequence[treatment],
        where=trials.table.where(int(np.flatnonzero(missing)[0])),
        hint="answer every trial in the index",
        rule=switches.MissingScore.key,
    )


def _report_range(system: Table, log: ProblemLog) -> None:
    scores = system[SCORE].numbers
    outside = np.flatnonzero((scores < 0) | (scores > 1))
    if len(outside):
        log.warn(
            f"{len(outside)} scores are not between 0 and 1",
            where=system.where(int(outside[0])),
            hint="the evaluation plan requires scores from 0 to 1",
            rule=switches.ScoreRange.key,
        )


def _report_unasked(system: Table, used: Rows, log: ProblemLog) -> None:
    is_unasked = np.ones(len(system), dtype=np.bool_)
    is_unasked[used[used >= 0]] = False
    unasked = np.flatnonzero(is_unasked)
    if len(unasked):
        log.note(
            f"{len(unasked)} answers do not belong to a trial of the reference and are not scored",
            where=system.where(int(unasked[0])),
            rule="detection-unasked",
        )


def _report_outside_index(dropped: int, log: ProblemLog, where: str) -> None:
    if dropped > 0:
        log.note(
            f"{dropped} rows of the reference are not trials of the index and are not scored",
            where=where,
            rule="detection-outside-index",
        )


def _kept(trials: DetectionTrials, rules: RuleSet) -> Flags:
    """The trials that stay when opted-out ones are left out."""
    status = trials.status
    if status is None or trials.status_column is None:
        return trials.answered
    if rules.chooses(switches.OptOutTrials.PROCESSED):
        return trials.detected()
    kept = status.among(_KEPT[trials.status_column])
    if rules.chooses(switches.BlankStatus.KEPT):
        kept |= status.blank & trials.answered
    return kept


def _responses(trials: DetectionTrials, selected: Rows, scored: Rows, rules: RuleSet) -> int:
    if rules.chooses(switches.Responses.SCORED):
        return len(scored)
    return int(np.count_nonzero(trials.detected()[selected]))


def _first_of_each(table: Table, matches: Flags, keys: Collection[str]) -> Rows:
    rows = np.flatnonzero(matches)
    firsts = first_rows(table.take(rows), tuple(keys))
    return rows[np.flatnonzero(firsts == np.arange(len(rows)))]
