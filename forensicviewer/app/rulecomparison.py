"""One trial scored by every rule set, for whoever asks what other rules would have given it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from forensicviewer.app.jobs import Ticket
from forensicviewer.app.mask_settings import Side
from forensicviewer.app.scoreplans import MaskPlan, mask_settings
from forensicviewer.app.state import Scoring
from forensicviewer.core.mask import Kernels
from forensicviewer.core.model import Submission, Task, TrialId
from forensicviewer.core.rules import RULE_SETS, RuleSet, Switch
from forensicviewer.core.rules import mask as switches

COMPARED = (
    *("OptimumMCC", "OptimumNMM", "OptimumBWL1", "GWL1", "AUC", "EER", "OptimumThreshold"),
    *("PixelN", "PixelBNS", "PixelSNS", "PixelPNS"),
)


@dataclass(frozen=True, slots=True)
class ComparedNumber:
    """One number of NIST's files by every rule set, in the order of the rule sets."""

    name: str
    values: tuple[float | None, ...]

    @property
    def differs(self) -> bool:
        return len(set(self.values)) > 1


@dataclass(frozen=True, slots=True)
class RuleComparison:
    """What ``score mask`` writes about one trial, by every rule set."""

    trial: TrialId
    submission: str
    numbers: tuple[ComparedNumber, ...]
    rule_sets: tuple[RuleSet, ...] = RULE_SETS

    @property
    def is_scored(self) -> bool:
        return any(value is not None for number in self.numbers for value in number.values)


def compare_rules(
    task: Task, submission: Submission, scoring: Scoring, trial: TrialId, ticket: Ticket
) -> RuleComparison:
    """Score one trial by each rule set, all its operations selected."""
    found: list[dict[Side, Mapping[str, float]]] = []
    for number, rules in enumerate(RULE_SETS):
        ticket.report(number, len(RULE_SETS))
        ticket.check()
        settings = mask_settings(task, scoring, rules)
        if scoring.kernels.distraction_px == Kernels().distraction_px:
            # Nobody asked for a width of their own: each rule set has one.
            settings = replace(settings, distraction_px=None)
        found.append(MaskPlan.of(task, submission, settings, 1).metrics_of(trial))
    numbers = [
        ComparedNumber(
            name if side is Side.PROBE else f"Donor {name}",
            tuple(one.get(side, {}).get(name) for one in found),
        )
        for side in Side
        if any(side in one for one in found)
        for name in COMPARED
    ]
    return RuleComparison(trial, submission.name, tuple(numbers))


def mask_differences() -> tuple[Switch, ...]:
    """Where the rule sets treat masks differently."""
    return switches.SWITCHES
