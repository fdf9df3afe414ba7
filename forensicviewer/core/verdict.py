"""Verdicts on trials: what a judge can say, how a log of sayings folds, where judges disagree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from forensicviewer.core.model import TrialId


class Ruling(Enum):
    """What a judge finds; the value is written to logs, the label shown to people."""

    SOUND = "sound"
    REFERENCE_WRONG = "reference-wrong"
    SCORE_AGAIN = "score-again"
    LEAVE_OUT = "leave-out"
    UNCLEAR = "unclear"

    @property
    def label(self) -> str:
        return _LABELS[self]


_LABELS = {
    Ruling.SOUND: "Sound",
    Ruling.REFERENCE_WRONG: "Reference wrong",
    Ruling.SCORE_AGAIN: "Score again",
    Ruling.LEAVE_OUT: "Leave out",
    Ruling.UNCLEAR: "Unclear",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One judge's finding about one trial.

    ``id`` is the digest of the line that holds it, so it names this verdict on every machine.
    ``facts`` say what the judge saw: submission, threshold, score.
    """

    id: str
    judge: str
    trial_id: TrialId
    ruling: Ruling
    said_at: str
    note: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Retraction:
    """A judge takes back an earlier verdict; the verdict itself stays in the log."""

    id: str
    judge: str
    retracts: str
    said_at: str


Entry = Verdict | Retraction


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands about one trial: the last verdict of each judge that was not retracted."""

    trial_id: TrialId
    verdicts: tuple[Verdict, ...]

    @property
    def is_contested(self) -> bool:
        return len({verdict.ruling for verdict in self.verdicts}) > 1

    @property
    def label(self) -> str:
        """What the trial list shows: the common ruling, or that there is none."""
        if self.is_contested:
            return "Contested"
        return self.verdicts[0].ruling.label


def fold(entries: Iterable[Entry]) -> dict[TrialId, Standing]:
    """What stands after every entry, whatever order the logs of several judges come in.

    Within a judge the order of the log decides; a verdict counts until the same judge gives another
    on the trial or retracts it, and retracting the newer one brings the older back.
    """
    entries = tuple(entries)
    retracted = {
        (entry.judge, entry.retracts) for entry in entries if isinstance(entry, Retraction)
    }
    last: dict[TrialId, dict[str, Verdict]] = {}
    for entry in entries:
        if isinstance(entry, Verdict) and (entry.judge, entry.id) not in retracted:
            last.setdefault(entry.trial_id, {})[entry.judge] = entry
    return {
        trial_id: Standing(trial_id, tuple(by_judge[judge] for judge in sorted(by_judge)))
        for trial_id, by_judge in last.items()
    }
