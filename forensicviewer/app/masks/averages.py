"""The averages of a mask run: over all trials, over queries, and over partitions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from forensicviewer.app.masks.metrics import Maxima, ThresholdTotals
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.masks.tables import (
    ScoredTrial,
    averaged_columns,
    image_cells,
    is_count,
    number_columns,
    per_image_columns,
    pixel_columns,
)
from forensicviewer.app.masks.trials import TrialSet
from forensicviewer.app.report.numbers import printed, printed_count, significant
from forensicviewer.app.report.score_output import OutputTable
from forensicviewer.core.array import Flags, Floats
from forensicviewer.core.model import Side
from forensicviewer.core.problem import ProblemLog
from forensicviewer.core.query.grammar import parse
from forensicviewer.core.query.partition import partitions
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.score import nist_threshold
from forensicviewer.core.table.pandas_types import ColumnKind, PandasColumn
from forensicviewer.core.table.text_table import Table
from forensicviewer.sources.layouts.conditions import names_with_conditions, with_conditions

_FULL_PRECISION = 17
_FULL = "Full"


@dataclass(frozen=True, slots=True)
class Common:
    """What a run's masks of one side have in common."""

    pixel_average_auc: float = math.nan
    mask_average_auc: float = math.nan
    maxima: Maxima | None = None

    @classmethod
    def of(cls, totals: ThresholdTotals, maxima: Maxima | None = None) -> Common:
        return cls(totals.pixel_average_auc, totals.mask_average_auc, maxima)

    @property
    def maximum(self) -> float:
        """The one threshold best for the MCC of all masks, as NIST counts thresholds."""
        return math.nan if self.maxima is None else nist_threshold(self.maxima.mcc)


# The common numbers of several subsets of the scored trials, by side, found in one go.
CommonOf = Callable[[Sequence[Sequence[ScoredTrial]]], Sequence[Mapping[Side, Common]]]


