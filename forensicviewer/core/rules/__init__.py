"""The rule sets: NIST's conventions, NIST's code to the letter, and the plans."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from forensicviewer.core.problem import UsageError
from forensicviewer.core.rules.switch import MEDISCORE, PLAN, VERBATIM, RuleSet, Switch

__all__ = ["MEDISCORE", "PLAN", "RULE_SETS", "VERBATIM", "RuleSet", "Switch", "rule_set"]

RULE_SETS = (MEDISCORE, VERBATIM, PLAN)


def rule_set(name: str, turned: Iterable[Switch] = ()) -> RuleSet:
    """The rule set a user named, with these switches turned."""
    for rules in RULE_SETS:
        if rules.name == name:
            return reduce(RuleSet.with_choice, turned, rules)
    known = ", ".join(rules.name for rules in RULE_SETS)
    raise UsageError(f"{name!r} is not a rule set", hint=f"choose one of {known}")
