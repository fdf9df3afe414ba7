"""The list of switches on the command line."""

import json

import pytest

from forensicviewer.cli import main
from forensicviewer.cli.rules import _SCORERS
from forensicviewer.core.rules import RULE_SETS
from forensicviewer.core.rules.catalog import all_switches, switches_of


def test_every_scorer_has_its_switches() -> None:
    assert tuple(all_switches()) == _SCORERS
    assert all(all_switches().values())
    assert switches_of("detection") == all_switches()["detection"]
    assert switches_of("unknown") == ()


def test_switch_names_are_used_once_within_a_scorer() -> None:
    for switches in all_switches().values():
        names = [switch.key for switch in switches]
        assert len(names) == len(set(names))


def test_switches_are_listed_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--scorer", "detection"]) == 0

    shown = capsys.readouterr().out
    assert "A trial without a score from the system  [detection-missing-score]" in shown
    assert "  dropped (mediscore-verbatim): is dropped silently" in shown
    assert "  merged (no rule set): are one score" in shown
    assert "mask" not in shown.splitlines()


def test_switches_are_listed_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--json"]) == 0

    document = json.loads(capsys.readouterr().out)
    first = document["detection"][0]
    assert set(document) == set(_SCORERS)
    assert set(first["rule_sets"]) == {rules.name for rules in RULE_SETS}
    assert first["rule_sets"]["plan"] in first["choices"]
