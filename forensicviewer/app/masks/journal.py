"""The journals of a task: which operations changed which probe, and which of them are selected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from forensicviewer.core.cached import cached_property
from forensicviewer.core.model import Task
from forensicviewer.core.table.number_cell import digits_in, whole_in
from forensicviewer.core.table.pandas_types import ColumnKind, Held, PandasColumn
from forensicviewer.core.table.row_view import RowView
from forensicviewer.core.table.text_table import Table

STEP = ("JournalName", "StartNodeID", "EndNodeID")
StepKey = tuple[str, ...]
TrialKey = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One operation of one trial; ``is_known`` unless the journal masks lack it.

    ``held`` are the cells as NIST's program holds them in memory.
    """

    trial: TrialKey
    step: StepKey
    cells: Mapping[str, str]
    held: Mapping[str, Held]
    is_known: bool

    @property
    def color(self) -> tuple[int, int, int] | None:
        """The operation's colour; ``None`` when blank."""
        return _color_in(self.cells.get("Color", ""))

    @property
    def bit_plane(self) -> int | None:
        """The operation's plane, from 1; ``None`` for blank and for the word None."""
        return whole_in(self._plane_cell)

    @property
    def _plane_cell(self) -> str:
        """Plans name the plane beside the probe, NIST's data beside the operation, some in both."""
        cells = (self.cells.get(name, "") for name in ("BitPlane", "BitPlane_y", "BitPlane_x"))
        return next((cell for cell in cells if cell not in ("", "None")), "")

    def has_unreadable_mark(self, *, planes: bool) -> bool:
        """Whether the journal says how the operation is marked, but not in usable words."""
        if planes:
            return self.bit_plane is None and self._plane_cell != ""
        return self.color is None and self.cells.get("Color", "") != ""


@lru_cache(maxsize=4096)
def _color_in(cell: str) -> tuple[int, int, int] | None:
    parts = [digits_in(part) for part in cell.split()]
    known = [part for part in parts if part is not None and part <= 255]
    if len(parts) != 3 or len(known) != 3:
        return None
    red, green, blue = known
    return red, green, blue


class Journal:
    """All operations of a task in the order NIST reports them."""

    def __init__(
        self, keys: Sequence[str], kinds: Mapping[str, ColumnKind], rows: Sequence[JournalRow]
    ) -> None:
        self.keys = tuple(keys)
        self.kinds = kinds
        self.rows = tuple(rows)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.kinds)

    @cached_property
    def by_trial(self) -> Mapping[TrialKey, tuple[int, ...]]:
        """The row numbers of each trial's operations."""
        found: dict[TrialKey, list[int]] = {}
        for number, row in enumerate(self.rows):
            found.setdefault(row.trial, []).append(number)
        return {trial: tuple(numbers) for trial, numbers in found.items()}

    def of_trial(self, key: TrialKey) -> tuple[int, ...]:
        """The row numbers of a trial's operations; journals know probes, not cameras."""
        return self.by_trial.get(key[: len(self.keys)], ())

    def restricted(self, trials: Iterable[TrialKey]) -> Journal:
        """Only the operations of these trials, in their order (NIST's index filter)."""
        listed = dict.fromkeys(trial[: len(self.keys)] for trial in trials)
        rows = [self.rows[i] for trial in listed for i in self.of_trial(trial)]
        return Journal(self.keys, self.kinds, rows)


def read_journal(task: Task, *, is_queried: bool = False) -> Journal | None:
    """Join each trial's operations with the journal masks; ``None`` without a journal.

    NIST reports the operations of splices once each and without columns of their own; to be queried
    they keep all.
    """
    joins, masks = task.probe_journals, task.journal_masks
    if joins is None or masks is None:
        return None
    # NIST's tables of splices name the donor of each operation; those of the plans do not (3.5.1).
    names_donors = task.kind.has_donor and "DonorFileID" in joins
    keys = ("ProbeFileID", *("DonorFileID",) * names_donors)
    if not all(name in joins for name in (*keys, *STEP)) or not all(name in masks for name in STEP):
        return None
    is_reduced = task.kind.has_donor and not is_queried
    left = [*keys, *STEP] if is_reduced else list(joins.names)
    pairs = _matches(joins, masks, distinct=left if is_reduced else None)
    columns = _columns(joins, masks, left, pairs)
    rows = _rows(columns, pairs, joins, keys)
    if is_reduced:
        rows = list({tuple(row.cells.items()): row for row in rows}.values())
    ordered = [*keys, *(name for name in columns if name not in keys)]
    return Journal(keys, {name: columns[name].kind for name in ordered}, rows)


def _matches(
    joins: Table, masks: Table, *, distinct: Sequence[str] | None
) -> list[tuple[int, int | None]]:
    """(row of the joins, row of the masks or ``None``), as a left join lists them."""
    by_step: dict[StepKey, list[int]] = {}
    for number, step in enumerate(_tuples(masks, STEP)):
        by_step.setdefault(step, []).append(number)
    chosen = list(range(len(joins)))
    if distinct is not None:
        first = {cells: row for row, cells in reversed(list(enumerate(_tuples(joins, distinct))))}
        chosen = sorted(first.values())
    steps = list(_tuples(joins, STEP))
    found: list[tuple[int, int | None]] = []
    for row in chosen:
        matching: Sequence[int | None] = by_step.get(steps[row]) or [None]
        found += [(row, mask) for mask in matching]
    return found


def _tuples(table: Table, names: Sequence[str]) -> Iterable[tuple[str, ...]]:
    return zip(*(table[name] for name in names), strict=True)


def _columns(
    joins: Table, masks: Table, left: Sequence[str], pairs: Sequence[tuple[int, int | None]]
) -> dict[str, PandasColumn]:
    right = [name for name in masks.names if name not in STEP]
    clashing = set(left) & set(right)
    joined = np.array([row for row, _ in pairs], dtype=np.intp)
    described = np.array([-1 if row is None else row for _, row in pairs], dtype=np.intp)
    found: dict[str, PandasColumn] = {}
    for name in left:
        column = joins[name].take(joined)
        found[f"{name}_x" if name in clashing else name] = (
            PandasColumn.of(ColumnKind.MIXED, column)
            if name.endswith("FileID")
            else column.typed_as_pandas(blanks_are_gaps=False)
        )
    for name in right:
        column = masks[name].take(described)
        label = f"{name}_y" if name in clashing else name
        found[label] = column.typed_as_pandas(blanks_are_gaps=False)
    return found


def _rows(
    columns: Mapping[str, PandasColumn],
    pairs: Sequence[tuple[int, int | None]],
    joins: Table,
    keys: Sequence[str],
) -> list[JournalRow]:
    trials = list(_tuples(joins, keys))
    steps = list(_tuples(joins, STEP))
    printed = {name: column.printed() for name, column in columns.items()}
    held = {name: column.cells for name, column in columns.items()}
    return [
        JournalRow(
            trial=trials[row],
            step=steps[row],
            cells=RowView(printed, number),
            held=RowView(held, number),
            is_known=mask is not None,
        )
        for number, (row, mask) in enumerate(pairs)
    ]
