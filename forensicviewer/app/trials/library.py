"""The trials of a task as rows with columns: filtered, sorted, counted and searched.

Everything works on whole columns, so that a million trials answer within a fifth of a second.
Columns are prepared when first used, and what was prepared is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from forensicviewer.app.language.words import to_translate, tr
from forensicviewer.app.trials.column import IdColumn, NumberColumn, TextColumn, TrialColumn
from forensicviewer.app.trials.query import JournalCells, journal_cells, trials_matching
from forensicviewer.app.trials.score_columns import (
    AGREEMENT,
    DONOR_MCC,
    DONOR_NMM,
    DONOR_THRESHOLD,
    ERROR,
    IMAGE_SCORE,
    THRESHOLD,
    Scores,
    score_columns,
)
from forensicviewer.app.trials.trial_filter import Sort, TrialFilter
from forensicviewer.core.array import Flags, Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.model import Submission, Task, TaskKind, TrialId, key_columns
from forensicviewer.core.problem import QueryError
from forensicviewer.core.query.grammar import Query, parse
from forensicviewer.core.table.text_table import Column, Table

TRIAL, TARGET = to_translate("Trial"), to_translate("Target")
CONFIDENCE, STATUS = to_translate("Confidence"), to_translate("Status")
VERDICT = to_translate("Verdict")
_OWN_NAMES = {TRIAL, TARGET, CONFIDENCE, STATUS, VERDICT}
_OWN_NAMES |= {THRESHOLD, DONOR_MCC, DONOR_NMM, DONOR_THRESHOLD, ERROR, AGREEMENT}
_OWN_CELLS = (STATUS, VERDICT)
_STATUS_COLUMNS = ("ProbeStatus", "IsOptOut", "FrameStatus", "ProvenanceOutputStatus")
_ANSWERED, _NOT_ANSWERED = to_translate("answered"), to_translate("not answered")
_OPTED_OUT = to_translate("opted out")
_MOST_FACET_VALUES = 24
_JOURNALED = ("Operation", "Purpose")
# Steps of journals that are joined with their trials in some seconds; more would take memory.
_MOST_STEPS = 3_000_000
_QUERY_SIGNS = re.compile(r"[=<>!]|\bin\b\s*[\[(]|\bis(in|null|na)\b")


def shown_name(name: str) -> str:
    """A column in the user's language; those of the dataset's tables keep their names."""
    return tr(name) if name in _OWN_NAMES else name


def shown_cell(name: str, cell: str) -> str:
    """A cell in the user's language where the word is the list's own, not a table's."""
    return tr(cell) if name in _OWN_CELLS else cell


@dataclass(frozen=True, slots=True)
class Facet:
    """A column with few distinct cells: each with its count and whether it is chosen.

    Counts are those of trials that pass every other part of the filter.
    """

    column: str
    cells: tuple[tuple[str, int, bool], ...]


