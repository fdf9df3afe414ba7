"""What a ruling would do: the averages and ranks of every submission before and after it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forensicviewer.app.datasets.answered_task import scorers_for
from forensicviewer.app.masks.settings import evaluation_settings
from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.app.results.request import RunRequest
from forensicviewer.app.results.scorers import SCORERS
from forensicviewer.app.rulings.ruling import Decision
from forensicviewer.app.workbench.state import Scoring
from forensicviewer.core.model import Submission, Task, TrialId, key_columns, trial_id
from forensicviewer.core.problem import ScoringError, UsageError
from forensicviewer.core.progress import Progress
from forensicviewer.core.rules import MEDISCORE, RuleSet

_PER_TRIAL = re.compile(r"mask_scores_perimage\.csv|trial_scores\.csv|scores_probes\.csv")
_SMALLER_IS_BETTER = re.compile(r"[pd]?((Optimum|Maximum|Actual)?BWL1|GWL1|EER)")
_STEPS = 1000
# The plans rank masks by MCC; of the other scorers the first average is the main one.
_USUAL = ("OptimumMCC", "pOptimumMCC")


@dataclass(frozen=True, slots=True)
class Placed:
    """A number as the score files print it, and the place it takes; ``None`` has no place."""

    text: str
    rank: int | None

    @property
    def value(self) -> float:
        return _number(self.text)


@dataclass(frozen=True, slots=True)
class Affected:
    """One submission before and after; ``trials`` are those whose own number is another then."""

    name: str
    before: Placed
    after: Placed
    averages: tuple[Mapping[str, str], Mapping[str, str]]
    trials: Mapping[TrialId, tuple[str, str]]
    scored: tuple[int, int]

    @property
    def change(self) -> float:
        return self.after.value - self.before.value


@dataclass(frozen=True, slots=True)
class Effect:
    """Every submission, the best after the ruling first."""

    scorer: str
    metric: str
    metrics: tuple[str, ...]
    submissions: tuple[Affected, ...]

    @property
    def changes_ranks(self) -> bool:
        return any(one.before.rank != one.after.rank for one in self.submissions)


def effect_of(
    decision: Decision,
    task: Task,
    submissions: Sequence[Submission],
    *,
    metric: str = "",
    rules: RuleSet = MEDISCORE,
    progress: Progress = lambda _done, _total: None,
) -> Effect:
    """Score every submission as the evaluation does, and once more under the ruling.

    ``metric`` decides the ranks; without one it is MCC, or the first of the scorer. What
    ``progress`` raises ends the work.
    """
    if decision.is_empty:
        raise UsageError(
            "The ruling is empty", hint="leave out a trial, correct a mask, or change a setting"
        )
    _require_names(decision, submissions)
    ruled, count = decision.task(task, rules), len(submissions)
    found: list[tuple[str, _Run, _Run]] = []
    for number, one in enumerate(submissions):
        word = _scorer_of(task, one, found[0][1].scorer if found else "")
        first, second = (_part(progress, 2 * number + half, 2 * count) for half in (0, 1))
        after_settings = decision.settings
        before = _scored(word, task, one, rules, None, first)
        after = _scored(word, ruled, decision.submission(one, ruled), rules, after_settings, second)
        found.append((one.name, before, after))
    return _compared(found, metric)


@dataclass(frozen=True, slots=True)
class _Run:
    scorer: str
    averages: Mapping[str, str]
    trials: Mapping[TrialId, Mapping[str, str]]
    scored: int


def _require_names(decision: Decision, submissions: Sequence[Submission]) -> None:
    names = [one.name for one in submissions]
    if len(set(names)) < len(names):
        raise UsageError("Two submissions have the same name", hint="rename one of the folders")
    unknown = [name for name, _ in decision.masks if name not in names]
    if unknown:
        raise UsageError(
            f"{unknown[0]} is not an open submission",
            hint=f"the submissions are {', '.join(names)}",
        )


def _scorer_of(task: Task, submission: Submission, wanted: str) -> str:
    words = [word for word in scorers_for(task, submission) if word in SCORERS]
    word = wanted if wanted in words else next(iter(words), "")
    if not word or (wanted and word != wanted):
        raise ScoringError(
            f"{submission.name} has no answers that can be ranked with the others",
            where=str(submission.origin),
        )
    return word


def _scored(
    word: str,
    task: Task,
    submission: Submission,
    rules: RuleSet,
    settings: Any,
    progress: Progress,
) -> _Run:
    """A run by the scorer of ``score``, with the evaluation's settings unless others are given."""
    scorer = SCORERS[word]
    request = RunRequest(Path(task.root), task, submission, rules, Scoring())
    if word == "mask":
        asked = settings or evaluation_settings(task, rules)
    else:
        asked = scorer.make(**({} if word == "genai" else {"rules": rules.name}))
    ran = scorer.run(request, asked, 1, progress)
    lines = scorer.lines(ran.output)
    averages = lines[0][1] if lines else {}
    kept = {name: cell for name, cell in averages.items() if cell.strip()}
    return _Run(word, kept, _per_trial(ran.output, task), len(ran.scored))


