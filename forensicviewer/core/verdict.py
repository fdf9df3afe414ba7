"""Verdicts on trials: rulings, the state after a log, and disagreements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from forensicviewer.core.examination import Examination
from forensicviewer.core.model import TrialId

if TYPE_CHECKING:
    from forensicviewer.core.measurement import Measurement


class Ruling(Enum):
    """The ruling of a verdict; the value is written to logs, the label is shown."""

    SOUND = "sound"
    REFERENCE_WRONG = "reference-wrong"
    SCORE_AGAIN = "score-again"
    LEAVE_OUT = "leave-out"
    UNCLEAR = "unclear"

    @property
    def label(self) -> str:
        return _LABELS[self]


_LABELS = {
    Ruling.SOUND: "Reference is correct",
    Ruling.REFERENCE_WRONG: "Reference is wrong",
    Ruling.SCORE_AGAIN: "Score again",
    Ruling.LEAVE_OUT: "Leave out",
    Ruling.UNCLEAR: "Unclear",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judge's finding about one trial of a task.

    ``id`` is the digest of the line that holds it, so it names this verdict on every machine.
    ``facts`` say what the judge saw: submission, threshold, score. ``measured`` are the numbers
    with all they depend on: of the submission, then of its rival; old logs have none. ``row`` is
    the digest of the trial's rows in the tables. Verdicts of old logs name no ``task``, and count
    for every task with such a trial. ``reason`` says why an earlier verdict was amended; the
    chair's decision (``is_decision``) closes a conflict, and says why, too. ``examined`` are the
    answers of the checklist and the marks that go with it.
    """

    id: str
    judge: str
    trial_id: TrialId
    ruling: Ruling
    said_at: str
    note: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    task: str = ""
    measured: tuple[Measurement, ...] = ()
    row: str = ""
    reason: str = ""
    is_decision: bool = False
    examined: Examination = field(default_factory=Examination)


@dataclass(frozen=True, slots=True)
class Retraction:
    """A judge takes back an earlier verdict; the verdict itself stays in the log."""

    id: str
    judge: str
    retracts: str
    said_at: str
    reason: str = ""


Entry = Verdict | Retraction
CONTESTED = "Contested"


class Fate(Enum):
    """The state of a verdict; the value is shown."""

    STANDS = "stands"
    REPLACED = "replaced"
    TAKEN_BACK = "retracted"


@dataclass(frozen=True, slots=True)
class Standing:
    """The current verdicts on one trial: each judge's last one that was not retracted."""

    trial_id: TrialId
    verdicts: tuple[Verdict, ...]

    @property
    def decision(self) -> Verdict | None:
        """The chair's last decision, if any."""
        decisions = [verdict for verdict in self.verdicts if verdict.is_decision]
        return max(decisions, key=lambda one: one.said_at, default=None)

    @property
    def opinions(self) -> tuple[Verdict, ...]:
        """The verdicts of the judges, without decisions."""
        return tuple(verdict for verdict in self.verdicts if not verdict.is_decision)

    @property
    def is_contested(self) -> bool:
        """Whether judges disagree and nobody has decided."""
        return self.decision is None and len({one.ruling for one in self.verdicts}) > 1

    @property
    def label(self) -> str:
        """The text for the trial list: the common ruling, or that judges disagree."""
        if self.is_contested:
            return CONTESTED
        return (self.decision or self.verdicts[0]).ruling.label


def fold(entries: Iterable[Entry]) -> dict[TrialId, Standing]:
    """The current verdicts after all entries, independent of the order of the logs.

    Within a judge the order of the log decides; a verdict counts until the same judge gives another
    on the trial or retracts it, and retracting the newer one brings the older back.
    """
    entries = tuple(entries)
    retracted = _retracted(entries)
    last: dict[TrialId, dict[tuple[str, bool], Verdict]] = {}
    for entry in entries:
        if isinstance(entry, Verdict) and (entry.judge, entry.id) not in retracted:
            last.setdefault(entry.trial_id, {})[entry.judge, entry.is_decision] = entry
    return {
        trial_id: Standing(trial_id, tuple(by_judge[judge] for judge in sorted(by_judge)))
        for trial_id, by_judge in last.items()
    }


def about_task(entries: Iterable[Entry], task: str) -> tuple[Entry, ...]:
    """The entries about the trials of a task; a probe may be a trial of several tasks."""
    return tuple(e for e in entries if isinstance(e, Retraction) or e.task in ("", task))


def fates(entries: Iterable[Entry]) -> tuple[tuple[Verdict, Fate], ...]:
    """Every verdict in the order of the logs, with its state."""
    entries = tuple(entries)
    verdicts = tuple(entry for entry in entries if isinstance(entry, Verdict))
    found = dict.fromkeys((verdict.id for verdict in verdicts), Fate.REPLACED)
    for standing in fold(entries).values():
        found.update((verdict.id, Fate.STANDS) for verdict in standing.verdicts)
    retracted = _retracted(entries)
    found.update((v.id, Fate.TAKEN_BACK) for v in verdicts if (v.judge, v.id) in retracted)
    return tuple((verdict, found[verdict.id]) for verdict in verdicts)


def _retracted(entries: Iterable[Entry]) -> set[tuple[str, str]]:
    """(judge, verdict) of every retraction: judges retract only their own verdicts."""
    return {(entry.judge, entry.retracts) for entry in entries if isinstance(entry, Retraction)}
