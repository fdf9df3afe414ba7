"""What a user wants of the list of trials: which of them, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# So many trials are filtered and counted at once; more of them in the background.
SHORT_LIST = 5_000


@dataclass(frozen=True, slots=True)
class Sort:
    """The column rows are ordered by; rows without a value come last either way."""

    column: str = ""
    descending: bool = False


@dataclass(frozen=True, slots=True)
class TrialFilter:
    """Which trials are listed: a query or words, and the chosen cells of facets."""

    text: str = ""
    chosen: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not self.text.strip() and not any(self.chosen.values())

    def toggled(self, column: str, cell: str) -> TrialFilter:
        """The filter with one facet cell added or taken away."""
        cells = self.chosen.get(column, frozenset()) ^ {cell}
        chosen = {name: kept for name, kept in {**self.chosen, column: cells}.items() if kept}
        return TrialFilter(self.text, chosen)

    def only(self, column: str, cell: str) -> TrialFilter:
        """The filter with one cell of a column chosen, and none other of it."""
        return TrialFilter(self.text, {**self.chosen, column: frozenset({cell})})

    def without(self, column: str) -> TrialFilter:
        chosen = {name: cells for name, cells in self.chosen.items() if name != column}
        return TrialFilter(self.text, chosen)

    def as_document(self) -> dict[str, Any]:
        return {"text": self.text, "chosen": {name: sorted(c) for name, c in self.chosen.items()}}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> TrialFilter:
        chosen = document.get("chosen")
        named = chosen.items() if isinstance(chosen, dict) else ()
        lists = ((str(name), cells) for name, cells in named if cells and isinstance(cells, list))
        return cls(
            text=str(document.get("text", "")),
            chosen={name: frozenset(map(str, cells)) for name, cells in lists},
        )
