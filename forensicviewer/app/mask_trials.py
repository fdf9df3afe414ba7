"""The trials of a mask run: reference and submission joined as NIST joins them, and its totals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from forensicviewer.app.echo import echoed
from forensicviewer.app.mask_journal import Journal
from forensicviewer.app.mask_settings import MaskSettings, Side
from forensicviewer.app.mask_status import Statuses
from forensicviewer.core.array import Size
from forensicviewer.core.model import Submission, Task, TaskKind
from forensicviewer.core.problem import ProblemLog, ScoringError
from forensicviewer.core.rules import VERBATIM
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.table import Table
from forensicviewer.core.trialkey import key_columns

# The spelling of the NC2016 plan, which NIST's program does not know.
_OLD_MASK_NAMES = {
    "OutputProbeMaskFileName": "ProbeOutputMaskFileName",
    "OutputDonorMaskFileName": "DonorOutputMaskFileName",
}
_TEXT_COLUMNS = ("OutputProbeMaskFileName", "OutputDonorMaskFileName")


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One trial with the cells of its reference and answer as they are printed.

    ``sizes`` is what the index says of each side it lists, ``None`` where that is no size.
    """

    key: tuple[str, ...]
    cells: Mapping[str, str]
    is_listed: bool
    sizes: Mapping[Side, Size | None]
    where: str = ""


@dataclass(frozen=True, slots=True)
class Totals:
    """How many trials there are and how many were answered, non-targets included."""

    trials: int
    opted_in: int

    @property
    def opted_out(self) -> int:
        return self.trials - self.opted_in

    @property
    def response_rate(self) -> float:
        return self.opted_in / self.trials


@dataclass(frozen=True, slots=True)
class TrialSet:
    """The target trials to be scored, and the columns of both tables."""

    rows: tuple[TrialRow, ...]
    reference_columns: tuple[str, ...]
    system_columns: tuple[str, ...]
    totals: Totals
    statuses: Statuses

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Columns a query compares as text, whatever they hold."""
        return (*self.reference_columns, *_TEXT_COLUMNS)


def read_trials(
    task: Task,
    submission: Submission,
    settings: MaskSettings,
    *,
    journal: Journal | None,
    log: ProblemLog,
) -> TrialSet:
    """Join, count, and leave out what the settings leave out."""
    if task.reference is None:
        raise ScoringError(
            "The task has no reference table, so there is nothing to score against",
            where=task.root,
            hint="give it with --reference",
        )
    joined = _joined(task, submission, settings, journal=journal, log=log)
    system = tuple(
        name
        for name in submission.table.names
        if name not in key_columns(task.kind) and name not in task.reference.names
    )
    statuses = Statuses.of(system, is_splice=task.kind.has_donor, settings=settings, log=log)
    _report_statuses(joined, statuses, log=log)
    if "DonorStatus" in system and not all(row.cells["DonorStatus"] for row in joined):
        note_stop("a blank DonorStatus", settings, log=log)
    kept = [row for row in joined if not statuses.is_opted_out(row.cells)]
    totals = Totals(len(joined), _opted_in(kept, statuses, settings))
    rows = kept if settings.opt_out else joined
    targets = [row for row in rows if row.cells.get("IsTarget") == "Y"]
    if not joined or not targets:
        raise ScoringError(
            "There is no target trial to score", where=task.reference.name, rule="mask-no-target"
        )
    if "IsTarget" not in task.reference:
        raise ScoringError("The reference has no column IsTarget", where=task.reference.name)
    return TrialSet(
        rows=tuple(_with_confidence(targets, submission.table, settings, log=log)),
        reference_columns=task.reference.names,
        system_columns=system,
        totals=totals,
        statuses=statuses,
    )


def note_stop(what: str, settings: MaskSettings, *, log: ProblemLog) -> None:
    """Say, where NIST's program is imitated, that it would have ended without a result."""
    if settings.rules.name == VERBATIM.name:
        log.note(f"NIST's program stops without a result at {what}", rule="mask-nist-stops")


def _opted_in(kept: Sequence[TrialRow], statuses: Statuses, settings: MaskSettings) -> int:
    if settings.chooses(switches.RESPONSE_RATE, "answered"):
        return sum(row.is_listed and statuses.is_answered(row.cells) for row in kept)
    return len(kept)


def _report_statuses(rows: Sequence[TrialRow], statuses: Statuses, *, log: ProblemLog) -> None:
    for row in rows:
        for word in statuses.unknown_words(row.cells):
            log.warn(
                f"The status {word!r} is unknown and counts as an answer",
                where=row.where,
                hint="NIST's program stops here",
                rule="mask-unknown-status",
            )


