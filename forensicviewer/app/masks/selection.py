"""What a run of the mask scorer scores: which trials, and which operations of their journals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from forensicviewer.app.masks.journal import Journal, JournalRow
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.masks.trials import TrialRow, TrialSet
from forensicviewer.core.query.grammar import parse
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.table.pandas_types import PandasColumn
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.layouts.conditions import with_conditions


@dataclass(frozen=True, slots=True)
class Selection:
    """The trials of a run, and for each row of the journal whether its operation is asked for."""

    rows: tuple[TrialRow, ...]
    asked: tuple[bool, ...]
    query: str = ""


def everything(trials: TrialSet, journal: Journal | None) -> Selection:
    return Selection(trials.rows, (True,) * (0 if journal is None else len(journal.rows)))


def selected_by(
    query: str,
    trials: TrialSet,
    *,
    journal: Journal,
    reported: Journal,
    settings: MaskSettings,
    is_splice: bool,
) -> Selection | None:
    """The trials with an operation that fulfils the query; ``None`` when there is none.

    ``journal`` is searched, ``reported`` is what the run reports (the same but for index filters).
    """
    pairs = _joined(trials.rows, journal)
    if settings.chooses(switches.QueryCells.PYTHON2):
        flags = parse(query).matches_verbatim(_typed_as_pandas(trials, journal, pairs))
    else:
        table = _table(trials, journal, pairs)
        text = [*trials.text_columns, *journal.keys]
        flags = parse(query).matches(table, text_columns=[name for name in text if name in table])
    matched = [pair for pair, flag in zip(pairs, flags, strict=True) if flag]
    if not matched:
        return None
    rows = _rows(trials.rows, matched, settings, is_splice=is_splice)
    if not rows:
        return None
    return Selection(tuple(rows), _asked(reported, matched, settings), query)


_Pair = tuple[TrialRow, JournalRow | None]


def _joined(rows: Sequence[TrialRow], journal: Journal) -> list[_Pair]:
    """Every trial with each of its operations, as a left join on trial and journal lists them."""
    pairs: list[_Pair] = []
    for row in rows:
        listed = [journal.rows[i] for i in journal.of_trial(row.key)]
        if "JournalName" in row.cells:
            name = row.cells["JournalName"]
            listed = [step for step in listed if step.step[0] == name]
        pairs += [(row, step) for step in listed] or [(row, None)]
    return pairs


def _labels(trials: TrialSet, journal: Journal) -> tuple[dict[str, str], dict[str, str]]:
    """The names under which trials' and journal's columns stand side by side.

    Of names in both, the trial's get ``_x`` and the journal's ``_y``.
    """
    first = trials.rows[0].cells
    shared = {*journal.keys, "JournalName"} & set(first)
    added = [name for name in journal.columns if name not in shared]
    return (
        {name: f"{name}_x" if name in added else name for name in first},
        {name: f"{name}_y" if name in first else name for name in added},
    )


def _table(trials: TrialSet, journal: Journal, pairs: Sequence[_Pair]) -> Table:
    """The joined columns as they are printed."""
    own, added = _labels(trials, journal)
    columns = {label: [row.cells[name] for row, _ in pairs] for name, label in own.items()}
    for name, label in added.items():
        columns[label] = ["" if step is None else step.cells[name] for _, step in pairs]
    return with_conditions(Table.of("trials and operations", columns))


def _typed_as_pandas(
    trials: TrialSet, journal: Journal, pairs: Sequence[_Pair]
) -> dict[str, PandasColumn]:
    """The joined columns as NIST's program holds them."""
    own, added = _labels(trials, journal)
    rows = [row for row, _ in pairs]
    columns = {label: trials.typed_as_pandas(name, rows) for name, label in own.items()}
    for name, label in added.items():
        cells = [None if step is None else step.held[name] for _, step in pairs]
        everything = np.arange(len(cells))
        # Taking the rows settles what the gaps make of the column's type.
        columns[label] = PandasColumn.of(journal.kinds[name], cells).take(everything)
    return columns


def _rows(
    rows: Sequence[TrialRow],
    matched: Sequence[_Pair],
    settings: MaskSettings,
    *,
    is_splice: bool,
) -> list[TrialRow]:
    if is_splice and settings.chooses(switches.RepeatedTrials.SQUARED):
        counts = Counter(row.key for row, step in matched if step is not None and step.is_known)
        return [row for row in rows for _ in range(counts[row.key])]
    keys = {row.key for row, _ in matched}
    return [row for row in rows if row.key in keys]


def _asked(reported: Journal, matched: Sequence[_Pair], settings: MaskSettings) -> tuple[bool, ...]:
    steps = [step for _, step in matched if step is not None]
    by_journal = {step.step for step in steps}
    by_probe = {(step.trial, step.step) for step in steps}
    if settings.chooses(switches.MarkedOperations.PROBE):
        return tuple((row.trial, row.step) in by_probe and row.is_known for row in reported.rows)
    return tuple(row.step in by_journal and row.is_known for row in reported.rows)
