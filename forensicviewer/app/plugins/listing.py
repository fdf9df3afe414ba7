"""Every part there is, of every kind, and what other packages wanted to add and could not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from forensicviewer.core.problem import Problem
from forensicviewer.sources.plugins.registry import Registry


@dataclass(frozen=True, slots=True)
class ListedPart:
    """One part: its kind, name, and whether it comes with the program."""

    kind: str
    name: str
    is_built_in: bool


def registries() -> tuple[Registry[Any], ...]:
    """The four kinds of parts that other packages can add."""
    # Readers, codecs and filters: nobody needs them all before a list is asked for.
    from forensicviewer.app.plugins.lenses import LENSES
    from forensicviewer.app.plugins.metrics import METRICS
    from forensicviewer.sources.datasets import LAYOUTS
    from forensicviewer.sources.media.codecs import CODECS

    return LENSES, LAYOUTS, METRICS, CODECS


def list_parts() -> tuple[ListedPart, ...]:
    """Every part by its kind."""
    return tuple(
        ListedPart(registry.kind, part.name, registry.is_built_in(part.name))
        for registry in registries()
        for part in registry
    )


def plugin_problems() -> tuple[Problem, ...]:
    """What could not be loaded, or failed since."""
    return tuple(problem for registry in registries() for problem in registry.problems)
