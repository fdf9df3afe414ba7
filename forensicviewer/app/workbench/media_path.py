"""Where the picture of a trial lies."""

from __future__ import annotations

from pathlib import Path

from forensicviewer.app.workbench.state import ViewState
from forensicviewer.core.model import Side
from forensicviewer.core.problem import ForensicViewerError
from forensicviewer.sources.files.paths import resolve


def media_path(state: ViewState) -> Path | None:
    """The file of the picture looked at; ``None`` when there is none."""
    task = state.task
    row = None if task is None or state.trial_id is None else task.trials.row_of(state.trial_id)
    if task is None or row is None:
        return None
    trial = task.trials[row]
    media = trial.donor if state.side is Side.DONOR and trial.donor is not None else trial.probe
    try:
        return resolve(Path(task.root), media.name)
    except ForensicViewerError:
        return None