def _per_trial(output: ScoreOutput, task: Task) -> dict[TrialId, Mapping[str, str]]:
    tables = [table for table in output.tables if _PER_TRIAL.fullmatch(table.name)]
    keys = key_columns(task.kind)
    return {
        trial_id(record[name] for name in keys): record
        for table in tables
        for record in table.records()
        if all(name in record for name in keys)
    }


def _compared(found: Sequence[tuple[str, _Run, _Run]], metric: str) -> Effect:
    runs = [run for _, *both in found for run in both]
    names = tuple(dict.fromkeys(name for run in runs for name in run.averages if _ranks(name)))
    if metric and metric not in names:
        raise UsageError(
            f"{metric} is not an average of this task", hint=f"choose one of {', '.join(names)}"
        )
    by = metric or next((name for name in _USUAL if name in names), next(iter(names), ""))
    before = _placed([run.averages.get(by, "") for _, run, _ in found], by)
    after = _placed([run.averages.get(by, "") for _, _, run in found], by)
    affected = [
        Affected(
            name,
            before[number],
            after[number],
            (first.averages, second.averages),
            _changed(first, second, by),
            (first.scored, second.scored),
        )
        for number, (name, first, second) in enumerate(found)
    ]
    affected.sort(key=lambda one: (one.after.rank is None, one.after.rank or 0, one.name))
    return Effect(runs[0].scorer, by, names, tuple(affected))


def _ranks(name: str) -> bool:
    return not name.endswith("Threshold") and name != "TRR"


def _placed(texts: Sequence[str], metric: str) -> list[Placed]:
    """Equal numbers share a place, and the next one counts them: 1, 2, 2, 4."""
    sign = -1 if _SMALLER_IS_BETTER.fullmatch(metric) else 1
    numbers = [sign * _number(text) for text in texts]
    return [
        Placed(text, None if math.isnan(own) else 1 + sum(other > own for other in numbers))
        for text, own in zip(texts, numbers, strict=True)
    ]


def _changed(first: _Run, second: _Run, metric: str) -> dict[TrialId, tuple[str, str]]:
    trials = dict.fromkeys((*first.trials, *second.trials))
    pairs = {
        trial: tuple(run.trials.get(trial, {}).get(metric, "") for run in (first, second))
        for trial in trials
    }
    gone = {trial for trial in trials if (trial in first.trials) != (trial in second.trials)}
    return {t: (a, b) for t, (a, b) in pairs.items() if a != b or t in gone}


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _part(progress: Progress, number: int, count: int) -> Callable[[int, int], None]:
    def report(done: int, total: int) -> None:
        share = done * _STEPS // total if total else 0
        progress(number * _STEPS + share, count * _STEPS)

    return report


COLUMNS = ("submission", "metric", "before", "after", "change", "rank before", "rank after")


def rows_of(effect: Effect) -> list[tuple[str, ...]]:
    """Every average of every submission, for tables; ranks stand with the one that decides them."""
    rows: list[tuple[str, ...]] = []
    for one in effect.submissions:
        for name in effect.metrics:
            before, after = (averages.get(name, "") for averages in one.averages)
            change = _number(after) - _number(before)
            ranks = (one.before.rank, one.after.rank) if name == effect.metric else (None, None)
            shown = "" if math.isnan(change) else repr(change)
            places = ("" if rank is None else str(rank) for rank in ranks)
            rows.append((one.name, name, before, after, shown, *places))
    return rows