def _joined(
    task: Task,
    submission: Submission,
    settings: MaskSettings,
    *,
    journal: Journal | None,
    log: ProblemLog,
) -> list[TrialRow]:
    assert task.reference is not None
    keys = key_columns(task.kind)
    answers = _answers_by_key(submission.table, keys)
    reference = task.reference
    matched = _matched(reference, keys, answers, settings, log=log)
    printed = _printed(reference, submission.table, keys, matched)
    # NIST's index filter also strikes trials without a journal from the index itself.
    only = journal if settings.index_filter else None
    sizes = {side: _sizes(task, keys, side, only=only) for side in sides_of(task.kind)}
    rows = [
        TrialRow(
            key=key,
            cells=cells,
            is_listed=answer is not None,
            sizes={
                side: listed.get(cells.get(f"{side.value}FileID", ""))
                for side, listed in sizes.items()
                if task.index is None or cells.get(f"{side.value}FileID", "") in listed
            },
            where=reference.where(row),
        )
        for (row, answer, key), cells in zip(matched, printed, strict=True)
    ]
    return _in_index_order(rows, task, keys) if settings.index_filter else rows


_Match = tuple[int, int | None, tuple[str, ...]]


def _answers_by_key(table: Table, keys: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    missing = [name for name in keys if name not in table]
    if missing:
        raise ScoringError(f"The submission has no column {missing[0]}", where=table.name)
    answers: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(zip(*(table[name] for name in keys), strict=True)):
        answers.setdefault(key, []).append(row)
    return answers


def _matched(
    reference: Table,
    keys: Sequence[str],
    answers: Mapping[tuple[str, ...], list[int]],
    settings: MaskSettings,
    *,
    log: ProblemLog,
) -> list[_Match]:
    """(reference row, answer row or ``None``, key) as a left join lists them."""
    found: list[_Match] = []
    for row, key in enumerate(zip(*(reference[name] for name in keys), strict=True)):
        given: Sequence[int | None] = answers.get(key) or [None]
        if len(given) > 1 and settings.chooses(switches.REPEATED_TRIALS, "once"):
            log.warn(
                f"The trial {' and '.join(key)} is answered {len(given)} times;"
                " the first answer counts",
                where=reference.where(row),
                rule=switches.REPEATED_TRIALS.name,
            )
            given = given[:1]
        found += [(row, answer, key) for answer in given]
    return found


def _printed(
    reference: Table, system: Table, keys: Sequence[str], matched: Sequence[_Match]
) -> list[dict[str, str]]:
    names = list(reference.names)
    columns = [[str(reference[name].cells[row]) for row, _, _ in matched] for name in names]
    for name in system.names:
        if name in keys or name in names:
            continue
        cells = system[name].cells
        told = [None if row is None else str(cells[row]) for _, row, _ in matched]
        as_text = name in _TEXT_COLUMNS or name == "ConfidenceScore"
        names.append(name)
        columns.append([cell or "" for cell in told] if as_text else echoed(told))
    for name, old in _OLD_MASK_NAMES.items():
        if name not in names and old in names:
            columns.append(columns[names.index(old)])
            names.append(name)
    return [dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)]


def sides_of(kind: TaskKind) -> tuple[Side, ...]:
    return (Side.PROBE, Side.DONOR) if kind.has_donor else (Side.PROBE,)


def _sizes(
    task: Task, keys: Sequence[str], side: Side, *, only: Journal | None
) -> dict[str, Size | None]:
    """The size the index declares of each file; of several rows the first counts."""
    column = f"{side.value}FileID"
    if task.index is None or column not in task.index or not all(k in task.index for k in keys):
        return {}
    found: dict[str, Size | None] = {}
    for row, key in enumerate(zip(*(task.index[name] for name in keys), strict=True)):
        if only is None or only.of_trial(key):
            found.setdefault(task.index.cell(column, row), _size(task.index, row, side))
    return found


def _size(index: Table, row: int, side: Side) -> Size | None:
    width, height = index.cell(f"{side.value}Width", row), index.cell(f"{side.value}Height", row)
    return Size(int(width), int(height)) if width.isdigit() and height.isdigit() else None


def _in_index_order(rows: Sequence[TrialRow], task: Task, keys: Sequence[str]) -> list[TrialRow]:
    if task.index is None:
        return list(rows)
    by_key: dict[tuple[str, ...], list[TrialRow]] = {}
    for row in rows:
        by_key.setdefault(row.key, []).append(row)
    listed = zip(*(task.index[name] for name in keys), strict=True)
    return [row for key in listed for row in by_key.get(key, [])]


def _with_confidence(
    rows: Sequence[TrialRow], system: Table, settings: MaskSettings, *, log: ProblemLog
) -> list[TrialRow]:
    """Rows whose confidence is a number as printed, with the smallest where there is none."""
    if "ConfidenceScore" not in system:
        return list(rows)
    told = list(system["ConfidenceScore"])
    numbers = [float(cell) for cell in told if _is_number(cell)]
    smallest = min((number for number in numbers if not math.isnan(number)), default=math.nan)
    default = smallest
    if settings.chooses(switches.MISSING_CONFIDENCE, "first-as-text") and told:
        first = min(told)
        default = float(first) if _is_number(first) else smallest
    found = []
    for row in rows:
        cell = row.cells["ConfidenceScore"]
        if row.is_listed and not _is_number(cell):
            log.warn(
                f"The confidence {cell!r} is no number; the smallest one stands in",
                where=row.where,
                hint="NIST's program stops here",
                rule="mask-no-confidence",
            )
        number = float(cell) if row.is_listed and _is_number(cell) else default
        printed = "" if math.isnan(number) else repr(number)
        found.append(replace(row, cells={**row.cells, "ConfidenceScore": printed}))
    return found


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
