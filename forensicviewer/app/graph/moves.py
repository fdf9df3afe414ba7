"""Where a user put the nodes of a graph, with undo and redo."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from forensicviewer.core.graph.provenance import FileName

Position: TypeAlias = tuple[float, float]
Positions: TypeAlias = Mapping[FileName, Position]


class Moves:
    """The steps there were and those taken back; each step is all moved nodes before it."""

    def __init__(self) -> None:
        self._undo: list[Positions] = []
        self._redo: list[Positions] = []

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    def make(self, now: Positions) -> None:
        """A node is about to be moved from where things are now."""
        self._undo.append(now)
        self._redo.clear()

    def undo(self, now: Positions) -> Positions:
        """Where things were a step ago."""
        if not self._undo:
            return now
        self._redo.append(now)
        return self._undo.pop()

    def redo(self, now: Positions) -> Positions:
        """Where things were before they were taken back."""
        if not self._redo:
            return now
        self._undo.append(now)
        return self._redo.pop()

    def clear(self) -> None:
        self._undo.clear()
        self._redo.clear()