class Library:
    """The rows of one task, with the answers of one submission if there is one."""

    def __init__(
        self,
        task: Task,
        submission: Submission | None = None,
        *,
        scores: Scores | None = None,
        verdicts: Mapping[TrialId, str] | None = None,
        journals: Mapping[str, JournalCells] | None = None,
    ) -> None:
        self.task = task
        self.submission = submission
        self.score_columns = score_columns(task)
        self.scores = scores or Scores.unknown(len(task.trials), self.score_columns)
        self.verdicts = dict(verdicts or {})
        # What the journals say was done to each probe; known later than the rest.
        self.journals = journals or {}
        self._columns: dict[str, TrialColumn] = {}

    def __len__(self) -> int:
        return len(self.task.trials)

    def with_scores(self, scores: Scores) -> Library:
        """The same rows with newer scores; everything else that was prepared is shared."""
        return self._renewed(scores, self.verdicts, tuple(scores.values))

    def with_verdicts(self, verdicts: Mapping[TrialId, str]) -> Library:
        return self._renewed(self.scores, verdicts, (VERDICT,))

    def with_journals(self, journals: Mapping[str, JournalCells]) -> Library:
        """The same rows, once it is known what was done to their probes."""
        renewed = self._renewed(self.scores, self.verdicts, ())
        renewed.journals = journals
        return renewed

    @cached_property
    def leading_names(self) -> tuple[str, ...]:
        """The columns people look at first."""
        numbers = [column.name for column in self.score_columns if not column.is_aside]
        if self.task.kind.is_provenance:
            # Every graph is asked about, and how sure a system is of all of it tells little.
            return (TRIAL, *numbers, CONFIDENCE, STATUS, VERDICT)
        # A model without a head gives no confidence; its maps give a score of the image.
        said = IMAGE_SCORE if self.task.kind is TaskKind.IMDL else CONFIDENCE
        # The score that ranks trials comes first: a narrow list has room for three columns.
        return (TRIAL, TARGET, *numbers[:1], said, *numbers[1:], STATUS, VERDICT)

    @property
    def shown_names(self) -> tuple[str, ...]:
        """The columns a list begins with: nothing about answers or truth where there is none."""
        empty: set[str] = set()
        if self.submission is None:
            empty |= set(self.leading_names) - {TRIAL, TARGET, VERDICT}
        if not self.task.has_reference:
            empty |= {TARGET, *self.scores.values}
        return tuple(name for name in self.leading_names if name not in empty)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every column, the leading ones in front."""
        aside = (column.name for column in self.score_columns if column.is_aside)
        return tuple(dict.fromkeys((*self.leading_names, *aside, CONFIDENCE, *self._table.names)))

    @property
    def worst_first(self) -> str | None:
        """The column that says which trial is worse; ``None`` where trials are not scored."""
        return self.score_columns[0].name if self.score_columns else None

    @property
    def worst_is_highest(self) -> bool:
        """Whether that column tells errors."""
        return any(column.is_error for column in self.score_columns[:1])

    def column(self, name: str) -> TrialColumn:
        if name not in self._columns:
            self._columns[name] = self._make_column(name)
        return self._columns[name]

    def why_unscored(self, name: str, row: int) -> str:
        """Why a trial has no confidence or score; nothing where it has one."""
        if name not in (CONFIDENCE, *self.scores.values) or self.column(name).text(row):
            return ""
        if self.submission is None:
            return tr("no submission is open")
        if name == CONFIDENCE and not self.unanswered[row]:
            return tr("the submission does not give a score")
        # IMDL-BenCo scores authentic images too, which are 0 in its means.
        leaves_out = self.task.kind.has_masks and self.task.kind is not TaskKind.IMDL
        if name != CONFIDENCE and leaves_out and self.column(TARGET).text(row) == "N":
            return tr("not manipulated, so not scored")
        if self.unanswered[row]:
            return tr("the submission does not answer this trial")
        if not self.scores.is_complete:
            return tr("not scored yet")
        return tr("nothing in this trial can be scored; open it to see why")

    @cached_property
    def unanswered(self) -> Flags:
        """Whether the submission has no row for each trial; nothing is without a submission."""
        if self.submission is None:
            return np.zeros(len(self), dtype=np.bool_)
        return self._answer_rows < 0

    def cells(self, rows: Rows, names: Sequence[str]) -> list[list[str]]:
        """The cells of some trials in these columns with every digit, to be written or copied."""
        columns = [self.column(name) for name in names]
        return [[column.exact_text(row) for column in columns] for row in rows.tolist()]

    def id_of(self, row: int) -> TrialId:
        return self.task.trials.ids()[row]

    def arranged(self, wanted: TrialFilter, sort: Sort) -> Rows:
        """The rows that pass the filter, in order."""
        keep = self.passing(wanted)
        if not sort.column or sort.column not in self.names:
            return np.flatnonzero(keep)
        return self.column(sort.column).ordered(keep, descending=sort.descending)

    def passing(self, wanted: TrialFilter) -> Flags:
        """Whether each row passes; raises QueryError where the text is a query nobody can read."""
        keep = self._matching(wanted.text.strip())
        for name, cells in wanted.chosen.items():
            if name in self.names:
                keep &= self.column(name).among(cells)
            elif name in self.journals:
                keep &= self.journals[name].among(cells)
        return keep

    def asks_journals(self, text: str) -> bool:
        """Whether a filter names columns of the journals, which have to be joined first."""
        try:
            query = query_of(text)
        except QueryError:
            return False
        return query is not None and any(name not in self.names for name in query.columns)

    def facets(self, wanted: TrialFilter) -> tuple[Facet, ...]:
        """The columns with few distinct cells, counted."""
        everything = self.passing(wanted)
        own = [name for name in self.names if self._has_facet(name)]
        # What was done to a probe is asked for more often than where its files lie.
        names = [*own[:1], *self.journals, *own[1:]]
        return tuple(self._facet(name, wanted, everything) for name in names)

    def found(self, text: str, *, limit: int = 50) -> Rows:
        """The rows whose id is nearest to what was typed, best first."""
        ids = self.column(TRIAL)
        assert isinstance(ids, TextColumn)
        return ids.nearest(text, limit=limit)

    def begin(self) -> None:
        """Make ready what a list shows before it can be searched; a second for a million rows."""
        for name in self.leading_names:
            self.column(name)

    def prepare(self) -> None:
        """Make ready what typing into the filter box needs; seconds for a million rows."""
        self.facets(TrialFilter())
        for column in self._searched_columns:
            column.containing("a")
        # A word may be an id in another spelling; GenAI's are looked up in a separate table.
        self.task.trials.row_of(TrialId("a"))
        self.arranged(TrialFilter(), Sort(TRIAL))

    def _renewed(
        self, scores: Scores, verdicts: Mapping[TrialId, str], stale: tuple[str, ...]
    ) -> Library:
        renewed = Library(
            self.task,
            self.submission,
            scores=scores,
            verdicts=verdicts,
            journals=self.journals,
        )
        kept = {name: column for name, column in self._columns.items() if name not in stale}
        renewed._columns.update(kept)
        for name in ("_table", "_answer_rows", "unanswered", "names", "leading_names"):
            if name in self.__dict__:
                renewed.__dict__[name] = self.__dict__[name]
        return renewed

    @cached_property
    def _answer_rows(self) -> Rows:
        """The submission's row for each trial; -1 where it has none."""
        if self.submission is None:
            return np.full(len(self), -1, dtype=np.intp)
        return self.submission.answers.rows_for(self.task.trials.ids())

    @cached_property
    def _table(self) -> Table:
        """The task's columns, then those of the submission's columns it does not have itself."""
        columns = dict(self.task.table.columns)
        if self.submission is not None:
            for name, column in self.submission.table.columns.items():
                columns.setdefault(name, column.take(self._answer_rows))
        return Table(self.task.table.name, columns)

    def _make_column(self, name: str) -> TrialColumn:
        if name == TRIAL:
            return self._id_column()
        if name == TARGET:
            return TextColumn(name, self._table_column("IsTarget"))
        if name == STATUS:
            return TextColumn(name, self._status())
        if name == VERDICT:
            return TextColumn(name, self._verdict_cells())
        if name == CONFIDENCE:
            return NumberColumn(name, self._table_column("ConfidenceScore").numbers, digits=4)
        for column in self.score_columns:
            if column.name == name:
                # A run counts an empty mask here; in a list that would look like a bad answer.
                numbers = np.where(self.unanswered, np.nan, self.scores[name])
                return NumberColumn(name, numbers, digits=column.digits)
        return TextColumn(name, self._table[name])

    def _id_column(self) -> TextColumn:
        keys = self._keys
        return keys[0] if len(keys) == 1 else IdColumn(TRIAL, self.task.trials.ids(), keys)

    def _table_column(self, name: str) -> Column:
        found = self._table.columns.get(name)
        return Column.constant("", len(self)) if found is None else found

    def _status(self) -> Column:
        """What the submission says about its own answer, and what it says nothing about."""
        if self.submission is None:
            return Column.constant("", len(self))
        name = next((name for name in _STATUS_COLUMNS if name in self._table), None)
        codes, distinct = self._table_column(name or "").dictionary
        is_blank = np.array([cell == "" for cell in distinct] or [True])
        # NC2016 and NC2017 say it by one letter.
        spoken = {"N": _ANSWERED, "Y": _OPTED_OUT} if name == "IsOptOut" else {}
        said = [spoken.get(cell, cell) for cell in distinct]
        cells = [*dict.fromkeys((_ANSWERED, _NOT_ANSWERED, *said))]
        unsaid = np.where(self._answer_rows >= 0, 0, 1)
        places = np.array([cells.index(cell) for cell in said] or [0])
        return Column.coded(np.where(is_blank[codes], unsaid, places[codes]), cells)

    def _verdict_cells(self) -> Column:
        cells = ("", *sorted(set(self.verdicts.values())))
        codes = np.zeros(len(self), dtype=np.intp)
        for trial_id, verdict in self.verdicts.items():
            row = self.task.trials.row_of(trial_id)
            if row is not None:
                codes[row] = cells.index(verdict)
        return Column.coded(codes, cells)

    def unknown_ids(self, text: str) -> tuple[str, ...]:
        """What of a list of ids names no trial."""
        rows = {} if query_of(text) else self._listed_ids(text)
        return tuple(name for name, row in rows.items() if row is None)

    def _listed_ids(self, text: str) -> dict[str, int | None]:
        """The row of each id where the text is a list of them, out of a mail, table or program."""
        row_of = self.task.trials.row_of
        rows: dict[str, int | None] = {}
        for token in filter(None, re.split(r"[\s,;|]+", text)):
            bare = token.strip("\"'[]()")
            # An id may have such signs itself.
            name = token if not bare or row_of(TrialId(token)) is not None else bare
            rows[name] = row_of(TrialId(name))
        known = sum(row is not None for row in rows.values())
        return rows if known > 1 else {}

    def _matching(self, text: str) -> Flags:
        if not text:
            return np.ones(len(self), dtype=np.bool_)
        query = query_of(text)
        if query is None:
            listed = [row for row in self._listed_ids(text).values() if row is not None]
            if not listed:
                return self._passing_words(text)
            found = np.zeros(len(self), dtype=np.bool_)
            found[listed] = True
            return found
        return trials_matching(self.task, query, table=self._asked_by(query))

    def _asked_by(self, query: Query) -> Table:
        """The columns a query may name, the list's own included."""
        own = [name for name in self.names if name not in self._table]
        if all(name in self.names for name in query.columns):
            # Those that nobody asks for would have to be made for every trial.
            own = [name for name in own if name in query.columns]
        columns = {name: self.column(name).as_column() for name in own}
        return Table(self._table.name, {**columns, **self._table.columns})

    def _passing_words(self, text: str) -> Flags:
        keep = np.ones(len(self), dtype=np.bool_)
        for word in text.split():
            found = np.zeros(len(self), dtype=np.bool_)
            for column in self._searched_columns:
                found |= column.containing(word)
            for column, cells in self._cells_reading(word):
                found |= column.among(cells)
            keep &= found
        return keep

    def _cells_reading(self, word: str) -> Iterator[tuple[TextColumn, list[str]]]:
        """The cells that contain a word in the user's language only."""
        key = word.casefold()
        for name in _OWN_CELLS:
            column = self.column(name)
            assert isinstance(column, TextColumn)
            said = {cell: shown_cell(name, cell) for cell in column.distinct}
            found = [cell for cell, text in said.items() if text != cell and key in text.casefold()]
            if found:
                yield column, found

    @property
    def _searched_columns(self) -> tuple[TextColumn, ...]:
        """The columns words are looked for in, each once, under whatever names it has."""
        columns = {id(column): column for column in map(self.column, self.names)}
        found = tuple(column for column in columns.values() if isinstance(column, TextColumn))
        for column in found:
            column.frame(self._keys)
        return found

    @property
    def _keys(self) -> list[TextColumn]:
        names = (name for name in key_columns(self.task.kind) if name in self._table)
        columns = (self.column(name) for name in names)
        return [column for column in columns if isinstance(column, TextColumn)]

    def _has_facet(self, name: str) -> bool:
        column = self.column(name)
        if not isinstance(column, TextColumn) or name == TRIAL:
            return False
        distinct = len(column.distinct)
        # A value of its own for nearly every trial is a name, not a kind.
        repeats = 4 * distinct <= 3 * len(self) or distinct == 2
        return 2 <= distinct <= _MOST_FACET_VALUES and repeats

    def _facet(self, name: str, wanted: TrialFilter, everything: Flags) -> Facet:
        column = self.journals.get(name) or self.column(name)
        assert isinstance(column, TextColumn | JournalCells)
        chosen = wanted.chosen.get(name, frozenset())
        counted = self.passing(wanted.without(name)) if chosen else everything
        return Facet(
            name,
            tuple((cell, count, cell in chosen) for cell, count in column.counts(counted)),
        )


def query_of(text: str) -> Query | None:
    """The query a filter text is; ``None`` when it is words to look for."""
    return parse(text) if _QUERY_SIGNS.search(text) else None


def journals_of(task: Task) -> Mapping[str, JournalCells]:
    """The journals' columns that are facets, where they are found out in seconds."""
    steps = 0 if task.probe_journals is None else len(task.probe_journals)
    return journal_cells(task, _JOURNALED) if 0 < steps <= _MOST_STEPS else {}
