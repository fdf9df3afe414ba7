"""The files, headline and curves of a GenAI run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import overload

import numpy as np

from forensicviewer.app.datasets.genai_choices import participation_in
from forensicviewer.app.genai.naming import DISCLAIMER, FOR_GENERATORS
from forensicviewer.app.genai.scoring import GenAIRun, Part, SystemResult, TrialScores
from forensicviewer.app.report.score_output import OutputTable, ScoreOutput
from forensicviewer.core import genai
from forensicviewer.core.model import Task, Viewing
from forensicviewer.core.problem import Problem

SUMMARY, TRIALS = "genai_summary.csv", "genai_trials.csv"
_DECIMALS = 10
_COLUMNS = (
    *("Trials", "Targets", "AUC", "pAUC", "TPR@FPR", "EER", "Brier", "BrierT", "BrierN"),
    *("Cutoff", "TP", "FP", "FN", "TN", "Accuracy", "Precision", "Recall", "F1", "ECE"),
)
_INTERVALS = ("AUC_CI_low", "AUC_CI_high", "TPR_CI_low", "TPR_CI_high")
_TRIAL_COLUMNS = (
    *("System", genai.DATASET, genai.TASK, genai.FILE, genai.TARGET, genai.SCORE),
    *("Cutoff", "Decision", "Outcome", "Error"),
)
_OUTCOMES = np.array(["TN", "FP", "FN", "TP"], dtype=object)


def genai_output(
    run: GenAIRun, *, opening: Sequence[Problem] = (), names: Mapping[str, str] | None = None
) -> ScoreOutput:
    """The tables of a run, its headline and how it was made; with what opening had to tell.

    ``names`` are what systems are called in place of their own names.
    """
    run = run if names is None else run.renamed(names)
    return ScoreOutput(
        scorer="genai",
        tables=(summary_table(run), trials_table(run)),
        headline=headline(run),
        settings={
            "fpr": run.settings.fpr,
            "by": run.settings.by,
            "ci": run.settings.with_intervals,
            "cutoff": "scores at or above the cutoff count as AI-generated",
            "systems": {
                system.name: _identity(system, is_named=names is None) for system in run.systems
            },
            "undefined": _undefined(run),
            "test media (plan, 2.2)": media_rule(run.task),
        },
        problems=(*opening, *run.log),
        notes=(FOR_GENERATORS, DISCLAIMER),
    )


def summary_table(run: GenAIRun) -> OutputTable:
    """One row per system over all trials, then one per value of the partition."""
    more = _INTERVALS if run.settings.with_intervals else ()
    rows = [
        (system.name, part.value, *_cells(part), *_ci(part, more))
        for system in run.systems
        for part in system.parts
    ]
    return OutputTable(SUMMARY, ("System", run.settings.by, *_COLUMNS, *more), rows)


def _cells(part: Part) -> tuple[str, ...]:
    found, confusion = part.found, part.found.confusion
    counts: tuple[str, ...] = ("",) * 4
    rates: tuple[float, ...] = (math.nan,) * 4
    if confusion is not None:
        counts = tuple(map(str, (confusion.tp, confusion.fp, confusion.fn, confusion.tn)))
        rates = (confusion.accuracy, confusion.precision, confusion.recall, confusion.f1)
    curve = (found.auc, found.partial_auc, found.tpr, found.eer)
    brier = (found.brier.overall, found.brier.targets, found.brier.nontargets)
    return (
        *(str(len(found.trials)), str(found.trials.target_count)),
        *map(printed, (*curve, *brier)),
        _number(found.cutoff),
        *counts,
        *map(printed, (*rates, found.ece)),
    )


def _ci(part: Part, columns: Sequence[str]) -> tuple[str, ...]:
    known = part.found.intervals
    if not columns or known is None:
        return ("",) * len(columns)
    return tuple(map(printed, (known.auc.lower, known.auc.upper, known.cdr.lower, known.cdr.upper)))


def trials_table(run: GenAIRun) -> OutputTable:
    """Every trial of the index for every system, with what became of it."""
    by_system = [_trials_of(run, system) for system in run.systems]
    columns = [list(chain.from_iterable(parts)) for parts in zip(*by_system, strict=True)]
    return OutputTable(TRIALS, _TRIAL_COLUMNS, _Columns(columns))


def _trials_of(run: GenAIRun, system: SystemResult) -> list[list[str]]:
    table, trials = run.task.table, system.trials
    count = len(table)
    scores = system.submission.table[genai.SCORE].take(trials.rows)
    cutoff = system.cutoff
    called = trials.scores >= (math.nan if cutoff is None else cutoff)
    decided = ~np.isnan(trials.scores) & (cutoff is not None)
    known = decided & trials.is_labelled
    outcome = np.where(known, _OUTCOMES[2 * trials.targets + called], "")
    labels = np.where(trials.is_labelled, np.where(trials.targets, "Y", "N"), "")
    cells = {
        "System": [system.name] * count,
        genai.TARGET: labels.tolist(),
        genai.SCORE: scores.cells.tolist(),
        "Cutoff": [_number(cutoff)] * count,
        "Decision": np.where(decided, np.where(called, "Y", "N"), "").tolist(),
        "Outcome": outcome.tolist(),
        "Error": _errors(trials),
    }
    own = {
        name: table[name].cells.tolist() if name in table else [""] * count
        for name in genai.INDEX_COLUMNS
    }
    return [(own | cells)[name] for name in _TRIAL_COLUMNS]


def _errors(trials: TrialScores) -> list[str]:
    apart = np.round(trials.errors, 6)
    cells = list(map(repr, apart.tolist()))
    for row in np.flatnonzero(np.isnan(apart)).tolist():
        cells[row] = ""
    return cells


@dataclass(frozen=True, slots=True)
class _Columns(Sequence[Sequence[str]]):
    """Rows held as columns, which a million of them are made of much faster."""

    columns: Sequence[Sequence[str]]

    def __len__(self) -> int:
        return len(self.columns[0])

    @overload
    def __getitem__(self, row: int) -> Sequence[str]: ...

    @overload
    def __getitem__(self, row: slice) -> Sequence[Sequence[str]]: ...

    def __getitem__(self, row: int | slice) -> Sequence[str] | Sequence[Sequence[str]]:
        if isinstance(row, slice):
            return _Columns([column[row] for column in self.columns])
        return [column[row] for column in self.columns]

    def __iter__(self) -> Iterator[Sequence[str]]:
        return zip(*self.columns, strict=True)


def headline(run: GenAIRun) -> dict[str, str]:
    """The numbers a person wants to see first, for each system."""
    stop = f"{run.settings.fpr:g}"
    lines: dict[str, str] = {}
    for system in run.systems:
        found = system.whole
        numbers = {
            "AUC": found.auc,
            f"TPR@FPR={stop}": found.tpr,
            "EER": found.eer,
            "BrierT": found.brier.targets,
            "BrierN": found.brier.nontargets,
        }
        said = ", ".join(f"{name} {_short(number)}" for name, number in numbers.items())
        lines[system.name] = f"{said}, {len(found.trials)} trials"
    return lines


def printed(number: float) -> str:
    """A number as the files hold it; blank when it is none."""
    return "" if math.isnan(number) else repr(float(np.round(number, _DECIMALS)))


def media_rule(task: Task) -> str:
    """The user's answer about taking part in the evaluation, for reports."""
    if task.viewing is Viewing.FREE:
        return "not a test set: its images may be viewed"
    said = participation_in(task)
    if said is None:
        return "not answered: the images are hidden"
    if said.is_participant:
        return f"participant since {said.said_on}: the images are hidden"
    return f"confirmed on {said.said_on}: not a participant"


def _identity(system: SystemResult, *, is_named: bool) -> dict[str, str]:
    if not is_named:
        return {"cutoff": _number(system.cutoff)}
    return {**system.submission.identity, "file": system.submission.table.name}


def _number(cutoff: float | None) -> str:
    return "" if cutoff is None else f"{cutoff:g}"


def _undefined(run: GenAIRun) -> list[dict[str, str]]:
    return [
        {"system": system.name, "part": part.value, "metric": metric, "why": why}
        for system in run.systems
        for part in system.parts
        for metric, why in part.found.why.items()
    ]


def _short(number: float) -> str:
    return "–" if math.isnan(number) else f"{number:.4f}"  # noqa: RUF001 - a dash, as in tables
