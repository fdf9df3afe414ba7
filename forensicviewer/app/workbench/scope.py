"""Which page shows a task."""

from __future__ import annotations

from enum import Enum

from forensicviewer.core.model import TaskKind


class Scope(Enum):
    """Where a command's keys work; the window's keys work on every page."""

    WINDOW = "Everywhere"
    PANES = "Images and video"
    STILLS = "Images"
    VIDEO = "Video"
    GRAPH = "Graph"

    @property
    def pages(self) -> frozenset[Scope]:
        """The pages its keys work on."""
        return _PAGES[self]

    def overlaps(self, other: Scope) -> bool:
        return bool(self.pages & other.pages)


_SEVERAL = {
    Scope.WINDOW: (Scope.STILLS, Scope.VIDEO, Scope.GRAPH),
    Scope.PANES: (Scope.STILLS, Scope.VIDEO),
}
_PAGES = {scope: frozenset(_SEVERAL.get(scope, (scope,))) for scope in Scope}


def scope_of(kind: TaskKind | None) -> Scope:
    """The page that shows a task."""
    if kind is TaskKind.VIDEO:
        return Scope.VIDEO
    return Scope.GRAPH if kind is not None and kind.is_provenance else Scope.STILLS
