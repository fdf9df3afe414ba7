"""Which provenance trials there are: index, reference and submission joined as NIST joins them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from forensicviewer.core.model import Submission, Task, TrialId
from forensicviewer.core.problem import ProblemLog, ScoringError
from forensicviewer.core.rules import RuleSet
from forensicviewer.core.rules import provenance as switches
from forensicviewer.core.table.text_table import Table

PROBE = "ProvenanceProbeFileID"
PROBE_FILE = "ProvenanceProbeFileName"
OUTPUT = "ProvenanceOutputFileName"
JOURNAL_FILE = "JournalFileName"
STATUSES = ("IsOptOut", "ProvenanceProbeStatus")  # the first one present decides
PROCESSED = ("Processed", "N")


@dataclass(frozen=True, slots=True)
class ProvenanceTrial:
    """One probe with one answer; ``has_answer`` is false where it counts as an empty one."""

    id: TrialId
    probe_file: str
    journal_name: str
    journal_file: str
    output_file: str
    has_answer: bool = True
    facts: Mapping[str, str] = field(default_factory=dict, compare=False)


def list_trials(
    task: Task,
    submission: Submission,
    *,
    rules: RuleSet,
    log: ProblemLog,
    leave_out_unprocessed: bool = False,
) -> list[ProvenanceTrial]:
    """The trials in NIST's order: by journal file, then as the index lists them."""
    drops = leave_out_unprocessed or rules.chooses(switches.Unprocessed.DROPPED)
    answers = _Answers(submission, rules=rules, log=log)
    asked = _asked(task, rules=rules)
    answers.tell_extra({row[PROBE] for row in asked})
    found = [trial for row in asked for trial in answers.trials_for(row, drops=drops)]
    return sorted(found, key=attrgetter("journal_file"))


def required(table: Table | None, what: str, columns: Sequence[str]) -> Table:
    """The table, or a refusal that says what is missing."""
    if table is None:
        raise ScoringError(
            f"The dataset has no {what}",
            hint="if the file is elsewhere, name it on the command line",
            rule="provenance.no-table",
        )
    missing = [name for name in columns if name not in table]
    if missing:
        raise ScoringError(
            f"The {what} has no column {' and no column '.join(missing)}",
            where=f"{table.name}:1",
            rule="provenance.no-column",
        )
    return table


def grouped(rows: Iterable[dict[str, str]], key: str) -> list[dict[str, str]]:
    """Rows with equal keys brought together at the first of them, as pandas' inner join does."""
    groups: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return [row for group in groups.values() for row in group]


def _asked(task: Task, *, rules: RuleSet) -> list[dict[str, str]]:
    """Every probe of the index with its journal; cells of the index win over the reference's."""
    reference = required(task.reference, "reference", (PROBE, JOURNAL_FILE))
    index = required(task.index or reference, "index", (PROBE, PROBE_FILE))
    known: dict[str, list[dict[str, str]]] = {}
    for row in reference.rows():
        known.setdefault(row[PROBE], []).append(row)
    joined = [
        {**other, **row}
        for row in grouped(index.rows(), PROBE)
        for other in known.get(row[PROBE], ())
    ]
    if rules.chooses(switches.RepeatedAnswers.EACH):
        return joined
    once: dict[tuple[str, str], dict[str, str]] = {}
    for row in joined:
        once.setdefault((row[PROBE], row[JOURNAL_FILE]), row)
    return list(once.values())


class _Answers:
    """The submission's rows by probe."""

    def __init__(self, submission: Submission, *, rules: RuleSet, log: ProblemLog) -> None:
        self._table = required(submission.table, "submission", (PROBE, OUTPUT))
        self._status = next((name for name in STATUSES if name in self._table), None)
        self._takes_each = rules.chooses(switches.RepeatedAnswers.EACH)
        self._log = log
        self._rows: dict[str, list[int]] = {}
        for row, probe in enumerate(self._table[PROBE]):
            self._rows.setdefault(probe, []).append(row)

    def trials_for(self, asked: Mapping[str, str], *, drops: bool) -> list[ProvenanceTrial]:
        rows = self._rows.get(asked[PROBE], [])
        if not rows:
            self._log.about(TrialId(asked[PROBE])).error(
                f"Probe {asked[PROBE]} has no answer and is scored as an empty one",
                where=self._table.name,
                hint="NIST's program stops here without a score",
                rule="provenance.no-answer",
            )
            return [_trial(asked, "", has_answer=False)]
        if not self._takes_each:
            rows = rows[:1]
        kept = [row for row in rows if not (drops and self._is_unprocessed(row))]
        self._tell_left_out([row for row in rows if row not in kept])
        return [
            _trial(
                asked,
                self._table.cell(OUTPUT, row),
                has_answer=not self._is_unprocessed(row),
            )
            for row in kept
        ]

    def tell_extra(self, asked: set[str]) -> None:
        for probe, rows in self._rows.items():
            if probe not in asked:
                self._log.warn(
                    f"Probe {probe} does not belong to any trial and is ignored",
                    where=self._table.where(rows[0]),
                    rule="provenance.extra-answer",
                )

    def _is_unprocessed(self, row: int) -> bool:
        return self._status is not None and self._table.cell(self._status, row) not in PROCESSED

    def _tell_left_out(self, rows: Sequence[int]) -> None:
        for row in rows:
            word = self._table.cell(self._status or "", row)
            probe = TrialId(self._table.cell(PROBE, row))
            self._log.about(probe).note(
                f"Probe {probe} is excluded: its status is {word!r}",
                where=self._table.where(row),
                rule="provenance.unprocessed",
            )


def _trial(asked: Mapping[str, str], output: str, *, has_answer: bool) -> ProvenanceTrial:
    return ProvenanceTrial(
        id=TrialId(asked[PROBE]),
        probe_file=asked[PROBE_FILE],
        journal_name=asked.get("JournalName", ""),
        journal_file=asked[JOURNAL_FILE],
        output_file=output,
        has_answer=has_answer,
        facts=dict(asked),
    )
