"""The numbers of one mask at every threshold, as NIST's program writes them beside its reports."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import quote

from forensicviewer.app.masks.trials import TrialRow
from forensicviewer.app.report.mask_detail import TABLE_NAME
from forensicviewer.app.report.score_output import OutputTable
from forensicviewer.core.score import ThresholdSweep, nist_threshold

COLUMNS = (
    *("Threshold", "NMM", "MCC", "BWL1", "TP", "TN", "FP", "FN"),
    *("BNS", "SNS", "PNS", "N", "TPR", "FPR"),
)
SweepOf = Callable[[int], ThresholdSweep | None]


def threshold_tables(
    rows: Sequence[TrialRow], sweep_of: SweepOf, *, subfolder: str = ""
) -> Iterator[OutputTable]:
    """One table per counted trial, made when asked for: there may be very many.

    ``sweep_of`` gives the sweep of a row by its number; ``subfolder`` tells probe and donor apart.
    """
    for number, row in enumerate(rows):
        sweep = sweep_of(number)
        if sweep is not None:
            folder = _folder_name("_".join(row.key)) + (f"/{subfolder}" if subfolder else "")
            yield threshold_table(f"{folder}/{TABLE_NAME}", sweep)


def threshold_table(name: str, sweep: ThresholdSweep) -> OutputTable:
    """NIST's thresholds from -1 upwards: the grey values that occur in the mask."""
    zones = (
        str(sweep.counts.boundary_px),
        str(sweep.counts.unselected_px),
        str(sweep.opt_out_px),
        str(sweep.scored),
    )
    rows = []
    for t in sweep.thresholds:
        at = sweep.at(t)
        metrics = (_printed(value) for value in (at.nmm, at.mcc, at.bwl1))
        counts = (str(count) for count in (at.tp, at.tn, at.fp, at.fn))
        rates = (_printed(float(sweep.tpr[t])), _printed(float(sweep.fpr[t])))
        rows.append((str(nist_threshold(t)), *metrics, *counts, *zones, *rates))
    return OutputTable(name, COLUMNS, tuple(rows))


def _folder_name(key: str) -> str:
    """The ids of a trial as one folder's name: whatever they hold, it leads nowhere else."""
    return quote(key, safe=" ()[]+,;=@") if key.strip(".") else f"trial{key}"


def _printed(value: float) -> str:
    return "" if math.isnan(value) else repr(value)
