"""The metrics of a mask that tables list: the built-in ones, then those of other packages."""

from __future__ import annotations

import math

from forensicviewer.core.metric import METRIC_NOTES, MetricNote
from forensicviewer.core.score import ThresholdSweep
from forensicviewer.sources.plugins.registry import Registry, describe

METRICS = Registry("metrics", MetricNote, lambda: METRIC_NOTES)


def metric_number(note: MetricNote, sweep: ThresholdSweep, threshold: int) -> float:
    """The value of a metric; not a number where the code of another package fails."""
    try:
        return float(note.value(sweep, threshold))
    except Exception as error:
        if METRICS.is_built_in(note.name):
            raise
        METRICS.report(note.name, describe(error))
        return math.nan
