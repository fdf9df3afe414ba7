"""Sweeps of many masks at once are, to the last bit, those of one mask at a time."""

import numpy as np
import pytest

from forensicviewer.app.masks.metrics import ThresholdTotals
from forensicviewer.core.mask import Region
from forensicviewer.core.score import LEVELS, LevelCounts, ThresholdSweep
from forensicviewer.core.sweep_block import SweepBlock

NUMBERS = ("positives", "negatives", "optimum", "auc", "eer", "gwl1", "opt_out_px", "thresholds")
CURVES = ("tp", "fp", "fn", "tn", "occurs", "rough_mcc", "nmm", "bwl1", "tpr", "fpr", "mcc")


def some_counts(seed: int, count: int = 40) -> list[LevelCounts]:
    """Masks of few and of many grey levels; some without positives, negatives or pixels."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        table = rng.integers(0, 10 ** int(rng.integers(1, 6)), (len(Region), LEVELS))
        table[:, rng.random(LEVELS) < rng.choice([0.0, 0.5, 0.95, 0.995])] = 0
        table[rng.random(len(Region)) < 0.15] = 0
        if number % 8 == 7:
            table[[Region.BACKGROUND, Region.MANIPULATED]] = 0
        found.append(LevelCounts(table.astype(np.int64), number, 2 * number))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_a_block_has_the_numbers_of_each_sweep(seed: int) -> None:
    counts = some_counts(seed)

    together = SweepBlock(counts).sweeps

    for one, sweep in zip(map(ThresholdSweep, counts), together, strict=True):
        assert repr([getattr(sweep, name) for name in NUMBERS]) == repr(
            [getattr(one, name) for name in NUMBERS]
        )
        for name in CURVES:
            own, found = getattr(one, name), getattr(sweep, name)
            assert own.dtype == found.dtype
            assert own.tobytes() == np.ascontiguousarray(found).tobytes(), name


def test_a_tie_that_only_exact_numbers_break_is_broken_in_a_block_too() -> None:
    table = np.zeros((len(Region), LEVELS), np.int64)
    # By hand: calling level 200 alone or both levels mirrors the confusion, so the MCCs are equal.
    table[Region.MANIPULATED, [100, 200]] = 30, 10
    table[Region.BACKGROUND, [100, 50]] = 10, 30
    counts = LevelCounts(table, 0, 0)

    (sweep,) = SweepBlock([counts]).sweeps

    assert sweep.optimum == ThresholdSweep(counts).optimum


def test_totals_of_blocks_are_those_of_masks_added_one_by_one() -> None:
    counts = some_counts(5, 100)
    chosen = np.arange(len(counts)) % 3 > 0
    one_by_one, together = ThresholdTotals(), ThresholdTotals()

    for each in np.flatnonzero(chosen):
        one_by_one.add(ThresholdSweep(counts[each]))
    for start in range(0, len(counts), 16):
        some = slice(start, start + 16)
        together.add_all(SweepBlock(counts[some]), chosen[some])

    def sweeps() -> list[ThresholdSweep]:
        return [ThresholdSweep(counts[each]) for each in np.flatnonzero(chosen)]

    for totals in (one_by_one, together):
        assert totals.masks == np.count_nonzero([sweep.scored for sweep in sweeps()])
    assert repr(together.pixel_average_auc) == repr(one_by_one.pixel_average_auc)
    assert repr(together.mask_average_auc) == repr(one_by_one.mask_average_auc)
    assert together.maxima(sweeps) == one_by_one.maxima(sweeps)
    assert together.thresholds == one_by_one.thresholds
