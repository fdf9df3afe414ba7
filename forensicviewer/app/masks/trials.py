"""The trials of a mask run: reference and submission joined as NIST joins them, and its totals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from forensicviewer.app.masks.journal import Journal
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.masks.status import Statuses
from forensicviewer.app.runtime.memory import unsearched
from forensicviewer.core.array import Rows, Size
from forensicviewer.core.model import (
    Side,
    Submission,
    Task,
    TaskKind,
    TrialId,
    key_columns,
    trial_id,
)
from forensicviewer.core.problem import ProblemLog, ScoringError
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.table.number_cell import digits_in, number_in
from forensicviewer.core.table.pandas_types import ColumnKind, Held, PandasColumn
from forensicviewer.core.table.row_view import RowView
from forensicviewer.core.table.text_table import Table

NO_TARGET = "mask-no-target"
# Spellings of the NC2016 plan and of its kick-off data, which NIST's program does not know.
_OLD_MASK_NAMES = (
    ("OutputProbeMaskFileName", "ProbeOutputMaskFileName"),
    ("OutputProbeMaskFileName", "OutputProbeMaskFName"),
    ("OutputProbeMaskFileName", "OutputMaskFName"),
    ("OutputProbeMaskFileName", "MaskFName"),
    ("OutputDonorMaskFileName", "DonorOutputMaskFileName"),
)
_TEXT_COLUMNS = ("OutputProbeMaskFileName", "OutputDonorMaskFileName")
# The columns of a reference that scoring cannot do without.
_NEEDED = frozenset(
    {
        *("TaskID", "IsTarget", "ProbeFileName", "ProbeMaskFileName", "ProbeBitPlaneMaskFileName"),
        *("DonorFileName", "DonorMaskFileName", "BinaryProbeMaskFileName", "JournalName"),
        *(*_TEXT_COLUMNS, "ConfidenceScore"),
    }
)


# A row of a table, by its number.
TableRow = tuple[Table, int]


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One trial with the cells of its reference and answer as they are printed.

    ``held`` are the cells of the answer as NIST's program holds them in memory. ``sizes`` is what
    the index says of each side it lists, ``None`` where that is not a size. ``where`` is the row of
    the reference, ``answered_at`` that of the submission, where there is one: both are written
    only when a message needs them.
    """

    key: tuple[str, ...]
    cells: Mapping[str, str]
    held: Mapping[str, Held]
    is_listed: bool
    sizes: Mapping[Side, Size | None]
    reference_place: TableRow
    answer_place: TableRow

    @property
    def where(self) -> str:
        table, row = self.reference_place
        return table.where(row)

    @property
    def answered_at(self) -> str:
        table, row = self.answer_place
        return table.where(row)

    @property
    def id(self) -> TrialId:
        return trial_id(self.key)

    @property
    def is_target(self) -> bool:
        return self.cells.get("IsTarget") == "Y"

    @property
    def is_original(self) -> bool:
        """Whether the table says that the probe is not manipulated, as a camera's own images."""
        return self.cells.get("IsManipulated") == "N"


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
    """The target trials to be scored, and the columns of both tables.

    ``kinds`` are the types of columns as NIST's program guesses them: those of the submission, and
    the ``pandas_columns`` of the reference.
    """

    rows: tuple[TrialRow, ...]
    reference_columns: tuple[str, ...]
    system_columns: tuple[str, ...]
    pandas_columns: frozenset[str]
    kinds: Mapping[str, ColumnKind]
    totals: Totals
    statuses: Statuses
    index: Table | None = None
    keys: tuple[str, ...] = ()

    def index_cells(self, rows: Sequence[TrialRow]) -> dict[str, list[str]]:
        """Columns that only the index has, as HPDeviceID of MFC2019's plan (4.1.1)."""
        if self.index is None or any(name not in self.index for name in self.keys):
            return {}
        own = {*self.keys, *self.reference_columns, *self.system_columns}
        keys = zip(*(self.index[name] for name in self.keys), strict=True)
        places = {key: row for row, key in enumerate(keys)}
        found = [places.get(row.key) for row in rows]
        return {
            name: ["" if row is None else self.index.cell(name, row) for row in found]
            for name in self.index.names
            if name not in own
        }

    @property
    def text_columns(self) -> tuple[str, ...]:
        """Columns a query compares as text, whatever they hold."""
        own = [name for name in self.reference_columns if name not in self.pandas_columns]
        return (*own, *_TEXT_COLUMNS)

    def typed_as_pandas(self, name: str, rows: Sequence[TrialRow]) -> PandasColumn:
        """A column of these trials as NIST's program queries it."""
        if name in self.text_columns or name not in self.kinds:
            return PandasColumn.of(ColumnKind.MIXED, [row.cells.get(name, "") for row in rows])
        if name == "ConfidenceScore":
            numbers = [row.cells[name] for row in rows]
            return PandasColumn.of(
                ColumnKind.DECIMAL, [float(cell) if cell else None for cell in numbers]
            )
        return PandasColumn.of(self.kinds[name], [row.held[name] for row in rows])


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
            "The task has no reference table, so it cannot be scored",
            where=task.root,
            hint="name the reference with --reference",
        )
    if "IsTarget" not in task.reference:
        raise ScoringError(
            "The reference has no column IsTarget",
            where=task.reference.name,
            hint="add it, with Y for the trials to score",
        )
    with unsearched():
        found = join_trials(task, submission, settings, journal=journal, log=log)
    statuses = found.statuses
    _report_statuses(found.rows, statuses, log=log)
    opted_in = [row for row in found.rows if not statuses.is_opted_out(row.cells)]
    kept = opted_in
    if settings.chooses(switches.OptOutTrials.PROCESSED):
        kept = [row for row in opted_in if row.is_listed and statuses.is_processed(row.cells)]
    targets = [row for row in (kept if settings.opt_out else found.rows) if row.is_target]
    if not targets:
        raise ScoringError(
            "The reference contains no target trials", where=task.reference.name, rule=NO_TARGET
        )
    return replace(
        found,
        rows=tuple(_with_confidence(targets, submission.table, settings, log=log)),
        totals=Totals(len(found.rows), _opted_in(opted_in, statuses, settings)),
    )


