"""Several detection curves in one plot: of systems, of queries, of the parts of a partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forensicviewer.app.detection.scoring import DetectionResult, DetectionSettings, run_detection
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.core.array import Floats
from forensicviewer.core.detection import distinct_points
from forensicviewer.core.model import Submission, Task
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.core.rules import RuleSet

# More cannot be distinguished by their colours.
MOST_CURVES = 12


@dataclass(frozen=True, slots=True)
class CurveRequest:
    """Which curves to draw: of some trials or of each part, leaving opted-out trials out or not."""

    query: str = ""
    partition: str = ""
    leaves_out: bool = False

    def settings(self, rules: RuleSet) -> DetectionSettings:
        return DetectionSettings(
            rules=rules,
            queries=(self.query,) if self.query else (),
            partition=self.partition or None,
            opt_out=self.leaves_out,
        )


@dataclass(frozen=True, slots=True, eq=False)
class NamedCurve:
    """One curve of a comparison; ``failure`` says why there is none."""

    name: str
    far: Floats | None = None
    cdr: Floats | None = None
    auc: float | None = None
    eer: float | None = None
    trials: int = 0
    failure: str = ""


def curves_of(
    task: Task,
    submissions: Sequence[Submission],
    asked: CurveRequest,
    ticket: Ticket,
    *,
    rules: RuleSet,
) -> tuple[NamedCurve, ...]:
    """The curves of every submission, as ``score detection`` computes them; may be cancelled."""
    found: list[NamedCurve] = []
    for number, submission in enumerate(submissions):
        ticket.report(number, len(submissions))
        try:
            run = run_detection(task, submission, asked.settings(rules))
        except ForensicViewerError as error:
            found.append(NamedCurve(submission.name, failure=str(error)))
            continue
        systems = (submission.name,) if len(submissions) > 1 else ()
        found += [_named(result, systems, run.factors) for result in run.results]
    return tuple(found[:MOST_CURVES])


def _named(result: DetectionResult, systems: tuple[str, ...], factors: Sequence[str]) -> NamedCurve:
    parts = [f"{name} {label}" for name, label in zip(factors, result.labels, strict=True)]
    about = ", ".join(parts) or result.query or ""
    name = " · ".join((*systems, *((about,) if about else ()))) or result.name
    if not result.trials.has_both_classes:
        return NamedCurve(name, trials=len(result.trials))
    far, cdr = result.curve.far, result.curve.cdr
    kept = distinct_points(far, cdr)
    auc, eer = result.curve.auc, result.curve.eer
    return NamedCurve(name, far[kept], cdr[kept], auc, eer, len(result.trials))