@dataclass(frozen=True, slots=True)
class Averager:
    """Makes the files of averages of one run.

    ``common`` are the numbers of the whole run; ``common_of`` finds those of some of its trials.
    """

    trials: TrialSet
    settings: MaskSettings
    sides: tuple[Side, ...]
    common: Mapping[Side, Common]
    common_of: CommonOf
    log: ProblemLog

    @property
    def is_splice(self) -> bool:
        return len(self.sides) > 1

    def tables(self, scored: Sequence[ScoredTrial], *, query: str) -> list[OutputTable]:
        """The files of averages; none when there is nothing to average."""
        usable = [trial for trial in scored if trial.is_scored]
        if not usable or (self._needs_all and not any(map(self._is_complete, usable))):
            self.log.note(
                "None of the masks of the run has a region to score, so there are no averages",
                rule=switches.AverageNeedsAll.key,
            )
            return []
        if self.settings.queries:
            return self._query_tables(scored, usable)
        if self.settings.partition is not None:
            return self._partition_tables(scored, usable, self.settings.partition)
        row = {"Query": query or _FULL} | self._row(usable, scored, usable, self.common)
        return [self._table("mask_score.csv", ["Query"], [row])]

    @property
    def _needs_all(self) -> bool:
        return self.settings.chooses(switches.AverageNeedsAll.YES)

    def _is_complete(self, trial: ScoredTrial) -> bool:
        names = averaged_columns(is_splice=self.is_splice)
        if self.settings.threshold is None:
            names = [name for name in names if "Actual" not in name]
        if not self.settings.has_maximum:
            names = [name for name in names if "Maximum" not in name]
        return not any(math.isnan(trial.number(name)) for name in names)

    def _query_tables(
        self, scored: Sequence[ScoredTrial], usable: Sequence[ScoredTrial]
    ) -> list[OutputTable]:
        tables: list[OutputTable] = []
        queries = self.settings.queries
        chosen = self._chosen(queries, usable)
        commons = self._commons(chosen)
        for place, (query, trials) in enumerate(zip(queries, chosen, strict=True)):
            if not trials:
                self.log.note(f"The query selects no scored trial: {query}", rule="mask-query")
                continue
            number = place
            if self.settings.chooses(switches.QueryNumbers.NON_EMPTY):
                number = len(tables)
            row = {"Query": query} | self._row(trials, scored, usable, commons[place])
            tables.append(self._table(f"mask_scores_{number}.csv", ["Query"], [row]))
        return tables

    def _partition_tables(
        self, scored: Sequence[ScoredTrial], usable: Sequence[ScoredTrial], text: str
    ) -> list[OutputTable]:
        cuts_words = self.settings.chooses(switches.PartitionText.LETTERS)
        names = [*self._names, *self._unprinted(usable)]
        if not self.settings.chooses(switches.QueryCells.PYTHON2):
            names += self.trials.index_cells(())
            names = [*names_with_conditions(names)]
        parted = partitions(text, columns=names, knows_greater=True, verbatim=cuts_words)
        for term in parted.ignored:
            self.log.warn(f"The partition ignores the term {term!r}", rule="mask-partition")
        rows: list[dict[str, str]] = []
        chosen = self._chosen([part.query for part in parted.parts], usable)
        commons = self._commons(chosen)
        for part, trials, common in zip(parted.parts, chosen, commons, strict=True):
            if trials:
                labels = dict(zip(parted.factors, part.labels, strict=True))
                rows.append(labels | self._row(trials, scored, usable, common))
        if not rows:
            self.log.note(f"The partition selects no scored trial: {text}", rule="mask-query")
            return []
        if self.settings.chooses(switches.PartitionRows.LAST_REPEATED):
            rows = [rows[-1]] * len(rows)
        return [self._table("mask_score.csv", list(parted.factors), rows)]

    def _chosen(
        self, queries: Sequence[str], usable: Sequence[ScoredTrial]
    ) -> list[list[ScoredTrial]]:
        """The trials each query selects, each key once."""
        matches = self._matcher(usable)
        found = []
        for query in queries:
            rows = reversed(np.flatnonzero(matches(query)))
            found.append(list({usable[row].row.key: usable[row] for row in rows}.values())[::-1])
        return found

    def _matcher(self, usable: Sequence[ScoredTrial]) -> Callable[[str], Flags]:
        """Says of every trial whether a query selects it."""
        if self.settings.chooses(switches.QueryCells.PYTHON2):
            typed = self._typed_as_pandas(usable)
            return lambda query: parse(query).matches_verbatim(typed)
        cells = [image_cells(t, self.settings, precision=_FULL_PRECISION) for t in usable]
        columns = self.trials.index_cells([trial.row for trial in usable])
        columns |= {name: [row.get(name, "") for row in cells] for name in self._names}
        for name, numbers in self._unprinted(usable).items():
            columns[name] = [printed(number, precision=_FULL_PRECISION) for number in numbers]
        text = [name for name in self.trials.text_columns if name in columns]
        table = with_conditions(Table.of("scored trials", columns))
        return lambda query: parse(query).matches(table, text_columns=text)

    def _commons(self, chosen: Sequence[Sequence[ScoredTrial]]) -> Sequence[Mapping[Side, Common]]:
        """The common numbers of each selection, where a selection has its own."""
        if not self._selection_has_own:
            return [self.common] * len(chosen)
        return self.common_of(chosen)

    @property
    def _selection_has_own(self) -> bool:
        return self.settings.chooses(switches.SelectionAverages.SELECTION)

    @property
    def _names(self) -> list[str]:
        return per_image_columns(self.trials, is_splice=self.is_splice)

    def _typed_as_pandas(self, usable: Sequence[ScoredTrial]) -> dict[str, PandasColumn]:
        """The columns of the per-image file as NIST's program holds them."""
        rows = [trial.row for trial in usable]
        columns = {name: self.trials.typed_as_pandas(name, rows) for name in self._names}
        for side in self.sides:
            name = f"{side.value}Scored" if self.is_splice else "Scored"
            flags = ["Y" if trial.sides[side].is_scored else "N" for trial in usable]
            columns[name] = PandasColumn.of(ColumnKind.MIXED, flags)
        names = number_columns(is_splice=self.is_splice)
        if self.is_splice:
            names += [name for side in self.sides for name in pixel_columns(side)]
        by_name = {name: [trial.number(name) for trial in usable] for name in names}
        for name, numbers in (by_name | self._unprinted(usable)).items():
            held = [None if math.isnan(number) else number for number in numbers]
            columns[name] = PandasColumn.of(ColumnKind.DECIMAL, held)
        return columns

    def _unprinted(self, usable: Sequence[ScoredTrial]) -> dict[str, list[float]]:
        """Numbers of a trial that a query may ask for although no file per image has them."""
        found: dict[str, list[float]] = {}
        for side in self.sides:
            prefix, common = self._prefix(side), self.common[side]
            sides = [trial.sides[side] for trial in usable]
            found[f"{prefix}PixelAverageAUC"] = [common.pixel_average_auc] * len(usable)
            found[f"{prefix}MaskAverageAUC"] = [common.mask_average_auc] * len(usable)
            found[f"{prefix}MaximumThreshold"] = [
                math.nan if each.has_no_region else common.maximum for each in sides
            ]
            found[f"{prefix}ActualThreshold"] = [each.get("ActualThreshold") for each in sides]
        return found

    def _table(
        self, name: str, labels: Sequence[str], rows: Sequence[Mapping[str, str]]
    ) -> OutputTable:
        columns = ["TaskID", *labels, *self._columns]
        return OutputTable(
            name,
            tuple(columns),
            tuple(tuple(row.get(column, "") for column in columns) for row in rows),
        )

    @property
    def _columns(self) -> list[str]:
        means = averaged_columns(is_splice=self.is_splice)
        columns = [name for mean in means for name in (mean, f"stddev_{mean}")]
        for name in ("PixelAverageAUC", "MaskAverageAUC", "MaximumThreshold", "ActualThreshold"):
            columns += [f"{self._prefix(side)}{name}" for side in self.sides]
        scoreable = [f"Scoreable{side.value}Trials" for side in self.sides]
        columns += ["TRR", "totalTrials", *(scoreable if self.is_splice else ["ScoreableTrials"])]
        return [*columns, "totalOptIn", "totalOptOut", "optOutScoring"]

    def _prefix(self, side: Side) -> str:
        return side.prefix if self.is_splice else ""

    def _row(
        self,
        chosen: Sequence[ScoredTrial],
        scored: Sequence[ScoredTrial],
        usable: Sequence[ScoredTrial],
        common: Mapping[Side, Common],
    ) -> dict[str, str]:
        row = {"TaskID": usable[0].row.cells.get("TaskID", "")}
        for name in averaged_columns(is_splice=self.is_splice):
            row |= self._mean(name, [trial.number(name) for trial in chosen])
        for side in self.sides:
            row |= self._constants(side, common[side], scored[0])
        return row | self._totals(chosen if self._selection_has_own else usable)

    def _mean(self, name: str, numbers: Sequence[float]) -> dict[str, str]:
        mean, spread = _mean_and_spread(np.array(numbers))
        precision = self.settings.precision
        shown = printed_count(mean) if is_count(name) else printed(mean, precision=precision)
        return {name: shown, f"stddev_{name}": printed(spread, precision=precision)}

    def _constants(self, side: Side, common: Common, first: ScoredTrial) -> dict[str, str]:
        """``common`` is of the selection; the threshold stays that of the run."""
        prefix, precision = self._prefix(side), self.settings.precision
        return {
            f"{prefix}PixelAverageAUC": printed(common.pixel_average_auc, precision=precision),
            f"{prefix}MaskAverageAUC": printed(common.mask_average_auc, precision=precision),
            f"{prefix}MaximumThreshold": self._threshold(self.common[side].maximum),
            f"{prefix}ActualThreshold": self._threshold(self._actual(side, first)),
        }

    def _threshold(self, threshold: float) -> str:
        # NIST rounds thresholds like metrics, so few digits change them too.
        return printed_count(significant(threshold, self.settings.precision))

    def _actual(self, side: Side, first: ScoredTrial) -> float:
        if self.settings.threshold is None:
            return math.nan
        if self.settings.chooses(switches.ActualThresholdCell.FIRST_ROW):
            return first.sides[side].get("ActualThreshold")
        return self.settings.threshold

    def _totals(self, counted: Sequence[ScoredTrial]) -> dict[str, str]:
        totals = self.trials.totals
        found = {
            "TRR": printed(totals.response_rate, precision=self.settings.precision),
            "totalTrials": str(totals.trials),
            "totalOptIn": str(totals.opted_in),
            "totalOptOut": str(totals.opted_out),
            "optOutScoring": "Y" if self.settings.opt_out else "N",
        }
        if not self.is_splice:
            return found | {"ScoreableTrials": str(len(counted))}
        for side in self.sides:
            number = sum(trial.sides[side].is_scored for trial in counted)
            if self.settings.chooses(switches.ScoreableSplices.ALL):
                number = totals.trials
            found[f"Scoreable{side.value}Trials"] = str(number)
        return found


def _mean_and_spread(numbers: Floats) -> tuple[float, float]:
    """Mean and sample standard deviation of what is a number.

    Blanks take part in the sums as 0, as they do for NIST's program: leaving them out would add up
    in another order, and equal numbers would deviate by another rounding error.
    """
    is_number = ~np.isnan(numbers)
    count = int(np.count_nonzero(is_number))
    mean = float(np.where(is_number, numbers, 0).sum()) / count if count else math.nan
    if count < 2:
        return mean, math.nan
    squares = np.where(is_number, np.square(mean - numbers), 0)
    return mean, math.sqrt(float(squares.sum()) / (count - 1))