def join_trials(
    task: Task,
    submission: Submission,
    settings: MaskSettings,
    *,
    journal: Journal | None,
    log: ProblemLog,
) -> TrialSet:
    """Every trial of the reference, target or not, beside its answer."""
    assert task.reference is not None
    answers = _Answers.of(submission.table, task.reference, key_columns(task.kind))
    rows, kinds = _joined(task, answers, settings, journal=journal, log=log)
    own = [name for name in answers.labels.values() if name not in answers.twice]
    typed = _pandas_names(task.reference, answers, settings)
    return TrialSet(
        rows=tuple(rows),
        reference_columns=tuple(answers.reference_label(name) for name in task.reference.names),
        system_columns=tuple(answers.labels.values()),
        pandas_columns=frozenset(map(answers.reference_label, typed)),
        kinds=kinds,
        totals=Totals(len(rows), len(rows)),
        statuses=Statuses.of(own, kind=task.kind, edition=task.edition, settings=settings, log=log),
        index=task.index,
        keys=answers.keys,
    )


def _opted_in(kept: Sequence[TrialRow], statuses: Statuses, settings: MaskSettings) -> int:
    if settings.chooses(switches.ResponseRate.ANSWERED):
        return sum(row.is_listed and statuses.is_processed(row.cells) for row in kept)
    return len(kept)


def _report_statuses(rows: Sequence[TrialRow], statuses: Statuses, *, log: ProblemLog) -> None:
    for row in rows:
        for word in statuses.unknown_words(row.cells):
            log.about(row.id).warn(
                f"{word!r} is not a known status and counts as an answer",
                where=row.answered_at,
                hint="NIST's program stops here",
                rule="mask-unknown-status",
            )


