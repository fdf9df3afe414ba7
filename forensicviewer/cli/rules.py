"""``forensicviewer rules``: lists where the rule sets differ."""

from __future__ import annotations

import argparse

from forensicviewer.cli import console
from forensicviewer.cli.command import ExitCode, Subcommand
from forensicviewer.core.rules import RULE_SETS, Switch

_PLANS = (
    "The rule set plan follows NIST's evaluation plans NC2016 (Kickoff Dataset and Tool), "
    "NC2017 (2017-08-04) and MFC2019 (2018-12-05).\nNo plan of MFC2018 was available; its "
    "datasets are scored by the plan of MFC2019.\n"
)
_SCORERS = ("mask", "detection", "temporal", "provenance", "filtering")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--scorer", choices=_SCORERS, help="only the switches of this scorer")
    parser.add_argument("--json", action="store_true", help="print the switches as JSON")


def _run(options: argparse.Namespace) -> int:
    # Imported here, so that the program starts quickly whatever it is asked to do.
    from forensicviewer.core.rules.catalog import all_switches

    chosen = {
        scorer: switches
        for scorer, switches in all_switches().items()
        if options.scorer in (None, scorer)
    }
    if options.json:
        console.say_json(
            {scorer: [_document(switch) for switch in chosen[scorer]] for scorer in chosen}
        )
        return ExitCode.FINE
    console.say(_PLANS)
    for scorer, switches in chosen.items():
        console.say(f"{scorer}\n{'=' * len(scorer)}")
        for switch in switches:
            _say(switch)
    return ExitCode.FINE


def _document(switch: type[Switch]) -> dict[str, object]:
    return {
        "name": switch.key,
        "title": switch.title,
        "choices": {each.value: each.explanation for each in switch},
        "rule_sets": {rules.name: rules.choice(switch).value for rules in RULE_SETS},
        "source": switch.source,
    }


def _say(switch: type[Switch]) -> None:
    console.say(f"{switch.title}  [{switch.key}]")
    for choice in switch:
        users = [rules.name for rules in RULE_SETS if rules.chooses(choice)]
        console.say(f"  {choice.value} ({', '.join(users) or 'no rule set'}): {choice.explanation}")
    console.say(f"  source: {switch.source}\n" if switch.source else "")


COMMAND = Subcommand("rules", "Show where the rule sets score differently", _add_options, _run)
