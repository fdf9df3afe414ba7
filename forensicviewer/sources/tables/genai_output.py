"""System outputs of NIST's GenAI evaluations, found by file id in any of its spellings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from forensicviewer.core import genai
from forensicviewer.core.array import Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.key_index import KeyIndex
from forensicviewer.core.model import Answer, TrialId
from forensicviewer.core.table.number_cell import number_in
from forensicviewer.core.table.text_table import Column, Table


def tidied(table: Table) -> Table:
    """The table in the plan's spelling: names of columns, and cells without blanks around them."""
    columns: dict[str, Column] = {}
    for name, column in table.columns.items():
        columns.setdefault(genai.canonical(name), column.stripped())
    return table.with_only(columns)


class AlikeFiles:
    """Rows by file id; the suffix may be spelled differently or missing on one side.

    The plan writes ``.webP`` and ``.webp``, and calls the files of a set ``<file_id>.*``.
    """

    def __init__(self, column: Column) -> None:
        self._column = column

    def row_of(self, file_id: str) -> int | None:
        """The first row whose id means this file."""
        row = self._spelled.get(genai.same_file(file_id))
        if row is not None:
            return row
        bare = genai.bare_file(file_id)
        return self._bare.get(file_id) if bare == file_id else self._spelled.get(bare)

    @cached_property
    def _spelled(self) -> Mapping[str, int]:
        return _first_rows(map(genai.same_file, self._column))

    @cached_property
    def _bare(self) -> Mapping[str, int]:
        return _first_rows(map(genai.bare_file, self._column))


class GenAIAnswers:
    """Answers over a system output (an :class:`~forensicviewer.core.model.Answers`)."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table)

    def get(self, trial_id: TrialId) -> Answer | None:
        row = self._index.row_of(trial_id)
        row = self._alike.row_of(trial_id) if row is None else row
        if row is None:
            return None
        facts = self._table.row(row)
        return Answer(trial_id, row, parse_confidence(facts.get(genai.SCORE, "")), facts=facts)

    def rows_for(self, trial_ids: Sequence[TrialId]) -> Rows:
        rows = self._index.rows_of(trial_ids).copy()
        for place in np.flatnonzero(rows < 0).tolist():
            found = self._alike.row_of(trial_ids[place])
            rows[place] = -1 if found is None else found
        return rows

    @cached_property
    def _index(self) -> KeyIndex:
        return KeyIndex([self._table[genai.FILE]])

    @cached_property
    def _alike(self) -> AlikeFiles:
        return AlikeFiles(self._table[genai.FILE])


def identity_of(table: Table, name: str) -> dict[str, str]:
    """The team and system of an output, and the cutoff that its name declares."""
    cutoff = genai.cutoff_of(name)
    said = {
        "system": _only_cell(table, genai.DISCRIMINATOR),
        "version": _only_cell(table, genai.VERSION),
        "cutoff": "" if cutoff is None else f"{cutoff:g}",
    }
    return {part: word for part, word in said.items() if word}


def parse_confidence(cell: str) -> float | None:
    """The score of a cell; ``None`` where it is not a number (also for ``nan``)."""
    value = number_in(cell)
    return None if value is None or math.isnan(value) else value


def _only_cell(table: Table, column: str) -> str:
    cells = table[column].dictionary[1] if column in table else ()
    return cells[0] if len(cells) == 1 else ""


def _first_rows(names: Iterable[str]) -> dict[str, int]:
    rows: dict[str, int] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, row)
    return rows
