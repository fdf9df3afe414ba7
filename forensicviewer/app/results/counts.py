"""What became of the trials of a run: scored, opted out, missing, failed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from forensicviewer.app.masks.question import BROKEN_REFERENCE, UNUSABLE_MASK
from forensicviewer.app.report.score_output import ScoreOutput
from forensicviewer.app.results.request import Division, RunRequest
from forensicviewer.app.trials.query import trials_matching
from forensicviewer.core.array import Flags, Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.model import TrialId
from forensicviewer.core.problem import QueryError
from forensicviewer.core.query.grammar import parse
from forensicviewer.core.query.partition import partitions
from forensicviewer.core.table.text_table import Table

_STATUSES = ("ProbeStatus", "IsOptOut", "ProvenanceProbeStatus", "ProvenanceOutputStatus")
_WHOLE_OUT = frozenset({"Y", "OptOut", "OptOutAll"})
_OUT = {
    "mask": _WHOLE_OUT | {"Localization", "OptOutLocalization", "OptOutSpatial"},
    "detection": _WHOLE_OUT | {"Detection", "OptOutDetection"},
    "temporal": _WHOLE_OUT | {"Localization", "OptOutLocalization", "OptOutTemporal"},
}
_FAILED = frozenset({"FailedValidation"})
# Scorers of where something was manipulated ask nothing about a trial that is not.
_ABOUT_TARGETS = ("mask", "temporal")


@dataclass(frozen=True, slots=True)
class TrialCounts:
    """How many trials a line is about, and what became of them.

    ``missing`` have no row in the submission; ``failed`` have an answer that cannot be used. Rules
    may score such trials all the same, with the lowest score, so that the numbers can overlap.
    """

    trials: int
    scored: int
    opted_out: int
    missing: int
    failed: int


@dataclass(frozen=True)
class TrialCounter:
    """Counts the trials of one submission's run by one scorer."""

    request: RunRequest
    scorer: str

    @cached_property
    def _rows(self) -> Rows:
        """The submission's row for each trial; -1 where it has none."""
        return self.request.submission.answers.rows_for(self.request.task.trials.ids())

    @cached_property
    def _table(self) -> Table:
        columns = dict(self.request.task.table.columns)
        for name, column in self.request.submission.table.columns.items():
            columns.setdefault(name, column.take(self._rows))
        return Table(self.request.task.table.name, columns)

    @cached_property
    def _asked(self) -> Flags:
        table = self.request.task.table
        if self.scorer not in _ABOUT_TARGETS or "IsTarget" not in table:
            return np.ones(len(table), dtype=np.bool_)
        return self._cells_in("IsTarget", {"Y"})

    def _cells_in(self, name: str, words: Collection[str]) -> Flags:
        codes, distinct = self._table[name].dictionary
        return np.array([cell in words for cell in distinct] or [False])[codes]

    def _status_in(self, words: Collection[str]) -> Flags:
        name = next((each for each in _STATUSES if each in self._table), None)
        if name is None:
            return np.zeros(len(self._table), dtype=np.bool_)
        return self._cells_in(name, words) & (self._rows >= 0)

    def count(
        self, output: ScoreOutput, scored: Collection[TrialId], labels: Mapping[str, str]
    ) -> TrialCounts | None:
        """The counts of a line; ``None`` where its query asks for more than trials have."""
        try:
            chosen = self._asked & self._selected(labels)
        except QueryError:
            return None
        failed = self._status_in(_FAILED) | self._flags(_failed_in(output))
        return TrialCounts(
            trials=int(chosen.sum()),
            scored=int((chosen & self._flags(scored)).sum()),
            opted_out=int((chosen & self._status_in(_OUT.get(self.scorer, _WHOLE_OUT))).sum()),
            missing=int((chosen & (self._rows < 0)).sum()),
            failed=int((chosen & failed).sum()),
        )

    def _flags(self, trials: Collection[TrialId]) -> Flags:
        ids = self.request.task.trials.ids()
        return np.fromiter((one in trials for one in ids), np.bool_, len(ids))

    def _selected(self, labels: Mapping[str, str]) -> Flags:
        query = self._query(labels)
        if query is None:
            return np.ones(len(self._table), dtype=np.bool_)
        return trials_matching(self.request.task, parse(query), table=self._table)

    def _query(self, labels: Mapping[str, str]) -> str | None:
        """The query that selects a line's trials; ``None`` for all of them."""
        if self.scorer == "genai":
            quoted = [f"{name}=='{cell}'" for name, cell in labels.items() if cell != "all"]
            return " and ".join(quoted) or None
        if not labels or not self.request.is_divided:
            return None
        if self.request.division is not Division.PARTITION or self.scorer == "temporal":
            return next(iter(labels.values()))
        text = " ".join(self.request.text.splitlines())
        names = self._table.names
        parts = partitions(text, columns=names, knows_greater=True, verbatim=False).parts
        wanted = tuple(labels.values())
        return next((part.query for part in parts if part.labels == wanted), None)


def _failed_in(output: ScoreOutput) -> frozenset[TrialId]:
    rules = (UNUSABLE_MASK, BROKEN_REFERENCE)
    return frozenset(p.trial for p in output.problems if p.rule in rules and p.trial is not None)
