"""The sweeps of a mask run: the numbers of each trial, and what all of them have in common."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from forensicviewer.app.masks.averages import Common
from forensicviewer.app.masks.count_jobs import Counter
from forensicviewer.app.masks.metrics import MaskScorer, Maxima, SideMetrics, ThresholdTotals
from forensicviewer.app.masks.question import Question
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.masks.tables import ScoredTrial
from forensicviewer.app.masks.trials import TrialRow
from forensicviewer.core.model import Side
from forensicviewer.core.rules import mask as switches
from forensicviewer.core.score import LevelCounts, ThresholdSweep
from forensicviewer.core.sweep_block import BLOCK, SweepBlock

# Each takes 10 kB: in larger runs, queries and common thresholds unpack the others again.
_MOST_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Sweeps:
    """The sweeps of a run's trials, each unpacked once however many queries ask for it."""

    rows: Sequence[TrialRow]
    counted: Sequence[Mapping[Side, Question[Any]]]
    counter: Counter[Any]
    settings: MaskSettings
    _kept: dict[tuple[int, Side], LevelCounts] = field(default_factory=dict)

    def _counts(self, number: int, side: Side) -> LevelCounts:
        counts = self._kept.get((number, side))
        if counts is None:
            counts = self.counter.counts(self.counted[number][side])
            if len(self._kept) < _MOST_KEPT:
                self._kept[number, side] = counts
        return counts

    def sweep(self, number: int, side: Side) -> ThresholdSweep | None:
        is_scored = self.counted[number][side].is_scored
        return ThresholdSweep(self._counts(number, side)) if is_scored else None

    def metrics(self, side: Side, scorer: MaskScorer) -> tuple[list[SideMetrics], Common]:
        """The numbers of every trial on one side, and what they have in common."""
        found = [SideMetrics(has_no_region=counted[side].has_no_region) for counted in self.counted]
        overwritten = self._overwritten(side)
        totals = ThresholdTotals()
        for numbers, block in self._blocks(side):
            chosen = np.array([number not in overwritten for number in numbers], np.bool_)
            totals.add_all(block, chosen)
            for number, sweep in zip(numbers, block.sweeps, strict=True):
                is_omitted = self.counted[number][side].is_omitted
                found[number] = scorer.metrics(sweep, is_omitted=is_omitted)
                if number in overwritten and sweep.scored:
                    totals.see_levels(sweep)
        maxima = self._add_maxima(side, scorer, totals, found, overwritten)
        return found, Common.of(totals, maxima)

    def _blocks(self, side: Side) -> Iterator[tuple[list[int], SweepBlock]]:
        """The numbers of some scored rows at a time, with their sweeps."""
        scored = (number for number, counted in enumerate(self.counted) if counted[side].is_scored)
        while numbers := list(islice(scored, BLOCK)):
            yield numbers, SweepBlock([self._counts(number, side) for number in numbers])

    def common_of(self, subsets: Sequence[Sequence[ScoredTrial]]) -> list[Mapping[Side, Common]]:
        """What the trials of each subset have in common; a sweep is unpacked once for all."""
        keys = [{trial.row.key for trial in trials} for trials in subsets]
        totals = [{side: ThresholdTotals() for side in self.counted[0]} for _ in subsets]
        for number, row in enumerate(self.rows):
            wanted = [found for found, own in zip(totals, keys, strict=True) if row.key in own]
            for side in self.counted[0] if wanted else ():
                sweep = self.sweep(number, side)
                if sweep is not None:
                    for found in wanted:
                        found[side].add(sweep)
        return [{side: Common.of(total) for side, total in found.items()} for found in totals]

    def _overwritten(self, side: Side) -> dict[int, int]:
        """Trials whose table a later one replaces, with that later one, where the rules say so."""
        if not self.settings.chooses(switches.SpliceTables.BY_FILE):
            return {}
        last: dict[str, int] = {}
        for number, row in enumerate(self.rows):
            sweep_counts = self.counted[number][side].is_scored
            if sweep_counts and self._has_pixels(number, side):
                last[self._file(row, side)] = number
        return {
            number: last[self._file(row, side)]
            for number, row in enumerate(self.rows)
            if last.get(self._file(row, side), number) != number
        }

    def _has_pixels(self, number: int, side: Side) -> bool:
        sweep = self.sweep(number, side)
        return sweep is not None and sweep.scored > 0

    def _file(self, row: TrialRow, side: Side) -> str:
        return row.cells.get(f"{side.value}FileID", "")

    def _add_maxima(
        self,
        side: Side,
        scorer: MaskScorer,
        totals: ThresholdTotals,
        found: Sequence[SideMetrics],
        overwritten: Mapping[int, int],
    ) -> Maxima | None:
        """Give every trial its numbers at the thresholds best for all masks; return these."""
        if not self.settings.has_maximum:
            return None

        def counting() -> Iterator[ThresholdSweep]:
            for number in range(len(self.rows)):
                sweep = self.sweep(number, side) if number not in overwritten else None
                if sweep is not None:
                    yield sweep

        best = totals.maxima(counting)
        if best is None:
            return None
        for number, metrics in enumerate(found):
            source = overwritten.get(number, number)
            sweep = self.sweep(source, side)
            if sweep is None or sweep.scored == 0 or metrics.has_no_region:
                continue
            is_omitted = self.counted[source][side].is_omitted
            metrics.numbers |= scorer.at_common_thresholds(sweep, best, is_omitted=is_omitted)
        return best
