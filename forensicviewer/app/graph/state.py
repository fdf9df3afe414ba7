"""What the graph page shows, as one frozen value, and what can change about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, Flag, auto
from typing import TypeAlias

from forensicviewer.app.graph.document import GraphDocument, TrialScore
from forensicviewer.app.graph.drawing import LayoutKind
from forensicviewer.app.graph.moves import Positions
from forensicviewer.app.provenance.settings import ProvenanceSettings
from forensicviewer.core.graph.provenance import (
    Comparison,
    FileName,
    LinkKey,
    LinkMatch,
    NodeMatch,
)
from forensicviewer.core.graph.sweep import Cut

Selected: TypeAlias = FileName | LinkKey | None


class GraphChange(Flag):
    """What differs between two states."""

    DOCUMENT = auto()  # another trial or another condition
    MATCHES = auto()  # a threshold
    SELECTION = auto()
    SHOWN = auto()  # folding, differences only, focus
    PLACES = auto()  # nodes were moved
    SEARCH = auto()
    TABLE = auto()  # the scores of all trials
    LOADING = auto()


class Focus(Enum):
    """What stays bright while something is selected."""

    ALL = "Everything"
    NEIGHBOURS = "Neighbourhood"
    PATH = "Path to probe"


@dataclass(frozen=True, slots=True, eq=False)
class GraphState:
    """Everything the graph page shows; ``comparison`` is the one at the thresholds of ``cut``."""

    document: GraphDocument | None = None
    comparison: Comparison | None = None
    settings: ProvenanceSettings = field(default_factory=ProvenanceSettings)
    layout: LayoutKind = LayoutKind.LAYERED
    cut: Cut = field(default_factory=Cut)
    selected: Selected = None
    second: FileName | None = None
    focus: Focus = Focus.ALL
    folded: frozenset[FileName] = frozenset()
    hidden: Mapping[FileName, FileName] = field(default_factory=dict)
    only_differences: bool = False
    shows_journal: bool = True
    moved: Positions = field(default_factory=dict)
    search: str = ""
    found: tuple[FileName, ...] = ()
    table: tuple[TrialScore, ...] = ()
    is_loading: bool = False
    failure: str = ""

    @property
    def nodes(self) -> Mapping[FileName, NodeMatch]:
        """How each node counts now; nodes below the threshold that nobody asked for are absent."""
        return {} if self.comparison is None else self.comparison.by_file

    @property
    def links(self) -> Mapping[LinkKey, LinkMatch]:
        return {} if self.comparison is None else self.comparison.by_ends
