"""The detection result of a submission as it is shown: curve, band, and where a trial lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from forensicviewer.app.detection.scoring import DetectionSettings, run_detection
from forensicviewer.app.detection.trials import DetectionTrials
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.core.array import Counts, Floats, Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.detection import (
    ConfidenceIntervals,
    RocCurve,
    ScoredTrials,
    distinct_points,
)
from forensicviewer.core.key_index import KeyIndex, TrialIds
from forensicviewer.core.model import Submission, Task, TrialId, key_columns
from forensicviewer.core.rules import MEDISCORE, RuleSet
from forensicviewer.core.table.text_table import Column

LEVEL = 0.9
# 500 resamples of more trials than this take longer than one waits for a panel.
_MOST_RESAMPLED = 100_000
_BINS = 40
# Beyond it the width of a histogram would be no number.
_LARGEST_SCORE = 1e300


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of NIST's report; ``partial_auc`` and ``cdr`` are those at the FAR stop."""

    auc: float
    eer: float
    partial_auc: float
    cdr: float


@dataclass(frozen=True, eq=False)
class DetectionReview:
    """Every scored trial's score and class, and the curve through them (as the command line's).

    ``keys`` are the columns that name the scored trials. ``opted_out`` and ``unanswered`` count
    trials the submission says it left out, and those it says nothing usable about.
    """

    name: str
    curve: RocCurve
    trials: ScoredTrials
    intervals: ConfidenceIntervals | None
    keys: tuple[Column, ...]
    opted_out: int
    unanswered: int
    response_rate: float
    far_stop: float
    leaves_out: bool = False

    def prepare(self) -> DetectionReview:
        """Find out what drawing and pointing ask for; a second for a million trials."""
        if len(self.trials):
            _ = self.numbers, self.band, self.histograms, self.steps
            self.score_of(self.ids[0])
        return self

    @cached_property
    def ids(self) -> Sequence[TrialId]:
        """The scored trials."""
        return TrialIds(self.keys)

    @cached_property
    def _rows(self) -> KeyIndex:
        return KeyIndex(self.keys)

    def score_of(self, wanted: TrialId | None) -> float | None:
        """The score a trial counts with; ``None`` where it is not scored."""
        row = None if wanted is None else self._rows.row_of(wanted)
        return None if row is None else float(self.trials.scores[row])

    @cached_property
    def _calls(self) -> tuple[Floats, Counts, Counts]:
        """(scores, rising; non-targets and targets of at least that score)."""
        levels, places = np.unique(self.trials.scores, return_inverse=True)
        counts = np.bincount(2 * places + self.trials.targets, minlength=2 * len(levels))
        others, targets = np.cumsum(counts.reshape(-1, 2)[::-1], axis=0)[::-1].T
        return levels, others, targets

    def point_at(self, score: float) -> tuple[float, float]:
        """(false alarm rate, detection rate) when trials of at least this score are called."""
        levels, others, targets = self._calls
        place = int(np.searchsorted(levels, score))
        if place == len(levels):
            return 0.0, 0.0
        far = int(others[place]) / max(1, self.trials.nontarget_count)
        return far, int(targets[place]) / max(1, self.trials.target_count)

    def trial_at(self, score: float, *, after: TrialId | None = None) -> TrialId:
        """The trial whose score is closest; of several that share it the one behind ``after``."""
        levels = self._calls[0]
        place = int(np.searchsorted(levels, score))
        near = levels[max(0, place - 1) : place + 1]
        # An infinite score lies at no distance from itself, and has no distance from another.
        apart = [0.0 if level == score else abs(float(level) - score) for level in near]
        tied = np.flatnonzero(self.trials.scores == near[int(np.argmin(apart))])
        here = None if after is None else self._rows.row_of(after)
        behind = 0 if here is None else int(np.searchsorted(tied, here, side="right"))
        return self.ids[int(tied[behind % len(tied)])]

    @cached_property
    def numbers(self) -> Numbers:
        curve, stop = self.curve, self.far_stop
        return Numbers(curve.auc, curve.eer, curve.partial_auc(stop), curve.cdr_at(stop))

    @cached_property
    def drawn(self) -> tuple[Floats, Floats]:
        """(false alarm rate, detection rate) of the vertices that can be distinguished."""
        far, cdr = self.curve.far, self.curve.cdr
        kept = distinct_points(far, cdr)
        return far[kept], cdr[kept]

    @cached_property
    def band(self) -> tuple[Floats, Floats]:
        """Pointwise Wilson interval of the detection rate at each vertex drawn (level 0.9)."""
        count = max(1, self.trials.target_count)
        z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
        rates = self.drawn[1]
        middle = (rates + z * z / (2 * count)) / (1 + z * z / count)
        spread = np.sqrt(rates * (1 - rates) / count + z * z / (4 * count * count))
        half = z / (1 + z * z / count) * spread
        return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)

    @cached_property
    def steps(self) -> tuple[Floats, Floats, Floats]:
        """(false alarm rate, detection rate, score) wherever some trial begins to be called.

        NIST's curve has no vertex where it goes straight on, but trials lie there, too.
        """
        levels, others, targets = self._calls
        far = others[::-1] / max(1, self.trials.nontarget_count)
        cdr = targets[::-1] / max(1, self.trials.target_count)
        kept = distinct_points(far, cdr)
        return far[kept], cdr[kept], levels[::-1][kept]

    @cached_property
    def histograms(self) -> tuple[Floats, Floats, Floats]:
        """(edges, share of the targets, share of the non-targets) by score.

        Infinite scores are counted at the end they lie beyond.
        """
        scores, targets = self.trials.scores, self.trials.targets
        finite = np.clip(scores[np.isfinite(scores)], -_LARGEST_SCORE, _LARGEST_SCORE)
        low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
        reach = max(0.5, abs(low) * 1e-6) if low == high else 0.0
        edges = np.linspace(low - reach, high + reach, _BINS + 1)
        inside = np.clip(scores, edges[0], edges[-1])
        return edges, _shares(inside[targets], edges), _shares(inside[~targets], edges)


def review_detection(
    task: Task,
    submission: Submission,
    ticket: Ticket,
    *,
    rules: RuleSet = MEDISCORE,
    leaves_out: bool = False,
) -> DetectionReview:
    """Score the detection of a submission as ``score detection`` does; may be cancelled.

    ``leaves_out`` leaves out the trials the system opted out of (``--opt-out``).
    """
    has_few = len(task.trials) <= _MOST_RESAMPLED
    settings = DetectionSettings(
        rules=rules, with_intervals=has_few, level=LEVEL, opt_out=leaves_out
    )
    run = run_detection(task, submission, settings, progress=ticket.report)
    (result,) = run.results
    every = run.all_trials
    opted_out = every.opted_out()
    return DetectionReview(
        name=submission.name,
        curve=result.curve,
        trials=result.trials,
        intervals=result.intervals if has_few else None,
        keys=_keys(task, every, result.selection.rows),
        opted_out=int(np.count_nonzero(opted_out)),
        unanswered=int(np.count_nonzero(~every.detected() & ~opted_out)),
        response_rate=result.response_rate,
        far_stop=run.settings.stop,
        leaves_out=leaves_out,
    ).prepare()


def _keys(task: Task, trials: DetectionTrials, rows: Rows) -> tuple[Column, ...]:
    return tuple(trials.table[name].take(rows) for name in key_columns(task.kind))


def _shares(scores: Floats, edges: Floats) -> Floats:
    counts = np.histogram(scores, edges)[0]
    return counts / max(1, len(scores))
