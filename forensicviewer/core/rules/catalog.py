"""All switches of all scorers in one list."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from forensicviewer.core.problem import UsageError
from forensicviewer.core.rules import Switch, detection, mask, provenance, temporal


def all_switches() -> Mapping[str, tuple[type[Switch], ...]]:
    """The switches of each scorer, by the word the command line uses for it."""
    return {
        "mask": mask.SWITCHES,
        "detection": detection.SWITCHES,
        "temporal": temporal.SWITCHES,
        "provenance": provenance.GRAPH_SWITCHES,
        "filtering": provenance.FILTERING_SWITCHES,
    }


def switches_of(scorer: str) -> tuple[type[Switch], ...]:
    return all_switches().get(scorer, ())


def choice_named(text: str, *, scorer: str | None = None) -> Switch:
    """The choice that ``SWITCH=CHOICE`` names among those of a scorer, or of all of them."""
    key, _, value = text.partition("=")
    known = chain(*all_switches().values()) if scorer is None else switches_of(scorer)
    switch = next((switch for switch in known if switch.key == key), None)
    if switch is None:
        raise UsageError(
            f"{key!r} is not a switch here", hint="forensicviewer rules lists the switches"
        )
    for choice in switch:
        if choice.value == value:
            return choice
    choices = ", ".join(choice.value for choice in switch)
    raise UsageError(f"{value!r} is not a choice of {key}", hint=f"choose one of {choices}")
