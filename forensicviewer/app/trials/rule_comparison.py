"""One trial scored by every rule set, to compare what each of them gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from forensicviewer.app.masks.one_trial import narrowed
from forensicviewer.app.masks.settings import usual_kernels
from forensicviewer.app.masks.trials import NO_TARGET
from forensicviewer.app.runtime.jobs import Ticket
from forensicviewer.app.trials.score_plans import MaskPlan, mask_settings
from forensicviewer.app.workbench.state import Scoring
from forensicviewer.core.model import Side, Submission, Task, TrialId
from forensicviewer.core.problem import ScoringError
from forensicviewer.core.rules import RULE_SETS, RuleSet, Switch
from forensicviewer.core.rules import mask as switches

COMPARED = (
    *("OptimumMCC", "OptimumNMM", "OptimumBWL1", "GWL1", "AUC", "EER", "OptimumThreshold"),
    *("PixelN", "PixelBNS", "PixelSNS", "PixelPNS"),
)


@dataclass(frozen=True, slots=True)
class ComparedNumber:
    """One number of NIST's files by every rule set, in the order of the rule sets."""

    side: Side
    name: str
    values: tuple[float | None, ...]

    @property
    def differs(self) -> bool:
        return len(set(self.values)) > 1


@dataclass(frozen=True, slots=True)
class RuleComparison:
    """What ``score mask`` writes about one trial, by every rule set.

    ``decisive`` are the switches that change a number of this trial when turned alone.
    """

    trial: TrialId
    submission: str
    numbers: tuple[ComparedNumber, ...]
    decisive: tuple[type[Switch], ...] = ()
    rule_sets: tuple[RuleSet, ...] = RULE_SETS

    @property
    def is_scored(self) -> bool:
        return any(value is not None for number in self.numbers for value in number.values)

    @property
    def others(self) -> tuple[type[Switch], ...]:
        """The switches that make no difference to this trial."""
        return tuple(switch for switch in switches.SWITCHES if switch not in self.decisive)


_Numbers = Mapping[Side, Mapping[str, float]]


def compare_rules(
    task: Task,
    submission: Submission,
    scoring: Scoring,
    trial: TrialId,
    in_use: RuleSet,
    ticket: Ticket,
) -> RuleComparison:
    """Score one trial by each rule set, all its operations selected.

    ``in_use`` is the rule set the scoring belongs to.
    """
    usual_px = usual_kernels(in_use).distraction_px
    known = task.find_trial(trial)
    alone = task if known is None else narrowed(task, known)

    def scored(rules: RuleSet) -> _Numbers:
        ticket.check()
        settings = mask_settings(task, scoring, rules)
        if scoring.kernels.distraction_px == usual_px:
            # Nobody asked for a width of their own: each rule set has one.
            settings = replace(settings, distraction_px=None)
        try:
            return MaskPlan.of(alone, submission, settings, 1).metrics_of(trial)
        except ScoringError as error:
            if error.rule != NO_TARGET:
                raise
            return {}

    found = [scored(rules) for rules in RULE_SETS]
    numbers = [
        ComparedNumber(
            side,
            name,
            tuple(one.get(side, {}).get(name) for one in found),
        )
        for side in Side
        if any(side in one for one in found)
        for name in COMPARED
    ]
    decisive = _decisive(found, scored, ticket)
    return RuleComparison(trial, submission.name, tuple(numbers), decisive)


def _decisive(
    found: Sequence[_Numbers], scored: Callable[[RuleSet], _Numbers], ticket: Ticket
) -> tuple[type[Switch], ...]:
    base, usual = RULE_SETS[0], _compared(found[0])
    different = [
        rules
        for rules, numbers in zip(RULE_SETS, found, strict=True)
        if _compared(numbers) != usual
    ]
    tried = dict.fromkeys(
        rules.choice(switch)
        for switch in switches.SWITCHES
        for rules in different
        if not base.chooses(rules.choice(switch))
    )
    decisive = []
    for number, choice in enumerate(tried):
        ticket.report(number, len(tried))
        if _compared(scored(base.with_choice(choice))) != usual:
            decisive.append(type(choice))
    return tuple(dict.fromkeys(decisive))


def _compared(numbers: _Numbers) -> dict[tuple[Side, str], float | None]:
    return {(side, name): found.get(name) for side, found in numbers.items() for name in COMPARED}
