"""The rule sets: NIST's conventions, NIST's code to the letter, and the plans.

A rule switch is one place where they score differently.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache, reduce
from typing import Any, ClassVar, Self, TypeVar

from forensicviewer.core.problem import UsageError


class Switch(Enum):
    """One difference between the rule sets; its members are the behaviours to choose from.

    ``key`` names the switch and a member's value the choice wherever users write or read them.
    Each member explains its behaviour in a sentence and lists the rule sets that choose it.
    ``source`` cites where the behaviours are specified.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]

    _value_: str
    explanation: str
    chosen_by: tuple[RuleSet, ...]

    def __new__(cls, value: str, explanation: str, *chosen_by: RuleSet) -> Self:
        member = object.__new__(cls)
        member._value_ = value
        member.explanation = explanation
        member.chosen_by = chosen_by
        return member

    def __init_subclass__(cls, *, key: str, title: str, source: str) -> None:
        super().__init_subclass__()
        cls.key, cls.title, cls.source = key, title, source
        choosing = [rules for choice in cls for rules in choice.chosen_by]
        if sorted(rules.name for rules in choosing) != [MEDISCORE.name, VERBATIM.name, PLAN.name]:
            raise TypeError(f"{key} needs exactly one choice for each rule set")

    def __str__(self) -> str:
        """The choice as users write it, to turn a switch of a rule set."""
        return f"{self.key}={self.value}"


ChoiceT = TypeVar("ChoiceT", bound=Switch)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A named choice for every switch; ``turned`` replaces the choices of single switches."""

    name: str
    turned: tuple[Switch, ...] = ()

    @property
    def label(self) -> str:
        """The name of these rules in reports, with every changed switch."""
        turned = ", ".join(str(choice) for choice in self.turned)
        return f"{self.name} with {turned}" if turned else self.name

    def choice(self, switch: type[ChoiceT]) -> ChoiceT:
        for choice in self.turned:
            if isinstance(choice, switch):
                return choice
        found: ChoiceT = _chosen_by(self.name, switch)
        return found

    def chooses(self, choice: Switch) -> bool:
        return self.choice(type(choice)) is choice

    def choices(self, switches: Iterable[type[Switch]]) -> dict[str, str]:
        """What was chosen, in the words of reports: the choice of each switch by its key."""
        return {switch.key: self.choice(switch).value for switch in switches}

    def explain(self, switch: type[Switch]) -> str:
        return self.choice(switch).explanation

    def with_choice(self, choice: Switch) -> RuleSet:
        """These rules with one switch turned."""
        kept = tuple(each for each in self.turned if type(each) is not type(choice))
        return RuleSet(self.name, (*kept, choice))


@cache
def _chosen_by(rules: str, switch: type[Switch]) -> Any:
    # Asked several times for every trial, of some sixty switches and three names.
    return next(each for each in switch if any(rules == by.name for by in each.chosen_by))


MEDISCORE = RuleSet("mediscore")
VERBATIM = RuleSet("mediscore-verbatim")
PLAN = RuleSet("plan")
RULE_SETS = (MEDISCORE, VERBATIM, PLAN)


def rule_set(name: str, turned: Iterable[Switch] = ()) -> RuleSet:
    """The rule set with this name and these switches."""
    for rules in RULE_SETS:
        if rules.name == name:
            return reduce(RuleSet.with_choice, turned, rules)
    known = ", ".join(rules.name for rules in RULE_SETS)
    raise UsageError(f"{name!r} is not a rule set", hint=f"choose one of {known}")
