"""A GenAI evaluation as it is shown: curves, calls, generators and versions of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from forensicviewer.app.genai.scoring import (
    ALL,
    GenAIRun,
    GenAISettings,
    Part,
    SystemResult,
    natural,
    run_genai,
)
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.core.array import Counts, Flags, Floats, Rows
from forensicviewer.core.cached import cached_property
from forensicviewer.core.detection import distinct_points
from forensicviewer.core.model import Submission, Task, TrialId

_BINS = 40
_UNKNOWN = -1
Calls = NDArray[np.int8]  # (systems, trials): 1 called AI-generated, 0 not, -1 unknown


@dataclass(frozen=True, slots=True)
class ImageCall:
    """What one system says about one image; ``is_right`` is ``None`` where nobody knows."""

    system: str
    score: float | None
    cutoff: float | None
    is_called: bool | None
    is_right: bool | None


@dataclass(frozen=True, slots=True)
class Versions:
    """The outputs of one system (DiscriminatorID), the earliest version first."""

    system: str
    results: tuple[SystemResult, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class GenAIReview:
    """Every system output that is open, scored as ``score genai`` scores them."""

    run: GenAIRun

    def prepare(self) -> GenAIReview:
        """Find out what drawing asks for; seconds for a million trials."""
        _ = self.calls, self.right_counts
        for number in range(len(self.systems)):
            self.histograms(number)
            self.worst(number)
        return self

    @property
    def systems(self) -> tuple[SystemResult, ...]:
        return self.run.systems

    @property
    def task(self) -> Task:
        return self.run.task

    def row_of(self, trial: TrialId | None) -> int | None:
        return None if trial is None else self.task.trials.row_of(trial)

    def score_of(self, trial: TrialId | None, system: int) -> float | None:
        """The score of a trial; ``None`` where the system gives none."""
        row = self.row_of(trial)
        score = np.nan if row is None else self.systems[system].trials.scores[row]
        return None if np.isnan(score) else float(score)

    def histograms(self, system: int) -> tuple[Floats, Floats, Floats]:
        """(edges, share of the AI-generated, share of the human-made images) by score."""
        if system not in self._histograms:
            trials = self.systems[system].whole.trials
            self._histograms[system] = _histograms(trials.scores, trials.targets)
        return self._histograms[system]

    @cached_property
    def _histograms(self) -> dict[int, tuple[Floats, Floats, Floats]]:
        return {}

    def worst(self, system: int) -> Rows:
        """The rows of the scored trials, the most wrong first."""
        if system not in self._worst:
            errors = self.systems[system].trials.errors
            order = np.argsort(-errors, kind="stable")
            self._worst[system] = order[: int(np.count_nonzero(~np.isnan(errors)))]
        return self._worst[system]

    @cached_property
    def _worst(self) -> dict[int, Rows]:
        return {}

    # What the systems say together

    @cached_property
    def calls(self) -> Calls:
        return calls_of(self.systems)

    @cached_property
    def right_counts(self) -> Counts:
        """How many images so many systems call rightly; of the images all of them call."""
        targets, is_labelled = self.systems[0].trials.targets, self.systems[0].trials.is_labelled
        is_known = is_labelled & (self.calls != _UNKNOWN).all(axis=0)
        right = (self.calls[:, is_known] == targets[is_known]).sum(axis=0)
        return np.bincount(right, minlength=len(self.systems) + 1).astype(np.int64)

    def calls_about(self, row: int) -> tuple[ImageCall, ...]:
        """What each system says about one image."""
        return tuple(self._call(number, row) for number in range(len(self.systems)))

    def _call(self, number: int, row: int) -> ImageCall:
        system = self.systems[number]
        trials, called = system.trials, int(self.calls[number, row])
        score = float(trials.scores[row])
        is_called = None if called == _UNKNOWN else bool(called)
        is_known = is_called is not None and bool(trials.is_labelled[row])
        return ImageCall(
            system.name,
            None if np.isnan(score) else score,
            system.cutoff,
            is_called,
            is_called == bool(trials.targets[row]) if is_known else None,
        )

    # One system over time, and by generator

    @cached_property
    def versions(self) -> tuple[Versions, ...]:
        """Every system of which several outputs are open."""
        return versions_of(self.systems)

    def generators(self, system: int) -> tuple[Part, ...]:
        """The parts of one system, the generator that deceives it best first."""
        parts = [part for part in self.systems[system].parts if part.value != ALL]
        return tuple(sorted(parts, key=lambda part: _deceived(part.found.auc)))


def review_genai(task: Task, submissions: Sequence[Submission], ticket: Ticket) -> GenAIReview:
    """Score every open system output; may be cancelled."""
    run = run_genai(task, submissions, GenAISettings(), progress=ticket.report)
    return GenAIReview(run).prepare()


def calls_of(systems: Sequence[SystemResult]) -> Calls:
    """What each system calls each trial, at the cutoff its file name declares."""
    count = len(systems[0].trials.scores) if systems else 0
    calls = np.full((len(systems), count), _UNKNOWN, dtype=np.int8)
    for number, system in enumerate(systems):
        if system.cutoff is not None:
            scores = system.trials.scores
            calls[number] = np.where(np.isnan(scores), _UNKNOWN, scores >= system.cutoff)
    return calls


def agreement_of(calls: Calls) -> Floats:
    """Of the systems that call a trial, the share that does so as most do: 0.5 (split) to 1."""
    yes, no = (calls == 1).sum(axis=0), (calls == 0).sum(axis=0)
    total = yes + no
    share: Floats = np.maximum(yes, no) / np.where(total > 0, total, 1)
    return np.where(total > 0, share, np.nan)


def operating_point(system: SystemResult) -> tuple[float, float] | None:
    """(false positive rate, true positive rate) at the cutoff; ``None`` without one."""
    found = system.whole.confusion
    if found is None or not system.whole.trials.has_both_classes:
        return None
    return found.fp / (found.fp + found.tn), found.tp / (found.tp + found.fn)


def drawn_curve(system: SystemResult) -> tuple[Floats, Floats]:
    """(false positive rate, true positive rate) of the vertices that can be distinguished."""
    curve = system.whole.curve
    far, cdr = curve.far, curve.cdr
    kept = distinct_points(far, cdr) if len(far) else np.empty(0, dtype=np.intp)
    return far[kept], cdr[kept]


def versions_of(systems: Sequence[SystemResult]) -> tuple[Versions, ...]:
    """Systems by their DiscriminatorID, those with several outputs only."""
    by_site: dict[str, list[SystemResult]] = {}
    for system in systems:
        site = system.submission.identity.get("system", "")
        if site:
            by_site.setdefault(site, []).append(system)
    found = []
    for site, several in by_site.items():
        if len(several) > 1:
            ordered = sorted(several, key=lambda system: natural(version_of(system) + system.name))
            found.append(Versions(site, tuple(ordered), tuple(map(version_of, ordered))))
    return tuple(found)


def version_of(system: SystemResult) -> str:
    """The ModelVersion of an output; its name where it declares none."""
    return system.submission.identity.get("version", "") or system.name


def _deceived(auc: float) -> float:
    """The rating of a generator: an AUC of 0.5 or less is the best."""
    return 2.0 if np.isnan(auc) else max(auc, 0.5)


def _histograms(scores: Floats, targets: Flags) -> tuple[Floats, Floats, Floats]:
    low = min(0.0, float(scores.min(initial=0.0)))
    high = max(1.0, float(scores.max(initial=1.0)))
    edges = np.linspace(low, high, _BINS + 1)
    return edges, _shares(scores[targets], edges), _shares(scores[~targets], edges)


def _shares(scores: Floats, edges: Floats) -> Floats:
    return np.histogram(scores, edges)[0] / max(1, len(scores))