@dataclass(frozen=True, slots=True)
class _Answers:
    """The submission's table, and under which names its columns stand beside the reference's.

    ``labels`` says it for every column but the keys. A name both tables have gets ``_y``, and
    ``_x`` in the reference (``twice`` holds both forms), unless scoring itself needs the name:
    there the reference's cells are taken (NIST's program stops).
    """

    table: Table
    keys: tuple[str, ...]
    labels: Mapping[str, str]
    twice: frozenset[str]

    @classmethod
    def of(cls, table: Table, reference: Table, keys: Sequence[str]) -> _Answers:
        both = {name for name in table.names if name in reference}
        labels = {
            name: f"{name}_y" if name in both else name
            for name in table.names
            if name not in keys and not (name in both and name in _NEEDED)
        }
        twice = {form for name in labels if name in both for form in (f"{name}_x", f"{name}_y")}
        return cls(table, tuple(keys), labels, frozenset(twice))

    def reference_label(self, name: str) -> str:
        return f"{name}_x" if f"{name}_x" in self.twice else name

    def typed_as_pandas(self, name: str, rows: Rows) -> PandasColumn:
        """A column beside the reference; where it is the submission's alone, gaps become blank."""
        column = self.table[name].typed_as_pandas(blanks_are_gaps=False).take(rows)
        return column if self.labels[name] in self.twice else column.filled("")

    @property
    def by_key(self) -> dict[tuple[str, ...], list[int]]:
        missing = [name for name in self.keys if name not in self.table]
        if missing:
            raise ScoringError(f"The submission has no column {missing[0]}", where=self.table.name)
        found: dict[tuple[str, ...], list[int]] = {}
        for row, key in enumerate(zip(*(self.table[name] for name in self.keys), strict=True)):
            found.setdefault(key, []).append(row)
        return found


def _joined(
    task: Task,
    answers: _Answers,
    settings: MaskSettings,
    *,
    journal: Journal | None,
    log: ProblemLog,
) -> tuple[list[TrialRow], Mapping[str, ColumnKind]]:
    """The trials as a left join lists them, and the types of the submission's columns."""
    assert task.reference is not None
    reference, keys = task.reference, answers.keys
    matched = _matched(reference, keys, answers.by_key, settings, log=log)
    typed = _pandas_names(reference, answers, settings)
    held = _held(answers, matched) | _held_of_reference(reference, typed, answers, matched)
    printed = _printed(reference, answers, matched, held)
    # NIST's index filter also strikes trials without a journal from the index itself.
    only = journal if settings.index_filter else None
    sizes = {side: _sizes(task, keys, side, only=only) for side in sides_of(task.kind)}
    held_cells = {name: column.cells for name, column in held.items()}
    declared = _declared(task, sizes, printed, len(matched))
    rows = [
        TrialRow(
            key=key,
            cells=RowView(printed, position),
            held=RowView(held_cells, position),
            is_listed=answer is not None,
            sizes=sizes_here,
            reference_place=(reference, row),
            answer_place=(reference, row) if answer is None else (answers.table, answer),
        )
        for position, ((row, answer, key), sizes_here) in enumerate(
            zip(matched, declared, strict=True)
        )
    ]
    kinds = {name: column.kind for name, column in held.items()}
    return (_in_index_order(rows, task, keys) if settings.index_filter else rows), kinds


_Match = tuple[int, int | None, tuple[str, ...]]


def _matched(
    reference: Table,
    keys: Sequence[str],
    answers: Mapping[tuple[str, ...], list[int]],
    settings: MaskSettings,
    *,
    log: ProblemLog,
) -> list[_Match]:
    """(reference row, answer row or ``None``, key) as a left join lists them."""
    missing = [name for name in keys if name not in reference]
    if missing:
        raise ScoringError(f"The reference has no column {missing[0]}", where=reference.name)
    found: list[_Match] = []
    for row, key in enumerate(zip(*(reference[name] for name in keys), strict=True)):
        given: Sequence[int | None] = answers.get(key) or [None]
        if len(given) > 1 and settings.chooses(switches.RepeatedTrials.ONCE):
            log.about(trial_id(key)).warn(
                f"The trial {' and '.join(key)} is answered {len(given)} times;"
                " the first answer counts",
                where=reference.where(row),
                rule=switches.RepeatedTrials.key,
            )
            given = given[:1]
        found += [(row, answer, key) for answer in given]
    return found


def _held(answers: _Answers, matched: Sequence[_Match]) -> dict[str, PandasColumn]:
    rows = np.array([-1 if row is None else row for _, row, _ in matched], dtype=np.intp)
    return {label: answers.typed_as_pandas(name, rows) for name, label in answers.labels.items()}


def _pandas_names(reference: Table, answers: _Answers, settings: MaskSettings) -> list[str]:
    """The columns of the reference that NIST's program does not read as texts."""
    if settings.chooses(switches.QuotedNames.TEXTS):
        return []
    return [name for name in reference.names if name in reference.quoted_names - {*answers.keys}]


def _held_of_reference(
    reference: Table, names: Sequence[str], answers: _Answers, matched: Sequence[_Match]
) -> dict[str, PandasColumn]:
    rows = np.array([row for row, _, _ in matched], dtype=np.intp)
    return {
        answers.reference_label(name): reference[name]
        .typed_as_pandas(blanks_are_gaps=False)
        .take(rows)
        for name in names
    }


