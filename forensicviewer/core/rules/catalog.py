"""All switches of all scorers in one list."""

from __future__ import annotations

from collections.abc import Mapping

from forensicviewer.core.rules import detection, provenance, temporal
from forensicviewer.core.rules.switch import Switch


def all_switches() -> Mapping[str, tuple[Switch, ...]]:
    """The switches of each scorer, by the word the command line uses for it."""
    filtering = tuple(s for s in provenance.SWITCHES if s.name.startswith("filtering"))
    graphs = tuple(s for s in provenance.SWITCHES if s not in filtering)
    return {
        "detection": detection.SWITCHES,
        "temporal": temporal.SWITCHES,
        "provenance": graphs,
        "filtering": filtering,
    }


def switches_of(scorer: str) -> tuple[Switch, ...]:
    return all_switches().get(scorer, ())
