"""The numbers of one mask at every threshold, as tables NIST's program writes and as curves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from urllib.parse import quote

from forensicviewer.app.masks.trials import TrialRow
from forensicviewer.app.report.score_output import OutputTable
from forensicviewer.app.report.svg_figure import Curve, Figure, Point, roc_figure, threshold_figure
from forensicviewer.core.score import ThresholdSweep, nist_threshold

# NIST's program calls them so, in a folder for each mask.
TABLE_NAME = "thresMets.csv"
MAX_CURVES = 6
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
    return OutputTable(name, COLUMNS, tuple(rows), is_detail=True)


def _folder_name(key: str) -> str:
    """The ids of a trial as one folder's name: whatever they hold, it leads nowhere else."""
    return quote(key, safe=" ()[]+,;=@") if key.strip(".") else f"trial{key}"


def _printed(value: float) -> str:
    return "" if math.isnan(value) else repr(value)


def mask_figures(tables: Sequence[OutputTable]) -> tuple[Figure, ...]:
    """Figures of these masks' threshold tables; none when there are none."""
    shown = tables[:MAX_CURVES]
    if not shown:
        return ()
    more = f", first {MAX_CURVES} masks" if len(shown) == MAX_CURVES else ""
    mcc = [Curve(_mask_name(table), _points(table, "Threshold", "MCC")) for table in shown]
    roc = [Curve(_mask_name(table), _points(table, "FPR", "TPR")) for table in shown]
    pixels = roc_figure(roc)
    return (
        threshold_figure(f"MCC at every threshold{more}", mcc, y_label="MCC"),
        Figure(f"ROC of pixels{more}", pixels.x, pixels.y, pixels.curves),
    )


def _mask_name(table: OutputTable) -> str:
    return table.name.removesuffix(TABLE_NAME).strip("/").replace("/", " ")


def _points(table: OutputTable, x: str, y: str) -> tuple[Point, ...]:
    at_x, at_y = table.columns.index(x), table.columns.index(y)
    return tuple(_numbers((row[at_x], row[at_y]) for row in table.rows))


def _numbers(pairs: Iterable[tuple[str, str]]) -> Iterable[Point]:
    return ((float(x or "nan"), float(y or "nan")) for x, y in pairs)
