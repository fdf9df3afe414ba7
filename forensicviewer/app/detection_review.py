"""The detection result of a submission as it is looked at: curve, band, and where a trial lies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from forensicviewer.app.detection_scoring import DetectionSettings, run_detection
from forensicviewer.app.detection_trials import DetectionTrials
from forensicviewer.app.jobs import Ticket
from forensicviewer.core.array import Flags, Floats, Rows
from forensicviewer.core.detection import Intervals, RocCurve, ScoredTrials
from forensicviewer.core.model import Submission, Task, TrialId
from forensicviewer.core.trialkey import key_columns, trial_id

LEVEL = 0.9
# 500 resamples of more trials than this take longer than one waits for a panel.
_MOST_RESAMPLED = 100_000
_RATE_LIMITS = (1e-4, 1 - 1e-4)
# Finer than any screen: what is drawn of a curve does not grow with the number of trials.
_STEPS_SHOWN = 2_000


@dataclass(frozen=True, eq=False)
class DetectionReview:
    """Every trial's score and class, and the curve through them (rules of the command line)."""

    name: str
    curve: RocCurve
    trials: ScoredTrials
    intervals: Intervals | None
    ids: tuple[TrialId, ...]
    opted_out: Flags
    response_rate: float
    far_stop: float
    leaves_out: bool = False

    @cached_property
    def _rows(self) -> dict[TrialId, int]:
        return {found: row for row, found in reversed(list(enumerate(self.ids)))}

    def score_of(self, wanted: TrialId | None) -> float | None:
        row = None if wanted is None else self._rows.get(wanted)
        return None if row is None else float(self.trials.scores[row])

    def is_opted_out(self, wanted: TrialId) -> bool:
        row = self._rows.get(wanted)
        return row is not None and bool(self.opted_out[row])

    def point_at(self, score: float) -> tuple[float, float]:
        """(false alarm rate, detection rate) when trials of at least this score are called."""
        called = self.trials.scores >= score
        targets = self.trials.targets
        hits = int(np.count_nonzero(called & targets))
        alarms = int(np.count_nonzero(called & ~targets))
        far = alarms / max(1, self.trials.nontarget_count)
        return far, hits / max(1, self.trials.target_count)

    def trial_at(self, score: float) -> TrialId:
        """The trial whose score is closest."""
        return self.ids[int(np.argmin(np.abs(self.trials.scores - score)))]

    def band(self) -> tuple[Floats, Floats]:
        """Pointwise Wilson interval of the detection rate at each vertex (level 0.9)."""
        count = max(1, self.trials.target_count)
        z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
        rates = self.curve.cdr
        middle = (rates + z * z / (2 * count)) / (1 + z * z / count)
        spread = np.sqrt(rates * (1 - rates) / count + z * z / (4 * count * count))
        half = z / (1 + z * z / count) * spread
        return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)

    @cached_property
    def shown(self) -> Rows:
        """The vertices of the curve worth drawing: one for each place that can be told apart."""
        places = np.round(np.stack([self.curve.far, self.curve.cdr]) * _STEPS_SHOWN)
        is_new = np.any(places[:, 1:] != places[:, :-1], axis=0)
        kept = np.flatnonzero(np.concatenate([[True], is_new]))
        return np.union1d(kept, [len(self.curve.far) - 1])

    def histograms(self, bins: int = 40) -> tuple[Floats, Floats, Floats]:
        """(edges, share of the targets, share of the non-targets) by score."""
        edges = np.histogram_bin_edges(self.trials.scores, bins)
        targets = self.trials.targets
        return (
            edges,
            _shares(self.trials.scores[targets], edges),
            _shares(self.trials.scores[~targets], edges),
        )


def review_detection(
    task: Task, submission: Submission, ticket: Ticket, *, leaves_out: bool = False
) -> DetectionReview:
    """Score the detection of a submission as ``score detection`` does; may be cancelled.

    ``leaves_out`` leaves out the trials the system opted out of (``--opt-out``).
    """
    has_few = len(task.trials) <= _MOST_RESAMPLED
    settings = DetectionSettings(with_intervals=has_few, level=LEVEL, opt_out=leaves_out)
    run = run_detection(task, submission, settings, progress=ticket.report)
    (result,) = run.results
    return DetectionReview(
        name=submission.name,
        curve=result.curve,
        trials=result.trials,
        intervals=result.intervals if has_few else None,
        ids=_ids(task, run.all_trials),
        opted_out=~run.all_trials.detected(),
        response_rate=result.response_rate,
        far_stop=settings.stop,
        leaves_out=leaves_out,
    )


def deviates(rates: Floats) -> Floats:
    """Rates on the axis of a DET plot: normal deviates, kept away from 0 and 1."""
    normal = NormalDist()
    limited = np.clip(rates, *_RATE_LIMITS)
    return np.array([normal.inv_cdf(rate) for rate in limited.tolist()])


def _ids(task: Task, trials: DetectionTrials) -> tuple[TrialId, ...]:
    columns = [trials.table[name] for name in key_columns(task.kind)]
    return tuple(trial_id(parts) for parts in zip(*columns, strict=True))


def _shares(scores: Floats, edges: Floats) -> Floats:
    counts = np.histogram(scores, edges)[0]
    return counts / max(1, len(scores))
