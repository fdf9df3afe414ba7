"""Rule sets: chosen by name, each switch with the choices it has."""

import pickle

import pytest

from forensicviewer.core.problem import UsageError
from forensicviewer.core.rules import (
    MEDISCORE,
    PLAN,
    RULE_SETS,
    VERBATIM,
    RuleSet,
    Switch,
    rule_set,
)
from forensicviewer.core.rules.catalog import all_switches, switches_of


def test_an_unknown_rule_set_is_told_the_known_ones() -> None:
    with pytest.raises(UsageError, match="mediscore-verbatim"):
        rule_set("mine")


def test_every_scorer_has_its_switches_and_others_have_none() -> None:
    assert all(switches_of(scorer) for scorer in all_switches())
    assert switches_of("nobody") == ()


class Sides(Switch, key="s", title="S", source="here"):
    LEFT = "left", "goes left", MEDISCORE, VERBATIM
    RIGHT = "right", "goes right", PLAN


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: str(rules.name))
def test_a_rule_set_with_one_switch_turned_differs_in_that_switch_alone(rules: RuleSet) -> None:
    every = {switch for switches in all_switches().values() for switch in switches}
    for turned in every:
        for choice in turned:
            found = pickle.loads(pickle.dumps(rules.with_choice(choice)))

            assert found.choice(turned) is choice
            assert found.choices(every - {turned}) == rules.choices(every - {turned})


def test_the_last_choice_of_a_switch_counts() -> None:
    rules = PLAN.with_choice(Sides.LEFT).with_choice(Sides.RIGHT)

    assert rules.choice(Sides) is Sides.RIGHT
    assert rules.chooses(Sides.RIGHT)
    assert rules.explain(Sides) == "goes right"


def test_a_misspelt_choice_is_an_error() -> None:
    with pytest.raises(AttributeError, match="LFET"):
        PLAN.with_choice(Sides.LFET)  # type: ignore[attr-defined]  # what mypy says too


def test_every_rule_set_needs_exactly_one_choice() -> None:
    with pytest.raises(TypeError, match="t needs exactly one choice for each rule set"):

        class Undecided(Switch, key="t", title="T", source="here"):
            YES = "yes", "does it", MEDISCORE, PLAN
            NO = "no", "does not", PLAN