def _printed(
    reference: Table,
    answers: _Answers,
    matched: Sequence[_Match],
    held: Mapping[str, PandasColumn],
) -> dict[str, list[str]]:
    """The cells of all trials as they are printed, by column."""
    names = [answers.reference_label(name) for name in reference.names]
    columns = [
        held[label].printed()
        if (label := answers.reference_label(name)) in held
        else _cells_of(reference[name], [row for row, _, _ in matched])
        for name in reference.names
    ]
    for name, label in answers.labels.items():
        names.append(label)
        if name in _TEXT_COLUMNS or name == "ConfidenceScore":
            columns.append(_cells_of(answers.table[name], [row for _, row, _ in matched]))
        else:
            columns.append(held[label].printed())
    for name, old in _OLD_MASK_NAMES:
        if name not in names and old in names:
            columns.append(columns[names.index(old)])
            names.append(name)
    return dict(zip(names, columns, strict=True))


def _cells_of(column: Iterable[str], rows: Sequence[int | None]) -> list[str]:
    cells = list(column)
    return ["" if row is None else cells[row] for row in rows]


def _declared(
    task: Task,
    sizes: Mapping[Side, Mapping[str, Size | None]],
    printed: Mapping[str, Sequence[str]],
    count: int,
) -> list[Mapping[Side, Size | None]]:
    """What the index says of each side of each trial; a side it does not list is left out."""
    found: list[dict[Side, Size | None]] = [{} for _ in range(count)]
    for side, listed in sizes.items():
        ids = printed.get(f"{side.value}FileID", [""] * count)
        for here, file_id in zip(found, ids, strict=True):
            if task.index is None or file_id in listed:
                here[side] = listed.get(file_id)
    return list(found)


def sides_of(kind: TaskKind) -> tuple[Side, ...]:
    return (Side.PROBE, Side.DONOR) if kind.has_donor else (Side.PROBE,)


def _sizes(
    task: Task, keys: Sequence[str], side: Side, *, only: Journal | None
) -> dict[str, Size | None]:
    """The size the index declares of each file; of several rows the first counts."""
    column = f"{side.value}FileID"
    if task.index is None or column not in task.index or not all(k in task.index for k in keys):
        return {}
    index, found = task.index, dict[str, Size | None]()
    trial_keys = zip(*(index[name] for name in keys), strict=True)
    for key, file_id, size in zip(
        trial_keys, index[column], _listed_sizes(index, side), strict=True
    ):
        if file_id not in found and (only is None or only.of_trial(key)):
            found[file_id] = size
    return found


def _listed_sizes(index: Table, side: Side) -> Iterator[Size | None]:
    """The size each row declares; ``None`` where width or height are not whole numbers."""
    blank = [""] * len(index)
    width, height = f"{side.value}Width", f"{side.value}Height"
    cells = zip(
        index.columns.get(width, blank),
        index.columns.get(height, blank),
        strict=True,
    )
    # Most images have one of few sizes.
    known: dict[tuple[str, str], Size | None] = {}
    for pair in cells:
        if pair not in known:
            wide, high = digits_in(pair[0]), digits_in(pair[1])
            known[pair] = None if wide is None or high is None else Size(wide, high)
        yield known[pair]


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
    cells = list(system["ConfidenceScore"])
    numbers = [number for cell in cells if (number := number_in(cell)) is not None]
    default = min((number for number in numbers if not math.isnan(number)), default=math.nan)
    if settings.chooses(switches.MissingConfidence.FIRST_AS_TEXT) and cells:
        first = number_in(min(cells))
        default = default if first is None else first
    confidences: list[str] = []
    for row in rows:
        cell = row.cells["ConfidenceScore"]
        number = number_in(cell) if row.is_listed else default
        if number is None:
            number = default
            log.about(row.id).warn(
                f"The confidence {cell!r} is not a number; the smallest one is used instead",
                where=row.answered_at,
                hint="NIST's program stops here",
                rule="mask-no-confidence",
            )
        confidences.append("" if math.isnan(number) else repr(number))
    names = rows[0].cells if rows else ()
    columns = {name: [row.cells[name] for row in rows] for name in names}
    columns["ConfidenceScore"] = confidences
    return [replace(row, cells=RowView(columns, number)) for number, row in enumerate(rows)]
