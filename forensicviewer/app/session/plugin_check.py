"""Tells the user which plug-ins cannot be used, once something is open."""

from __future__ import annotations

from forensicviewer.app.runtime.jobs import Lane, Priority
from forensicviewer.app.workbench.bench import Workbench
from forensicviewer.app.workbench.state import Change, ViewState
from forensicviewer.core.problem import Problem

_LANE = Lane("plugins", Priority.UPKEEP)
_FOLLOWED = Change.DATASET | Change.SCORES


def watch_plugins(workbench: Workbench) -> None:
    """Look after every dataset and every scored trial: a plug-in may also fail when it is used."""

    def follow(state: ViewState, change: Change) -> None:
        if change & _FOLLOWED and state.dataset is not None:
            workbench.jobs.submit(_LANE, _plugin_problems, workbench.report)

    workbench.subscribe(follow)


def _plugin_problems() -> tuple[Problem, ...]:
    from forensicviewer.app.plugins.listing import plugin_problems

    return plugin_problems()
