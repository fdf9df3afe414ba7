"""All switches of all scorers in one list."""

from __future__ import annotations

from collections.abc import Mapping

from forensicviewer.core.rules import detection, mask, provenance, temporal
from forensicviewer.core.rules.switch import Switch


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
