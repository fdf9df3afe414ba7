"""The curves of mask scores: MCC and pixel rates at every threshold of the first masks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forensicviewer.app.report.mask_detail import TABLE_NAME
from forensicviewer.app.report.score_output import OutputTable
from forensicviewer.app.report.svg_figure import Curve, Figure, Point, roc_figure, threshold_figure

MAX_CURVES = 6


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
