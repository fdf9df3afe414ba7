"""Tells the user which plug-ins cannot be used, once something is open."""

from __future__ import annotations

from forensicviewer.app.plugins.listing import plugin_problems
from forensicviewer.app.runtime.jobs import Lane, Priority
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState

_LANE = Lane("plugins", Priority.UPKEEP)
_FOLLOWED = Change.DATASET | Change.SCORES


def watch_plugins(workbench: Workbench) -> None:
    """Look after every dataset and every scored trial: a plug-in may also fail when it is used."""

    def follow(state: ViewState, change: Change) -> None:
        if change & _FOLLOWED and state.dataset is not None:
            workbench.jobs.submit(_LANE, plugin_problems, workbench.report)

    workbench.subscribe(follow)
