"""What a rule switch is: one place where the rule sets score differently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Switch:
    """One difference between the rule sets, with what each of them does.

    ``choices`` explains every behaviour in a sentence; the three fields after it name the behaviour
    of each rule set. ``source`` cites where the behaviours are specified.
    """

    name: str
    title: str
    choices: Mapping[str, str]
    mediscore: str
    verbatim: str
    plan: str
    source: str = ""

    def __post_init__(self) -> None:
        for choice in (self.mediscore, self.verbatim, self.plan):
            if choice not in self.choices:
                raise ValueError(f"{self.name} has no choice {choice!r}")

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A named choice for every switch; ``overrides`` replaces single choices by switch name."""

    name: str
    overrides: tuple[tuple[str, str], ...] = ()

    def choice(self, switch: Switch) -> str:
        for name, choice in self.overrides:
            if name == switch.name:
                return choice
        if self.name == MEDISCORE.name:
            return switch.mediscore
        return switch.verbatim if self.name == VERBATIM.name else switch.plan

    def explain(self, switch: Switch) -> str:
        return switch.choices[self.choice(switch)]

    def with_choice(self, switch: Switch, choice: str) -> RuleSet:
        if choice not in switch.choices:
            raise ValueError(f"{switch.name} has no choice {choice!r}")
        kept = tuple(pair for pair in self.overrides if pair[0] != switch.name)
        return RuleSet(self.name, (*kept, (switch.name, choice)))


MEDISCORE = RuleSet("mediscore")
VERBATIM = RuleSet("mediscore-verbatim")
PLAN = RuleSet("plan")
