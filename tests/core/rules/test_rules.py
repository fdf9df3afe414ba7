"""Rule sets: chosen by name, each switch with the choices it has."""

import pytest

from forensicviewer.core.problem import UsageError
from forensicviewer.core.rules import PLAN, rule_set
from forensicviewer.core.rules.catalog import all_switches, switches_of
from forensicviewer.core.rules.switch import Switch

CHOICES = {"a": "does this", "b": "does that"}


def test_an_unknown_rule_set_is_told_the_known_ones() -> None:
    with pytest.raises(UsageError, match="mediscore-verbatim"):
        rule_set("mine")


def test_every_scorer_has_its_switches_and_others_have_none() -> None:
    assert all(switches_of(scorer) for scorer in all_switches())
    assert switches_of("nobody") == ()


def test_a_switch_has_no_other_choices_than_its_own() -> None:
    switch = Switch("s", "S", CHOICES, mediscore="a", verbatim="a", plan="b")

    assert PLAN.with_choice(switch, "a").explain(switch) == "does this"
    with pytest.raises(ValueError, match="s has no choice 'c'"):
        PLAN.with_choice(switch, "c")
    with pytest.raises(ValueError, match="s has no choice 'c'"):
        Switch("s", "S", CHOICES, mediscore="a", verbatim="a", plan="c")
