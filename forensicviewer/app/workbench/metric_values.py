"""The metrics of the current trial, as the table beside it shows them and as files print them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from forensicviewer.app.masks.metrics import MaskScorer
from forensicviewer.app.masks.settings import MaskSettings
from forensicviewer.app.plugins.metrics import METRICS, metric_number
from forensicviewer.app.report.numbers import printed, printed_count
from forensicviewer.app.workbench.snapping import is_imdl
from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.array import Floats
from forensicviewer.core.imdl.run_scores import f1_curve
from forensicviewer.core.metric import MetricNote
from forensicviewer.core.model import Edition, Side
from forensicviewer.core.score import NOTHING_CALLED, ThresholdSweep


@dataclass(frozen=True, slots=True)
class MetricValue:
    """A number in four digits, and with all those that ``score mask`` writes; blank if unknown."""

    short: str
    full: str


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """MCC and NMM at each of the 257 thresholds; of images and masks F1 and IoU."""

    main: Floats
    other: Floats | None
    names: tuple[str, str] = ("MCC", "NMM")


def metric_values(state: ViewState, system: int, threshold: int | None) -> tuple[MetricValue, ...]:
    """Every metric by the rule set in use, at a threshold or, without one, at the optimum."""
    sweep = None if state.loaded is None else state.loaded.sweep(state.side, system)
    if sweep is None:
        return tuple(MetricValue("", "") for _ in METRICS)
    ruled = ruled_scores(state, state.side, system, threshold)
    t = _best(state, sweep) if threshold is None else threshold
    if t is None:
        # Without a scored pixel no threshold is best, but there are still pixels to count.
        t = NOTHING_CALLED
    return tuple(
        _describe(note, ruled[note.name] if note.name in ruled else metric_number(note, sweep, t))
        for note in METRICS
    )


def _best(state: ViewState, sweep: ThresholdSweep) -> int | None:
    """The optimum: of images and masks the threshold of the best F1."""
    return int(np.argmax(f1_curve(sweep.counts))) if is_imdl(state) else sweep.optimum


def ruled_scores(
    state: ViewState,
    side: Side,
    system: int,
    threshold: int | None,
    *,
    sweep: ThresholdSweep | None = None,
) -> dict[str, float]:
    """MCC, NMM, BWL1 and GWL1 of a system by the rule set in use; nothing without a score.

    ``sweep`` is another than that of the whole mask, such as an operation's own.
    """
    found = None if state.loaded is None else state.loaded.system(side, system)
    if found is None or (sweep := sweep or found.sweep) is None:
        return {}
    return _scorer(state).at(sweep, threshold, is_omitted=found.is_omitted)


def ruled_curves(state: ViewState, system: int) -> Curves | None:
    """The curves of a system by the rule set in use, on the current side; none without a score.

    Without a manipulated pixel there is no NMM.
    """
    found = None if state.loaded is None else state.loaded.system(state.side, system)
    if found is None or found.sweep is None:
        return None
    if is_imdl(state):
        return Curves(f1_curve(found.sweep.counts), np.nan_to_num(found.sweep.iou), ("F1", "IoU"))
    mcc, nmm = _scorer(state).curves(found.sweep, is_omitted=found.is_omitted)
    return Curves(mcc, nmm if found.sweep.positives else None)


def _scorer(state: ViewState) -> MaskScorer:
    edition = Edition.UNKNOWN if state.task is None else state.task.edition
    return MaskScorer(MaskSettings(rules=state.rules), edition)


def _describe(note: MetricNote, number: float) -> MetricValue:
    return MetricValue(
        note.shown(number), printed_count(number) if note.is_count else printed(number)
    )
